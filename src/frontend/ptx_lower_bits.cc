// SPDX-License-Identifier: Apache-2.0
// Bits and pieces of words in PTX: byte permutations with a mode, masks, products of 24 bits, dot
// products of half words, SIMD on bytes and half words.
#include <llvm/IR/Intrinsics.h>

#include <algorithm>

#include "frontend/ptx_lower_values.h"

namespace ambidex {
namespace {

using Value = llvm::Value*;

Value word(const PtxOp& op, size_t i) { return read(op.frame, op.in, i, 32); }

bool put(const PtxOp& op, Value value) {
  write(op.frame, op.in.operands[0], value, op.type.kind == 's');
  return true;
}

/// Which of the eight bytes goes to place i, of the low two bits of the selector.
unsigned chosen_byte(std::string_view mode, unsigned n, unsigned i) {
  if (mode == "f4e") return n + i;
  if (mode == "b4e") return (n - i) & 7;
  if (mode == "rc8") return n;
  if (mode == "ecl") return std::max(n, i);
  if (mode == "ecr") return std::min(n, i);
  return 2 * (n & 1) + (i & 1);  // rc16
}

bool lower_permutation(const PtxOp& op) {
  constexpr std::string_view kModes[] = {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
  if (op.in.modifiers.size() != 2 || op.in.operands.size() != 4) return false;
  const std::string& mode = op.in.modifiers[1];
  if (std::find(std::begin(kModes), std::end(kModes), mode) == std::end(kModes)) return false;
  Value both = op.b.CreateOr(resized(op.frame, word(op, 1), 64),
                             op.b.CreateShl(resized(op.frame, word(op, 2), 64), 32));
  Value selector = op.b.CreateAnd(word(op, 3), 3);
  Value out = op.b.getInt32(0);
  for (unsigned n = 0; n < 4; ++n) {
    Value all = op.b.getInt32(0);
    for (unsigned i = 0; i < 4; ++i) {
      Value byte = op.b.CreateLShr(both, 8 * chosen_byte(mode, n, i));
      byte = op.b.CreateAnd(resized(op.frame, byte, 32), 255);
      all = op.b.CreateOr(all, op.b.CreateShl(byte, 8 * i));
    }
    out = op.b.CreateSelect(op.b.CreateICmpEQ(selector, op.b.getInt32(n)), all, out);
  }
  return put(op, out);
}

Value cut24(const PtxOp& op, Value value) {
  Value narrow = op.b.CreateTrunc(value, op.b.getIntNTy(24));
  return resized(op.frame, narrow, 64, op.type.kind == 's');
}

/// mul24 and mad24: the low 32 bits of the product of 48, or its upper ones.
bool lower_product24(const PtxOp& op) {
  if (op.has("sat") || (!op.has("lo") && !op.has("hi")) || op.type.bits != 32) return false;
  Value product = op.b.CreateMul(cut24(op, word(op, 1)), cut24(op, word(op, 2)));
  if (op.has("hi")) product = op.b.CreateLShr(product, 16);
  Value out = resized(op.frame, product, 32);
  if (op.in.mnemonic == "mad24") out = op.b.CreateAdd(out, word(op, 3));
  return put(op, out);
}

/// In 64 bits, where every amount that matters fits.
Value ones_below(const PtxOp& op, Value length) {
  Value most = op.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, length, op.b.getInt32(32));
  Value one = op.b.CreateShl(op.b.getInt64(1), resized(op.frame, most, 64));
  return op.b.CreateSub(one, op.b.getInt64(1));
}

bool lower_mask(const PtxOp& op) {
  if (op.in.operands.size() != 3 || (!op.has("clamp") && !op.has("wrap"))) return false;
  Value at = word(op, 1), length = word(op, 2);
  if (op.has("wrap")) {
    at = op.b.CreateAnd(at, 31);
    length = op.b.CreateAnd(length, 31);
  }
  at = op.b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, at, op.b.getInt32(32));
  Value mask = op.b.CreateShl(ones_below(op, length), resized(op.frame, at, 64));
  return put(op, resized(op.frame, mask, 32));
}

/// szext: the low bits, extended by their sign or zeros.
bool lower_extension(const PtxOp& op) {
  if (op.in.operands.size() != 3 || (!op.has("clamp") && !op.has("wrap"))) return false;
  Value length = word(op, 2);
  if (op.has("wrap")) length = op.b.CreateAnd(length, 31);
  Value mask = resized(op.frame, ones_below(op, length), 32);
  Value low = op.b.CreateAnd(word(op, 1), mask);
  if (op.type.kind != 's') return put(op, low);
  Value top = op.b.CreateXor(mask, op.b.CreateLShr(mask, 1));  // the highest bit kept
  Value negative = op.b.CreateICmpNE(op.b.CreateAnd(low, top), op.b.getInt32(0));
  return put(op, op.b.CreateSelect(negative, op.b.CreateOr(low, op.b.CreateNot(mask)), low));
}

/// fns: the position of the offset-th set bit from `base` on, upwards or downwards.
bool lower_nth_set(const PtxOp& op) {
  if (op.in.operands.size() != 4) return false;
  Value mask = word(op, 1), base = word(op, 2), offset = word(op, 3);
  Value down = op.b.CreateICmpSLT(offset, op.b.getInt32(0));
  Value left = op.b.CreateSelect(down, op.b.CreateNeg(offset), offset);
  Value here = op.b.CreateICmpEQ(offset, op.b.getInt32(0));
  left = op.b.CreateSelect(here, op.b.getInt32(1), left);
  Value out = op.b.getInt32(~0u);
  for (unsigned step = 0; step < 32; ++step) {
    Value up_at = op.b.CreateAdd(base, op.b.getInt32(step));
    Value at = op.b.CreateSelect(down, op.b.CreateSub(base, op.b.getInt32(step)), up_at);
    Value inside = op.b.CreateICmpULT(at, op.b.getInt32(32));
    if (step > 0) inside = op.b.CreateAnd(inside, op.b.CreateNot(here));
    Value bit = op.b.CreateAnd(op.b.CreateLShr(mask, op.b.CreateAnd(at, 31)), 1);
    Value set = op.b.CreateAnd(inside, op.b.CreateICmpNE(bit, op.b.getInt32(0)));
    Value last = op.b.CreateAnd(set, op.b.CreateICmpEQ(left, op.b.getInt32(1)));
    out = op.b.CreateSelect(last, at, out);
    left = op.b.CreateSub(left, op.b.CreateZExt(set, op.b.getInt32Ty()));
  }
  return put(op, out);
}

/// The piece of `bits` at `i` as 64 bits.
Value piece(const PtxOp& op, Value whole, unsigned bits, unsigned i, bool is_signed) {
  Value part = resized(op.frame, op.b.CreateLShr(whole, uint64_t{bits * i}), bits);
  return resized(op.frame, part, 64, is_signed);
}

/// dp2a.lo.atype.btype d, a, b, c.
bool lower_dot2(const PtxOp& op) {
  if (op.in.modifiers.size() != 3 || op.in.operands.size() != 4) return false;
  const unsigned first = op.has("hi") ? 2 : 0;
  Value sum = word(op, 3);
  for (unsigned i = 0; i < 2; ++i) {
    Value a = piece(op, word(op, 1), 16, i, op.in.modifiers[1] == "s32");
    Value b = piece(op, word(op, 2), 8, first + i, op.in.modifiers[2] == "s32");
    sum = op.b.CreateAdd(sum, resized(op.frame, op.b.CreateMul(a, b), 32));
  }
  return put(op, sum);
}

Value video(const PtxOp& op, std::string_view name, Value a, Value b) {
  const auto extreme = [&](llvm::Intrinsic::ID id) { return op.b.CreateBinaryIntrinsic(id, a, b); };
  if (name == "vadd") return op.b.CreateAdd(a, b);
  if (name == "vsub") return op.b.CreateSub(a, b);
  if (name == "vmin") return extreme(llvm::Intrinsic::smin);
  if (name == "vmax") return extreme(llvm::Intrinsic::smax);
  if (name == "vabsdiff") {
    return op.b.CreateSub(extreme(llvm::Intrinsic::smax), extreme(llvm::Intrinsic::smin));
  }
  if (name != "vavrg") return nullptr;
  return op.b.CreateLShr(op.b.CreateAdd(op.b.CreateAdd(a, b), op.b.getInt64(1)), 1);
}

/// vadd4.d.a.b{.sat} d, a, b, c, and .add of unsigned differences; no selectors, no masks.
bool lower_video(const PtxOp& op) {
  const auto& words = op.in.modifiers;
  const std::string& mnemonic = op.in.mnemonic;
  if (op.in.operands.size() != 4 || words.size() < 3 || words.size() > 4) return false;
  const std::string name = mnemonic.substr(0, mnemonic.size() - 1);
  const unsigned bits = mnemonic.back() == '2' ? 16 : 8;
  bool any_signed = false;
  for (size_t i = 0; i < 3; ++i) {
    if (words[i] != "u32" && words[i] != "s32") return false;
    any_signed |= words[i] == "s32";
  }
  const bool adds = op.has("add"), saturates = op.has("sat");
  if (words.size() == 4 && !adds && !saturates) return false;
  if ((adds && (name != "vabsdiff" || any_signed)) || (name == "vavrg" && any_signed)) return false;
  const bool is_signed = words[0] == "s32";
  const int64_t most = is_signed ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
  Value out = op.b.getInt32(0), sum = word(op, 3);
  for (unsigned i = 0; i < 32 / bits; ++i) {
    Value x = video(op, name, piece(op, word(op, 1), bits, i, words[1] == "s32"),
                    piece(op, word(op, 2), bits, i, words[2] == "s32"));
    if (x == nullptr) return false;
    if (saturates) {
      x = op.b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x,
                                     int_constant(op.frame, 64, static_cast<uint64_t>(most)));
      const int64_t least = is_signed ? -most - 1 : 0;
      x = op.b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x,
                                     int_constant(op.frame, 64, static_cast<uint64_t>(least)));
    }
    sum = op.b.CreateAdd(sum, resized(op.frame, x, 32));
    Value part = resized(op.frame, resized(op.frame, x, bits), 32);
    out = op.b.CreateOr(out, op.b.CreateShl(part, uint64_t{bits * i}));
  }
  return put(op, adds ? sum : out);
}

/// add, min and max of u16x2 and s16x2.
bool lower_pair(const PtxOp& op) {
  const bool is_integer = op.type.packed && (op.type.kind == 'u' || op.type.kind == 's');
  if (!is_integer || op.in.modifiers.size() != 1 || op.in.operands.size() != 3) return false;
  Value out = op.b.getInt32(0);
  for (unsigned i = 0; i < 2; ++i) {
    Value x = video(op, "v" + op.in.mnemonic, piece(op, word(op, 1), 16, i, op.type.kind == 's'),
                    piece(op, word(op, 2), 16, i, op.type.kind == 's'));
    if (x == nullptr) return false;
    Value part = resized(op.frame, resized(op.frame, x, 16), 32);
    out = op.b.CreateOr(out, op.b.CreateShl(part, uint64_t{16 * i}));
  }
  return put(op, out);
}

}  // namespace

bool lower_bits(PtxFrame& frame, const PtxInstruction& instruction) {
  const PtxOp op{frame, instruction, type_of(instruction), frame.builder};
  const std::string& name = instruction.mnemonic;
  if (instruction.operands.size() < 3) return false;
  if (name == "prmt") return lower_permutation(op);
  if (name == "mul24" || name == "mad24") return lower_product24(op);
  if (name == "bmsk") return lower_mask(op);
  if (name == "szext") return lower_extension(op);
  if (name == "fns") return lower_nth_set(op);
  if (name == "dp2a") return lower_dot2(op);
  if (name == "add" || name == "min" || name == "max") return lower_pair(op);
  const bool is_video = name[0] == 'v' && (name.back() == '2' || name.back() == '4');
  return is_video && lower_video(op);
}

}  // namespace ambidex
