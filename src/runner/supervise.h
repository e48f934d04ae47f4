// SPDX-License-Identifier: Apache-2.0
// The process that is trusted: it starts the one that runs loaded code, waits for it no longer
// than its time, and says what became of it.
#pragma once

#include <nlohmann/json.hpp>

#include "runner/request.h"

namespace ambidex::runner {

/// The answer of docs/runner.md.
///   throws Error for a request that cannot be run at all
nlohmann::json supervise(const Request& request);

}  // namespace ambidex::runner
