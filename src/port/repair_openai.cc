// SPDX-License-Identifier: Apache-2.0
// OpenAI's chat completions: choices of deltas, then usage, then [DONE].
#include "port/repair_protocol.h"

namespace ambidex::repair {
namespace {

using nlohmann::json;

void read_choice(const json& choice, Reading& reading) {
  if (const auto delta = choice.find("delta"); delta != choice.end() && delta->is_object()) {
    if (const auto text = delta->find("content"); text != delta->end() && text->is_string()) {
      reading.reply.text += text->get<std::string>();
    }
    if (const auto text = delta->find("refusal"); text != delta->end() && text->is_string()) {
      reading.reply.text += text->get<std::string>();
      reading.reply.end = ReplyEnd::refusal;
    }
  }
  const auto reason = choice.find("finish_reason");
  if (reason == choice.end() || !reason->is_string()) return;
  const auto why = reason->get<std::string>();
  if (why == "length") reading.reply.end = ReplyEnd::length;
  if (why == "content_filter") reading.reply.end = ReplyEnd::refusal;
  if (reading.reply.end == ReplyEnd::none) reading.reply.end = ReplyEnd::done;
}

void read_usage(const json& chunk, Reading& reading) {
  const auto usage = chunk.find("usage");
  if (usage == chunk.end() || !usage->is_object()) return;
  reading.reply.num_input_tokens = token_count(*usage, "prompt_tokens");
  reading.reply.num_output_tokens = token_count(*usage, "completion_tokens");
}

}  // namespace

std::string openai_body(const std::string& model, const ModelRequest& request) {
  json messages = json::array({{{"role", "system"}, {"content", request.system}}});
  for (const ModelMessage& message : request.messages) {
    messages.push_back({{"role", message.role}, {"content", message.text}});
  }
  return json{
      {"model", model},
      {"messages", std::move(messages)},
      {request.new_limit_name ? "max_completion_tokens" : "max_tokens", request.max_reply_tokens},
      {"stream", true},
      {"stream_options", {{"include_usage", true}}}}
      .dump(-1, ' ', false, json::error_handler_t::replace);
}

void read_openai(std::string_view data, Reading& reading) {
  if (data == "[DONE]") {
    reading.complete = true;
    return;
  }
  const json chunk = json::parse(data, nullptr, false);
  if (!chunk.is_object()) {
    reading.fault = "an event is not a JSON object";
    return;
  }
  if (chunk.contains("error")) {
    reading.fault = error_text(data).empty() ? "an error without a message" : error_text(data);
    return;
  }
  read_usage(chunk, reading);
  const auto choices = chunk.find("choices");
  if (choices == chunk.end() || !choices->is_array() || choices->empty()) return;
  if (choices->front().is_object()) read_choice(choices->front(), reading);
}

}  // namespace ambidex::repair
