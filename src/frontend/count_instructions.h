// SPDX-License-Identifier: Apache-2.0
// What a GPU would execute for device code that is compiled for this machine, for the counts of
// `ambidex port estimate`.
#pragma once

namespace llvm {
class Module;
}  // namespace llvm

namespace ambidex {

/// When the module has been optimised: every basic block that computes something begins with a
/// call of ambidex_simt_instructions() (ambidex/simt_device.h) that names its table. Accesses of
/// memory are left out, the executor sees them itself. docs/port-estimate.md has the weights.
void count_instructions(llvm::Module& module);

}  // namespace ambidex
