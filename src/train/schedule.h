// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "ambidex/model.h"

namespace ambidex {

/// Factor on every learning rate in the given step, counted from 0; in [0, 1]. `schedule` is valid.
///   warm-up      (step + 1) / warmup_steps, so that the first step already learns
///   polynomial   end_ratio + (1 - end_ratio) (1 - t)^power, t the share of decay_steps that is
///   over cosine       end_ratio + (1 - end_ratio) (1 + cos(pi t)) / 2
double lr_factor(const ScheduleSpec& schedule, int64_t step);

}  // namespace ambidex
