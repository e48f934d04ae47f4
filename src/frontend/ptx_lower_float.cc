// SPDX-License-Identifier: Apache-2.0
// Floating point arithmetic of PTX. Rounding is to nearest even; other directions are the runner's.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "frontend/ptx_lower_values.h"

namespace ambidex {
namespace {

using Value = llvm::Value*;

/// Of a number and a NaN the number, unless .NaN asks otherwise.
Value extreme(const PtxOp& op, Value a, Value c) {
  const bool least = op.in.mnemonic == "min";
  if (op.has("NaN")) {
    return op.b.CreateBinaryIntrinsic(least ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum,
                                      a, c);
  }
  return op.b.CreateBinaryIntrinsic(
      least ? llvm::Intrinsic::minimumnum : llvm::Intrinsic::maximumnum, a, c);
}

Value binary(const PtxOp& op, Value a, Value c) {
  const std::string& name = op.in.mnemonic;
  if (name == "add") return op.b.CreateFAdd(a, c);
  if (name == "sub") return op.b.CreateFSub(a, c);
  if (name == "mul") return op.b.CreateFMul(a, c);
  if (name == "div") return op.b.CreateFDiv(a, c);
  if (name == "min" || name == "max") return extreme(op, a, c);
  if (name == "copysign") return op.b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, c, a);
  return nullptr;
}

Value unary(const PtxOp& op, Value a) {
  const std::string& name = op.in.mnemonic;
  Value one = llvm::ConstantFP::get(a->getType(), 1.0);
  const auto call = [&](llvm::Intrinsic::ID id) { return op.b.CreateUnaryIntrinsic(id, a); };
  if (name == "neg") return op.b.CreateFNeg(a);
  if (name == "abs") return call(llvm::Intrinsic::fabs);
  if (name == "sqrt") return call(llvm::Intrinsic::sqrt);
  if (name == "rcp") return op.b.CreateFDiv(one, a);
  if (name == "rsqrt") return op.b.CreateFDiv(one, call(llvm::Intrinsic::sqrt));
  if (name == "ex2") return call(llvm::Intrinsic::exp2);
  if (name == "lg2") return call(llvm::Intrinsic::log2);
  if (name == "sin") return call(llvm::Intrinsic::sin);
  if (name == "cos") return call(llvm::Intrinsic::cos);
  return name == "tanh" ? call(llvm::Intrinsic::tanh) : nullptr;
}

/// The sum of a product of bfloats and a bfloat does not fit into a double: by the runner.
Value fused_bfloat(const PtxOp& op, const PtxType& type, const std::vector<Value>& arguments) {
  std::vector<Value> words;
  for (Value bits : arguments) {
    Value value = to_float(op, bits, type);
    words.push_back(
        op.b.CreateZExt(op.b.CreateBitCast(value, op.b.getInt16Ty()), op.b.getInt32Ty()));
  }
  Value out = call_runtime(op.frame, "ambidex_simt_ptx_fma_bf16", op.b.getInt32Ty(), words);
  out = to_float(op, op.b.CreateTrunc(out, op.b.getInt16Ty()), type);
  return to_bits(op, without_negative(op, clamped(op, widened(op, out))), type);
}

/// One lane of an instruction: its operands as bits of `bits` each.
Value computed(const PtxOp& op, const PtxType& type, const std::vector<Value>& arguments) {
  if (op.in.mnemonic == "fma" && type.kind == 'h' && arguments.size() == 3) {
    return fused_bfloat(op, type, arguments);
  }
  std::vector<Value> values;
  for (Value bits : arguments) values.push_back(widened(op, to_float(op, bits, type)));
  Value out = nullptr;
  if (values.size() == 3 && (op.in.mnemonic == "fma" || op.in.mnemonic == "mad")) {
    out = op.b.CreateIntrinsic(values[0]->getType(), llvm::Intrinsic::fma, values);
  } else if (values.size() == 2) {
    out = binary(op, values[0], values[1]);
  } else if (values.size() == 1) {
    out = unary(op, values[0]);
  }
  if (out == nullptr) return nullptr;
  return to_bits(op, without_negative(op, clamped(op, out)), type);
}

bool lower_arithmetic(const PtxOp& op) {
  PtxType each = op.type;
  const unsigned lanes = op.type.packed ? 2 : 1;
  each.packed = false;
  const unsigned bits = each.bits * lanes;
  Value out = int_constant(op.frame, bits, 0);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    std::vector<Value> arguments;
    for (size_t i = 1; i < op.in.operands.size(); ++i) {
      Value whole = read(op.frame, op.in, i, bits);
      arguments.push_back(
          resized(op.frame, op.b.CreateLShr(whole, uint64_t{each.bits * lane}), each.bits));
    }
    Value part = computed(op, each, arguments);
    if (part == nullptr) return false;
    out = op.b.CreateOr(out,
                        op.b.CreateShl(resized(op.frame, part, bits), uint64_t{each.bits * lane}));
  }
  write(op.frame, op.in.operands[0], out);
  return true;
}

/// .rz, .rm and .rp of f32 and f64.
bool lower_rounded(const PtxOp& op) {
  constexpr std::string_view kNames[] = {"add", "sub", "mul", "fma", "div", "sqrt", "rcp"};
  const auto* const name = std::find(std::begin(kNames), std::end(kNames), op.in.mnemonic);
  const unsigned bits = op.type.bits;
  if (name == std::end(kNames) || bits < 32 || op.type.packed) return false;
  std::vector<Value> arguments{op.b.getInt32(static_cast<uint32_t>(name - std::begin(kNames))),
                               op.b.getInt32(op.has("rz")   ? 1
                                             : op.has("rm") ? 2
                                                            : 3)};
  for (size_t i = 1; i < 4; ++i) {
    Value value = int_constant(op.frame, bits, 0);
    if (i < op.in.operands.size()) {
      value = to_float(op, read(op.frame, op.in, i, bits), op.type);
      value = op.b.CreateBitCast(value, int_type(op.frame, bits));
    }
    arguments.push_back(value);
  }
  Value out = call_runtime(op.frame,
                           bits == 32 ? "ambidex_simt_ptx_rounded32" : "ambidex_simt_ptx_rounded64",
                           int_type(op.frame, bits), arguments);
  out = clamped(op, to_float(op, out, op.type));
  write(op.frame, op.in.operands[0], to_bits(op, out, op.type));
  return true;
}

bool is_arithmetic(std::string_view name) {
  constexpr std::string_view kNames[] = {"add", "sub", "mul",  "div", "min",   "max", "copysign",
                                         "neg", "abs", "sqrt", "rcp", "rsqrt", "ex2", "lg2",
                                         "sin", "cos", "tanh", "fma", "mad"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

}  // namespace

bool lower_float(PtxFrame& frame, const PtxInstruction& instruction) {
  const PtxOp op{frame, instruction, type_of(instruction), frame.builder};
  if (!is_float(op.type) || !is_arithmetic(instruction.mnemonic)) return false;
  if (instruction.operands.size() < 2 || instruction.operands.size() > 4) return false;
  return rounds_otherwise(op) ? lower_rounded(op) : lower_arithmetic(op);
}

}  // namespace ambidex
