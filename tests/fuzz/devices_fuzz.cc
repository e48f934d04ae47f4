// SPDX-License-Identifier: Apache-2.0
// The reader of device files; what it takes is hashed and validated as well.
#include "ambidex/devices.h"
#include "fuzz/fuzz.h"

AMBIDEX_FUZZ(text) {
  const ambidex::Device device = ambidex::parse_device(text, "fuzz.yaml");
  ambidex::check(ambidex::device_hash(device).size() == 16, "a hash has 16 digits");
  ambidex::validate(device);
}
