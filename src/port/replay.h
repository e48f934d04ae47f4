// SPDX-License-Identifier: Apache-2.0
// Runs one recorded or changed launch of a module.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "port/trace.h"

namespace ambidex {

/// How the executor is to run a module.
struct RunManner {
  std::string module;                   // path
  std::string folder;                   // for files
  std::vector<std::string> words = {};  // of a program's command line
  std::string device = "h200";          // whose limits hold
  int wave_width = 32;
  uint64_t seed = 0;
  std::string rounding = "nearest";  // of floats: also up, down, mixed
  int poison = 0xa5;                 // of bytes that nothing has written
  bool lockstep_volatile = false;    // the source is warp-synchronous
  bool lenient_shuffles = false;     // it reads lanes that take no part
  int num_workers = 1;
  bool trusted = false;
  double max_seconds = 60;
};

/// By the limits of a GPU that has waves of `wave_width`: h200 for 32, mi300x for 64.
RunManner manner_at(int wave_width, const std::string& module, const std::string& folder,
                    int num_workers = 1);

/// What a program does from its start.
///   throws Error(unsupported) without ambidex-simt or its sandbox
Trace run_program(const RunManner& manner);

/// Launches of a program whose module is `counted`, in order, each with `traffic` (docs/runner.md);
/// those that the device refused are left out. Empty if the program does not end as it should.
nlohmann::json counted_program(const RunManner& manner);

struct Replayed {
  std::string status;                           // ended, crash, deadline, sandbox, refused
  std::vector<std::string> buffers;             // contents after
  std::vector<std::vector<ByteRange>> written;  // of each buffer, in order
  std::vector<TracedProblem> problems;
  std::optional<TracedPlace> last_write;  // of the bytes that are watched
  std::string decisions;                  // as a Trace has them
};

/// Bytes whose last write is to be told.
struct ReplayWatch {
  int64_t buffer = 0, offset = 0, num_bytes = 0;
};

/// Runs `symbol` as `launch` says, on its buffers' contents before.
Replayed replay(const TracedLaunch& launch, const std::string& symbol, const RunManner& manner,
                const std::optional<ReplayWatch>& watch = std::nullopt);

/// The same run of a `counted` module, for its counts; null if it does not end.
nlohmann::json counted_launch(const TracedLaunch& launch, const std::string& symbol,
                              const RunManner& manner);

}  // namespace ambidex
