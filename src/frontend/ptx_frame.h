// SPDX-License-Identifier: Apache-2.0
// An asm statement of PTX as a function of LLVM's: where its operands and registers live, how they
// are read and written. All values are integers of the width that an instruction names; floats are
// their bits.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ptx.h"

namespace ambidex {

struct PtxType {
  char kind = 'b';  // b, u, s; f float, h bfloat16, p predicate
  unsigned bits = 32;
  bool packed = false;  // two of them in a word of 32 bits
};
/// Of a modifier: "u32", "f16x2", "bf16", "pred"; nothing for others.
std::optional<PtxType> ptx_type(std::string_view modifier);
/// The last type among the modifiers; b32 if there is none.
PtxType type_of(const PtxInstruction& instruction);

struct PtxSlot {
  llvm::Value* address = nullptr;
  llvm::Type* type = nullptr;
};

struct PtxFrame {
  llvm::IRBuilder<>& builder;
  llvm::Module& module;
  llvm::BasicBlock* entry;
  std::vector<PtxSlot> operands;             // %0, %1, ...
  std::map<std::string, PtxSlot> registers;  // those that .reg declares
  std::map<std::string, llvm::BasicBlock*> labels;
  llvm::Value* carry = nullptr;  // of add.cc and its kin
  bool failed = false;           // something that is not known; the statement stays
};

/// A variable of the frame, zero at first.
PtxSlot new_slot(PtxFrame& frame, llvm::Type* type);

llvm::IntegerType* int_type(PtxFrame& frame, unsigned bits);
llvm::Value* int_constant(PtxFrame& frame, unsigned bits, uint64_t value);
llvm::Value* resized(PtxFrame& frame, llvm::Value* value, unsigned bits, bool is_signed = false);

/// The operand as an integer of `bits`; fails for what cannot be read.
llvm::Value* read(PtxFrame& frame, const PtxOperand& operand, unsigned bits);
llvm::Value* read(PtxFrame& frame, const PtxInstruction& instruction, size_t index, unsigned bits);
/// As a truth value.
llvm::Value* read_predicate(PtxFrame& frame, const PtxOperand& operand);
/// Converts to the width of the register; `is_signed` says how to a wider one.
void write(PtxFrame& frame, const PtxOperand& operand, llvm::Value* value, bool is_signed = false);

/// The address of `[base + offset]` as a pointer. An address of shared memory that was cut to 32
/// bits is completed by that of the block's dynamic shared memory; with `is_shared` its low half
/// counts, which is all that may be left of it in 64 bits.
llvm::Value* read_address(PtxFrame& frame, const PtxOperand& address, bool is_shared = false);
/// The whole of an address of shared memory, of its low half.
llvm::Value* completed_address(PtxFrame& frame, llvm::Value* low);

/// A special register: tid.x, laneid, lanemask_lt, clock64. Null if it is not known.
llvm::Value* special_register(PtxFrame& frame, std::string_view name);

llvm::Value* call_runtime(PtxFrame& frame, std::string_view name, llvm::Type* result,
                          const std::vector<llvm::Value*>& arguments);

// One family of instructions each. False if it is none of theirs, or of a form not known.
bool lower_integer(PtxFrame& frame, const PtxInstruction& instruction);
bool lower_bits(PtxFrame& frame, const PtxInstruction& instruction);
bool lower_comparison(PtxFrame& frame, const PtxInstruction& instruction);
bool lower_float(PtxFrame& frame, const PtxInstruction& instruction);
bool lower_conversion(PtxFrame& frame, const PtxInstruction& instruction);
bool lower_memory(PtxFrame& frame, const PtxInstruction& instruction);
bool lower_warp(PtxFrame& frame, const PtxInstruction& instruction);
bool lower_matrix(PtxFrame& frame, const PtxInstruction& instruction);

}  // namespace ambidex
