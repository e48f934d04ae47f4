// SPDX-License-Identifier: Apache-2.0
// A model as YAML: one line a field, one line an entry of a list.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>

#include "ambidex/model_fields.h"
#include "model/tree.h"

namespace ambidex {
namespace {

std::string text_of(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

struct FlowWriter {
  std::string& out;

  static std::string value(const std::string& text) { return text_of(text); }
  static std::string value(bool flag) { return flag ? "true" : "false"; }
  static std::string value(int64_t number) { return std::to_string(number); }
  static std::string value(double number) { return fmt::format("{}", number); }
  template <class Enum>
  requires std::is_enum_v<Enum>
  static std::string value(Enum word) { return std::string(name_of(word)); }
  template <class T>
  static std::string value(const std::vector<T>& values) {
    std::string list;
    for (const T& item : values) list += (list.empty() ? "" : ", ") + value(item);
    return "[" + list + "]";
  }
  template <class T>
  requires std::is_aggregate_v<T>
  static std::string value(const T& fields) {
    std::string list;
    visit_fields(FlowWriter{list}, fields);
    return "{" + list + "}";
  }

  template <class T>
  void operator()(Field field, const T& item) {
    out += fmt::format("{}{}: {}", out.empty() ? "" : ", ", field.key, value(item));
  }
  template <class T>
  void operator()(Field field, const std::optional<T>& item) {
    if (item) (*this)(field, *item);
  }
};

struct BlockWriter {
  std::string& out;

  template <class T>
  void operator()(Field field, const T& item) {
    out += fmt::format("{}: {}\n", field.key, FlowWriter::value(item));
  }
  template <class T>
  void operator()(Field field, const std::optional<T>& item) {
    if (item) (*this)(field, *item);
  }
  template <class T>
  void operator()(Field field, const std::vector<T>& items) {
    out += fmt::format("{}:{}\n", field.key, items.empty() ? " []" : "");
    for (const T& item : items) out += fmt::format("  - {}\n", FlowWriter::value(item));
  }
};

}  // namespace

std::string yaml_of(const ModelSpec& model) {
  std::string out;
  visit_fields(BlockWriter{out}, model);
  return out;
}

}  // namespace ambidex
