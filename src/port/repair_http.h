// SPDX-License-Identifier: Apache-2.0
// One POST over HTTP or HTTPS whose answer is handed over as it comes, within a time.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex::repair {

using Clock = std::chrono::steady_clock;

struct HttpRequest {
  std::string url;
  std::vector<std::string> headers;
  std::string body;
  Clock::time_point deadline;      // of the whole exchange
  double max_silent_seconds = 60;  // between two pieces of the answer, and before the first
};

struct HttpResponse {
  int status = 0;                             // 0: none came
  std::optional<double> retry_after_seconds;  // that the server asks for
  std::string error_body;                     // of a status other than 200, at most 64 KiB
  std::string fault;                          // of the connection; "" if the answer came whole
};

/// `take` gets the pieces of an answer with status 200. Redirections are not followed: the key is
/// for this host alone.
///   throws what `take` throws, and Error(bad_input) for a URL that is none
HttpResponse http_post(const HttpRequest& request,
                       const std::function<void(std::string_view)>& take);

}  // namespace ambidex::repair
