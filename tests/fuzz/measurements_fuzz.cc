// SPDX-License-Identifier: Apache-2.0
// The reader of measurement files, whichever format the header claims.
#include "ambidex/measurements.h"
#include "fuzz/fuzz.h"

AMBIDEX_FUZZ(text) {
  const ambidex::Measurements measured = ambidex::parse_measurements(text, "fuzz.csv", {});
  for (const ambidex::MeasuredShape& shape : measured.shapes) {
    ambidex::check(!shape.timings.empty(), "every shape has a time");
    ambidex::validate(shape.op);
  }
}
