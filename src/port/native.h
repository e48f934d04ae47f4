// SPDX-License-Identifier: Apache-2.0
// Tier B of a port: faster bodies of kernels that pass already, asked for one by one and taken only
// if they are right beside the original and beside tier A, and predicted to be faster.
#pragma once

#include <nlohmann/json.hpp>

#include "port/repair.h"
#include "port/repair_loop.h"

namespace ambidex::repair {

/// throws Error(not_found), or Error(bad_input) if one is a file, or none of AMD's with gfx942 or
/// gfx950: a port is made anew by the names of its devices, and compiled for these two
void check_native_devices(const std::vector<std::string>& names);

/// Asks for every kernel of `done` that passes, the one with most predicted time first. What is
/// taken goes to native/ and native-N.patch; hip/ stays as it is.
void ask_for_native_bodies(RepairRun& done, Session& session, const RepairOptions& options);

/// {"measured": false, "least_gain", "devices", "kernels": [{"program", "kernel", "outcome",
/// "reason", "num_turns", "sha256", "num_cases", "num_bit_identical", "least_gain", "launches":
/// [{"device", "before_seconds", "after_seconds", "floor_seconds", "before_binds",
/// "after_binds"}]}], "not_asked": [{"program", "kernel", "why"}]}
nlohmann::ordered_json native_json(const RepairRun& done, const RepairOptions& options);

}  // namespace ambidex::repair
