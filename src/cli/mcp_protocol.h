// SPDX-License-Identifier: Apache-2.0
// The Model Context Protocol of a server that offers tools: revision 2026-07-28, in which every
// request stands alone and names its revision, and those before it back to 2025-06-18, which open
// with `initialize`. JSON-RPC 2.0, one message a line.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ambidex {

/// What a call of the command gave.
struct CommandResult {
  int exit_code = 0;
  std::string out, err;
};

/// Runs `ambidex WORDS...`.
using RunCommand = std::function<CommandResult(const std::vector<std::string>& words)>;

/// A line from the client. `slow` tells a tool call, which may run beside other requests.
struct McpMessage {
  nlohmann::json body;
  bool valid = false;  // else `body` is the error response to send
  bool slow = false;
};

McpMessage read_message(std::string_view line);

/// The response to a valid message; nothing to a notification. `run` is called for tools/call only.
std::optional<nlohmann::json> respond(const nlohmann::json& message, const RunCommand& run);

}  // namespace ambidex
