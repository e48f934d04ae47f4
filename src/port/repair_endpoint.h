// SPDX-License-Identifier: Apache-2.0
// Where the model is, and how it is asked: again after a pause where the endpoint is busy, never
// beyond a deadline.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "port/repair_http.h"
#include "port/repair_protocol.h"

namespace ambidex::repair {

struct Endpoint {
  std::string url;  // base: https://api.example.com/v1
  std::string model;
  std::string key;  // empty: none is sent
  Protocol protocol = Protocol::openai;
  double max_silent_seconds = 60;
  double first_pause_seconds = 1;  // doubles with every try
  int max_tries = 6;               // of one request
};

/// The protocol that a URL speaks by its looks: anthropic in the host or /messages at the end.
Protocol protocol_of(std::string_view url);

/// throws Error(bad_input): not a URL, a name or a password or a query in it, a key over plain http
/// to another machine, a key that no header can hold, no model
void validate(const Endpoint& endpoint);

/// Every occurrence of the key is made unreadable. A key of less than 8 bytes is no secret.
std::string without_key(std::string text, const std::string& key);

/// A try that failed, and what was done about it.
struct Retry {
  std::string why;  // "status 429: slow down"
  double pause_seconds = 0;
};

struct Answer {
  ModelReply reply;
  std::vector<Retry> retries;
  std::string fault;       // why there is no reply, after all tries
  bool broke_off = false;  // within a reply, which may have cost tokens
};

/// Asks, and asks again after 408, 429, 5xx, a broken connection or silence, with the pause that
/// the endpoint asks for, else a growing one; a reply that broke off is left to the caller, who
/// counts tokens. A pause that would end after `deadline` is not begun.
///   pause    waits so many seconds; a test may count them instead
///   throws Error(bad_input) if the endpoint refuses the request itself (another 4xx)
Answer ask(const Endpoint& endpoint, ModelRequest request, Clock::time_point deadline,
           const std::function<void(double seconds)>& pause);

}  // namespace ambidex::repair
