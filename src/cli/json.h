// SPDX-License-Identifier: Apache-2.0
// Structs that have a visit_fields as JSON.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {

/// Fills a JSON object with the fields of a struct: absent values as null, enumerators by name.
struct JsonWriter {
  using Json = nlohmann::ordered_json;

  Json& out;

  Json plain(const std::string& value) const { return value; }
  Json plain(bool value) const { return value; }
  Json plain(int64_t value) const { return value; }
  Json plain(double value) const { return value; }
  template <class Enum>
  requires std::is_enum_v<Enum> Json plain(Enum value)
  const { return name_of(value); }
  template <class T>
  Json plain(const std::optional<T>& value) const {
    return value ? plain(*value) : Json();
  }
  template <class T>
  Json plain(const std::vector<T>& values) const {
    Json list = Json::array();
    for (const T& value : values) list.push_back(plain(value));
    return list;
  }
  template <class T>
  Json plain(const std::map<DType, T>& values) const {
    Json map = Json::object();
    for (const auto& [dtype, value] : values) map[std::string(name_of(dtype))] = plain(value);
    return map;
  }
  template <class T>
  Json plain(const std::map<std::string, T>& values) const {
    Json map = Json::object();
    for (const auto& [key, value] : values) map[key] = plain(value);
    return map;
  }
  template <class T>
  requires std::is_aggregate_v<T> Json plain(const T& value)
  const {
    Json map = Json::object();
    visit_fields(JsonWriter{map}, value);
    return map;
  }

  template <class T>
  void operator()(Field field, const T& value) {
    out[std::string(field.key)] = plain(value);
  }
};

/// The struct as a JSON object, keys as in YAML.
template <class T>
nlohmann::ordered_json fields_of(const T& value) {
  nlohmann::ordered_json out;
  return JsonWriter{out}.plain(value);
}

/// One document. Names may come from a user's file: bytes that are not UTF-8 are replaced.
inline std::string dumped(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace ambidex
