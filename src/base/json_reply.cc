// SPDX-License-Identifier: Apache-2.0
#include "base/json_reply.h"

#include <fmt/format.h>
#include <sys/prctl.h>

#include <csignal>
#include <istream>
#include <iterator>
#include <ostream>

namespace ambidex {

void end_with_parent() { prctl(PR_SET_PDEATHSIG, SIGKILL); }

JsonReply failed_reply(ErrorKind kind, std::string_view message) {
  return {exit_code(kind), "", fmt::format("{}: {}\n", name_of(kind), message)};
}

JsonReply json_reply(std::string_view request,
                     const std::function<nlohmann::json(const nlohmann::json&)>& answer) {
  try {
    const auto json = nlohmann::json::parse(request, nullptr, false);
    if (json.is_discarded())
      return failed_reply(ErrorKind::bad_input, "stdin: not a JSON document");
    const nlohmann::json out = answer(json);
    return {0, out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", ""};
  } catch (const Error& error) {
    return failed_reply(error.kind, error.what());
  } catch (const nlohmann::json::exception& error) {
    return failed_reply(ErrorKind::bad_input, std::string("request: ") + error.what());
  } catch (const std::exception& error) {
    return failed_reply(ErrorKind::internal, error.what());
  }
}

int serve_json(std::istream& in, std::ostream& out, std::ostream& err, std::string_view usage,
               const std::function<nlohmann::json(const nlohmann::json&)>& answer) {
  JsonReply reply = failed_reply(ErrorKind::bad_input, usage);
  if (usage.empty()) {
    const std::string request{std::istreambuf_iterator<char>(in), {}};
    reply = json_reply(request, answer);
  }
  err << reply.err;
  if (out << reply.out << std::flush) return reply.exit_code;
  const JsonReply failure = failed_reply(ErrorKind::device_failure, "stdout: cannot be written");
  err << failure.err;
  return failure.exit_code;
}

}  // namespace ambidex
