// SPDX-License-Identifier: Apache-2.0
// What every template does to finish an estimate.
#pragma once

#include "ambidex/cost.h"

namespace ambidex {

/// The largest term binds.
void set_binding_term(Estimate& estimate);

/// Standard deviations within which 80 % of a normal distribution lie.
inline constexpr double kIntervalSigmas = 1.2816;

/// The middle 80 % of a log-normal distribution around `estimate.seconds`; the same bits on every
/// machine.
void set_interval(Estimate& estimate, double sigma);

}  // namespace ambidex
