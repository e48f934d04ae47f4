// SPDX-License-Identifier: Apache-2.0
// `ambidex mcp`: a server on stdin and stdout for coding agents. Each tool call runs this command
// again as a child, so that a crash or a cancellation ends the call and not the server.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

#include "ambidex/base.h"
#include "base/interrupt.h"
#include "cli/mcp_protocol.h"
#include "cli/verbs.h"
#include "port/process.h"

namespace ambidex {
namespace {

constexpr double kMaxSeconds = 3600;  // of one call
constexpr int64_t kMaxLineBytes = int64_t{64} << 20;
constexpr int kMaxRunning = 8;  // calls side by side; further ones wait

class Server {
 public:
  ~Server() { calls_.clear(); }  // asks the calls to stop, and waits

  void take(std::string_view line) {
    McpMessage message = read_message(line);
    switch (message.kind) {
      case McpKind::invalid:
        return send(message.body);
      case McpKind::request:
        return send(respond(message.body, {}));
      case McpKind::call:
        return start(std::move(message.body));
      case McpKind::notification:
        if (message.body["method"] == "notifications/cancelled") cancel(message.body);
        return;
      case McpKind::response:
        return;
    }
  }

  void refuse_long_line() { send(too_long_response(kMaxLineBytes)); }

  void finish() {
    for (auto& [id, call] : calls_) call->thread.join();
  }

 private:
  struct Call {
    std::atomic<bool> is_done = false;
    std::jthread thread;
  };

  void start(nlohmann::json body) {
    std::erase_if(calls_, [](const auto& entry) { return entry.second->is_done.load(); });
    const auto [entry, is_new] = calls_.emplace(body["id"].dump(), nullptr);
    if (!is_new) return send(id_in_use_response(body["id"]));
    entry->second = std::make_unique<Call>();
    Call* const call = entry->second.get();
    call->thread = std::jthread([this, call, body = std::move(body)](std::stop_token stop) {
      answer(body, stop);
      call->is_done = true;
    });
  }

  // On a thread of its own, out of which nothing may be thrown.
  void answer(const nlohmann::json& body, const std::stop_token& stop) {
    try {
      const Turn turn(*this, stop);
      const nlohmann::json response = respond(
          body, [&](const std::vector<std::string>& words) { return run_command(words, stop); });
      if (!stop.stop_requested()) send(response);
    } catch (const Interrupted&) {
    } catch (const std::exception& error) {
      try {
        send(internal_response(body["id"], error.what()));
      } catch (const std::exception&) {
        print_note("internal: a response could not be written");
      }
    }
  }

  static CommandResult run_command(const std::vector<std::string>& words,
                                   const std::stop_token& stop) {
    if (stop.stop_requested()) return {};
    std::vector<std::string> all{"/proc/self/exe"};
    all.insert(all.end(), words.begin(), words.end());
    ProcessResult result = run_process(all, "", kMaxSeconds, stop);
    if (result.timed_out) result.err += fmt::format("stopped after {} s\n", kMaxSeconds);
    return {.exit_code = result.timed_out ? 1 : result.exit_code,
            .out = std::move(result.out),
            .err = std::move(result.err)};
  }

  void cancel(const nlohmann::json& notification) {
    const auto parameters = notification.find("params");
    if (parameters == notification.end() || !parameters->is_object()) return;
    const auto id = parameters->find("requestId");
    if (id == parameters->end() || id->is_structured()) return;
    const auto found = calls_.find(id->dump());
    if (found != calls_.end()) found->second->thread.request_stop();
  }

  void send(const nlohmann::json& message) {
    const std::string line =
        message.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    const std::lock_guard lock(output_);
    print_out(line);
  }

  // One of the calls that run; waits for it, unless the call is cancelled.
  struct Turn {
    Turn(Server& server, const std::stop_token& stop) : server_(server) {
      std::unique_lock lock(server_.turns_);
      server_.turn_ended_.wait(lock, stop, [&] { return server_.num_running_ < kMaxRunning; });
      ++server_.num_running_;
    }
    ~Turn() {
      const std::lock_guard lock(server_.turns_);
      --server_.num_running_;
      server_.turn_ended_.notify_one();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Server& server_;
  };

  std::mutex output_, turns_;
  std::condition_variable_any turn_ended_;
  int num_running_ = 0;
  std::map<std::string, std::unique_ptr<Call>> calls_;  // by request id
};

enum class Line { whole, too_long, end };

// Lines of stdin; unlike a stream it looks up while there are none, whether it is to end.
class Input {
 public:
  // The next line without its end; the last one may have none. What is too long is not kept.
  Line next(std::string& line) {
    line.clear();
    bool is_long = false;
    while (at_ < buffer_.size() || fill()) {
      const size_t end = buffer_.find('\n', at_);
      const std::string_view part = std::string_view(buffer_).substr(at_, end - at_);
      is_long = is_long || std::ssize(line) + std::ssize(part) > kMaxLineBytes;
      if (!is_long) line += part;
      at_ = end == std::string::npos ? buffer_.size() : end + 1;
      is_open_ = true;
      if (end == std::string::npos) continue;
      is_open_ = false;
      return is_long ? Line::too_long : Line::whole;
    }
    const bool is_last = std::exchange(is_open_, false);
    return !is_last ? Line::end : is_long ? Line::too_long : Line::whole;
  }

 private:
  static constexpr int kLookUpMilliseconds = 200;

  bool fill() {
    buffer_.resize(1 << 16);
    at_ = 0;
    ssize_t got = -1;
    while (got < 0) {
      throw_if_interrupted();
      pollfd input{STDIN_FILENO, POLLIN, 0};
      if (::poll(&input, 1, kLookUpMilliseconds) <= 0) continue;
      got = ::read(STDIN_FILENO, buffer_.data(), buffer_.size());
      if (got < 0 && errno != EINTR && errno != EAGAIN) got = 0;
    }
    buffer_.resize(static_cast<size_t>(got));
    return got > 0;
  }

  std::string buffer_;
  size_t at_ = 0;
  bool is_open_ = false;  // a line has begun that has no end yet
};

void serve() {
  const Interruptible interruptible;
  Server server;
  Input input;
  std::string line;
  for (Line got = input.next(line); got != Line::end; got = input.next(line)) {
    if (got == Line::too_long) {
      server.refuse_long_line();
    } else if (line.find_first_not_of(" \t\r") != std::string::npos) {
      server.take(line);
    }
  }
  server.finish();  // the client has closed its end: answer what it has asked
  throw_if_interrupted();
}

}  // namespace

void add_mcp(CLI::App& app, Console& console) {
  CLI::App* const verb = app.add_subcommand(
      "mcp",
      "Serve scan, explain, translate, compile, verify, estimate and select to coding agents");
  verb->description(verb->get_description() +
                    ": a Model Context Protocol server on stdin and stdout");
  verb->callback([&console] {
    serve();
    console.out.clear();
  });
}

}  // namespace ambidex
