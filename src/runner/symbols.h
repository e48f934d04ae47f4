// SPDX-License-Identifier: Apache-2.0
// Source lines of addresses in a module.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace ambidex::runner {

/// Adds file, line, column and function to each problem, and other_file and other_line if it has
/// another access; "" and 0 where the module does not tell. Addresses are those after a call.
void symbolise(nlohmann::json& problems, const std::string& module);

}  // namespace ambidex::runner
