// SPDX-License-Identifier: Apache-2.0
#include "port/repair_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex::repair {
namespace {

constexpr std::array<std::string_view, 2> kProtocols{"openai", "anthropic"};
constexpr std::array<std::string_view, 4> kEnds{"none", "done", "length", "refusal"};

}  // namespace

std::string_view name_of(Protocol protocol) { return kProtocols[static_cast<size_t>(protocol)]; }

Protocol protocol_from_name(std::string_view name) {
  for (size_t i = 0; i < kProtocols.size(); ++i) {
    if (name == kProtocols[i]) return static_cast<Protocol>(i);
  }
  throw Error(ErrorKind::not_found,
              fmt::format("no protocol {}; known: openai (chat completions), anthropic (messages)",
                          quote(name)));
}

std::string_view name_of(ReplyEnd end) { return kEnds[static_cast<size_t>(end)]; }

ReplyEnd reply_end_from_name(std::string_view name) {
  for (size_t i = 0; i < kEnds.size(); ++i) {
    if (name == kEnds[i]) return static_cast<ReplyEnd>(i);
  }
  throw Error(ErrorKind::bad_input, fmt::format("no end of a reply {}", quote(name)));
}

std::string request_url(Protocol protocol, const std::string& base_url) {
  std::string url = base_url;
  while (url.ends_with('/')) url.pop_back();
  const std::string path = protocol == Protocol::openai ? "/chat/completions" : "/messages";
  if (url.ends_with(path)) return url;
  // Anthropic's base has no version in it, OpenAI's has.
  if (protocol == Protocol::anthropic && !url.ends_with("/v1")) url += "/v1";
  return url + path;
}

std::vector<std::string> request_headers(Protocol protocol, const std::string& key) {
  std::vector<std::string> headers{"Content-Type: application/json", "Accept: text/event-stream"};
  if (protocol == Protocol::anthropic) headers.emplace_back("anthropic-version: 2023-06-01");
  if (key.empty()) return headers;
  headers.push_back(protocol == Protocol::openai ? "Authorization: Bearer " + key
                                                 : "x-api-key: " + key);
  return headers;
}

std::string request_body(Protocol protocol, const std::string& model, const ModelRequest& request) {
  return protocol == Protocol::openai ? openai_body(model, request)
                                      : anthropic_body(model, request);
}

void read_event(Protocol protocol, const SseEvent& event, Reading& reading) {
  if (reading.complete || !reading.fault.empty()) return;
  if (protocol == Protocol::openai) {
    read_openai(event.data, reading);
  } else {
    read_anthropic(event.data, reading);
  }
}

int64_t token_count(const nlohmann::json& usage, const char* key) {
  const auto found = usage.find(key);
  if (found == usage.end() || !found->is_number_unsigned()) return 0;
  return static_cast<int64_t>(std::min<uint64_t>(found->get<uint64_t>(), uint64_t{1} << 53));
}

std::string error_text(std::string_view body) {
  const auto json = nlohmann::json::parse(body, nullptr, false);
  if (!json.is_object()) return std::string(body.substr(0, 200));
  const auto error = json.find("error");
  if (error == json.end()) return "";
  if (error->is_string()) return error->get<std::string>();
  if (!error->is_object()) return "";
  const auto message = error->find("message");
  return message != error->end() && message->is_string() ? message->get<std::string>() : "";
}

}  // namespace ambidex::repair
