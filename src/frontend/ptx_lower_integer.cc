// SPDX-License-Identifier: Apache-2.0
// Integers, bits, comparisons and moves of PTX, as PTX ISA 8.7 sections 9.7.1 to 9.7.8 define them.
#include <llvm/IR/Intrinsics.h>

#include "frontend/ptx_frame.h"

namespace ambidex {
namespace {

using Value = llvm::Value*;

struct Op {
  PtxFrame& frame;
  const PtxInstruction& in;
  PtxType type;
  llvm::IRBuilder<>& b;

  unsigned bits() const { return type.bits * (type.packed ? 2 : 1); }
  bool is_signed() const { return type.kind == 's'; }
  Value arg(size_t i) const { return read(frame, in, i, bits()); }
  Value word(size_t i) const { return read(frame, in, i, 32); }
  bool put(Value value) const {
    if (in.operands.empty()) return false;
    write(frame, in.operands[0], value, is_signed());
    return true;
  }
  bool has(std::string_view modifier) const { return has_modifier(in, modifier); }
  Value number(uint64_t value) const { return int_constant(frame, bits(), value); }
  Value intrinsic(llvm::Intrinsic::ID id, std::vector<Value> arguments) const {
    return b.CreateIntrinsic(arguments[0]->getType(), id, arguments);
  }
};

/// A shift whose amounts beyond the width give 0, or the sign.
Value shift(const Op& op, Value value, Value amount, char how) {
  const unsigned bits = value->getType()->getIntegerBitWidth();
  Value wide = resized(op.frame, amount, bits);
  Value over = op.b.CreateICmpUGE(amount, int_constant(op.frame, 32, bits));
  Value last = int_constant(op.frame, bits, bits - 1);
  if (how == 'a') return op.b.CreateAShr(value, op.b.CreateSelect(over, last, wide));
  Value safe = op.b.CreateSelect(over, last, wide);
  Value out = how == 'l' ? op.b.CreateShl(value, safe) : op.b.CreateLShr(value, safe);
  return op.b.CreateSelect(over, int_constant(op.frame, bits, 0), out);
}

bool lower_add(const Op& op) {
  const bool subtracts = op.in.mnemonic.starts_with("sub");
  const bool with_carry = op.in.mnemonic.ends_with("c");
  Value a = op.arg(1), c = op.arg(2);
  const unsigned bits = op.bits();
  Value wide_a = resized(op.frame, a, bits + 2), wide_c = resized(op.frame, c, bits + 2);
  Value out = subtracts ? op.b.CreateSub(wide_a, wide_c) : op.b.CreateAdd(wide_a, wide_c);
  if (with_carry) {
    Value carry =
        op.b.CreateZExt(op.b.CreateLoad(op.b.getInt1Ty(), op.frame.carry), wide_a->getType());
    out = subtracts ? op.b.CreateSub(out, carry) : op.b.CreateAdd(out, carry);
  }
  if (op.has("cc")) {
    op.b.CreateStore(resized(op.frame, op.b.CreateLShr(out, bits), 1), op.frame.carry);
  }
  if (!op.has("sat")) return op.put(resized(op.frame, out, bits));
  return op.put(
      op.intrinsic(subtracts ? llvm::Intrinsic::ssub_sat : llvm::Intrinsic::sadd_sat, {a, c}));
}

/// mul and mad: .lo, .hi, .wide; .cc and carries in.
bool lower_multiply(const Op& op) {
  const unsigned bits = op.bits();
  Value a = op.b.CreateIntCast(op.arg(1), int_type(op.frame, 2 * bits), op.is_signed());
  Value c = op.b.CreateIntCast(op.arg(2), int_type(op.frame, 2 * bits), op.is_signed());
  Value product = op.b.CreateMul(a, c);
  const bool wide = op.has("wide");
  if (op.has("hi")) product = op.b.CreateLShr(product, bits);
  const unsigned out_bits = wide ? 2 * bits : bits;
  Value out = resized(op.frame, product, out_bits);
  if (op.in.mnemonic.starts_with("mad")) {
    Value sum = op.b.CreateAdd(resized(op.frame, out, out_bits + 2),
                               resized(op.frame, read(op.frame, op.in, 3, out_bits), out_bits + 2));
    if (op.in.mnemonic == "madc") {
      Value carry = op.b.CreateLoad(op.b.getInt1Ty(), op.frame.carry);
      sum = op.b.CreateAdd(sum, op.b.CreateZExt(carry, sum->getType()));
    }
    if (op.has("cc")) {
      op.b.CreateStore(resized(op.frame, op.b.CreateLShr(sum, out_bits), 1), op.frame.carry);
    }
    if (op.has("sat")) {
      return op.put(op.intrinsic(llvm::Intrinsic::sadd_sat, {out, op.arg(3)}));
    }
    out = resized(op.frame, sum, out_bits);
  }
  return op.put(out);
}

bool lower_divide(const Op& op) {
  Value zero = op.b.CreateICmpEQ(op.arg(2), op.number(0));
  Value by = op.b.CreateSelect(zero, op.number(1), op.arg(2));
  const bool rest = op.in.mnemonic == "rem";
  Value out = op.is_signed()
                  ? rest ? op.b.CreateSRem(op.arg(1), by) : op.b.CreateSDiv(op.arg(1), by)
              : rest ? op.b.CreateURem(op.arg(1), by)
                     : op.b.CreateUDiv(op.arg(1), by);
  return op.put(op.b.CreateSelect(zero, op.number(~uint64_t{0}), out));
}

/// The sum of the minterms that the table byte has.
bool lower_lop3(const Op& op) {
  if (op.in.operands.size() != 5 || op.in.modifiers.size() != 1) return false;
  Value table = op.word(4);  // often a constant operand, "n"(0xea)
  Value a = op.word(1), c = op.word(2), d = op.word(3);
  Value out = op.b.getInt32(0);
  for (unsigned row = 0; row < 8; ++row) {
    Value bit = op.b.CreateTrunc(op.b.CreateLShr(table, row), op.b.getInt1Ty());
    Value kept = op.b.CreateSExt(bit, op.b.getInt32Ty());
    Value term = op.b.CreateAnd((row & 4) != 0 ? a : op.b.CreateNot(a),
                                (row & 2) != 0 ? c : op.b.CreateNot(c));
    term = op.b.CreateAnd(term, (row & 1) != 0 ? d : op.b.CreateNot(d));
    out = op.b.CreateOr(out, op.b.CreateAnd(term, kept));
  }
  return op.put(out);
}

/// The default mode: four selectors of 4 bits among eight bytes; the top bit replicates the sign.
bool lower_prmt(const Op& op) {
  if (op.in.modifiers.size() != 1) return false;
  Value both = op.b.CreateOr(resized(op.frame, op.word(1), 64),
                             op.b.CreateShl(resized(op.frame, op.word(2), 64), 32));
  Value selector = op.word(3);
  Value out = op.b.getInt32(0);
  for (unsigned i = 0; i < 4; ++i) {
    Value nibble = op.b.CreateLShr(selector, 4 * i);
    Value at = op.b.CreateShl(op.b.CreateAnd(nibble, 7), 3);
    Value byte = resized(op.frame, op.b.CreateLShr(both, resized(op.frame, at, 64)), 8);
    Value sign = op.b.CreateAShr(byte, 7);
    Value replicates = op.b.CreateICmpNE(op.b.CreateAnd(nibble, 8), op.b.getInt32(0));
    byte = op.b.CreateSelect(replicates, sign, byte);
    out = op.b.CreateOr(out, op.b.CreateShl(resized(op.frame, byte, 32), 8 * i));
  }
  return op.put(out);
}

/// Position and length are bytes; bits beyond the top are zero, or the sign.
bool lower_bfe(const Op& op) {
  const unsigned bits = op.bits();
  Value value = op.arg(1);
  Value at = op.b.CreateAnd(op.word(2), 255), length = op.b.CreateAnd(op.word(3), 255);
  Value part = shift(op, value, at, op.is_signed() ? 'a' : 'r');
  Value over = op.b.CreateICmpUGE(length, int_constant(op.frame, 32, bits));
  Value mask = op.b.CreateSub(shift(op, op.number(1), length, 'l'), op.number(1));
  Value low = op.b.CreateAnd(part, op.b.CreateSelect(over, op.number(~uint64_t{0}), mask));
  if (!op.is_signed()) return op.put(low);
  // The sign is the bit at the top of the field, or the top bit of the value.
  Value top = op.b.CreateSub(op.b.CreateAdd(at, length), op.b.getInt32(1));
  Value last = int_constant(op.frame, 32, bits - 1);
  top = op.b.CreateSelect(op.b.CreateICmpUGT(top, last), last, top);
  Value sign = op.b.CreateTrunc(shift(op, value, top, 'r'), op.b.getInt1Ty());
  Value filled = op.b.CreateOr(low, op.b.CreateSelect(over, op.number(0), op.b.CreateNot(mask)));
  Value out = op.b.CreateSelect(sign, filled, low);
  Value none = op.b.CreateICmpEQ(length, op.b.getInt32(0));
  return op.put(op.b.CreateSelect(none, op.number(0), out));
}

bool lower_bfi(const Op& op) {
  Value from = op.arg(1), into = op.arg(2);
  Value at = op.b.CreateAnd(op.word(3), 255), length = op.b.CreateAnd(op.word(4), 255);
  Value over = op.b.CreateICmpUGE(length, int_constant(op.frame, 32, op.bits()));
  Value ones = op.b.CreateSub(shift(op, op.number(1), length, 'l'), op.number(1));
  Value mask = shift(op, op.b.CreateSelect(over, op.number(~uint64_t{0}), ones), at, 'l');
  Value placed = op.b.CreateAnd(shift(op, from, at, 'l'), mask);
  return op.put(op.b.CreateOr(op.b.CreateAnd(into, op.b.CreateNot(mask)), placed));
}

bool lower_shf(const Op& op) {
  Value amount = op.word(3);
  Value limit = op.b.getInt32(32);
  amount = op.has("wrap") ? op.b.CreateAnd(amount, 31)
                          : op.b.CreateSelect(op.b.CreateICmpUGT(amount, limit), limit, amount);
  Value both = op.b.CreateOr(resized(op.frame, op.word(1), 64),
                             op.b.CreateShl(resized(op.frame, op.word(2), 64), 32));
  Value wide = resized(op.frame, amount, 64);
  if (op.has("r")) return op.put(resized(op.frame, op.b.CreateLShr(both, wide), 32));
  Value left = op.b.CreateLShr(both, op.b.CreateSub(op.b.getInt64(32), wide));
  return op.has("l") && op.put(resized(op.frame, left, 32));
}

/// The position of the highest bit that differs from the sign; all ones if there is none.
bool lower_bfind(const Op& op) {
  Value value = op.arg(1);
  if (op.is_signed()) value = op.b.CreateXor(value, op.b.CreateAShr(value, op.bits() - 1));
  Value zeros =
      resized(op.frame, op.intrinsic(llvm::Intrinsic::ctlz, {value, op.b.getFalse()}), 32);
  Value at = op.b.CreateSub(int_constant(op.frame, 32, op.bits() - 1), zeros);
  if (op.has("shiftamt")) at = op.b.CreateSub(int_constant(op.frame, 32, op.bits() - 1), at);
  Value none = op.b.CreateICmpEQ(value, op.number(0));
  write(op.frame, op.in.operands[0], op.b.CreateSelect(none, op.b.getInt32(~0u), at));
  return true;
}

bool lower_mov(const Op& op) {
  if (op.type.kind == 'p') {
    write(op.frame, op.in.operands[0], read_predicate(op.frame, op.in.operands[1]));
    return true;
  }
  return op.put(op.arg(1));
}

/// and, or, xor, not: of predicates as well.
bool lower_logic(const Op& op) {
  const bool predicate = op.type.kind == 'p';
  const auto operand = [&](size_t i) {
    return predicate ? read_predicate(op.frame, op.in.operands[i]) : op.arg(i);
  };
  if (op.in.mnemonic == "not") return op.put(op.b.CreateNot(operand(1)));
  if (op.in.operands.size() < 3) return false;
  Value a = operand(1), c = operand(2);
  return op.put(op.in.mnemonic == "and"  ? op.b.CreateAnd(a, c)
                : op.in.mnemonic == "or" ? op.b.CreateOr(a, c)
                                         : op.b.CreateXor(a, c));
}

bool lower_extreme(const Op& op) {
  const bool least = op.in.mnemonic == "min";
  const auto id = op.is_signed() ? least ? llvm::Intrinsic::smin : llvm::Intrinsic::smax
                  : least        ? llvm::Intrinsic::umin
                                 : llvm::Intrinsic::umax;
  Value out = op.intrinsic(id, {op.arg(1), op.arg(2)});
  if (!op.has("relu")) return op.put(out);
  return op.put(op.intrinsic(llvm::Intrinsic::smax, {out, op.number(0)}));
}

bool lower_dp4a(const Op& op) {
  if (op.in.modifiers.size() != 2 || op.in.operands.size() != 4) return false;
  Value sum = op.word(3);
  for (unsigned i = 0; i < 4; ++i) {
    const auto byte = [&](size_t which) {
      Value raw = resized(op.frame, op.b.CreateLShr(op.word(which), 8 * i), 8);
      return resized(op.frame, raw, 32, op.in.modifiers[which - 1].starts_with('s'));
    };
    sum = op.b.CreateAdd(sum, op.b.CreateMul(byte(1), byte(2)));
  }
  return op.put(sum);
}

bool lower_counted(const Op& op) {
  const std::string& name = op.in.mnemonic;
  const bool with_flag = name == "clz";
  const auto id = name == "popc"  ? llvm::Intrinsic::ctpop
                  : name == "clz" ? llvm::Intrinsic::ctlz
                                  : llvm::Intrinsic::bitreverse;
  std::vector<Value> arguments{op.arg(1)};
  if (with_flag) arguments.push_back(op.b.getFalse());
  write(op.frame, op.in.operands[0], op.intrinsic(id, arguments));
  return true;
}

bool lower_sad(const Op& op) {
  Value a = op.arg(1), c = op.arg(2);
  Value above = op.is_signed() ? op.b.CreateICmpSGT(a, c) : op.b.CreateICmpUGT(a, c);
  Value distance = op.b.CreateSelect(above, op.b.CreateSub(a, c), op.b.CreateSub(c, a));
  return op.put(op.b.CreateAdd(distance, op.arg(3)));
}

using Lower = bool (*)(const Op&);

Lower family_of(const std::string& name) {
  static const std::map<std::string_view, Lower> kFamilies{
      {"mov", lower_mov},      {"add", lower_add},       {"addc", lower_add},
      {"sub", lower_add},      {"subc", lower_add},      {"mul", lower_multiply},
      {"mad", lower_multiply}, {"madc", lower_multiply}, {"div", lower_divide},
      {"rem", lower_divide},   {"lop3", lower_lop3},     {"prmt", lower_prmt},
      {"bfe", lower_bfe},      {"bfi", lower_bfi},       {"shf", lower_shf},
      {"bfind", lower_bfind},  {"and", lower_logic},     {"or", lower_logic},
      {"xor", lower_logic},    {"not", lower_logic},     {"min", lower_extreme},
      {"max", lower_extreme},  {"dp4a", lower_dp4a},     {"popc", lower_counted},
      {"clz", lower_counted},  {"brev", lower_counted},  {"sad", lower_sad}};
  const auto found = kFamilies.find(name);
  return found == kFamilies.end() ? nullptr : found->second;
}

bool lower_short(const Op& op) {
  const std::string& name = op.in.mnemonic;
  if (name == "shl") return op.put(shift(op, op.arg(1), op.word(2), 'l'));
  if (name == "shr") return op.put(shift(op, op.arg(1), op.word(2), op.is_signed() ? 'a' : 'r'));
  if (name == "neg") return op.put(op.b.CreateNeg(op.arg(1)));
  if (name == "abs") {
    return op.put(op.intrinsic(llvm::Intrinsic::abs, {op.arg(1), op.b.getFalse()}));
  }
  if (name == "cnot") {
    Value zero = op.b.CreateICmpEQ(op.arg(1), op.number(0));
    return op.put(op.b.CreateSelect(zero, op.number(1), op.number(0)));
  }
  if (name == "selp" && op.in.operands.size() == 4) {
    Value chosen = read_predicate(op.frame, op.in.operands[3]);
    return op.put(op.b.CreateSelect(chosen, op.arg(1), op.arg(2)));
  }
  if (name == "cvta") {
    const bool is_shared = op.has("shared") || op.has("shared::cta");
    if (!is_shared || op.has("to")) return op.put(op.arg(1));
    return op.put(completed_address(op.frame, op.word(1)));
  }
  return false;
}

}  // namespace

bool lower_integer(PtxFrame& frame, const PtxInstruction& instruction) {
  const PtxType type = type_of(instruction);
  const std::string& name = instruction.mnemonic;
  const bool moves = name == "mov" || name == "selp";
  if ((type.kind == 'f' || type.kind == 'h' || type.packed) && !moves) return false;
  if (instruction.operands.size() < 2) return false;
  const Op op{frame, instruction, type, frame.builder};
  const Lower family = family_of(name);
  return family != nullptr ? family(op) : lower_short(op);
}

}  // namespace ambidex
