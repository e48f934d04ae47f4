// SPDX-License-Identifier: Apache-2.0
// Asks ambidex-clang, the separate program with clang's libraries: a JSON document each way.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {

/// A signal has ended one of the programs: as a rule clang, over a source that it cannot take.
struct CrashedError : Error {
  using Error::Error;
};

/// For one source that is read and not compiled: scan, facts, translate.
inline constexpr double kReadSeconds = 60;

/// The answer of `ambidex-clang COMMAND` to `request`. The program is looked for beside the
/// running one.
///   throws Error(unsupported) if it was not built (AMBIDEX_PORT=OFF), the error that it reports,
///   CrashedError if it crashes, Error(device_failure) if it takes longer than `max_seconds`
nlohmann::json ask_frontend(const std::string& command, const nlohmann::json& request,
                            double max_seconds = 300);

/// The same of another program beside the running one, with `arguments`: ambidex-simt.
nlohmann::json ask_program(const std::string& program, const std::vector<std::string>& arguments,
                           const nlohmann::json& request, double max_seconds);

}  // namespace ambidex
