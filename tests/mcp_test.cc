// SPDX-License-Identifier: Apache-2.0
// The server as a client sees it: lines in, lines out. What the messages must hold is taken from
// the specification, revisions 2026-07-28 and 2025-11-25.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/files.h"
#include "port/process.h"
#include "scratch.h"

namespace ambidex {
namespace {

using nlohmann::json;
using testing::HasSubstr;

// Responses by their id, as text.
std::map<std::string, json> talk(const std::string& lines) {
  const ProcessResult result = run_process({AMBIDEX_BINARY_DIR "/ambidex", "mcp"}, lines, 60);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::map<std::string, json> responses;
  std::istringstream out(result.out);
  for (std::string line; std::getline(out, line);) {
    json response = json::parse(line);
    EXPECT_EQ(response["jsonrpc"], "2.0");
    const std::string id = response["id"].dump();
    EXPECT_TRUE(responses.emplace(id, std::move(response)).second) << line;
  }
  return responses;
}

std::string request(const json& id, const std::string& method, json parameters) {
  const json message{
      {"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(parameters)}};
  return message.dump() + "\n";
}

// A request of the revision in which every one stands alone.
std::string modern(const json& id, const std::string& method, json parameters = json::object(),
                   const std::string& revision = "2026-07-28") {
  parameters["_meta"] = {{"io.modelcontextprotocol/protocolVersion", revision},
                         {"io.modelcontextprotocol/clientInfo", {{"name", "t"}, {"version", "1"}}},
                         {"io.modelcontextprotocol/clientCapabilities", json::object()}};
  return request(id, method, std::move(parameters));
}

TEST(Mcp, discovery_names_revision_capabilities_and_server) {
  const json result = talk(modern("d", "server/discover")).at("\"d\"")["result"];
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["supportedVersions"], json::array({"2026-07-28"}));
  EXPECT_TRUE(result["capabilities"].contains("tools"));
  EXPECT_EQ(result["serverInfo"]["name"], "ambidex");
  EXPECT_TRUE(result["ttlMs"].is_number_integer());
  EXPECT_EQ(result["cacheScope"], "public");
}

TEST(Mcp, the_older_handshake_gets_the_revision_it_asks_for_or_the_newest_of_its_kind) {
  const auto revision = [](const std::string& asked) {
    const json parameters{{"protocolVersion", asked},
                          {"capabilities", json::object()},
                          {"clientInfo", {{"name", "t"}, {"version", "1"}}}};
    const auto responses = talk(request(1, "initialize", parameters) +
                                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n" +
                                request(2, "ping", json::object()));
    EXPECT_EQ(responses.size(), 2u);  // a notification has no response
    EXPECT_EQ(responses.at("2")["result"], json::object());
    return responses.at("1")["result"]["protocolVersion"].get<std::string>();
  };
  EXPECT_EQ(revision("2025-11-25"), "2025-11-25");
  EXPECT_EQ(revision("2025-06-18"), "2025-06-18");
  EXPECT_EQ(revision("2026-07-28"), "2025-11-25");
  EXPECT_EQ(revision("1999-01-01"), "2025-11-25");
}

TEST(Mcp, a_revision_that_is_not_spoken_is_refused_with_those_that_are) {
  const json error = talk(modern(1, "tools/list", json::object(), "2031-01-01")).at("1")["error"];
  EXPECT_EQ(error["code"], -32022);
  EXPECT_EQ(error["data"]["requested"], "2031-01-01");
  EXPECT_EQ(error["data"]["supported"], json::array({"2026-07-28"}));
}

TEST(Mcp, the_handshake_and_ping_are_gone_in_the_new_revision) {
  const auto responses = talk(modern(1, "initialize") + modern(2, "ping"));
  EXPECT_EQ(responses.at("1")["error"]["code"], -32601);
  EXPECT_EQ(responses.at("2")["error"]["code"], -32601);
}

TEST(Mcp, tools_are_listed_with_schemas) {
  const auto responses = talk(modern(1, "tools/list") + request(2, "tools/list", json::object()));
  const json tools = responses.at("1")["result"]["tools"];
  EXPECT_EQ(tools, responses.at("2")["result"]["tools"]);
  std::vector<std::string> names;
  for (const json& tool : tools) {
    names.push_back(tool["name"]);
    EXPECT_GT(tool["description"].get<std::string>().size(), 20u);
    EXPECT_EQ(tool["inputSchema"]["type"], "object");
    for (const json& required : tool["inputSchema"]["required"]) {
      EXPECT_TRUE(tool["inputSchema"]["properties"].contains(required.get<std::string>()));
    }
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"scan", "explain", "translate", "compile", "verify",
                                            "estimate", "select"}));
}

TEST(Mcp, a_call_gives_what_the_command_prints) {
  const json call{{"name", "select"},
                  {"arguments", {{"m", 8192}, {"n", 1024}, {"k", 512}, {"device", "h200"}}}};
  const json result = talk(modern(1, "tools/call", call)).at("1")["result"];
  EXPECT_EQ(result["isError"], false);
  EXPECT_EQ(result["resultType"], "complete");
  const ProcessResult command = run_process({AMBIDEX_BINARY_DIR "/ambidex", "select", "gemm",
                                             "8192", "1024", "512", "--device", "h200", "--json"},
                                            "", 60);
  EXPECT_EQ(result["structuredContent"], json::parse(command.out));
  EXPECT_EQ(result["content"][0]["text"], command.out);
}

TEST(Mcp, a_call_that_fails_tells_the_agent_why) {
  const auto failure = [](const json& arguments) {
    const json call{{"name", "select"}, {"arguments", arguments}};
    const json result = talk(request(1, "tools/call", call)).at("1")["result"];
    EXPECT_EQ(result["isError"], true);
    return result["content"][0]["text"].get<std::string>();
  };
  EXPECT_THAT(failure({{"m", 8}, {"n", 8}, {"k", 8}, {"device", "h20"}}),
              HasSubstr("nearest: h200"));
  EXPECT_THAT(failure({{"m", 8}, {"n", 8}, {"device", "h200"}}), HasSubstr("k: missing"));
  EXPECT_THAT(failure({{"m", "8"}, {"n", 8}, {"k", 8}, {"device", "h200"}}),
              HasSubstr("m: expected an integer"));
  EXPECT_THAT(failure({{"m", 8}, {"n", 8}, {"k", 8}, {"device", "--help"}}),
              HasSubstr("does not open with \"-\""));
  EXPECT_THAT(failure({{"m", 8}, {"n", 8}, {"k", 8}, {"device", "h200"}, {"dtyp", "bf16"}}),
              HasSubstr("nearest: dtype"));
  EXPECT_THAT(failure(json::array()), HasSubstr("expected an object"));
}

#ifdef AMBIDEX_HAS_PORT
TEST(Mcp, a_port_that_is_wrong_is_an_answer_not_a_failure_of_the_tool) {
  const ScratchFolder scratch;
  const std::string body = R"(
__global__ void fill(int* y) { y[threadIdx.x] = threadIdx.x; }
int main() {
  int* y;
  xMalloc(&y, 64 * sizeof(int));
  fill<<<1, 64>>>(y);
  return xDeviceSynchronize();
}
)";
  const auto write = [&](const std::string& name, const std::string& header, const char* prefix,
                         const char* value) {
    std::string text = body;
    for (size_t at = 0; (at = text.find("xM")) != std::string::npos;) text.replace(at, 1, prefix);
    text.replace(text.find("xD"), 1, prefix);
    text.replace(text.find("= threadIdx.x;"), 14, value);
    write_file(scratch.path(name), "#include <" + header + ">\n" + text);
    return scratch.path(name);
  };
  const json call{{"name", "verify"},
                  {"arguments",
                   {{"original", write("a.cu", "cuda_runtime.h", "cuda", "= threadIdx.x;")},
                    {"port", write("a.hip", "hip/hip_runtime.h", "hip", "= threadIdx.x & 31;")}}}};
  const json result = talk(modern(1, "tools/call", call)).at("1")["result"];
  EXPECT_EQ(result["isError"], false) << result;
  const json& kernel = result["structuredContent"]["items"][0]["kernels"][0];
  EXPECT_EQ(kernel["verdict"], "wrong");
  EXPECT_THAT(kernel["reason"].get<std::string>(), HasSubstr("y[32] is 0"));
}
#endif

TEST(Mcp, what_is_no_request_is_answered_in_json_rpc) {
  const auto code = [](const std::string& line) {
    return talk(line + "\n" + request(9, "ping", json::object())).at("null")["error"]["code"];
  };
  EXPECT_EQ(code("hello"), -32700);
  EXPECT_EQ(code("[]"), -32600);
  EXPECT_EQ(code("{\"id\":1,\"method\":\"ping\"}"), -32600);
  EXPECT_EQ(code("{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}"), -32600);
  const auto responses =
      talk(request(1, "tools/cal", json::object()) + request(2, "tools/call", {{"name", "scam"}}) +
           request(3, "ping", json::array({1})) + "\n\r\n");
  EXPECT_EQ(responses.at("1")["error"]["code"], -32601);
  EXPECT_EQ(responses.at("2")["error"]["code"], -32602);
  EXPECT_THAT(responses.at("2")["error"]["message"].get<std::string>(), HasSubstr("scan"));
  EXPECT_EQ(responses.at("3")["error"]["code"], -32602);
}

TEST(Mcp, messages_that_would_break_it_are_answered_or_left_out) {
  const std::string ping = request(9, "ping", json::object());
  const auto code = [&](const std::string& line) {
    const auto responses = talk(line + "\n" + ping);
    EXPECT_EQ(responses.count("9"), 1u) << line.substr(0, 100);
    return responses.count("null") == 0 ? json() : responses.at("null")["error"]["code"];
  };
  const std::string deep = std::string(300000, '[') + std::string(300000, ']');
  EXPECT_EQ(code(deep), -32700);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":)" + deep + "}"), -32700);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":)" +
                 deep + "}}"),
            -32700);
  EXPECT_EQ(code("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"), -32700);  // no UTF-8
  EXPECT_EQ(code(R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])"), -32600);       // no batches
  EXPECT_EQ(code(R"({"jsonrpc":2,"id":1,"method":"ping"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":null,"method":"ping"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})"), -32600);
  EXPECT_EQ(code(R"({"jsonrpc":"2.0","id":1,"method":5,"result":{}})"), -32600);
  EXPECT_EQ(code(std::string((64 << 20) + 1, 'x')), -32600);
  for (const char* silent : {R"({"jsonrpc":"2.0","method":"no/such/notification"})",
                             R"({"jsonrpc":"2.0","method":"tools/call","params":{"name":"scan"}})",
                             R"({"jsonrpc":"2.0","method":"notifications/cancelled"})",
                             R"({"jsonrpc":"2.0","id":3,"result":{}})"}) {
    EXPECT_TRUE(code(silent).is_null()) << silent;
  }
}

TEST(Mcp, the_end_of_input_in_a_message_ends_it) {
  const std::string ping = request(9, "ping", json::object());
  EXPECT_EQ(talk(ping.substr(0, 20)).at("null")["error"]["code"], -32700);
  EXPECT_EQ(talk(ping.substr(0, ping.size() - 1)).at("9")["result"], json::object());
  EXPECT_TRUE(talk("").empty());
}

TEST(Mcp, an_id_is_not_used_twice_at_a_time) {
  const json select{{"name", "select"},
                    {"arguments", {{"m", 64}, {"n", 64}, {"k", 64}, {"device", "h200"}}}};
  const std::string call = request("a", "tools/call", select);
  const ProcessResult result =
      run_process({AMBIDEX_BINARY_DIR "/ambidex", "mcp"}, call + call + call, 60);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  std::multiset<bool> refused;
  std::istringstream out(result.out);
  for (std::string line; std::getline(out, line);) {
    const json response = json::parse(line);
    EXPECT_EQ(response["id"], "a");
    refused.insert(response.contains("error"));
  }
  EXPECT_EQ(refused.size(), 3u);  // every request has its response
  EXPECT_GE(refused.count(false), 1u);
}

TEST(Mcp, a_cancelled_call_is_not_answered_and_others_go_on) {
  const json select{{"name", "select"},
                    {"arguments", {{"m", 64}, {"n", 64}, {"k", 64}, {"device", "h200"}}}};
  std::string lines;
  for (int id = 1; id <= 20; ++id) lines += request(id, "tools/call", select);
  lines +=
      "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
      "cancelled\",\"params\":{\"requestId\":20}}\n";
  lines += "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":7}\n";
  const auto responses = talk(lines);
  for (int id = 1; id < 20; ++id) {
    EXPECT_EQ(responses.at(std::to_string(id))["result"]["isError"], false) << id;
  }
  EXPECT_LE(responses.size(), 20u);
}

}  // namespace
}  // namespace ambidex
