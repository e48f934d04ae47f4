// SPDX-License-Identifier: Apache-2.0
#include "frontend/ptx_lower_values.h"

#include <llvm/IR/Intrinsics.h>

namespace ambidex {

using Value = llvm::Value*;

llvm::Type* float_type(const PtxOp& op, const PtxType& type) {
  if (type.kind == 'h') return op.b.getBFloatTy();
  if (type.bits == 16) return op.b.getHalfTy();
  return type.bits == 64 ? op.b.getDoubleTy() : op.b.getFloatTy();
}

bool is_float(const PtxType& type) { return type.kind == 'f' || type.kind == 'h'; }

Value flushed(const PtxOp& op, Value value) {
  if (!op.has("ftz") || value->getType()->isDoubleTy()) return value;
  const unsigned bits = value->getType()->getScalarSizeInBits();
  llvm::Type* type = int_type(op.frame, bits);
  const uint64_t exponent = bits == 32                     ? 0x7f800000
                            : value->getType()->isHalfTy() ? 0x7c00
                                                           : 0x7f80;
  Value raw = op.b.CreateBitCast(value, type);
  Value high = op.b.CreateAnd(raw, int_constant(op.frame, bits, exponent));
  Value sign = op.b.CreateAnd(raw, int_constant(op.frame, bits, uint64_t{1} << (bits - 1)));
  Value small = op.b.CreateICmpEQ(high, int_constant(op.frame, bits, 0));
  return op.b.CreateBitCast(op.b.CreateSelect(small, sign, raw), value->getType());
}

Value to_float(const PtxOp& op, Value bits, const PtxType& type) {
  return flushed(op, op.b.CreateBitCast(bits, float_type(op, type)));
}

Value widened(const PtxOp& op, Value value) {
  return value->getType()->getScalarSizeInBits() == 16 ? op.b.CreateFPExt(value, op.b.getDoubleTy())
                                                       : value;
}

/// A float as a bfloat, to nearest even: the host's library has no function for it.
Value bfloat_of(const PtxOp& op, Value value) {
  if (value->getType()->isDoubleTy()) {
    value = op.b.CreateFPTrunc(value, op.b.getFloatTy());  // bfloat: 8 bits, safe by 24
  }
  Value raw = op.b.CreateBitCast(value, op.b.getInt32Ty());
  Value up = op.b.CreateAdd(op.b.CreateAnd(op.b.CreateLShr(raw, 16), 1), op.b.getInt32(0x7fff));
  Value high = op.b.CreateLShr(op.b.CreateAdd(raw, up), 16);
  return op.b.CreateBitCast(op.b.CreateTrunc(high, op.b.getInt16Ty()), op.b.getBFloatTy());
}

Value to_bits(const PtxOp& op, Value value, const PtxType& type) {
  llvm::Type* wanted = float_type(op, type);
  Value none = op.b.CreateFCmpUNO(value, value);
  if (value->getType() != wanted) {
    value = type.kind == 'h' ? bfloat_of(op, value) : op.b.CreateFPTrunc(value, wanted);
  }
  Value bits = op.b.CreateBitCast(flushed(op, value), int_type(op.frame, type.bits));
  if (type.bits != 16) return bits;
  return op.b.CreateSelect(none, int_constant(op.frame, 16, 0x7fff), bits);
}

Value clamped(const PtxOp& op, Value value) {
  if (!op.has("sat")) return value;
  Value zero = llvm::ConstantFP::get(value->getType(), 0.0);
  Value one = llvm::ConstantFP::get(value->getType(), 1.0);
  value = op.b.CreateSelect(op.b.CreateFCmpOGT(value, zero), value, zero);  // NaN gives 0
  return op.b.CreateSelect(op.b.CreateFCmpOLT(value, one), value, one);
}

Value without_negative(const PtxOp& op, Value value) {
  if (!op.has("relu")) return value;
  Value zero = llvm::ConstantFP::get(value->getType(), 0.0);
  return op.b.CreateSelect(op.b.CreateFCmpOLE(value, zero), zero, value);
}

bool rounds_otherwise(const PtxOp& op) { return op.has("rz") || op.has("rm") || op.has("rp"); }

}  // namespace ambidex
