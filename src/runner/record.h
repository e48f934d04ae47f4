// SPDX-License-Identifier: Apache-2.0
// What a launch was given and what it did, so that it can be made again.
#pragma once

#include <set>

#include "runner/launch.h"

namespace ambidex::runner {

nlohmann::json counts_text(const SimtCounts& counts);

/// Made before the launch, finished after it; adds a row to the runtime's launches.
class LaunchRecorder {
 public:
  LaunchRecorder(Runtime& state, const KernelCall& call, Record record);
  void finish(const SimtReport& report, double seconds);

 private:
  void add_pointer(int64_t parameter, const Pointer& pointer, const char* value);
  int64_t add_buffer(const SimtPlace& place);
  int64_t known_buffer(const SimtPlace& place) const;  // -1: none
  void add_variables();
  void follow_addresses();
  bool may_hold_addresses(size_t buffer) const;

  struct Known {
    char* begin = nullptr;
    int64_t num_bytes = 0;
    std::set<int64_t> element_bytes = {};  // of the pointers to it; none: it was come upon
  };
  Runtime& state_;
  Record record_;
  nlohmann::json row_;
  std::vector<Known> buffers_;
};

}  // namespace ambidex::runner
