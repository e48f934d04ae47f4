// SPDX-License-Identifier: Apache-2.0
// Anthropic's messages: message_start, deltas of content blocks, message_delta, message_stop.
#include "port/repair_protocol.h"

namespace ambidex::repair {
namespace {

using nlohmann::json;

const json* object_in(const json& value, const char* key) {
  const auto found = value.find(key);
  return found != value.end() && found->is_object() ? &*found : nullptr;
}

std::string text_in(const json* value, const char* key) {
  if (value == nullptr) return "";
  const auto found = value->find(key);
  return found != value->end() && found->is_string() ? found->get<std::string>() : "";
}

void read_usage(const json* usage, Reading& reading) {
  if (usage == nullptr) return;
  const int64_t input = token_count(*usage, "input_tokens") +
                        token_count(*usage, "cache_read_input_tokens") +
                        token_count(*usage, "cache_creation_input_tokens");
  if (input > 0) reading.reply.num_input_tokens = input;
  if (const int64_t output = token_count(*usage, "output_tokens"); output > 0) {
    reading.reply.num_output_tokens = output;
  }
}

void read_end(const json* delta, Reading& reading) {
  const std::string why = text_in(delta, "stop_reason");
  if (why.empty()) return;
  reading.reply.end = why == "max_tokens" || why == "model_context_window_exceeded"
                          ? ReplyEnd::length
                      : why == "refusal" ? ReplyEnd::refusal
                                         : ReplyEnd::done;
}

}  // namespace

std::string anthropic_body(const std::string& model, const ModelRequest& request) {
  json messages = json::array();
  for (const ModelMessage& message : request.messages) {
    messages.push_back({{"role", message.role}, {"content", message.text}});
  }
  return json{{"model", model},
              {"system", request.system},
              {"messages", std::move(messages)},
              {"max_tokens", request.max_reply_tokens},
              {"stream", true}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

void read_anthropic(std::string_view data, Reading& reading) {
  const json event = json::parse(data, nullptr, false);
  if (!event.is_object()) {
    reading.fault = "an event is not a JSON object";
    return;
  }
  const std::string type = text_in(&event, "type");
  if (type == "message_start") {
    if (const json* message = object_in(event, "message")) {
      read_usage(object_in(*message, "usage"), reading);
    }
  } else if (type == "content_block_delta") {
    reading.reply.text += text_in(object_in(event, "delta"), "text");
  } else if (type == "message_delta") {
    read_end(object_in(event, "delta"), reading);
    read_usage(object_in(event, "usage"), reading);
  } else if (type == "message_stop") {
    reading.complete = true;
  } else if (type == "error") {
    reading.fault = error_text(data).empty() ? "an error without a message" : error_text(data);
  }
}

}  // namespace ambidex::repair
