// SPDX-License-Identifier: Apache-2.0
// The two protocols that models are spoken to by: OpenAI's chat completions and Anthropic's
// messages, both streamed. What is sent, and how what comes is put together.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "port/repair_sse.h"

namespace ambidex::repair {

enum class Protocol : uint8_t { openai, anthropic };
std::string_view name_of(Protocol protocol);  // "openai"
/// throws Error(not_found)
Protocol protocol_from_name(std::string_view name);

struct ModelMessage {
  std::string role;  // user, assistant
  std::string text;
};

struct ModelRequest {
  std::string system;
  std::vector<ModelMessage> messages;
  int64_t max_reply_tokens = 8192;
  bool new_limit_name = false;  // of OpenAI's: max_completion_tokens instead of max_tokens
};

enum class ReplyEnd : uint8_t {
  none,     // the stream broke off
  done,     // as the model wished
  length,   // cut at max_reply_tokens, or at 4 MiB
  refusal,  // by the model or by a filter
};
std::string_view name_of(ReplyEnd end);
/// throws Error(bad_input)
ReplyEnd reply_end_from_name(std::string_view name);

struct ModelReply {
  std::string text;
  ReplyEnd end = ReplyEnd::none;
  int64_t num_input_tokens = 0, num_output_tokens = 0;  // as the endpoint counts; 0: it does not
};

/// A reply so far.
struct Reading {
  ModelReply reply;
  bool complete = false;  // the end of the stream was seen
  std::string fault;      // that the endpoint reports within the stream
};

/// "https://host/v1" with the path that requests go to.
std::string request_url(Protocol protocol, const std::string& base_url);

/// Headers with the key; none for an empty key.
std::vector<std::string> request_headers(Protocol protocol, const std::string& key);

std::string request_body(Protocol protocol, const std::string& model, const ModelRequest& request);

/// Adds an event. One that is malformed becomes a fault; it never throws.
void read_event(Protocol protocol, const SseEvent& event, Reading& reading);

/// What an error's body says: its words if it is JSON of a known form, "" if of another, and its
/// beginning if it is none.
std::string error_text(std::string_view body);

// Each protocol's own, in repair_openai.cc and repair_anthropic.cc. `data` is JSON.
std::string openai_body(const std::string& model, const ModelRequest& request);
std::string anthropic_body(const std::string& model, const ModelRequest& request);
void read_openai(std::string_view data, Reading& reading);
void read_anthropic(std::string_view data, Reading& reading);
/// usage[key], between 0 and 2^53; 0 if it is not there.
int64_t token_count(const nlohmann::json& usage, const char* key);

}  // namespace ambidex::repair
