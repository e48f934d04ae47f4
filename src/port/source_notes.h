// SPDX-License-Identifier: Apache-2.0
// What the source shows to be slow on AMD, beside what counts show.
#pragma once

#include <vector>

#include "ambidex/port.h"
#include "port/estimate.h"
#include "port/programs.h"
#include "port/translate.h"

namespace ambidex {

/// One note for each hazard of the original that costs time and that translation leaves as it is,
/// or that it makes right at the cost of time; each with the number of places and the first.
std::vector<EstimateNote> source_notes(const Program& original,
                                       const std::vector<Finding>& findings,
                                       const TranslatedTree& tree);

}  // namespace ambidex
