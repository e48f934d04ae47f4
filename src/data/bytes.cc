// SPDX-License-Identifier: Apache-2.0
#include "data/bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "ambidex/base.h"

namespace ambidex {
namespace {

constexpr int64_t kInputBytes = int64_t{1} << 16;  // 26 members inflate side by side

struct OpenFile {
  int handle = -1;
  explicit OpenFile(int opened) : handle(opened) {}
  ~OpenFile() { ::close(handle); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
};

Error bad_input(const std::string& message) { return {ErrorKind::bad_input, message}; }

void read_at(int handle, const std::string& path, int64_t at, std::span<char> out) {
  while (!out.empty()) {
    const ssize_t got = ::pread(handle, out.data(), out.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      throw bad_input(
          fmt::format("{}: cannot read on at byte {}: {}; is another program changing "
                      "the file?",
                      path, at, got == 0 ? "it ends there" : std::strerror(errno)));
    }
    out = out.subspan(static_cast<size_t>(got));
    at += got;
  }
}

}  // namespace

ByteFile open_bytes(const std::string& path) {
  const int handle = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (handle < 0) {
    const bool is_missing = errno == ENOENT || errno == ENOTDIR;
    throw Error(is_missing ? ErrorKind::not_found : ErrorKind::bad_input,
                fmt::format("{}: cannot open: {}; give a file that can be read", path,
                            std::strerror(errno)));
  }
  const auto file = std::make_shared<OpenFile>(handle);
  struct stat facts {};
  if (::fstat(handle, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    throw bad_input(
        fmt::format("{}: expected a plain file, got a folder, pipe or device; "
                    "binary data is read by place",
                    path));
  }
  return {.where = path,
          .size_bytes = facts.st_size,
          .read = [file, path](int64_t at, std::span<char> out) {
            read_at(file->handle, path, at, out);
          }};
}

ByteFile bytes_in_memory(std::string_view bytes, const std::string& where) {
  return {.where = where,
          .size_bytes = static_cast<int64_t>(bytes.size()),
          .read = [bytes](int64_t at, std::span<char> out) {
            check(at >= 0 && static_cast<size_t>(at) + out.size() <= bytes.size(),
                  "reads stay within the bytes");
            std::copy_n(bytes.data() + at, out.size(), out.data());
          }};
}

void ByteStream::EndInflate::operator()(z_stream* stream) const {
  inflateEnd(stream);
  delete stream;
}

ByteStream::ByteStream(ByteFile file, const FilePart& part, const std::string& where)
    : file_(std::move(file)), part_(part), where_(where) {
  // Negative numbers never come: what made the part has checked that.
  if (part_.stored_bytes > file_.size_bytes - part_.first_byte) {
    fail(fmt::format("only {} in the file", file_.size_bytes - part_.first_byte));
  }
  restart();
}

void ByteStream::restart() {
  byte_ = stored_byte_ = crc_byte_ = 0;
  crc_ = 0;
  if (!part_.is_deflated) return;
  stream_.reset();
  auto fresh = std::make_unique<z_stream>();
  const bool is_ready = inflateInit2(fresh.get(), -MAX_WBITS) == Z_OK;
  check(is_ready, "zlib inflates");
  stream_.reset(fresh.release());
}

void ByteStream::refill() {
  const int64_t count = std::min(kInputBytes, part_.stored_bytes - stored_byte_);
  input_.resize(static_cast<size_t>(count));
  file_.read(part_.first_byte + stored_byte_, input_);
  stored_byte_ += count;
  stream_->next_in = reinterpret_cast<Bytef*>(input_.data());
  stream_->avail_in = static_cast<uInt>(count);
}

void ByteStream::inflate_into(std::span<char> out) {
  constexpr size_t kMaxPiece = size_t{1} << 30;  // zlib counts in 32 bits
  while (!out.empty()) {
    if (stream_->avail_in == 0) refill();
    const size_t wanted = std::min(out.size(), kMaxPiece);
    stream_->next_out = reinterpret_cast<Bytef*>(out.data());
    stream_->avail_out = static_cast<uInt>(wanted);
    const int code = inflate(stream_.get(), Z_NO_FLUSH);
    const size_t got = wanted - stream_->avail_out;
    out = out.subspan(got);
    const bool is_at_end = stream_->avail_in == 0 && stored_byte_ == part_.stored_bytes;
    if (code == Z_DATA_ERROR || code == Z_NEED_DICT) fail("damaged compressed bytes");
    if (!out.empty() && got == 0 && (code == Z_STREAM_END || is_at_end)) fail("an early end");
  }
}

void ByteStream::add_to_crc(std::span<const char> bytes) {
  if (!part_.crc || crc_byte_ != byte_) return;  // not read from the start
  crc_ = static_cast<uint32_t>(
      crc32_z(crc_, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  crc_byte_ += static_cast<int64_t>(bytes.size());
  if (crc_byte_ == part_.size_bytes && crc_ != *part_.crc) fail("bytes of another checksum");
}

void ByteStream::read(std::span<char> out) {
  const auto count = static_cast<int64_t>(out.size());
  if (count > part_.size_bytes - byte_) fail(fmt::format("an end after {}", part_.size_bytes));
  if (part_.is_deflated) {
    inflate_into(out);
  } else {
    file_.read(part_.first_byte + byte_, out);
  }
  add_to_crc(out);
  byte_ += count;
}

void ByteStream::seek(int64_t byte) {
  check(byte >= 0 && byte <= part_.size_bytes, "seeks stay within the part");
  if (!part_.is_deflated) {
    byte_ = byte;
    return;
  }
  if (byte < byte_) restart();
  std::vector<char> discarded(
      static_cast<size_t>(std::min<int64_t>(byte - byte_, int64_t{1} << 18)));
  while (byte_ < byte) {
    const int64_t count = std::min<int64_t>(byte - byte_, static_cast<int64_t>(discarded.size()));
    read(std::span(discarded).first(static_cast<size_t>(count)));
  }
}

void ByteStream::fail(const std::string& got) const {
  throw bad_input(
      fmt::format("{}: expected {} bytes, got {}; the file is cut off or damaged, copy "
                  "it again",
                  where_, part_.is_deflated ? part_.size_bytes : part_.stored_bytes, got));
}

}  // namespace ambidex
