// SPDX-License-Identifier: Apache-2.0
// setp, set, slct and testp of PTX.
#include <llvm/IR/Intrinsics.h>

#include "frontend/ptx_lower_values.h"

namespace ambidex {
namespace {

using Value = llvm::Value*;
using Predicate = llvm::CmpInst::Predicate;

std::optional<Predicate> float_comparison(std::string_view how) {
  static const std::map<std::string_view, Predicate> kAll{
      {"eq", Predicate::FCMP_OEQ},  {"ne", Predicate::FCMP_ONE},  {"lt", Predicate::FCMP_OLT},
      {"le", Predicate::FCMP_OLE},  {"gt", Predicate::FCMP_OGT},  {"ge", Predicate::FCMP_OGE},
      {"equ", Predicate::FCMP_UEQ}, {"neu", Predicate::FCMP_UNE}, {"ltu", Predicate::FCMP_ULT},
      {"leu", Predicate::FCMP_ULE}, {"gtu", Predicate::FCMP_UGT}, {"geu", Predicate::FCMP_UGE},
      {"num", Predicate::FCMP_ORD}, {"nan", Predicate::FCMP_UNO}};
  const auto found = kAll.find(how);
  return found == kAll.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Predicate> integer_comparison(std::string_view how, bool is_signed) {
  static const std::map<std::string_view, std::pair<Predicate, Predicate>> kAll{
      {"eq", {Predicate::ICMP_EQ, Predicate::ICMP_EQ}},
      {"ne", {Predicate::ICMP_NE, Predicate::ICMP_NE}},
      {"lt", {Predicate::ICMP_ULT, Predicate::ICMP_SLT}},
      {"le", {Predicate::ICMP_ULE, Predicate::ICMP_SLE}},
      {"gt", {Predicate::ICMP_UGT, Predicate::ICMP_SGT}},
      {"ge", {Predicate::ICMP_UGE, Predicate::ICMP_SGE}},
      {"lo", {Predicate::ICMP_ULT, Predicate::ICMP_ULT}},
      {"ls", {Predicate::ICMP_ULE, Predicate::ICMP_ULE}},
      {"hi", {Predicate::ICMP_UGT, Predicate::ICMP_UGT}},
      {"hs", {Predicate::ICMP_UGE, Predicate::ICMP_UGE}}};
  const auto found = kAll.find(how);
  if (found == kAll.end()) return std::nullopt;
  return is_signed ? found->second.second : found->second.first;
}

/// Lane `lane` of operands 1 and 2 compared; null if there is no such comparison.
Value holds(const PtxOp& op, unsigned lane) {
  const std::string& how = op.in.modifiers[0];
  const PtxType& type = op.type;
  const unsigned whole = type.bits * (type.packed ? 2 : 1);
  const auto operand = [&](size_t i) {
    Value bits = op.b.CreateLShr(read(op.frame, op.in, i, whole), uint64_t{type.bits * lane});
    return resized(op.frame, bits, type.bits);
  };
  if (!is_float(type)) {
    const auto predicate = integer_comparison(how, type.kind == 's');
    return predicate ? op.b.CreateICmp(*predicate, operand(1), operand(2)) : nullptr;
  }
  const auto predicate = float_comparison(how);
  if (!predicate) return nullptr;
  PtxType each = type;
  each.packed = false;
  return op.b.CreateFCmp(*predicate, widened(op, to_float(op, operand(1), each)),
                         widened(op, to_float(op, operand(2), each)));
}

/// With the predicate of .and, .or or .xor, if there is one.
Value combined(const PtxOp& op, Value value) {
  if (op.in.operands.size() < 4) return value;
  Value other = read_predicate(op.frame, op.in.operands[3]);
  if (op.has("and")) return op.b.CreateAnd(value, other);
  if (op.has("or")) return op.b.CreateOr(value, other);
  return op.has("xor") ? op.b.CreateXor(value, other) : nullptr;
}

bool lower_setp(const PtxOp& op) {
  Value low = holds(op, 0);
  if (low == nullptr) return false;
  const PtxOperand& to = op.in.operands[0];
  const bool pair = to.kind == PtxOperandKind::pair;
  if (op.type.packed && !pair) return false;
  Value high = op.type.packed ? holds(op, 1) : op.b.CreateNot(low);
  low = combined(op, low);
  high = combined(op, high);
  if (low == nullptr || high == nullptr) return false;
  write(op.frame, pair ? to.parts[0] : to, low);
  if (pair) write(op.frame, to.parts[1], high);
  return true;
}

/// All ones or 1.0 where it holds, in each half of a pair.
bool lower_set(const PtxOp& op) {
  if (op.in.modifiers.size() < 3) return false;
  const auto to = ptx_type(op.in.modifiers[op.in.modifiers.size() - 2]);
  if (!to || to->kind == 'p' || to->bits > 32) return false;
  const unsigned lanes = op.type.packed ? 2 : 1;
  const unsigned bits = op.type.packed ? 16 : to->bits;
  const uint64_t one = is_float(*to) ? bits == 32        ? 0x3f800000
                                       : to->kind == 'h' ? 0x3f80
                                                         : 0x3c00
                                     : ~uint64_t{0};
  Value out = int_constant(op.frame, bits * lanes, 0);
  for (unsigned lane = 0; lane < lanes; ++lane) {
    Value yes = holds(op, lane);
    if (yes != nullptr) yes = combined(op, yes);
    if (yes == nullptr) return false;
    Value part =
        op.b.CreateSelect(yes, int_constant(op.frame, bits, one), int_constant(op.frame, bits, 0));
    out = op.b.CreateOr(
        out, op.b.CreateShl(resized(op.frame, part, bits * lanes), uint64_t{bits * lane}));
  }
  write(op.frame, op.in.operands[0], out);
  return true;
}

/// slct.type.s32 or .f32: a where c is zero or more, which -0 is and a NaN is not.
bool lower_choice(const PtxOp& op) {
  if (op.in.operands.size() != 4 || op.in.modifiers.size() < 2) return false;
  const auto type = ptx_type(op.in.modifiers[op.in.modifiers.size() - 2]);
  if (!type || op.type.bits != 32) return false;
  Value c = read(op.frame, op.in, 3, 32);
  Value first = nullptr;
  if (op.type.kind == 'f') {
    Value value = to_float(op, c, op.type);
    first = op.b.CreateFCmpOGE(value, llvm::ConstantFP::get(value->getType(), 0.0));
  } else {
    first = op.b.CreateICmpSGE(c, op.b.getInt32(0));
  }
  Value a = read(op.frame, op.in, 1, type->bits), b = read(op.frame, op.in, 2, type->bits);
  write(op.frame, op.in.operands[0], op.b.CreateSelect(first, a, b), type->kind == 's');
  return true;
}

bool lower_test(const PtxOp& op) {
  static const std::map<std::string_view, unsigned> kClasses{
      {"finite", llvm::fcFinite},  {"infinite", llvm::fcInf},  {"number", ~llvm::fcNan},
      {"notanumber", llvm::fcNan}, {"normal", llvm::fcNormal}, {"subnormal", llvm::fcSubnormal}};
  const auto found = kClasses.find(op.in.modifiers[0]);
  if (found == kClasses.end() || !is_float(op.type)) return false;
  Value value = to_float(op, read(op.frame, op.in, 1, op.type.bits), op.type);
  const unsigned classes = found->second & llvm::fcAllFlags;
  Value out = op.b.CreateIntrinsic(llvm::Intrinsic::is_fpclass, {value->getType()},
                                   {value, op.b.getInt32(classes)});
  write(op.frame, op.in.operands[0], out);
  return true;
}

}  // namespace

bool lower_comparison(PtxFrame& frame, const PtxInstruction& instruction) {
  const PtxOp op{frame, instruction, type_of(instruction), frame.builder};
  if (instruction.modifiers.size() < 2 || instruction.operands.size() < 2) return false;
  if (instruction.mnemonic == "testp") return lower_test(op);
  if (instruction.operands.size() < 3) return false;
  if (instruction.mnemonic == "setp") return lower_setp(op);
  if (instruction.mnemonic == "set") return lower_set(op);
  return instruction.mnemonic == "slct" && lower_choice(op);
}

}  // namespace ambidex
