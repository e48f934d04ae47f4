// SPDX-License-Identifier: Apache-2.0
// JSON from outside: its values are copied and written by recursion, so nesting is checked first.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace ambidex {

inline constexpr int kMaxJsonDepth = 200;

/// How deeply arrays and objects nest in `text`, which may be no JSON at all.
int json_depth(std::string_view text);

/// `text` as a document; one that is none, or nests more deeply than kMaxJsonDepth, is discarded.
template <class Json = nlohmann::json>
Json parse_foreign_json(std::string_view text) {
  if (json_depth(text) > kMaxJsonDepth) return Json(Json::value_t::discarded);
  return Json::parse(text, nullptr, false);
}

}  // namespace ambidex
