// SPDX-License-Identifier: Apache-2.0
// The metrics of a run, RUN/metrics.jsonl: one flat JSON object a line,
//   {"step":100,"kind":"train","loss":0.51,"samples_per_second":81234.5}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/files.h"

namespace ambidex {

struct LogValue {
  std::string name;
  double value = 0;  // not finite: null in the file, NaN when read
};

struct LogLine {
  int64_t step = 0;  // steps done so far
  std::string kind;  // "train", "valid", "test"
  std::vector<LogValue> values;

  /// NaN if there is none of that name.
  double value(std::string_view name) const;
};

/// Without the line's end.
std::string json_of(const LogLine& line);

/// Appends to a file, which is made if need be. A line is the system's when `add` returns.
class LogWriter {
 public:
  /// throws Error(bad_input) with the path
  explicit LogWriter(const std::string& path);
  void add(const LogLine& line);

 private:
  FileWriter file_;
};

/// A last line without its end is that of a writer who was killed or still writes: it is left out.
///   throws Error(bad_input) with `where` and the line
std::vector<LogLine> parse_log(std::string_view text, const std::string& where);

/// throws Error(not_found) if there is no such file, and what parse_log does
std::vector<LogLine> read_log(const std::string& path);

/// Drops the lines after `step`, tests, which end a run, and a line without its end, so that a
/// resumed run does not tell twice what happened; at any moment the file is the old or the new one.
/// No file: nothing to do.
///   throws what read_log does, Error(bad_input) if it cannot be written
void cut_log(const std::string& path, int64_t step);

}  // namespace ambidex
