// SPDX-License-Identifier: Apache-2.0
// The reader of a model's products.
#include "cli/shapes.h"
#include "fuzz/fuzz.h"

AMBIDEX_FUZZ(text) {
  for (const ambidex::Shape& shape : ambidex::parse_shapes(text, "fuzz.csv", {})) {
    ambidex::validate(shape.op);
    ambidex::check(shape.count >= 1, "every shape counts");
  }
}
