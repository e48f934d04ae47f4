// SPDX-License-Identifier: Apache-2.0
#include "train/safetensors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "ambidex/base.h"
#include "base/files.h"
#include "base/text.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;
using ParsedJson = nlohmann::json;  // finds keys fast, however many a foreign file has

constexpr int64_t kLengthBytes = 8;
constexpr int64_t kMaxHeaderBytes = 100'000'000;  // as in the reference implementation
constexpr std::string_view kMetadata = "__metadata__";

struct TypeRow {
  std::string_view name;
  int64_t bytes;
};

// In the order of TensorType.
constexpr std::array<TypeRow, 15> kTypes{{
    {"BOOL", 1},
    {"U8", 1},
    {"I8", 1},
    {"F8_E5M2", 1},
    {"F8_E4M3", 1},
    {"I16", 2},
    {"U16", 2},
    {"F16", 2},
    {"BF16", 2},
    {"I32", 4},
    {"U32", 4},
    {"F32", 4},
    {"F64", 8},
    {"I64", 8},
    {"U64", 8},
}};

const TypeRow& row_of(TensorType type) { return kTypes.at(static_cast<size_t>(type)); }

std::string text_of(TensorType type, std::span<const int64_t> shape) {
  return fmt::format("{} [{}]", name_of(type), fmt::join(shape, ", "));
}

/// Nothing if it overflows.
std::optional<int64_t> num_bytes(TensorType type, std::span<const int64_t> shape) {
  int64_t bytes = tensor_type_bytes(type);
  // A size of 0 makes the product 0, whatever the others are; it may stand anywhere.
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
  for (const int64_t size : shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) return std::nullopt;
  }
  return bytes;
}

Error damaged(const std::string& where, std::string_view what) {
  return {ErrorKind::bad_input,
          fmt::format("{}: no safetensors file, or a damaged one: {}; take another copy or "
                      "checkpoint",
                      where, what)};
}

// ---- writing

/// The order of the reference implementation, which keeps every tensor aligned to its elements.
std::vector<const TensorView*> in_file_order(std::span<const TensorView> tensors) {
  std::vector<const TensorView*> order;
  for (const TensorView& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
    return a->type != b->type ? a->type > b->type : a->name < b->name;
  });
  return order;
}

int64_t checked_bytes(const TensorView& tensor) {
  const std::optional<int64_t> bytes = num_bytes(tensor.type, tensor.shape);
  check(bytes.has_value() && *bytes >= 0, "a tensor has a size that cannot be");
  return *bytes;
}

std::string header_of(const std::vector<const TensorView*>& order, const TensorMetadata& metadata) {
  Json header = Json::object();
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  int64_t begin = 0;
  for (const TensorView* tensor : order) {
    const int64_t end = begin + checked_bytes(*tensor);
    Json entry{{"dtype", name_of(tensor->type)}, {"shape", tensor->shape}};
    entry["data_offsets"] = {begin, end};
    check(!header.contains(tensor->name), "two tensors have one name");
    header[tensor->name] = std::move(entry);
    begin = end;
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.resize((text.size() + 7) / 8 * 8, ' ');
  return text;
}

// ---- reading

struct EntryParser {
  const std::string& where;
  int64_t data_bytes;

  [[noreturn]] void fail(const std::string& name, std::string_view what) const {
    throw damaged(where, fmt::format("tensor {}: {}", quote(name), what));
  }

  TensorType type_of(const std::string& name, const ParsedJson& entry) const {
    const auto found = entry.find("dtype");
    if (found == entry.end() || !found->is_string()) fail(name, "dtype is missing");
    const auto word = found->get<std::string>();
    for (size_t i = 0; i < kTypes.size(); ++i) {
      if (kTypes[i].name == word) return static_cast<TensorType>(i);
    }
    std::vector<std::string> known;
    for (const TypeRow& row : kTypes) known.emplace_back(row.name);
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: tensor {}: {}; store it in another type", where, quote(name),
                            unknown_name("element type", word, known)));
  }

  std::vector<int64_t> sizes_of(const std::string& name, const ParsedJson& entry,
                                const char* key) const {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_array()) fail(name, fmt::format("{} is missing", key));
    std::vector<int64_t> sizes;
    for (const ParsedJson& size : *found) {
      const bool is_size = size.is_number_unsigned() && size.get<uint64_t>() <= INT64_MAX;
      if (!is_size) fail(name, fmt::format("{} holds what is no size", key));
      sizes.push_back(size.get<int64_t>());
    }
    return sizes;
  }

  TensorEntry parse(const std::string& name, const ParsedJson& entry) const {
    if (!entry.is_object()) fail(name, "its entry is no object");
    TensorEntry out;
    out.name = name;
    out.type = type_of(name, entry);
    out.shape = sizes_of(name, entry, "shape");
    const std::vector<int64_t> offsets = sizes_of(name, entry, "data_offsets");
    if (offsets.size() != 2) fail(name, "data_offsets are not two");
    out.begin = offsets[0];
    out.end = offsets[1];
    if (out.begin > out.end || out.end > data_bytes) {
      fail(name, fmt::format("bytes {} to {} of {}", out.begin, out.end, data_bytes));
    }
    if (num_bytes(out.type, out.shape) != out.end - out.begin) {
      fail(name, fmt::format("{} does not take the {} bytes it has", text_of(out.type, out.shape),
                             out.end - out.begin));
    }
    return out;
  }
};

TensorMetadata metadata_of(const ParsedJson& entry, const std::string& where) {
  TensorMetadata out;
  if (!entry.is_object()) throw damaged(where, "__metadata__ is no object");
  for (const auto& [key, value] : entry.items()) {
    if (!value.is_string()) throw damaged(where, "__metadata__ holds what is no text");
    out[key] = value.get<std::string>();
  }
  return out;
}

void expect_tiled(const SafetensorsHeader& header, int64_t data_bytes, const std::string& where) {
  int64_t begin = 0;
  for (const TensorEntry& tensor : header.tensors) {
    if (tensor.begin != begin) {
      throw damaged(where, fmt::format("tensor {} begins at byte {} of the data, expected {}",
                                       quote(tensor.name), tensor.begin, begin));
    }
    begin = tensor.end;
  }
  if (begin != data_bytes) {
    throw damaged(where, fmt::format("the data has {} bytes, its tensors {}", data_bytes, begin));
  }
}

/// Bytes of the header; `text` begins the file.
int64_t header_bytes(std::string_view text, int64_t file_bytes, const std::string& where) {
  if (file_bytes < kLengthBytes || std::ssize(text) < kLengthBytes) {
    throw damaged(where, fmt::format("it ends after {} bytes", file_bytes));
  }
  uint64_t length = 0;
  for (size_t i = kLengthBytes; i-- > 0;) {
    length = length << 8 | static_cast<unsigned char>(text[i]);
  }
  if (length > static_cast<uint64_t>(std::min(kMaxHeaderBytes, file_bytes - kLengthBytes))) {
    throw damaged(where,
                  fmt::format("its header claims {} bytes; the file has {}", length, file_bytes));
  }
  return static_cast<int64_t>(length);
}

/// Fills `out` from byte `at` of the file.
void read_bytes(int file, int64_t at, void* out, int64_t count, const std::string& path) {
  auto* to = static_cast<char*>(out);
  while (count > 0) {
    const ssize_t got = ::pread(file, to, static_cast<size_t>(count), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_file(path, "read", errno);
    if (got == 0) throw damaged(path, "it became shorter while it was read");
    to += got;
    at += got;
    count -= got;
  }
}

int open_to_read(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file >= 0) return file;
  const bool is_missing = errno == ENOENT || errno == ENOTDIR;
  throw Error(
      is_missing ? ErrorKind::not_found : ErrorKind::bad_input,
      fmt::format("{}: cannot open: {}; give a safetensors file", path, std::strerror(errno)));
}

SafetensorsHeader read_header(int file, const std::string& path) {
  struct stat facts {};
  if (::fstat(file, &facts) != 0) fail_file(path, "read", errno);
  if (!S_ISREG(facts.st_mode)) throw damaged(path, "it is no regular file");
  const auto file_bytes = static_cast<int64_t>(facts.st_size);
  std::string text(static_cast<size_t>(std::min(file_bytes, kLengthBytes)), '\0');
  read_bytes(file, 0, text.data(), std::ssize(text), path);
  const int64_t length = header_bytes(text, file_bytes, path);
  text.resize(static_cast<size_t>(kLengthBytes + length));
  read_bytes(file, kLengthBytes, text.data() + kLengthBytes, length, path);
  return parse_safetensors(text, file_bytes, path);
}

}  // namespace

std::string_view name_of(TensorType type) { return row_of(type).name; }

int64_t tensor_type_bytes(TensorType type) { return row_of(type).bytes; }

void write_safetensors(const std::string& path, std::span<const TensorView> tensors,
                       const TensorMetadata& metadata) {
  const std::vector<const TensorView*> order = in_file_order(tensors);
  const std::string header = header_of(order, metadata);
  std::string length;
  for (int i = 0; i < kLengthBytes; ++i) {
    length += static_cast<char>(header.size() >> (8 * i) & 0xff);
  }
  FileWriter file(path);
  file.write(length + header);
  for (const TensorView* tensor : order) file.write(tensor->data, checked_bytes(*tensor));
  file.close();
}

SafetensorsHeader parse_safetensors(std::string_view text, int64_t file_bytes,
                                    const std::string& where) {
  const int64_t length = header_bytes(text, file_bytes, where);
  if (std::ssize(text) < kLengthBytes + length) throw damaged(where, "its header is cut off");
  const ParsedJson json =
      ParsedJson::parse(text.substr(kLengthBytes, static_cast<size_t>(length)), nullptr,
                        /*allow_exceptions=*/false);
  if (!json.is_object()) throw damaged(where, "its header is no JSON object");
  SafetensorsHeader header;
  header.data_begin = kLengthBytes + length;
  const EntryParser parser{where, file_bytes - header.data_begin};
  for (const auto& [name, entry] : json.items()) {
    if (name == kMetadata) {
      header.metadata = metadata_of(entry, where);
    } else {
      header.tensors.push_back(parser.parse(name, entry));
    }
  }
  std::sort(header.tensors.begin(), header.tensors.end(),
            [](const TensorEntry& a, const TensorEntry& b) {
              return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
            });
  expect_tiled(header, parser.data_bytes, where);
  return header;
}

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path), file_(open_to_read(path)) {
  try {
    header_ = read_header(file_, path);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

SafetensorsFile::~SafetensorsFile() { ::close(file_); }

const TensorEntry* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::find_if(tensors().begin(), tensors().end(),
                                  [&](const TensorEntry& it) { return it.name == name; });
  return found == tensors().end() ? nullptr : &*found;
}

void SafetensorsFile::read(std::string_view name, TensorType type, std::span<const int64_t> shape,
                           void* out) const {
  const TensorEntry* entry = find(name);
  if (entry == nullptr) {
    std::vector<std::string> known;
    for (const TensorEntry& tensor : tensors()) known.push_back(tensor.name);
    throw Error(ErrorKind::not_found,
                fmt::format("{}: {}", path_, unknown_name("tensor", name, known)));
  }
  if (entry->type != type ||
      !std::equal(shape.begin(), shape.end(), entry->shape.begin(), entry->shape.end())) {
    throw Error(
        ErrorKind::bad_input,
        fmt::format("{}: tensor {}: expected {}, got {}; give the file of the same model", path_,
                    quote(name), text_of(type, shape), text_of(entry->type, entry->shape)));
  }
  read_bytes(file_, header_.data_begin + entry->begin, out, entry->end - entry->begin, path_);
}

}  // namespace ambidex
