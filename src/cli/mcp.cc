// SPDX-License-Identifier: Apache-2.0
// `ambidex mcp`: a server on stdin and stdout for coding agents. Each tool call runs this command
// again as a child, so that a crash or a cancellation ends the call and not the server.
#include <fmt/format.h>

#include <iostream>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

#include "ambidex/base.h"
#include "cli/mcp_protocol.h"
#include "cli/verbs.h"
#include "port/process.h"

namespace ambidex {
namespace {

constexpr double kMaxSeconds = 3600;  // of one call
constexpr size_t kMaxLineBytes = 64 << 20;

class Server {
 public:
  ~Server() { calls_.clear(); }  // asks the calls to stop, and waits

  void take(const std::string& line) {
    McpMessage message = read_message(line);
    if (!message.valid) return send(message.body);
    if (message.body.value("method", "") == "notifications/cancelled") {
      return cancel(message.body);
    }
    if (!message.slow || !message.body.contains("id")) {
      if (const auto response = respond(message.body, {})) send(*response);
      return;
    }
    start(std::move(message.body));
  }

  void finish() {
    for (auto& [id, call] : calls_) call.join();
  }

 private:
  void start(nlohmann::json body) {
    const std::string id = body["id"].dump();
    calls_.erase(id);  // an id is used again only after its response
    calls_.emplace(id, [this, body = std::move(body)](std::stop_token stop) {
      const auto response = respond(
          body, [&](const std::vector<std::string>& words) { return run_command(words, stop); });
      if (response && !stop.stop_requested()) send(*response);
    });
  }

  static CommandResult run_command(const std::vector<std::string>& words, std::stop_token stop) {
    std::vector<std::string> all{"/proc/self/exe"};
    all.insert(all.end(), words.begin(), words.end());
    ProcessResult result = run_process(all, "", kMaxSeconds, stop);
    if (result.timed_out) result.err += fmt::format("stopped after {} s\n", kMaxSeconds);
    return {.exit_code = result.timed_out ? 1 : result.exit_code,
            .out = std::move(result.out),
            .err = std::move(result.err)};
  }

  void cancel(const nlohmann::json& notification) {
    const auto parameters = notification.value("params", nlohmann::json::object());
    if (!parameters.is_object() || !parameters.contains("requestId")) return;
    const auto found = calls_.find(parameters["requestId"].dump());
    if (found != calls_.end()) found->second.request_stop();
  }

  void send(const nlohmann::json& message) {
    const std::string line =
        message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    const std::lock_guard lock(output_);
    print_out(line);
  }

  std::mutex output_;
  std::map<std::string, std::jthread> calls_;  // by request id
};

void serve() {
  Server server;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line.size() > kMaxLineBytes) {
      throw Error(ErrorKind::bad_input, "a message longer than 64 MiB");
    }
    if (line.find_first_not_of(" \t\r") != std::string::npos) server.take(line);
  }
  server.finish();  // the client has closed its end: answer what it has asked
}

}  // namespace

void add_mcp(CLI::App& app, Console& console) {
  CLI::App* const verb = app.add_subcommand(
      "mcp", "Serve scan, explain, translate, compile and select to coding agents");
  verb->description(
      "Serve scan, explain, translate, compile and select to coding agents: a Model Context "
      "Protocol server on stdin and stdout");
  verb->callback([&console] {
    serve();
    console.out.clear();
  });
}

}  // namespace ambidex
