// SPDX-License-Identifier: Apache-2.0
#include "port/symbolize.h"

#include "port/frontend.h"

namespace ambidex {
namespace {

constexpr std::string_view kOwnHeaders = "/ambidex/";  // where ambidex-clang shows them to clang

std::optional<SourcePlace> place_of(const nlohmann::json& frames) {
  for (const nlohmann::json& frame : frames) {
    if (frame.at("file").get<std::string_view>().starts_with(kOwnHeaders)) continue;
    return SourcePlace{frame.at("function"), frame.at("file"), frame.at("line"),
                       frame.at("column")};
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::optional<SourcePlace>> symbolize(const std::string& module,
                                                  std::span<const uint64_t> addresses) {
  if (addresses.empty()) return {};
  const nlohmann::json answer = ask_frontend(
      "symbolize", {{"module", module},
                    {"addresses", std::vector<uint64_t>(addresses.begin(), addresses.end())}});
  std::vector<std::optional<SourcePlace>> places;
  for (const nlohmann::json& frames : answer.at("places")) places.push_back(place_of(frames));
  return places;
}

}  // namespace ambidex
