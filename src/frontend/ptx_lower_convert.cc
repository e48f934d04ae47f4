// SPDX-License-Identifier: Apache-2.0
// cvt of PTX.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "frontend/ptx_lower_values.h"

namespace ambidex {
namespace {

using Value = llvm::Value*;

/// The types of `cvt.to.from`: the last two.
std::vector<PtxType> conversion_types(const PtxInstruction& instruction) {
  std::vector<PtxType> types;
  for (const std::string& modifier : instruction.modifiers) {
    if (const auto type = ptx_type(modifier)) types.push_back(*type);
  }
  return types;
}

Value rounded_to_integer(const PtxOp& op, Value value) {
  if (op.has("rni")) return op.b.CreateUnaryIntrinsic(llvm::Intrinsic::roundeven, value);
  if (op.has("rmi")) return op.b.CreateUnaryIntrinsic(llvm::Intrinsic::floor, value);
  if (op.has("rpi")) return op.b.CreateUnaryIntrinsic(llvm::Intrinsic::ceil, value);
  return op.b.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, value);
}

bool rounds_to_integer(const PtxOp& op) {
  return op.has("rni") || op.has("rmi") || op.has("rpi") || op.has("rzi");
}

/// 10 bits of fraction; rna: ties away from zero.
Value to_tf32(const PtxOp& op, Value bits) {
  Value add = op.b.getInt32(op.has("rna") ? 0x1000 : 0);
  if (op.has("rn")) {
    add = op.b.CreateAdd(op.b.CreateAnd(op.b.CreateLShr(bits, 13), 1), op.b.getInt32(0xfff));
  }
  Value rounded = op.b.CreateAnd(op.b.CreateAdd(bits, add), op.b.getInt32(~0x1fffu));
  Value exponent = op.b.CreateAnd(bits, op.b.getInt32(0x7f800000));
  Value special = op.b.CreateICmpEQ(exponent, op.b.getInt32(0x7f800000));
  return op.b.CreateSelect(special, bits, rounded);
}

/// Out of range: the nearest; NaN: 0, or the top bit if one side has 64 bits.
Value to_integer(const PtxOp& op, const PtxType& to, const PtxType& from, Value value) {
  llvm::Type* type = int_type(op.frame, to.bits);
  const auto id = to.kind == 's' ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat;
  Value out = op.b.CreateIntrinsic(id, {type, value->getType()}, {value});
  if (to.bits != 64 && from.bits != 64) return out;
  Value top = int_constant(op.frame, to.bits, uint64_t{1} << (to.bits - 1));
  return op.b.CreateSelect(op.b.CreateFCmpUNO(value, value), top, out);
}

/// A double as a float, rounded as the instruction says.
Value narrowed(const PtxOp& op, Value value) {
  if (!rounds_otherwise(op)) return op.b.CreateFPTrunc(value, op.b.getFloatTy());
  Value bits = call_runtime(
      op.frame, "ambidex_simt_ptx_narrowed", op.b.getInt32Ty(),
      {op.b.CreateBitCast(value, op.b.getInt64Ty()), op.b.getInt32(op.has("rz")   ? 1
                                                                   : op.has("rm") ? 2
                                                                                  : 3)});
  return op.b.CreateBitCast(bits, op.b.getFloatTy());
}

/// A float towards zero to 16 bits: the nearest, or one below it in size.
Value cut(const PtxOp& op, Value value, const PtxType& to) {
  Value bits = to_bits(op, value, to);
  if (to.kind == 'h') {
    Value high = op.b.CreateLShr(op.b.CreateBitCast(value, op.b.getInt32Ty()), 16);
    Value none = op.b.CreateFCmpUNO(value, value);
    return op.b.CreateSelect(none, bits, op.b.CreateTrunc(high, op.b.getInt16Ty()));
  }
  Value back = op.b.CreateFPExt(op.b.CreateBitCast(bits, op.b.getHalfTy()), value->getType());
  const auto size = [&](Value x) { return op.b.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x); };
  Value grew = op.b.CreateFCmpOGT(size(back), size(value));
  return op.b.CreateSelect(grew, op.b.CreateSub(bits, op.b.getInt16(1)), bits);
}

Value from_float(const PtxOp& op, const PtxType& to, const PtxType& from, Value bits) {
  Value value = to_float(op, bits, from);
  if (from.bits == 16) value = op.b.CreateFPExt(value, op.b.getFloatTy());
  if (rounds_to_integer(op)) value = rounded_to_integer(op, value);
  if (!is_float(to)) return to_integer(op, to, from, value);
  value = clamped(op, value);
  if (to.bits == 64) {
    return to_bits(
        op, value->getType()->isDoubleTy() ? value : op.b.CreateFPExt(value, op.b.getDoubleTy()),
        to);
  }
  value = without_negative(op, value);
  if (to.bits == 32) {
    return to_bits(op, value->getType()->isDoubleTy() ? narrowed(op, value) : value, to);
  }
  if (!rounds_otherwise(op)) {
    if (to.kind == 'h' && value->getType()->isDoubleTy()) return nullptr;  // would round twice
    return to_bits(op, value, to);
  }
  return op.has("rz") && value->getType()->isFloatTy() ? cut(op, value, to) : nullptr;
}

/// Clamped to the range of `to`.
Value clamped_integer(const PtxOp& op, const PtxType& to, const PtxType& from, Value bits) {
  constexpr unsigned kWide = 80;
  Value wide = resized(op.frame, bits, kWide, from.kind == 's');
  const bool is_signed = to.kind == 's';
  llvm::Type* type = int_type(op.frame, kWide);
  const llvm::APInt most = is_signed ? llvm::APInt::getSignedMaxValue(to.bits).zext(kWide)
                                     : llvm::APInt::getMaxValue(to.bits).zext(kWide);
  const llvm::APInt least =
      is_signed ? llvm::APInt::getSignedMinValue(to.bits).sext(kWide) : llvm::APInt(kWide, 0);
  wide =
      op.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, wide, llvm::ConstantInt::get(type, most));
  wide =
      op.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, wide, llvm::ConstantInt::get(type, least));
  return resized(op.frame, wide, to.bits);
}

Value from_integer(const PtxOp& op, const PtxType& to, const PtxType& from, Value bits) {
  if (!is_float(to)) {
    if (op.has("sat")) return clamped_integer(op, to, from, bits);
    return resized(op.frame, bits, to.bits, from.kind == 's');
  }
  llvm::Type* wide = op.b.getDoubleTy();
  if (from.bits == 64 && to.bits != 64) {
    if (rounds_otherwise(op) || to.bits == 16) return nullptr;
    wide = float_type(op, to);  // rounded once
  }
  if (from.bits == 64 && rounds_otherwise(op)) return nullptr;
  if (to.bits == 16 && rounds_otherwise(op)) return nullptr;
  if (to.kind == 'h' && from.bits == 32) return nullptr;  // would round twice
  Value value = from.kind == 's' ? op.b.CreateSIToFP(bits, wide) : op.b.CreateUIToFP(bits, wide);
  if (to.bits == 32 && value->getType()->isDoubleTy()) value = narrowed(op, value);
  return to_bits(op, clamped(op, value), to);
}

Value converted(const PtxOp& op, const PtxType& to, const PtxType& from, Value bits) {
  return is_float(from) ? from_float(op, to, from, bits) : from_integer(op, to, from, bits);
}

/// `cvt.rn.f16x2.f32 d, a, b`: a becomes the high half.
bool lower_packing(const PtxOp& op, const PtxType& to) {
  PtxType each = to;
  each.packed = false;
  const PtxType from{'f', 32, false};
  if (op.in.operands.size() != 3) return false;
  Value high = converted(op, each, from, read(op.frame, op.in, 1, 32));
  Value low = converted(op, each, from, read(op.frame, op.in, 2, 32));
  if (high == nullptr || low == nullptr) return false;
  Value out =
      op.b.CreateOr(resized(op.frame, low, 32), op.b.CreateShl(resized(op.frame, high, 32), 16));
  write(op.frame, op.in.operands[0], out);
  return true;
}

/// cvt.pack.sat.u8.s32.b32 d, a, b, c: a above b, c's low half above them; u16: a above b.
bool lower_pack(const PtxOp& op) {
  const std::vector<PtxType> types = conversion_types(op.in);
  if (types.size() < 2 || !op.has("sat") || types[1].kind != 's') return false;
  const unsigned bits = types[0].bits;
  if (op.in.operands.size() != (bits == 8 ? 4U : 3U) || (bits != 8 && bits != 16)) return false;
  const auto piece = [&](size_t i) {
    return resized(op.frame, clamped_integer(op, types[0], types[1], read(op.frame, op.in, i, 32)),
                   32);
  };
  Value out = op.b.CreateOr(op.b.CreateShl(piece(1), bits), piece(2));
  if (bits == 8) out = op.b.CreateOr(out, op.b.CreateShl(read(op.frame, op.in, 3, 32), 16));
  write(op.frame, op.in.operands[0], out);
  return true;
}

/// Pairs of 8-bit floats, by the runner.
bool lower_fp8(const PtxOp& op) {
  llvm::IRBuilder<>& b = op.b;
  const std::string& from = op.in.modifiers.back();
  const std::string& to = op.in.modifiers[op.in.modifiers.size() - 2];
  const bool is_e4m3 = op.has("e4m3x2");
  Value fraction = b.getInt32(is_e4m3 ? 3 : 2);
  const PtxType half{'f', 16, false};
  const auto half_at = [&](Value pair, unsigned i) {
    Value bits = b.CreateTrunc(b.CreateLShr(pair, 16 * i), b.getInt16Ty());
    return b.CreateFPExt(b.CreateBitCast(bits, b.getHalfTy()), b.getFloatTy());
  };
  Value out = b.getInt32(0);
  if (to == "f16x2") {
    Value codes = read(op.frame, op.in, 1, 16);
    for (unsigned i = 0; i < 2; ++i) {
      Value code = b.CreateAnd(b.CreateLShr(resized(op.frame, codes, 32), 8 * i), 255);
      Value value =
          call_runtime(op.frame, "ambidex_simt_ptx_from_fp8", b.getInt32Ty(), {code, fraction});
      Value narrow =
          to_bits(op, without_negative(op, b.CreateBitCast(value, b.getFloatTy())), half);
      out = b.CreateOr(out, b.CreateShl(resized(op.frame, narrow, 32), 16 * i));
    }
    write(op.frame, op.in.operands[0], out);
    return true;
  }
  if (!op.has("satfinite") || (from != "f32" && from != "f16x2")) return false;
  if (op.in.operands.size() != (from == "f32" ? 3U : 2U)) return false;
  for (unsigned i = 0; i < 2; ++i) {  // the first of two floats is the upper one
    Value value = from == "f32" ? b.CreateBitCast(read(op.frame, op.in, 2 - i, 32), b.getFloatTy())
                                : half_at(read(op.frame, op.in, 1, 32), i);
    value = b.CreateBitCast(without_negative(op, value), b.getInt32Ty());
    Value code =
        call_runtime(op.frame, "ambidex_simt_ptx_to_fp8", b.getInt32Ty(), {value, fraction});
    out = b.CreateOr(out, b.CreateShl(code, 8 * i));
  }
  write(op.frame, op.in.operands[0], b.CreateTrunc(out, b.getInt16Ty()));
  return true;
}

}  // namespace

bool lower_conversion(PtxFrame& frame, const PtxInstruction& instruction) {
  const PtxOp op{frame, instruction, type_of(instruction), frame.builder};
  if (instruction.mnemonic != "cvt" || instruction.operands.size() < 2) return false;
  if (op.has("pack")) return lower_pack(op);
  if (op.has("e4m3x2") || op.has("e5m2x2")) return lower_fp8(op);
  const std::vector<PtxType> types = conversion_types(instruction);
  if (types.size() != 2 || op.has("satfinite")) return false;
  if (op.has("tf32")) {
    if (!op.has("rna") && !op.has("rn") && !op.has("rz")) return false;
    write(frame, instruction.operands[0], to_tf32(op, read(frame, instruction, 1, 32)));
    return true;
  }
  if (types[0].packed) return is_float(types[0]) && lower_packing(op, types[0]);
  if (types[1].packed || instruction.operands.size() != 2) return false;
  Value out = converted(op, types[0], types[1], read(frame, instruction, 1, types[1].bits));
  if (out == nullptr) return false;
  write(frame, instruction.operands[0], out, types[0].kind == 's');
  return true;
}

}  // namespace ambidex
