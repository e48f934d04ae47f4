// SPDX-License-Identifier: Apache-2.0
// Floats of PTX as values of LLVM's, for the families that compute with them.
#pragma once

#include <string_view>

#include "frontend/ptx_frame.h"

namespace ambidex {

/// An instruction that is being lowered.
struct PtxOp {
  PtxFrame& frame;
  const PtxInstruction& in;
  PtxType type;
  llvm::IRBuilder<>& b;

  bool has(std::string_view modifier) const { return has_modifier(in, modifier); }
};

llvm::Type* float_type(const PtxOp& op, const PtxType& type);
bool is_float(const PtxType& type);
/// Denormals to a zero of their sign where the instruction has .ftz.
llvm::Value* flushed(const PtxOp& op, llvm::Value* value);
llvm::Value* to_float(const PtxOp& op, llvm::Value* bits, const PtxType& type);
/// Narrow formats compute in double and round once; their sums and products are exact there.
llvm::Value* widened(const PtxOp& op, llvm::Value* value);
/// A NaN of 16 bits is 0x7fff.
llvm::Value* to_bits(const PtxOp& op, llvm::Value* value, const PtxType& type);
/// .sat: to 0..1, NaN to 0.
llvm::Value* clamped(const PtxOp& op, llvm::Value* value);
/// .relu: zero for what is below; NaN stays.
llvm::Value* without_negative(const PtxOp& op, llvm::Value* value);
/// .rz, .rm or .rp.
bool rounds_otherwise(const PtxOp& op);

}  // namespace ambidex
