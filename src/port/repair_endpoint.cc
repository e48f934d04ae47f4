// SPDX-License-Identifier: Apache-2.0
#include "port/repair_endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex::repair {
namespace {

constexpr size_t kShortestSecret = 8;
// Of one reply: more than any limit on tokens lets a model say, and little for a machine.
constexpr size_t kMaxReplyBytes = size_t{4} << 20, kMaxStreamBytes = size_t{64} << 20;

std::string host_of(const std::string& url) {
  const size_t begin = url.find("://") + 3;
  std::string host = url.substr(begin, url.find_first_of("/?#", begin) - begin);
  if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
  return host.substr(0, host.find(':'));
}

bool is_this_machine(const std::string& host) {
  const bool is_address = host.find_first_not_of("0123456789.") == std::string::npos;
  return host == "localhost" || host == "[::1]" || (is_address && host.starts_with("127."));
}

[[noreturn]] void refuse_url(const std::string& what) {
  throw Error(ErrorKind::bad_input, "AMBIDEX_REPAIR_URL: " + what);
}

bool is_busy(int status) { return status == 408 || status == 429 || status >= 500; }

// One try. The reply is complete, or the string says why not.
struct Try {
  Reading reading;
  HttpResponse response;
  std::string fault;
};

struct Endless {};  // thrown to end an exchange

// Takes a stream for one reading, up to what a reply can be.
class Taker {
 public:
  Taker(Protocol protocol, Reading& reading) : protocol_(protocol), reading_(reading) {}

  void take(std::string_view bytes) {
    num_bytes_ += bytes.size();
    for (const SseEvent& event : events_.take(bytes)) read_event(protocol_, event, reading_);
    if (reading_.reply.text.size() > kMaxReplyBytes || num_bytes_ > kMaxStreamBytes) {
      throw Endless();
    }
  }

 private:
  Protocol protocol_;
  Reading& reading_;
  SseReader events_;
  size_t num_bytes_ = 0;
};

Try try_once(const Endpoint& endpoint, const ModelRequest& request, Clock::time_point deadline) {
  Try one;
  Taker taker(endpoint.protocol, one.reading);
  try {
    one.response = http_post({.url = request_url(endpoint.protocol, endpoint.url),
                              .headers = request_headers(endpoint.protocol, endpoint.key),
                              .body = request_body(endpoint.protocol, endpoint.model, request),
                              .deadline = deadline,
                              .max_silent_seconds = endpoint.max_silent_seconds},
                             [&](std::string_view bytes) { taker.take(bytes); });
  } catch (const Endless&) {
    one.reading.reply.end = ReplyEnd::length;
    one.reading.complete = true;
    return one;
  }
  // The key goes first: cut text would hold a part of it.
  const auto shown = [&](const std::string& text) {
    return quote(without_key(text, endpoint.key));
  };
  const int status = one.response.status;
  if (status != 0 && status != 200) {
    one.fault = fmt::format("status {}: {}", status, shown(error_text(one.response.error_body)));
  } else if (!one.reading.fault.empty()) {
    one.fault = "the endpoint reports " + shown(one.reading.fault);
  } else if (!one.reading.complete) {
    one.fault = one.response.fault.empty() ? "the stream broke off" : one.response.fault;
  }
  return one;
}

double seconds_until(Clock::time_point deadline) {
  return std::chrono::duration<double>(deadline - Clock::now()).count();
}

}  // namespace

Protocol protocol_of(std::string_view url) {
  return url.find("anthropic") != std::string_view::npos || url.ends_with("/messages")
             ? Protocol::anthropic
             : Protocol::openai;
}

void validate(const Endpoint& endpoint) {
  const std::string& url = endpoint.url;
  const bool secure = url.starts_with("https://");
  if ((!secure && !url.starts_with("http://")) || host_of(url).empty()) {
    refuse_url("expected https://host/path or http://localhost:port/path");  // never shown: it may
                                                                             // hold a key
  }
  if (url.find_first_of("@?#") != std::string::npos) {
    refuse_url("a name, a password or a query has no place in it; the key is AMBIDEX_REPAIR_KEY");
  }
  const auto is_plain = [](unsigned char c) { return c > 0x20 && c < 0x7f; };
  if (!std::all_of(url.begin(), url.end(), is_plain)) {
    refuse_url("it holds blanks or bytes that are no ASCII");
  }
  if (!secure && !endpoint.key.empty() && !is_this_machine(host_of(url))) {
    refuse_url(
        "a key would be sent in the clear over http to another machine; use https, or unset "
        "AMBIDEX_REPAIR_KEY");
  }
  if (!std::all_of(endpoint.key.begin(), endpoint.key.end(), is_plain)) {
    throw Error(ErrorKind::bad_input,
                "AMBIDEX_REPAIR_KEY: holds blanks, line ends or bytes that are no ASCII; it goes "
                "into a header as it is");
  }
  if (endpoint.model.empty()) {
    throw Error(ErrorKind::bad_input,
                "AMBIDEX_REPAIR_MODEL: no model is named; expected one that the endpoint has");
  }
}

std::string without_key(std::string text, const std::string& key) {
  if (key.size() < kShortestSecret) return text;
  for (size_t at = 0; (at = text.find(key, at)) != std::string::npos;) {
    text.replace(at, key.size(), "[key]");
  }
  return text;
}

Answer ask(const Endpoint& endpoint, ModelRequest request, Clock::time_point deadline,
           const std::function<void(double seconds)>& pause) {
  Answer answer;
  for (int i = 0; i < endpoint.max_tries; ++i) {
    Try one = try_once(endpoint, request, deadline);
    if (one.response.status == 400 && !request.new_limit_name &&
        one.response.error_body.find("max_completion_tokens") != std::string::npos) {
      request.new_limit_name = true;  // newer models of OpenAI's know no other
      one = try_once(endpoint, request, deadline);
    }
    if (one.fault.empty()) {
      answer.fault.clear();
      answer.reply = std::move(one.reading.reply);
      answer.reply.text = without_key(std::move(answer.reply.text), endpoint.key);
      return answer;
    }
    const int status = one.response.status;
    if (status != 0 && status != 200 && !is_busy(status)) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("the endpoint refuses the request: {}; look at AMBIDEX_REPAIR_URL, "
                              "_MODEL, _KEY and _PROTOCOL",
                              one.fault));
    }
    answer.fault = one.fault;
    if (status == 200) {
      answer.broke_off = true;
      return answer;
    }
    const double seconds = one.response.retry_after_seconds.value_or(endpoint.first_pause_seconds *
                                                                     std::exp2(std::min(i, 10)));
    if (i + 1 == endpoint.max_tries) break;
    if (seconds >= seconds_until(deadline)) {
      answer.fault += fmt::format("; waiting {:g} s more would go beyond the budget", seconds);
      return answer;
    }
    answer.retries.push_back({one.fault, seconds});
    pause(seconds);
  }
  answer.fault = fmt::format("{} tries failed, the last: {}", endpoint.max_tries, answer.fault);
  return answer;
}

}  // namespace ambidex::repair
