// SPDX-License-Identifier: Apache-2.0
// Makes device code, compiled for this machine, keep the paths of lanes in lockstep apart and
// together as a GPU does. The executor lets the lanes at the lowest address go first, so that
// those ahead wait where the paths meet: true if code lies in the order of its flow.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace ambidex {

/// Before the module is optimised: calls ambidex_simt_latch() at the end of rounds of loops with
/// collectives, barriers, atomics or volatile accesses, in them or in functions that they call. As
/// a convergent call it also keeps the optimiser from moving the rest of a round out of the loop,
/// which compilers for GPUs do not do either.
void mark_rounds(llvm::Module& module);

/// When it has been optimised: orders the blocks of all functions so that each lies behind all that
/// lead to it, and loops in one piece.
void order_blocks(llvm::Module& module);

/// Words for LLVM's command line that keep that order in machine code.
inline constexpr const char* kKeepOrder[] = {
    "-disable-block-placement", "-disable-branch-fold", "-disable-tail-duplicate",
    "-disable-early-taildup",   "-enable-tail-merge=0",
};

}  // namespace ambidex
