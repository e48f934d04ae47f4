// SPDX-License-Identifier: Apache-2.0
// Kernel launches as words show them.
#pragma once

#include "frontend/program.h"

namespace ambidex::syntax {

struct LaunchSite {
  const Function* function = nullptr;  // that launches
  int at = 0;                          // the <<< or the name of the call
  std::string kernel;                  // "" if it is not a plain name
  Span grid;
  Span block;
  Span shared_bytes;  // empty: none
};

std::vector<LaunchSite> launches_of(const Program& program);

/// Threads per block of a launch, if constants tell: a number, dim3(...), or a variable of them.
std::optional<std::vector<int64_t>> constant_extent(const Program& program,
                                                    const Function& function, Span span);

}  // namespace ambidex::syntax
