// SPDX-License-Identifier: Apache-2.0
// Functions of our own CUDA headers that compute in software what a GPU has one instruction for.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace ambidex {

/// Before the module is optimised, for counts: calls ambidex_simt_stand_in() where such a function
/// begins, with what a GPU executes for it, and where it ends.
void mark_stand_ins(llvm::Module& module);

}  // namespace ambidex
