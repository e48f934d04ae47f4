// SPDX-License-Identifier: Apache-2.0
// The metrics of a run. What was read and is written again is read as the same.
#include "fuzz/fuzz.h"
#include "train/log.h"

AMBIDEX_FUZZ(text) {
  using namespace ambidex;
  for (const LogLine& line : parse_log(text, "fuzz")) {
    const std::string once = json_of(line);
    const std::string twice = json_of(parse_log(once + "\n", "fuzz").at(0));
    check(once == twice, "a line changes when it is read");
  }
}
