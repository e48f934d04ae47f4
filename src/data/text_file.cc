// SPDX-License-Identifier: Apache-2.0
#include "data/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {
namespace {

constexpr size_t kInputBytes = size_t{1} << 18;
constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";

enum class Compression : uint8_t { none, gzip, zstd };

Error damaged(const std::string& path, std::string_view form, std::string_view what) {
  return {ErrorKind::bad_input,
          fmt::format("{}: the {} stream {}; copy or download the file again", path, form, what)};
}

int open_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) {
    const bool is_missing = errno == ENOENT || errno == ENOTDIR;
    throw Error(
        is_missing ? ErrorKind::not_found : ErrorKind::bad_input,
        fmt::format("{}: cannot open: {}; give a readable file", path, std::strerror(errno)));
  }
  struct stat status {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    throw Error(ErrorKind::bad_input, fmt::format("{}: expected a file, got a folder", path));
  }
  if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected a plain file, got a pipe or device; data is read more "
                            "than once, so write it to a file first",
                            path));
  }
  return descriptor;
}

}  // namespace

struct TextFile::State {
  explicit State(const std::string& file_path) : path(file_path), descriptor(open_file(file_path)) {
    input.resize(kInputBytes);
  }
  ~State() {
    if (compression == Compression::gzip) inflateEnd(&gzip);
    ZSTD_freeDStream(zstd);
    ::close(descriptor);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::string path;
  int descriptor;
  Compression compression = Compression::none;
  int64_t offset = 0;       // of the next byte that read() gives
  std::vector<char> input;  // raw bytes of the file
  size_t input_begin = 0;   // those not used yet
  size_t input_end = 0;
  bool is_inside = false;  // of a compressed member: the file may not end here
  z_stream gzip{};
  ZSTD_DStream* zstd = nullptr;

  size_t read_raw(char* to, size_t num_bytes) const {
    while (true) {
      const ssize_t got = ::read(descriptor, to, num_bytes);
      if (got >= 0) return static_cast<size_t>(got);
      if (errno == EINTR) continue;
      throw Error(ErrorKind::bad_input,
                  fmt::format("{}: cannot read: {}; check the disk", path, std::strerror(errno)));
    }
  }

  /// False at the end of the file.
  bool refill() {
    if (input_begin < input_end) return true;
    input_begin = 0;
    input_end = read_raw(input.data(), input.size());
    return input_end > 0;
  }

  void begin();
  size_t read_plain(char* to, size_t num_bytes);
  size_t read_gzip(char* to, size_t num_bytes);
  size_t read_zstd(char* to, size_t num_bytes);
  size_t read(char* to, size_t num_bytes);
};

/// Looks at the first bytes and prepares their decoder; also after a rewind.
void TextFile::State::begin() {
  // A pipe may give less than asked for.
  input_begin = input_end = 0;
  while (input_end < kZstdMagic.size()) {
    const size_t got = read_raw(input.data() + input_end, input.size() - input_end);
    if (got == 0) break;
    input_end += got;
  }
  offset = 0;
  is_inside = false;
  const std::string_view head(input.data(), input_end);
  if (head.starts_with(kGzipMagic)) {
    if (compression == Compression::gzip) inflateEnd(&gzip);
    gzip = {};
    constexpr int kGzipWindow = 15 + 16;
    check(inflateInit2(&gzip, kGzipWindow) == Z_OK, "zlib starts");
    compression = Compression::gzip;
  } else if (head.starts_with(kZstdMagic)) {
    if (zstd == nullptr) zstd = ZSTD_createDStream();
    check(zstd != nullptr, "zstd starts");
    ZSTD_initDStream(zstd);
    compression = Compression::zstd;
  }
}

size_t TextFile::State::read_plain(char* to, size_t num_bytes) {
  if (input_begin == input_end) return read_raw(to, num_bytes);  // past the first bytes: no copy
  const size_t count = std::min(num_bytes, input_end - input_begin);
  std::memcpy(to, input.data() + input_begin, count);
  input_begin += count;
  return count;
}

size_t TextFile::State::read_gzip(char* to, size_t num_bytes) {
  constexpr std::string_view kForm = "gzip";
  gzip.next_out = reinterpret_cast<Bytef*>(to);
  gzip.avail_out = static_cast<uInt>(num_bytes);
  while (gzip.avail_out == num_bytes) {
    if (!refill()) {
      if (is_inside) throw damaged(path, kForm, "ends early");
      break;
    }
    if (!is_inside) {  // another member, or zeros that a tape left
      if (input[input_begin] == '\0') {
        ++input_begin;
        continue;
      }
      check(inflateReset(&gzip) == Z_OK, "zlib starts again");
      is_inside = true;
    }
    gzip.next_in = reinterpret_cast<Bytef*>(input.data() + input_begin);
    gzip.avail_in = static_cast<uInt>(input_end - input_begin);
    const int code = inflate(&gzip, Z_NO_FLUSH);
    input_begin = input_end - gzip.avail_in;
    if (code == Z_STREAM_END) {
      is_inside = false;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
      throw damaged(path, kForm,
                    fmt::format("is damaged: {}", gzip.msg == nullptr ? "no reason" : gzip.msg));
    }
  }
  return num_bytes - gzip.avail_out;
}

size_t TextFile::State::read_zstd(char* to, size_t num_bytes) {
  constexpr std::string_view kForm = "zstd";
  ZSTD_outBuffer out{to, num_bytes, 0};
  while (out.pos == 0) {
    // What the decoder still holds comes without input.
    const bool has_input = refill();
    if (!has_input && !is_inside) break;
    ZSTD_inBuffer in{input.data() + input_begin, input_end - input_begin, 0};
    const size_t code = ZSTD_decompressStream(zstd, &out, &in);
    if (ZSTD_isError(code) != 0) {
      throw damaged(path, kForm, fmt::format("is damaged: {}", ZSTD_getErrorName(code)));
    }
    input_begin += in.pos;
    is_inside = code != 0;
    if (!has_input && out.pos == 0 && is_inside) throw damaged(path, kForm, "ends early");
  }
  return out.pos;
}

size_t TextFile::State::read(char* to, size_t num_bytes) {
  size_t count = 0;
  if (compression == Compression::gzip) {
    count = read_gzip(to, num_bytes);
  } else if (compression == Compression::zstd) {
    count = read_zstd(to, num_bytes);
  } else {
    count = read_plain(to, num_bytes);
  }
  offset += static_cast<int64_t>(count);
  return count;
}

TextFile::TextFile(const std::string& path) : state_(std::make_unique<State>(path)) {
  state_->begin();
}
TextFile::~TextFile() = default;
TextFile::TextFile(TextFile&&) noexcept = default;
TextFile& TextFile::operator=(TextFile&&) noexcept = default;

size_t TextFile::read(char* to, size_t num_bytes) { return state_->read(to, num_bytes); }

void TextFile::seek(int64_t offset) {
  State& state = *state_;
  const auto fail = [&](int64_t size) {
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: expected at least {} bytes, got {}; was the file changed since the "
                    "position was saved?",
                    state.path, offset, size));
  };
  if (state.compression == Compression::none) {
    struct stat status {};
    if (::fstat(state.descriptor, &status) == 0 && status.st_size < offset) fail(status.st_size);
    if (::lseek(state.descriptor, static_cast<off_t>(offset), SEEK_SET) < 0) {
      throw Error(ErrorKind::bad_input, fmt::format("{}: cannot go back: {}; give a regular file",
                                                    state.path, std::strerror(errno)));
    }
    state.input_begin = state.input_end = 0;
    state.offset = offset;
    return;
  }
  if (offset < state.offset) {
    ::lseek(state.descriptor, 0, SEEK_SET);
    state.begin();
  }
  std::vector<char> discarded(kInputBytes);
  while (state.offset < offset) {
    const int64_t left = offset - state.offset;
    const size_t num_bytes = static_cast<size_t>(std::min<int64_t>(left, kInputBytes));
    if (read(discarded.data(), num_bytes) == 0) fail(state.offset);
  }
}

const std::string& TextFile::path() const { return state_->path; }

}  // namespace ambidex
