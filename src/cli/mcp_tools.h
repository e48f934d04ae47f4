// SPDX-License-Identifier: Apache-2.0
// What `ambidex mcp` offers to coding agents: verbs of the command with --json, as tools.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

/// An argument of a tool, and where it goes in the command line.
struct McpArgument {
  std::string_view name;
  std::string_view type;         // string, strings, integer, boolean
  std::string_view option;       // "--device"; empty: positional
  std::string_view description;  // for the agent that fills it in
  bool required = false;
};

struct McpTool {
  std::string_view name;
  std::string_view description;
  std::vector<std::string_view> verb;  // {"port", "scan"}
  std::vector<McpArgument> arguments;
};

std::span<const McpTool> mcp_tools();

/// {"name", "description", "inputSchema"} as tools/list gives it.
nlohmann::json tool_listing(const McpTool& tool);

/// The words after `ambidex` for a call with `arguments` (an object).
///   throws Error(bad_input) on a missing, unknown or mistyped argument, and on one that reads like
///   an option
std::vector<std::string> command_words(const McpTool& tool, const nlohmann::json& arguments);

}  // namespace ambidex
