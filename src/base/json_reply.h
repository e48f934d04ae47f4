// SPDX-License-Identifier: Apache-2.0
// What programs that are asked in JSON have in common: one document in, one out, errors as the
// command has them.
#pragma once

#include <functional>
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

}  // namespace ambidex
