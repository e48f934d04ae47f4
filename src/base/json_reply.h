// SPDX-License-Identifier: Apache-2.0
// What programs that are asked in JSON have in common: one document in, one out, errors as the
// command has them.
#pragma once

#include <functional>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ambidex/base.h"

namespace ambidex {

/// For main to print, and to return.
struct JsonReply {
  int exit_code = 0;
  std::string out;  // a document and the end of its line
  std::string err;  // "kind: message" and the end of its line
};

/// The reply to `request`, a JSON document as text, by `answer`.
JsonReply json_reply(std::string_view request,
                     const std::function<nlohmann::json(const nlohmann::json&)>& answer);

/// Ends this process when the one that started it ends, however that came about: nobody else would
/// want the answer.
void end_with_parent();

JsonReply failed_reply(ErrorKind kind, std::string_view message);

/// All that main does: reads a request from `in` to its end and writes the reply by `answer`, or,
/// if the words of the command line were wrong, `usage`. Returns the exit code.
int serve_json(std::istream& in, std::ostream& out, std::ostream& err, std::string_view usage,
               const std::function<nlohmann::json(const nlohmann::json&)>& answer);

}  // namespace ambidex
