// SPDX-License-Identifier: Apache-2.0
// The commands of ambidex-clang. Each takes a request and gives an answer, both JSON; it throws
// Error, and neither prints nor exits. To add one: src/frontend/<command>.cc, a line here and in
// kCommands, a line in src/frontend/CMakeLists.txt.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

namespace ambidex {

struct FrontendCommand {
  std::string_view name;
  nlohmann::json (*answer)(const nlohmann::json& request);
};

nlohmann::json answer_facts(const nlohmann::json& request);
nlohmann::json answer_module(const nlohmann::json& request);
nlohmann::json answer_object(const nlohmann::json& request);
nlohmann::json answer_scan(const nlohmann::json& request);
nlohmann::json answer_symbolize(const nlohmann::json& request);
nlohmann::json answer_translate(const nlohmann::json& request);

inline constexpr std::array<FrontendCommand, 6> kCommands{{
    {"facts", answer_facts},
    {"module", answer_module},
    {"object", answer_object},
    {"scan", answer_scan},
    {"symbolize", answer_symbolize},
    {"translate", answer_translate},
}};

}  // namespace ambidex
