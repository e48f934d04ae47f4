// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "port/trace.h"

namespace ambidex {

/// "launch" of a request to ambidex-simt or ambidex-gpu (docs/runner.md): the kernel `symbol` as
/// `launch` says, on its buffers' contents before, which are written to files in `folder`.
///   poison  byte of what nothing had written, so that a read of it is seen
nlohmann::json launch_request(const TracedLaunch& launch, const std::string& symbol,
                              const std::string& folder, int poison);

/// The contents of the buffers in an answer, in order.
std::vector<std::string> buffers_of(const nlohmann::json& answer);

}  // namespace ambidex
