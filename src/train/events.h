// SPDX-License-Identifier: Apache-2.0
// Event files of TensorBoard, scalars alone. A process that goes on with a run starts a file of its
// own, as TensorBoard expects; it merges the files of a folder.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/files.h"

namespace ambidex {

/// CRC-32C (Castagnoli).
uint32_t crc32c(std::string_view bytes);

struct Scalar {
  std::string_view tag;  // "train/loss"
  double value = 0;      // stored as float
};

class EventWriter {
 public:
  /// Makes the file, by custom events.out.tfevents.SECONDS.HOST.PID, with its opening record.
  ///   wall_seconds   since 1970, for this and all records
  ///   throws Error(bad_input) with the path
  EventWriter(const std::string& path, double wall_seconds);

  /// One record with all scalars of a step; it is the system's when this returns.
  ///   throws Error(bad_input) with the path
  void add(int64_t step, double wall_seconds, std::span<const Scalar> scalars);

 private:
  FileWriter file_;
};

}  // namespace ambidex
