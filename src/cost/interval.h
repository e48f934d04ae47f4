// SPDX-License-Identifier: Apache-2.0
// What every template does to finish an estimate.
#pragma once

#include "ambidex/cost.h"

namespace ambidex {

/// The largest term binds.
void set_binding_term(Estimate& estimate);

/// The middle 80 % of a log-normal distribution around `estimate.seconds`.
void set_interval(Estimate& estimate, double sigma);

}  // namespace ambidex
