// SPDX-License-Identifier: Apache-2.0
// A program that reads one JSON document from stdin and writes one to stdout. Errors go to stderr
// as `kind: message`, with the exit code of their kind.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

namespace ambidex::runner {

/// The body of main. `argc` has to be 1; `name` is for the usage.
int run_json_program(int argc, const char* name,
                     const std::function<nlohmann::json(const nlohmann::json&)>& answer);

}  // namespace ambidex::runner
