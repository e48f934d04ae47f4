// SPDX-License-Identifier: Apache-2.0
// What of a launch is right and slow, each with its figure.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "port/estimate.h"

namespace ambidex {

/// Of a launch whose counts, resources, occupancy and time are known. `sites` are those of the
/// launch's traffic in an answer of ambidex-simt; `original` is the same launch on a device of
/// NVIDIA, or null.
std::vector<EstimateNote> launch_notes(const Device& device, const LaunchEstimate& launch,
                                       const LaunchEstimate* original, const nlohmann::json& sites);

}  // namespace ambidex
