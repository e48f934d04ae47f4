// SPDX-License-Identifier: Apache-2.0
// The reader of system files.
#include "ambidex/devices.h"
#include "fuzz/fuzz.h"

AMBIDEX_FUZZ(text) { ambidex::validate(ambidex::parse_system(text, "fuzz.yaml")); }
