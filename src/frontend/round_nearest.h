// SPDX-License-Identifier: Apache-2.0
// Rounding to integers on a device does not depend on a mode of the processor.
#pragma once

#include <llvm/IR/Module.h>

namespace ambidex {

/// Turns what rounds to an integer in the current direction (rint, nearbyint, lrint) into rounding
/// to the nearest, ties to even, as GPUs do it. The executor may run kernels with another direction
/// for the arithmetic. Before optimisation.
void round_to_nearest(llvm::Module& module);

}  // namespace ambidex
