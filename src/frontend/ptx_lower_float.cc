// SPDX-License-Identifier: Apache-2.0
// Floating point and conversions of PTX. Rounding is to nearest even; other directions are left to
// the trap, except of conversions to integers.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "frontend/ptx_frame.h"

namespace ambidex {
namespace {

using Value = llvm::Value*;

struct Op {
  PtxFrame& frame;
  const PtxInstruction& in;
  PtxType type;
  llvm::IRBuilder<>& b;

  bool has(std::string_view modifier) const { return has_modifier(in, modifier); }
};

llvm::Type* float_type(const Op& op, const PtxType& type) {
  if (type.kind == 'h') return op.b.getBFloatTy();
  if (type.bits == 16) return op.b.getHalfTy();
  return type.bits == 64 ? op.b.getDoubleTy() : op.b.getFloatTy();
}

bool is_float(const PtxType& type) { return type.kind == 'f' || type.kind == 'h'; }

/// Denormals to a zero of their sign: .ftz, of f32.
Value flushed(const Op& op, Value value) {
  if (!op.has("ftz") || !value->getType()->isFloatTy()) return value;
  Value size = op.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  Value small = op.b.CreateFCmpOLT(size, llvm::ConstantFP::get(value->getType(), 0x1p-126));
  Value zero = op.b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign,
                                          llvm::ConstantFP::get(value->getType(), 0.0), value);
  return op.b.CreateSelect(small, zero, value);
}

Value to_float(const Op& op, Value bits, const PtxType& type) {
  return flushed(op, op.b.CreateBitCast(bits, float_type(op, type)));
}

/// Narrow formats compute in double and round once; their sums and products are exact there.
Value widened(const Op& op, Value value) {
  return value->getType()->getScalarSizeInBits() == 16 ? op.b.CreateFPExt(value, op.b.getDoubleTy())
                                                       : value;
}

Value to_bits(const Op& op, Value value, const PtxType& type) {
  llvm::Type* wanted = float_type(op, type);
  if (value->getType() != wanted) {
    if (type.kind == 'h' && value->getType()->isDoubleTy()) {
      value = op.b.CreateFPTrunc(value, op.b.getFloatTy());  // bfloat: 8 bits, safe by 24
    }
    value = op.b.CreateFPTrunc(value, wanted);
  }
  return op.b.CreateBitCast(flushed(op, value), int_type(op.frame, type.bits));
}

Value clamped(const Op& op, Value value) {
  if (!op.has("sat")) return value;
  Value zero = llvm::ConstantFP::get(value->getType(), 0.0);
  Value one = llvm::ConstantFP::get(value->getType(), 1.0);
  value = op.b.CreateSelect(op.b.CreateFCmpOGT(value, zero), value, zero);  // NaN gives 0
  return op.b.CreateSelect(op.b.CreateFCmpOLT(value, one), value, one);
}

bool rounds_otherwise(const Op& op) { return op.has("rz") || op.has("rm") || op.has("rp"); }

/// Of a number and a NaN the number, unless .NaN asks otherwise.
Value extreme(const Op& op, Value a, Value c) {
  const bool least = op.in.mnemonic == "min";
  if (op.has("NaN")) {
    return op.b.CreateBinaryIntrinsic(least ? llvm::Intrinsic::minimum : llvm::Intrinsic::maximum,
                                      a, c);
  }
  return op.b.CreateBinaryIntrinsic(
      least ? llvm::Intrinsic::minimumnum : llvm::Intrinsic::maximumnum, a, c);
}

Value binary(const Op& op, Value a, Value c) {
  const std::string& name = op.in.mnemonic;
  if (name == "add") return op.b.CreateFAdd(a, c);
  if (name == "sub") return op.b.CreateFSub(a, c);
  if (name == "mul") return op.b.CreateFMul(a, c);
  if (name == "div") return op.b.CreateFDiv(a, c);
  if (name == "min" || name == "max") return extreme(op, a, c);
  if (name == "copysign") return op.b.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, c, a);
  return nullptr;
}

Value unary(const Op& op, Value a) {
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

/// One lane of an instruction: its operands as bits of `bits` each.
Value computed(const Op& op, const PtxType& type, const std::vector<Value>& arguments) {
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
  if (op.has("relu")) {
    Value zero = llvm::ConstantFP::get(out->getType(), 0.0);
    out = op.b.CreateSelect(op.b.CreateFCmpOGT(out, zero), out, zero);
  }
  return to_bits(op, clamped(op, out), type);
}

bool lower_arithmetic(const Op& op) {
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

bool is_arithmetic(std::string_view name) {
  constexpr std::string_view kNames[] = {"add", "sub", "mul",  "div", "min",   "max", "copysign",
                                         "neg", "abs", "sqrt", "rcp", "rsqrt", "ex2", "lg2",
                                         "sin", "cos", "tanh", "fma", "mad"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

std::optional<llvm::CmpInst::Predicate> comparison(std::string_view how) {
  using P = llvm::CmpInst::Predicate;
  static const std::map<std::string_view, P> kAll{
      {"eq", P::FCMP_OEQ},  {"ne", P::FCMP_ONE},  {"lt", P::FCMP_OLT},  {"le", P::FCMP_OLE},
      {"gt", P::FCMP_OGT},  {"ge", P::FCMP_OGE},  {"equ", P::FCMP_UEQ}, {"neu", P::FCMP_UNE},
      {"ltu", P::FCMP_ULT}, {"leu", P::FCMP_ULE}, {"gtu", P::FCMP_UGT}, {"geu", P::FCMP_UGE},
      {"num", P::FCMP_ORD}, {"nan", P::FCMP_UNO}};
  const auto found = kAll.find(how);
  return found == kAll.end() ? std::nullopt : std::optional(found->second);
}

bool lower_comparison(const Op& op) {
  if (op.type.packed || op.in.modifiers.empty() || op.in.operands.size() != 3) return false;
  const auto how = comparison(op.in.modifiers[0]);
  if (!how) return false;
  Value a = to_float(op, read(op.frame, op.in, 1, op.type.bits), op.type);
  Value c = to_float(op, read(op.frame, op.in, 2, op.type.bits), op.type);
  Value out = op.b.CreateFCmp(*how, a, c);
  const PtxOperand& to = op.in.operands[0];
  const bool pair = to.kind == PtxOperandKind::pair;
  write(op.frame, pair ? to.parts[0] : to, out);
  if (pair) write(op.frame, to.parts[1], op.b.CreateNot(out));
  return true;
}

/// The types of `cvt.to.from`: the last two.
std::vector<PtxType> conversion_types(const PtxInstruction& instruction) {
  std::vector<PtxType> types;
  for (const std::string& modifier : instruction.modifiers) {
    if (const auto type = ptx_type(modifier)) types.push_back(*type);
  }
  return types;
}

Value rounded_to_integer(const Op& op, Value value) {
  if (op.has("rni")) return op.b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, value);
  if (op.has("rmi")) return op.b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, value);
  if (op.has("rpi")) return op.b.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, value);
  return op.b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, value);
}

bool rounds_to_integer(const Op& op) {
  return op.has("rni") || op.has("rmi") || op.has("rpi") || op.has("rzi");
}

/// To nearest, ties away from zero, 10 bits of fraction: cvt.rna.tf32.f32.
Value to_tf32(const Op& op, Value bits) {
  Value up = op.b.CreateAdd(bits, op.b.getInt32(0x1000));
  Value rounded = op.b.CreateAnd(up, op.b.getInt32(~0x1fffu));
  Value exponent = op.b.CreateAnd(bits, op.b.getInt32(0x7f800000));
  Value special = op.b.CreateICmpEQ(exponent, op.b.getInt32(0x7f800000));
  return op.b.CreateSelect(special, bits, rounded);
}

Value converted(const Op& op, const PtxType& to, const PtxType& from, Value bits) {
  if (is_float(from)) {
    Value value = to_float(op, bits, from);
    if (rounds_to_integer(op)) value = rounded_to_integer(op, value);
    if (is_float(to)) {
      if (to.bits > from.bits) value = op.b.CreateFPExt(value, float_type(op, to));
      return to_bits(op, clamped(op, value), to);
    }
    llvm::Type* type = int_type(op.frame, to.bits);  // out of range: the nearest; NaN: 0
    const auto id = to.kind == 's' ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
    return op.b.CreateIntrinsic(id, {type, value->getType()}, {value});
  }
  if (!is_float(to)) {
    if (op.has("sat")) return nullptr;
    return resized(op.frame, bits, to.bits, from.kind == 's');
  }
  llvm::Type* wide = op.b.getDoubleTy();
  if (from.bits == 64 && to.bits != 64) wide = float_type(op, to);  // rounded once
  Value value = from.kind == 's' ? op.b.CreateSIToFP(bits, wide) : op.b.CreateUIToFP(bits, wide);
  return to_bits(op, value, to);
}

/// `cvt.rn.f16x2.f32 d, a, b`: a becomes the high half.
bool lower_packing(const Op& op, const PtxType& to) {
  PtxType each = to;
  each.packed = false;
  const PtxType from{'f', 32, false};
  if (op.in.operands.size() != 3) return false;
  Value high = converted(op, each, from, read(op.frame, op.in, 1, 32));
  Value low = converted(op, each, from, read(op.frame, op.in, 2, 32));
  Value out =
      op.b.CreateOr(resized(op.frame, low, 32), op.b.CreateShl(resized(op.frame, high, 32), 16));
  write(op.frame, op.in.operands[0], out);
  return true;
}

}  // namespace

bool lower_float(PtxFrame& frame, const PtxInstruction& instruction) {
  const Op op{frame, instruction, type_of(instruction), frame.builder};
  if (!is_float(op.type) || instruction.mnemonic == "cvt") return false;
  if (instruction.operands.size() < 2 || instruction.operands.size() > 4) return false;
  if (instruction.mnemonic == "setp") return lower_comparison(op);
  return is_arithmetic(instruction.mnemonic) && !rounds_otherwise(op) && lower_arithmetic(op);
}

bool lower_conversion(PtxFrame& frame, const PtxInstruction& instruction) {
  const Op op{frame, instruction, type_of(instruction), frame.builder};
  if (instruction.mnemonic != "cvt" || rounds_otherwise(op)) return false;
  const std::vector<PtxType> types = conversion_types(instruction);
  if (types.size() != 2 || has_modifier(instruction, "satfinite")) return false;
  if (has_modifier(instruction, "tf32")) {
    if (!has_modifier(instruction, "rna")) return false;
    write(frame, instruction.operands[0], to_tf32(op, read(frame, instruction, 1, 32)));
    return true;
  }
  if (types[0].packed) return is_float(types[0]) && lower_packing(op, types[0]);
  if (instruction.operands.size() != 2) return false;
  Value out = converted(op, types[0], types[1], read(frame, instruction, 1, types[1].bits));
  if (out == nullptr) return false;
  write(frame, instruction.operands[0], out, types[0].kind == 's');
  return true;
}

}  // namespace ambidex
