// SPDX-License-Identifier: Apache-2.0
// Does a port write what the original writes, even where the right value was there before?
#pragma once

#include <set>
#include <string>

#include "port/replay.h"

namespace ambidex::repair {

struct WriteRequest {
  RunManner original, port;       // checked modules, at widths 32 and 64
  std::set<std::string> kernels;  // base names
};

/// Runs the first launches of each kernel as they are. "" if the port writes every byte that the
/// original writes in any order of its blocks; else the buffer and the byte. An original that is
/// not clean by itself is passed over.
std::string unwritten_in(const WriteRequest& request);

}  // namespace ambidex::repair
