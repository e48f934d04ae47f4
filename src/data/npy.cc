// SPDX-License-Identifier: Apache-2.0
#include "data/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they are");

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr int64_t kMaxHeaderBytes = int64_t{1} << 20;  // numpy's own are below 200
constexpr int64_t kMaxElements = int64_t{1} << 50;
constexpr size_t kMaxDimensions = 32;

/// The literal of a Python dict, taken from the front.
class Cursor {
 public:
  Cursor(std::string_view text, const std::string& where) : rest_(text), where_(where) {}

  /// Goes past `letter` and the blanks before it, if it is next.
  bool take(char letter) {
    skip_blanks();
    if (rest_.empty() || rest_.front() != letter) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char letter) {
    if (!take(letter)) fail(fmt::format("a '{}'", letter));
  }

  std::string_view string() {
    skip_blanks();
    const char mark = rest_.empty() ? '\0' : rest_.front();
    const size_t end = mark == '\'' || mark == '"' ? rest_.find(mark, 1) : std::string_view::npos;
    if (end == std::string_view::npos) fail("a string");
    const std::string_view inner = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    return inner;
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"False", "True"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return word == "True";
    }
    fail("True or False");
  }

  int64_t length() {
    skip_blanks();
    const size_t count = rest_.find_first_not_of("0123456789");
    const std::string_view digits = rest_.substr(0, count);
    const std::optional<int64_t> value = int64_from_text(digits);
    if (!value) fail("a length");
    rest_.remove_prefix(digits.size());
    take('L');  // Python 2 wrote it
    return *value;
  }

  void expect_end() {
    skip_blanks();
    if (!rest_.empty()) fail("the end");
  }

  [[noreturn]] void fail(std::string_view expected) const {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: npy header: expected {}, got {}; save the array again with "
                            "numpy.save",
                            where_, expected, quote(rest_)));
  }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }

  std::string_view rest_;
  const std::string& where_;
};

NpyType type_of(std::string_view descr, const std::string& where) {
  if (descr == "<f4") return NpyType::f32;
  if (descr == "<f8") return NpyType::f64;
  if (descr == "<i4") return NpyType::i32;
  if (descr == "<u4") return NpyType::u32;
  if (descr == "<i8") return NpyType::i64;
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: npy header: expected elements <f4, <f8, <i4, <u4 or <i8, got {}; "
                          "convert the array, for example with astype(numpy.int32)",
                          where, quote(descr)));
}

std::vector<int64_t> take_shape(Cursor& cursor) {
  std::vector<int64_t> shape;
  cursor.expect('(');
  while (!cursor.take(')')) {
    if (shape.size() == kMaxDimensions) cursor.fail("fewer dimensions");
    shape.push_back(cursor.length());
    if (cursor.take(',')) continue;
    cursor.expect(')');
    return shape;
  }
  return shape;
}

void check_order(bool is_fortran, const std::string& where) {
  if (!is_fortran) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: npy header: expected fortran_order False, got True; save "
                          "numpy.ascontiguousarray(array)",
                          where));
}

int64_t bytes_of(NpyType type) { return type == NpyType::f64 || type == NpyType::i64 ? 8 : 4; }

template <class Stored, class Value>
void convert(const std::vector<char>& raw, Value* out) {
  const size_t count = raw.size() / sizeof(Stored);
  for (size_t i = 0; i < count; ++i) {
    Stored element;
    std::memcpy(&element, raw.data() + i * sizeof(Stored), sizeof(Stored));
    out[i] = static_cast<Value>(element);
  }
}

void read_raw(NpyArray& array, int64_t count) {
  array.raw.resize(static_cast<size_t>(count * array.num_columns * bytes_of(array.header.type)));
  array.bytes.read(array.raw);
  array.row += count;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view text, const std::string& where) {
  Cursor cursor(text, where);
  std::optional<std::string> descr;
  std::optional<bool> is_fortran;
  std::optional<std::vector<int64_t>> shape;
  cursor.expect('{');
  while (!cursor.take('}')) {
    const std::string_view key = cursor.string();
    cursor.expect(':');
    if (key == "descr" && !descr) {
      descr = cursor.string();
    } else if (key == "fortran_order" && !is_fortran) {
      is_fortran = cursor.boolean();
    } else if (key == "shape" && !shape) {
      shape = take_shape(cursor);
    } else {
      cursor.fail("the keys descr, fortran_order and shape, once each");
    }
    if (cursor.take(',')) continue;
    cursor.expect('}');
    break;
  }
  cursor.expect_end();
  if (!descr || !is_fortran || !shape) cursor.fail("the keys descr, fortran_order and shape");
  const NpyType type = type_of(*descr, where);
  check_order(*is_fortran, where);
  return {.type = type, .descr = *descr, .shape = *shape};
}

namespace {

/// The header's dict; the stream is at the first element afterwards.
std::string take_header(ByteStream& bytes, int64_t& first_byte) {
  const auto bad_input = [&](std::string_view expected, std::string_view got) {
    return Error(ErrorKind::bad_input,
                 fmt::format("{}: expected {}, got {}; give an array that numpy.save wrote",
                             bytes.where(), expected, got));
  };
  char magic[8] = {};
  if (bytes.size_bytes() < 12) {
    throw bad_input("an npy header", fmt::format("{} bytes", bytes.size_bytes()));
  }
  bytes.read(magic);
  const std::string_view seen(magic, kMagic.size());
  if (seen != kMagic) throw bad_input("\\x93NUMPY at the start", quote(seen));
  const int major = static_cast<unsigned char>(magic[6]);
  if (major < 1 || major > 3) throw bad_input("npy version 1, 2 or 3", fmt::to_string(major));
  unsigned char digits[4] = {};
  const size_t num_digits = major == 1 ? 2 : 4;
  bytes.read(std::span(reinterpret_cast<char*>(digits), num_digits));
  const int64_t length = digits[0] | digits[1] << 8 | digits[2] << 16 | int64_t{digits[3]} << 24;
  first_byte = static_cast<int64_t>(sizeof(magic) + num_digits) + length;
  if (length > kMaxHeaderBytes || first_byte > bytes.size_bytes()) {
    throw bad_input("an npy header",
                    fmt::format("one of {} bytes in {} bytes", length, bytes.size_bytes()));
  }
  std::string text(static_cast<size_t>(length), '\0');
  bytes.read(text);
  return text;
}

void check_size(const NpyArray& array) {
  const auto& shape = array.header.shape;
  // Bytes of the elements, exact: lengths beyond the limit have been refused.
  const int64_t expected =
      array.first_byte + array.num_rows * array.num_columns * bytes_of(array.header.type);
  if (expected == array.bytes.size_bytes()) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: expected {} bytes for {} elements of shape ({}), got {}; the file "
                          "is cut off or damaged, copy it again",
                          array.bytes.where(), expected, array.header.descr, fmt::join(shape, ", "),
                          array.bytes.size_bytes()));
}

}  // namespace

NpyArray open_npy_array(ByteStream bytes) {
  NpyArray array{.bytes = std::move(bytes)};
  const std::string& where = array.bytes.where();
  array.header = parse_npy_header(take_header(array.bytes, array.first_byte), where);
  const auto& shape = array.header.shape;
  if (shape.empty() || shape.size() > 2) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected an array of one or two dimensions, got shape ({}); "
                            "reshape it to [samples, columns]",
                            where, fmt::join(shape, ", ")));
  }
  array.num_rows = shape[0];
  array.num_columns = shape.size() == 2 ? shape[1] : 1;
  const bool is_small =
      array.num_rows <= kMaxElements &&
      (array.num_columns == 0 || array.num_rows <= kMaxElements / array.num_columns);
  if (!is_small || array.num_columns == 0) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: expected from 1 column to 2^50 elements, got shape ({}); is it "
                            "the array that you mean?",
                            where, fmt::join(shape, ", ")));
  }
  check_size(array);
  return array;
}

void read_floats(NpyArray& array, int64_t count, float* out) {
  read_raw(array, count);
  switch (array.header.type) {
    case NpyType::f32:
      return convert<float>(array.raw, out);
    case NpyType::f64:
      return convert<double>(array.raw, out);
    case NpyType::i32:
      return convert<int32_t>(array.raw, out);
    case NpyType::u32:
      return convert<uint32_t>(array.raw, out);
    case NpyType::i64:
      return convert<int64_t>(array.raw, out);
  }
}

void read_ids(NpyArray& array, int64_t count, int64_t* out) {
  check(has_integers(array.header), "ids are integers");
  read_raw(array, count);
  if (array.header.type == NpyType::i64) return convert<int64_t>(array.raw, out);
  convert<uint32_t>(array.raw, out);
}

void seek_row(NpyArray& array, int64_t row) {
  array.bytes.seek(array.first_byte + row * array.num_columns * bytes_of(array.header.type));
  array.row = row;
}

bool has_integers(const NpyHeader& header) {
  return header.type != NpyType::f32 && header.type != NpyType::f64;
}

}  // namespace ambidex
