// SPDX-License-Identifier: Apache-2.0
#include "data/zip.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {
namespace {

// The records of a zip archive, PKWARE's APPNOTE 6.3: bytes of their fixed parts and their marks.
constexpr int64_t kEndBytes = 22;
constexpr std::string_view kEndMark = "PK\5\6";
constexpr int64_t kLocatorBytes = 20;
constexpr std::string_view kLocatorMark = "PK\6\7";
constexpr int64_t kEnd64Bytes = 56;
constexpr std::string_view kEnd64Mark = "PK\6\6";
constexpr int64_t kEntryBytes = 46;
constexpr std::string_view kEntryMark = "PK\1\2";
constexpr int64_t kLocalBytes = 30;
constexpr std::string_view kLocalMark = "PK\3\4";
constexpr uint16_t kZip64Field = 1;
constexpr uint64_t kIn64Bits = 0xffffffff;  // a field that says: see the zip64 field
constexpr int64_t kMaxCommentBytes = 65535;
constexpr int64_t kMaxDirectoryBytes = int64_t{1} << 24;  // thousands of arrays

Error damaged(const ByteFile& file, std::string_view what) {
  return {ErrorKind::bad_input,
          fmt::format("{}: expected a zip archive of .npy members, got {}; save it again with "
                      "numpy.savez, or copy it again",
                      file.where, what)};
}

std::string bytes_at(const ByteFile& file, int64_t at, int64_t count, std::string_view what) {
  if (at < 0 || count > file.size_bytes || at > file.size_bytes - count) {
    throw damaged(file, fmt::format("{} beyond its end", what));
  }
  std::string bytes(static_cast<size_t>(count), '\0');
  file.read(at, bytes);
  return bytes;
}

/// Little-endian, of `count` bytes.
uint64_t number_at(std::string_view bytes, size_t at, size_t count) {
  uint64_t value = 0;
  for (size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

struct Directory {
  uint64_t first_byte = 0;
  uint64_t size_bytes = 0;
};

Directory find_directory(const ByteFile& file) {
  const int64_t tail_bytes =
      std::min(file.size_bytes, kEndBytes + kMaxCommentBytes + kLocatorBytes);
  const std::string tail = bytes_at(file, file.size_bytes - tail_bytes, tail_bytes, "an end");
  size_t end = tail.rfind(kEndMark);
  while (end != std::string::npos && end + kEndBytes > tail.size()) {
    end = end == 0 ? std::string::npos : tail.rfind(kEndMark, end - 1);
  }
  if (end == std::string::npos) throw damaged(file, "no directory at its end");
  Directory found{.first_byte = number_at(tail, end + 16, 4),
                  .size_bytes = number_at(tail, end + 12, 4)};
  const bool has_locator =
      end >= kLocatorBytes && tail.compare(end - kLocatorBytes, 4, kLocatorMark) == 0;
  if (!has_locator) return found;
  const auto at = static_cast<int64_t>(number_at(tail, end - kLocatorBytes + 8, 8));
  const std::string end64 = bytes_at(file, at, kEnd64Bytes, "a zip64 directory");
  if (!end64.starts_with(kEnd64Mark)) throw damaged(file, "no zip64 directory where it should be");
  return {.first_byte = number_at(end64, 48, 8), .size_bytes = number_at(end64, 40, 8)};
}

/// The data of the extra field `id`, or nothing.
std::optional<std::string_view> extra_field(std::string_view extra, uint16_t id) {
  while (extra.size() >= 4) {
    const uint64_t count = number_at(extra, 2, 2);
    if (count > extra.size() - 4) return std::nullopt;
    if (number_at(extra, 0, 2) == id) return extra.substr(4, count);
    extra.remove_prefix(4 + count);
  }
  return std::nullopt;
}

/// Takes the next 8 bytes of the zip64 field where the 32-bit field says so.
void widen(uint64_t& value, std::string_view& zip64) {
  if (value != kIn64Bits || zip64.size() < 8) return;
  value = number_at(zip64, 0, 8);
  zip64.remove_prefix(8);
}

void check_readable(const ByteFile& file, const std::string& name, uint64_t flags,
                    uint64_t method) {
  constexpr uint64_t kEncrypted = 1;
  constexpr uint64_t kStored = 0;
  constexpr uint64_t kDeflated = 8;
  if ((flags & kEncrypted) == 0 && (method == kStored || method == kDeflated)) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: {}: expected a stored or deflated member, got {}; save it with "
                          "numpy.savez or numpy.savez_compressed",
                          file.where, quote(name),
                          (flags & kEncrypted) != 0 ? "an encrypted one"
                                                    : fmt::format("compression {}", method)));
}

/// Bytes of the local header, after which the member's bytes begin.
int64_t local_header_bytes(const ByteFile& file, int64_t at) {
  const std::string local = bytes_at(file, at, kLocalBytes, "a member");
  if (!local.starts_with(kLocalMark)) throw damaged(file, "no member where it should be");
  return kLocalBytes + static_cast<int64_t>(number_at(local, 26, 2) + number_at(local, 28, 2));
}

/// Reads the entry that `directory` begins with and goes past it.
ZipMember take_entry(const ByteFile& file, std::string_view& directory) {
  if (directory.size() < kEntryBytes || !directory.starts_with(kEntryMark)) {
    throw damaged(file, "a broken directory");
  }
  const uint64_t name_bytes = number_at(directory, 28, 2);
  const uint64_t extra_bytes = number_at(directory, 30, 2);
  const uint64_t entry_bytes = kEntryBytes + name_bytes + extra_bytes + number_at(directory, 32, 2);
  if (entry_bytes > directory.size()) throw damaged(file, "a broken directory");
  ZipMember member{.name = std::string(directory.substr(kEntryBytes, name_bytes))};
  const uint64_t method = number_at(directory, 10, 2);
  check_readable(file, member.name, number_at(directory, 8, 2), method);
  uint64_t size = number_at(directory, 24, 4);
  uint64_t stored = number_at(directory, 20, 4);
  uint64_t offset = number_at(directory, 42, 4);
  std::string_view zip64 =
      extra_field(directory.substr(kEntryBytes + name_bytes, extra_bytes), kZip64Field)
          .value_or("");
  for (uint64_t* value : {&size, &stored, &offset}) widen(*value, zip64);
  const auto whole = static_cast<uint64_t>(file.size_bytes);
  constexpr uint64_t kMaxInflation = 1100;  // deflate reaches 1,032
  if (stored > whole || offset > whole || size > whole * kMaxInflation ||
      (method == 0 && size != stored)) {
    throw damaged(file, fmt::format("a member {} of impossible size", quote(member.name)));
  }
  const auto at = static_cast<int64_t>(offset);
  member.part = {.first_byte = at + local_header_bytes(file, at),
                 .stored_bytes = static_cast<int64_t>(stored),
                 .size_bytes = static_cast<int64_t>(size),
                 .is_deflated = method != 0,
                 .crc = static_cast<uint32_t>(number_at(directory, 16, 4))};
  directory.remove_prefix(entry_bytes);
  return member;
}

}  // namespace

std::vector<ZipMember> read_zip_directory(const ByteFile& file) {
  const Directory place = find_directory(file);
  if (place.size_bytes > kMaxDirectoryBytes || place.first_byte > (uint64_t{1} << 62)) {
    throw damaged(file, "a directory of impossible size");
  }
  const std::string bytes = bytes_at(file, static_cast<int64_t>(place.first_byte),
                                     static_cast<int64_t>(place.size_bytes), "a directory");
  std::vector<ZipMember> members;
  std::string_view rest = bytes;
  while (!rest.empty()) members.push_back(take_entry(file, rest));
  return members;
}

}  // namespace ambidex
