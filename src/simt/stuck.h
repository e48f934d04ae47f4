// SPDX-License-Identifier: Apache-2.0
// Blocks in which nobody can go on: says who waits where, and lets somebody go on all the same, so
// that one launch finds more than one problem.
#pragma once

#include "simt/block.h"

namespace ambidex::simt {

/// All threads of the block that have not exited wait, and none waits for another block.
void unstick(Worker& w);

/// The block has done nothing but yield for very long, and there is no other: ends the launch.
void report_hopeless(Worker& w);

}  // namespace ambidex::simt
