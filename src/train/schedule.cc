// SPDX-License-Identifier: Apache-2.0
#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ambidex {

double lr_factor(const ScheduleSpec& schedule, int64_t step) {
  if (step < schedule.warmup_steps) {
    return static_cast<double>(step + 1) / static_cast<double>(schedule.warmup_steps);
  }
  const int64_t decayed = step - schedule.decay_start_step;
  if (schedule.kind == ScheduleKind::constant || decayed <= 0) return 1;
  if (decayed >= schedule.decay_steps) return schedule.end_ratio;
  const double t = static_cast<double>(decayed) / static_cast<double>(schedule.decay_steps);
  const double left = schedule.kind == ScheduleKind::cosine
                          ? (1 + std::cos(std::numbers::pi * t)) / 2
                          : std::pow(1 - t, schedule.power);
  return std::min(1.0, schedule.end_ratio + (1 - schedule.end_ratio) * left);
}

}  // namespace ambidex
