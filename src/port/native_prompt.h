// SPDX-License-Identifier: Apache-2.0
// What a model is asked when a faster body of a kernel is wanted: the kernel, what binds it by the
// model, the device. Nothing of tolerances, other sizes, seeds or results.
#pragma once

#include <vector>

#include "ambidex/devices.h"
#include "port/estimate.h"
#include "port/repair_prompt.h"

namespace ambidex::repair {

/// estimates  of tier A: one launch of the program, on each device
Question native_question(const Bench& bench, const std::vector<Device>& devices,
                         const std::vector<LaunchEstimate>& estimates);

}  // namespace ambidex::repair
