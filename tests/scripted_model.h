// SPDX-License-Identifier: Apache-2.0
// A model's endpoint on loopback that answers by a script, also wrongly, slowly and not at all.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace ambidex {

/// The bytes of one response, and whether the connection then stays open without a word.
struct ScriptedStep {
  std::string bytes;
  bool stalls = false;
};

inline std::string http_response(int status, const std::string& headers, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " x\r\nConnection: close\r\n" + headers + "\r\n" +
         body;
}

inline std::string event_stream(const std::string& events) {
  return http_response(200, "Content-Type: text/event-stream\r\n", events);
}

/// Pieces of about seven bytes that cut no letter.
inline std::vector<std::string> pieces_of(const std::string& text) {
  std::vector<std::string> pieces;
  for (size_t at = 0; at < text.size(); at += pieces.back().size()) {
    size_t end = at + 7;
    while (end < text.size() && (text[end] & 0xc0) == 0x80) ++end;
    pieces.push_back(text.substr(at, end - at));
  }
  return pieces;
}

/// A reply as OpenAI streams it, in pieces of a few letters.
inline std::string openai_events(const std::string& text, const std::string& finish = "stop") {
  std::string events;
  for (const std::string& piece : pieces_of(text)) {
    const nlohmann::json delta{{"content", piece}};
    events +=
        "data: " + nlohmann::json{{"choices", {{{"index", 0}, {"delta", delta}}}}}.dump() + "\n\n";
  }
  const nlohmann::json last{
      {"index", 0}, {"delta", nlohmann::json::object()}, {"finish_reason", finish}};
  const nlohmann::json usage{{"prompt_tokens", 100}, {"completion_tokens", 20}};
  events += "data: " + nlohmann::json{{"choices", {last}}}.dump() + "\n\n";
  events +=
      "data: " + nlohmann::json{{"choices", nlohmann::json::array()}, {"usage", usage}}.dump() +
      "\n\n";
  return events + "data: [DONE]\n\n";
}

/// The same as Anthropic streams it.
inline std::string anthropic_events(const std::string& text, const std::string& stop = "end_turn") {
  using nlohmann::json;
  std::string events;
  const auto add = [&](const std::string& type, json data) {
    data["type"] = type;
    events += "event: " + type + "\ndata: " + data.dump() + "\n\n";
  };
  add("message_start", {{"message", {{"usage", {{"input_tokens", 100}, {"output_tokens", 1}}}}}});
  add("content_block_start", {{"index", 0}, {"content_block", {{"type", "text"}, {"text", ""}}}});
  add("ping", json::object());
  for (const std::string& piece : pieces_of(text)) {
    add("content_block_delta",
        {{"index", 0}, {"delta", {{"type", "text_delta"}, {"text", piece}}}});
  }
  add("content_block_stop", {{"index", 0}});
  add("message_delta", {{"delta", {{"stop_reason", stop}}}, {"usage", {{"output_tokens", 20}}}});
  add("message_stop", json::object());
  return events;
}

inline ScriptedStep openai_reply(const std::string& text, const std::string& finish = "stop") {
  return {event_stream(openai_events(text, finish))};
}
inline ScriptedStep anthropic_reply(const std::string& text, const std::string& stop = "end_turn") {
  return {event_stream(anthropic_events(text, stop))};
}

/// Serves one connection after another, a step each; 410 once the script is over.
class ScriptedModel {
 public:
  explicit ScriptedModel(std::vector<ScriptedStep> steps) : steps_(std::move(steps)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(listener_, 8), 0);
    EXPECT_EQ(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedModel() {
    stop_ = true;
    thread_.join();
    ::close(listener_);
  }
  ScriptedModel(const ScriptedModel&) = delete;
  ScriptedModel& operator=(const ScriptedModel&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Heads and bodies of all requests so far.
  std::vector<std::string> requests() const {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }
  size_t num_requests() const { return requests().size(); }

 private:
  // False once the object goes.
  bool wait_for(int file) const {
    while (!stop_) {
      pollfd one{file, POLLIN, 0};
      if (::poll(&one, 1, 20) > 0) return true;
    }
    return false;
  }

  void serve() {
    while (wait_for(listener_)) {
      const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      if (client < 0) continue;
      answer(client);
      ::close(client);
    }
  }

  void answer(int client) {
    std::string request;
    while (!is_whole(request) && wait_for(client)) {
      std::array<char, 65536> bytes;
      const ssize_t taken = ::recv(client, bytes.data(), bytes.size(), 0);
      if (taken <= 0) break;
      request.append(bytes.data(), static_cast<size_t>(taken));
    }
    ScriptedStep step{http_response(410, "", "{\"error\": \"the script is over\"}")};
    {
      const std::scoped_lock lock(mutex_);
      if (requests_.size() < steps_.size()) step = steps_[requests_.size()];
      requests_.push_back(request);
    }
    for (size_t at = 0; at < step.bytes.size();) {
      const ssize_t sent =
          ::send(client, step.bytes.data() + at, step.bytes.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return;
      at += static_cast<size_t>(sent);
    }
    if (step.stalls) wait_for(client);  // until the other side has had enough
  }

  static bool is_whole(const std::string& request) {
    const size_t end = request.find("\r\n\r\n");
    const size_t length = request.find("Content-Length: ");
    if (end == std::string::npos || length == std::string::npos) return false;
    return request.size() >= end + 4 + std::stoul(request.substr(length + 16));
  }

  std::vector<ScriptedStep> steps_;
  int listener_ = -1;
  int port_ = 0;
  std::atomic<bool> stop_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

}  // namespace ambidex
