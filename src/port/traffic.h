// SPDX-License-Identifier: Apache-2.0
// Counts of a launch between ambidex-simt, which takes them, and the estimate, which reads them.
#pragma once

#include <nlohmann/json.hpp>

#include "ambidex/simt_traffic.h"

namespace ambidex {

/// With the field names of simt_traffic.h. Sites have `program_counter` and `space`; ambidex-simt
/// adds `file` and `line`.
nlohmann::json to_json(const SimtTraffic& traffic);

/// All but program counters of sites.
SimtTraffic traffic_of(const nlohmann::json& json);

}  // namespace ambidex
