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

enum class McpKind {
  invalid,       // the body is the error response to send
  request,       // has an id, which is a string or an integer, and a method
  call,          // a request of tools/call, which may run beside others
  notification,  // has a method and no id
  response,      // to what we never asked
};

struct McpMessage {
  nlohmann::json body;
  McpKind kind = McpKind::invalid;
};

/// A line from the client.
McpMessage read_message(std::string_view line);

/// The response to a request or a call. `run` is called for tools/call only.
nlohmann::json respond(const nlohmann::json& message, const RunCommand& run);

/// Responses with JSON-RPC's codes: to a line that cannot be read for its length, to a call whose
/// id another one still has, and to one that failed by our fault.
nlohmann::json too_long_response(int64_t max_bytes);
nlohmann::json id_in_use_response(const nlohmann::json& id);
nlohmann::json internal_response(const nlohmann::json& id, const std::string& what);

}  // namespace ambidex
