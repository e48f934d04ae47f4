// SPDX-License-Identifier: Apache-2.0
#include "cli/mcp_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ambidex/base.h"
#include "base/json_depth.h"
#include "cli/mcp_tools.h"

namespace ambidex {
namespace {

using nlohmann::json;

constexpr std::string_view kModern = "2026-07-28";
constexpr std::string_view kModernKey = "io.modelcontextprotocol/protocolVersion";
constexpr std::array<std::string_view, 2> kLegacy{"2025-11-25", "2025-06-18"};
constexpr std::string_view kInstructions =
    "Ports CUDA kernels to AMD GPUs and selects kernels without a launch. Start with scan; explain "
    "a hazard id before you change code for it; translate applies what rules can do safely and "
    "says what it refuses.";
constexpr int64_t kListLifeMilliseconds = 3600000;  // the list of tools changes with the program

// JSON-RPC's and MCP's codes.
constexpr int kParseError = -32700;
constexpr int kInvalidRequest = -32600;
constexpr int kMethodNotFound = -32601;
constexpr int kInvalidParams = -32602;
constexpr int kInternalError = -32603;
constexpr int kUnsupportedVersion = -32022;

struct Refusal {
  int code;
  std::string message;
  json data;
};

json error_response(const json& id, const Refusal& refusal) {
  json error{{"code", refusal.code}, {"message", refusal.message}};
  if (!refusal.data.is_null()) error["data"] = refusal.data;
  return {{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}};
}

json server_info() { return {{"name", "ambidex"}, {"version", AMBIDEX_VERSION}}; }

json parameters_of(const json& message) {
  const auto found = message.find("params");
  return found == message.end() ? json::object() : *found;
}

// The revision that a request names for itself; empty for those of the handshake's time.
std::string named_revision(const json& parameters) {
  const auto meta = parameters.find("_meta");
  if (meta == parameters.end() || !meta->is_object()) return {};
  const auto version = meta->find(kModernKey);
  if (version == meta->end()) return {};
  if (!version->is_string()) {
    throw Refusal{kInvalidParams, std::string(kModernKey) + ": expected a string", {}};
  }
  return version->get<std::string>();
}

void check_revision(const std::string& revision) {
  if (revision.empty() || revision == kModern) return;
  throw Refusal{kUnsupportedVersion,
                "unsupported protocol version \"" + revision + "\"",
                {{"supported", json::array({kModern})}, {"requested", revision}}};
}

json initialize(const json& parameters) {
  const auto asked = parameters.find("protocolVersion");
  if (asked == parameters.end() || !asked->is_string()) {
    throw Refusal{kInvalidParams, "protocolVersion: expected a string", {}};
  }
  const auto known = std::find(kLegacy.begin(), kLegacy.end(), asked->get<std::string>());
  return {{"protocolVersion", known == kLegacy.end() ? kLegacy.front() : *known},
          {"capabilities", {{"tools", {{"listChanged", false}}}}},
          {"serverInfo", server_info()},
          {"instructions", kInstructions}};
}

json discover() {
  return {{"supportedVersions", json::array({kModern})},
          {"capabilities", {{"tools", json::object()}}},
          {"serverInfo", server_info()},
          {"instructions", kInstructions},
          {"ttlMs", kListLifeMilliseconds},
          {"cacheScope", "public"}};
}

json list_tools(const json& parameters, bool modern) {
  if (parameters.contains("cursor")) {
    throw Refusal{kInvalidParams, "cursor: there is one page only", {}};
  }
  json tools = json::array();
  for (const McpTool& tool : mcp_tools()) tools.push_back(tool_listing(tool));
  json result{{"tools", std::move(tools)}};
  if (modern) {
    result["ttlMs"] = kListLifeMilliseconds;
    result["cacheScope"] = "public";
  }
  return result;
}

const McpTool& tool_named(const json& parameters) {
  const auto name = parameters.find("name");
  if (name == parameters.end() || !name->is_string()) {
    throw Refusal{kInvalidParams, "name: expected the name of a tool", {}};
  }
  std::vector<std::string> known;
  for (const McpTool& tool : mcp_tools()) {
    if (tool.name == name->get_ref<const std::string&>()) return tool;
    known.emplace_back(tool.name);
  }
  throw Refusal{kInvalidParams, unknown_name("tool", name->get<std::string>(), known), {}};
}

json text_result(const std::string& text, bool failed) {
  return {{"content", json::array({{{"type", "text"}, {"text", text}}})}, {"isError", failed}};
}

// A tool that fails says so in its result, so that the model sees the reason and can do better.
json call_tool(const json& parameters, const RunCommand& run) {
  const McpTool& tool = tool_named(parameters);
  std::vector<std::string> words;
  try {
    words = command_words(tool, parameters.value("arguments", json::object()));
  } catch (const Error& error) {
    return text_result(error.what(), true);
  }
  CommandResult command;
  try {
    command = run(words);
  } catch (const Error& error) {  // such as: no more processes
    return text_result(error.what(), true);
  }
  json answer = parse_foreign_json(command.out);
  const bool is_verdict = command.exit_code == 1 && answer.is_structured();  // "not verified"
  if (command.exit_code != 0 && !is_verdict) return text_result(command.err + command.out, true);
  json result = text_result(command.out, false);
  if (!command.err.empty()) {  // remarks, such as headers that were not found
    result["content"].push_back({{"type", "text"}, {"text", command.err}});
  }
  if (answer.is_array()) answer = {{"items", std::move(answer)}};
  if (answer.is_object()) result["structuredContent"] = std::move(answer);
  return result;
}

json result_of(const std::string& method, const json& parameters, bool modern,
               const RunCommand& run) {
  if (method == "server/discover") return discover();
  if (method == "tools/list") return list_tools(parameters, modern);
  if (method == "tools/call") return call_tool(parameters, run);
  if (!modern && method == "initialize") return initialize(parameters);
  if (!modern && method == "ping") return json::object();
  throw Refusal{kMethodNotFound, "method \"" + method + "\" is not offered", {}};
}

bool is_id(const json& id) { return id.is_string() || id.is_number_integer(); }

McpKind kind_of(const json& body) {
  if (!body.is_object() || body.value("jsonrpc", json()) != "2.0") return McpKind::invalid;
  const auto id = body.find("id"), method = body.find("method");
  if (id != body.end() && !is_id(*id)) return McpKind::invalid;
  if (method == body.end() && (body.contains("result") || body.contains("error"))) {
    return McpKind::response;
  }
  if (method == body.end() || !method->is_string()) return McpKind::invalid;
  if (id == body.end()) return McpKind::notification;
  return *method == "tools/call" ? McpKind::call : McpKind::request;
}

}  // namespace

McpMessage read_message(std::string_view line) {
  json body = parse_foreign_json(line);
  if (body.is_discarded()) {
    const std::string what = json_depth(line) > kMaxJsonDepth ? "nests too deeply" : "no JSON";
    return {.body = error_response(nullptr, {kParseError, what, {}})};
  }
  const McpKind kind = kind_of(body);
  if (kind == McpKind::invalid) {
    body =
        error_response(nullptr, {kInvalidRequest, "expected one JSON-RPC 2.0 message a line", {}});
  }
  return {.body = std::move(body), .kind = kind};
}

json respond(const json& message, const RunCommand& run) {
  const json& id = message.at("id");
  try {
    const json parameters = parameters_of(message);
    if (!parameters.is_object()) throw Refusal{kInvalidParams, "params: expected an object", {}};
    const std::string revision = named_revision(parameters);
    check_revision(revision);
    const std::string method = message.at("method");
    const bool modern = !revision.empty();
    json result = result_of(method, parameters, modern, run);
    if (modern || method == "server/discover") result["resultType"] = "complete";
    return {{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}};
  } catch (const Refusal& refusal) {
    return error_response(id, refusal);
  }
}

json too_long_response(int64_t max_bytes) {
  return error_response(
      nullptr,
      {kInvalidRequest, fmt::format("a message longer than {} bytes was left out", max_bytes), {}});
}

json id_in_use_response(const json& id) {
  return error_response(
      id, {kInvalidRequest, "a call with this id is still running; give each its own", {}});
}

json internal_response(const json& id, const std::string& what) {
  return error_response(id, {kInternalError, what, {}});
}

}  // namespace ambidex
