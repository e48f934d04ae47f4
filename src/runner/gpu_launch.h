// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace ambidex::runner {

/// Answers a request to ambidex-gpu; docs/runner.md has both documents.
///   throws Error(bad_input) that names the key, Error(not_found) for a file, Error(unsupported)
///   without a device of the vendor or an object that it takes
nlohmann::json answer_for_gpu(const nlohmann::json& request);

}  // namespace ambidex::runner
