// SPDX-License-Identifier: Apache-2.0
// The constants of a generated template's model (Triton, Tensile) from measured times.
#pragma once

#include <string>
#include <vector>

#include "ambidex/devices.h"
#include "ambidex/measurements.h"
#include "ambidex/validate.h"

namespace ambidex {

struct GemmFit {
  std::vector<std::string> constants;  // that were fitted
  Calibration calibration;             // all constants, sigma from choices on unseen shapes
  ValidationMetrics before;            // of the device as it was
  ValidationMetrics fitted;            // of the two thirds of the shapes that a fit saw
  ValidationMetrics held_out;          // of the other third, under the same constants
  ValidationMetrics cross_validated;   // every third under a fit on the other two
  ValidationMetrics all;               // of the calibration, which saw all
};

/// Starts from the device's calibration of the template that `measured` times. Of `constants`
/// empty, all that are not 0; never those of `held`. Configurations near the best of their shape
/// weigh most: a row weighs (best / time)^3, and all rows of a shape together 1.
///   throws Error(bad_input) on times of a library, or a constant that nobody knows
GemmFit fit_gemm(const Device& device, const Measurements& measured,
                 const std::vector<std::string>& constants = {},
                 const std::vector<std::string>& held = {});

}  // namespace ambidex
