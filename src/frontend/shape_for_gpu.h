// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace llvm {
class PassBuilder;
}  // namespace llvm

namespace ambidex {

/// Adds the passes that back ends for GPUs run on code before they choose instructions, and that
/// the one of this machine does not: addresses by constant distances of others, and one access for
/// neighbours that are known to be aligned. For modules whose instructions are counted.
void shape_for_gpu(llvm::PassBuilder& passes);

}  // namespace ambidex
