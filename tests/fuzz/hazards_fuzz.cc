// SPDX-License-Identifier: Apache-2.0
// A page of the catalogue of hazards.
#include "fuzz/fuzz.h"
#include "port/hazard_page.h"

AMBIDEX_FUZZ(text) { ambidex::parse_hazard(text, "data/hazards/W99.md"); }
