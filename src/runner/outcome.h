// SPDX-License-Identifier: Apache-2.0
// What became of a run, from what the child has left. It may have been hostile: nothing of it is
// believed beyond its form.
#pragma once

#include <nlohmann/json.hpp>

#include "runner/child.h"

namespace ambidex::runner {

struct Ending {
  bool in_time = false;
  int status = 0;  // of waitpid
  double seconds = 0;
};

/// The answer of docs/runner.md; contents are written to the request's folder.
///   throws the Error that the child reports
nlohmann::json outcome(const Request& request, const Descriptors& files, const CrashRecord& record,
                       const Ending& ending);

}  // namespace ambidex::runner
