// SPDX-License-Identifier: Apache-2.0
// One launch as ambidex-simt has counted it, on one device.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "port/compile.h"
#include "port/estimate.h"
#include "port/modules.h"

namespace ambidex {

/// Time, occupancy and resources; notes are left to launch_notes.
///   kernels   of the module that ran
///   compiled  of the port, for its resources on a device of AMD; empty: they are unknown
///   row       of "launches" in an answer, with "traffic"
///   throws Error(unsupported) for a device without a number that the model reads
LaunchEstimate estimate_launch(const Device& device, const std::vector<ModuleKernel>& kernels,
                               const std::vector<CompiledSource>& compiled,
                               const nlohmann::json& row);

}  // namespace ambidex
