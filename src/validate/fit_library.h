// SPDX-License-Identifier: Apache-2.0
// The constants of the library model (cost/library.h) from measured times.
#pragma once

#include <string>
#include <vector>

#include "ambidex/devices.h"
#include "ambidex/measurements.h"
#include "select/fit.h"

namespace ambidex {

struct LibraryFit {
  std::vector<std::string> constants;  // that were fitted
  Calibration calibration;             // all constants, sigma from predictions of unseen shapes
  FitError before;                     // of the device as it was
  FitError fitted;                     // of the two thirds of the shapes that a fit saw
  FitError held_out;                   // of the other third, under the same constants
  FitError cross_validated;            // every third under a fit on the other two
  FitError all;                        // of the calibration, which saw all
};

/// Starts from `calibration.library` of the device. Of `constants` empty, those that times of one
/// data type can tell apart. The factor of every library in `measured` but the main one is fitted,
/// too.
///   throws Error(bad_input) on a measurement of something else, or a constant that nobody knows
LibraryFit fit_library(const Device& device, const Measurements& measured,
                       const std::vector<std::string>& constants = {});

/// Seconds of each timing of `measured`, in order of shapes and timings, and what the model of the
/// library that was timed says of them.
struct LibraryRows {
  std::vector<double> measured;
  std::vector<double> predicted;
};
LibraryRows library_rows(const Device& device, const Measurements& measured);

}  // namespace ambidex
