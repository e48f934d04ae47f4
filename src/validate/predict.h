// SPDX-License-Identifier: Apache-2.0
// From measurements to trials: the models say what they would have said.
#pragma once

#include <string>
#include <vector>

#include "ambidex/cost.h"
#include "ambidex/validate.h"

namespace ambidex {

/// Trials of a generated template, with choice, abstention and time of selection.
std::vector<ShapeTrial> template_trials(const GemmModel& model, const Measurements& measured);

/// One trial for every shape and library, with one candidate, whose `config` is the library.
///   notes  gets a line on every library that the device has no constant for
std::vector<ShapeTrial> library_trials(const Device& device, const Measurements& measured,
                                       std::vector<std::string>& notes);

/// Adds the library's measured and predicted times to trials of the same ops.
void add_library(const Device& device, const Measurements& library,
                 std::vector<ShapeTrial>& trials);

}  // namespace ambidex
