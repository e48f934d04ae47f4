// SPDX-License-Identifier: Apache-2.0
// Atomic updates that the thread-sanitizer instrumentation does not know.
#pragma once

#include <llvm/IR/Module.h>

namespace ambidex {

/// Turns atomic minima, maxima, wrapping counts and floating-point updates into loops of
/// compare-and-exchange, which are instrumented; the checker would see nothing of them otherwise.
/// Before optimisation.
void expand_atomics(llvm::Module& module);

}  // namespace ambidex
