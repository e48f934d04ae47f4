// SPDX-License-Identifier: Apache-2.0
// Loads, stores, atomics, fences and asynchronous copies of PTX. Copies are done at once, which
// every program that waits for them must allow.
#include "frontend/ptx_lower_values.h"

namespace ambidex {
namespace {

using Value = llvm::Value*;

unsigned whole_bits(const PtxType& type) { return type.bits * (type.packed ? 2 : 1); }

/// 0 block, 1 device, 2 system: ambidex_simt_fence's.
int scope_of(const PtxInstruction& in) {
  if (has_modifier(in, "cta")) return 0;
  return has_modifier(in, "sys") ? 2 : 1;
}

llvm::AtomicOrdering ordering_of(const PtxInstruction& in) {
  if (has_modifier(in, "acq_rel")) return llvm::AtomicOrdering::AcquireRelease;
  if (has_modifier(in, "acquire")) return llvm::AtomicOrdering::Acquire;
  if (has_modifier(in, "release")) return llvm::AtomicOrdering::Release;
  return llvm::AtomicOrdering::Monotonic;
}

bool is_shared(const PtxInstruction& in) {
  return has_modifier(in, "shared") || has_modifier(in, "shared::cta");
}

bool is_atomic(const PtxInstruction& in) {
  return has_modifier(in, "relaxed") || has_modifier(in, "acquire") || has_modifier(in, "release");
}

bool lower_load(PtxFrame& frame, const PtxInstruction& in) {
  if (in.operands.size() < 2) return false;
  llvm::IRBuilder<>& b = frame.builder;
  const PtxType type = type_of(in);
  const unsigned bits = whole_bits(type);
  llvm::Type* element = int_type(frame, bits);
  Value address = read_address(frame, in.operands[1], is_shared(in));
  const bool is_list = in.operands[0].kind == PtxOperandKind::list;
  const size_t count = is_list ? in.operands[0].parts.size() : 1;
  std::vector<Value> values;
  for (size_t i = 0; i < count; ++i) {
    llvm::LoadInst* load = b.CreateAlignedLoad(element, b.CreateConstGEP1_64(element, address, i),
                                               llvm::Align(bits / 8));
    load->setVolatile(has_modifier(in, "volatile"));
    if (is_atomic(in)) load->setAtomic(ordering_of(in));
    values.push_back(load);
  }
  for (size_t i = 0; i < count; ++i) {
    write(frame, is_list ? in.operands[0].parts[i] : in.operands[0], values[i], type.kind == 's');
  }
  return true;
}

bool lower_store(PtxFrame& frame, const PtxInstruction& in) {
  if (in.operands.size() < 2) return false;
  llvm::IRBuilder<>& b = frame.builder;
  const unsigned bits = whole_bits(type_of(in));
  llvm::Type* element = int_type(frame, bits);
  Value address = read_address(frame, in.operands[0], is_shared(in));
  const bool is_list = in.operands[1].kind == PtxOperandKind::list;
  const size_t count = is_list ? in.operands[1].parts.size() : 1;
  for (size_t i = 0; i < count; ++i) {
    const PtxOperand& from = is_list ? in.operands[1].parts[i] : in.operands[1];
    llvm::StoreInst* store = b.CreateAlignedStore(
        read(frame, from, bits), b.CreateConstGEP1_64(element, address, i), llvm::Align(bits / 8));
    store->setVolatile(has_modifier(in, "volatile"));
    if (is_atomic(in)) store->setAtomic(ordering_of(in));
  }
  return true;
}

std::optional<llvm::AtomicRMWInst::BinOp> operation(const PtxInstruction& in, const PtxType& type) {
  using Op = llvm::AtomicRMWInst::BinOp;
  const bool is_float = type.kind == 'f' || type.kind == 'h';
  const bool is_signed = type.kind == 's';
  for (const std::string& word : in.modifiers) {
    if (word == "add") return is_float ? Op::FAdd : Op::Add;
    if (word == "min" && !is_float) return is_signed ? Op::Min : Op::UMin;
    if (word == "max" && !is_float) return is_signed ? Op::Max : Op::UMax;
    if (word == "and") return Op::And;
    if (word == "or") return Op::Or;
    if (word == "xor") return Op::Xor;
    if (word == "exch") return Op::Xchg;
    if (word == "inc") return Op::UIncWrap;
    if (word == "dec") return Op::UDecWrap;
  }
  return std::nullopt;
}

bool lower_swap(PtxFrame& frame, const PtxInstruction& in, unsigned bits) {
  if (in.operands.size() != 4) return false;
  llvm::IRBuilder<>& b = frame.builder;
  Value address = read_address(frame, in.operands[1], is_shared(in));
  Value pair = b.CreateAtomicCmpXchg(address, read(frame, in, 2, bits), read(frame, in, 3, bits),
                                     llvm::Align(bits / 8), llvm::AtomicOrdering::AcquireRelease,
                                     llvm::AtomicOrdering::Acquire);
  write(frame, in.operands[0], b.CreateExtractValue(pair, 0));
  return true;
}

Value half_sum(PtxFrame& frame, const PtxInstruction& in, const PtxType& type, Value a, Value c) {
  const PtxOp op{frame, in, type, frame.builder};
  PtxType each = type;
  each.packed = false;
  const unsigned bits = whole_bits(type);
  Value out = int_constant(frame, bits, 0);
  for (unsigned at = 0; at < bits; at += 16) {
    const auto half = [&](Value whole) {
      Value part = resized(frame, op.b.CreateLShr(whole, uint64_t{at}), 16);
      return widened(op, to_float(op, part, each));
    };
    Value sum = resized(frame, to_bits(op, op.b.CreateFAdd(half(a), half(c)), each), bits);
    out = op.b.CreateOr(out, op.b.CreateShl(sum, uint64_t{at}));
  }
  return out;
}

/// f16, bf16 and pairs of them: a loop of compare and swap around the rounded sum.
bool lower_half_addition(PtxFrame& frame, const PtxInstruction& in, const PtxType& type) {
  const size_t first = in.mnemonic == "atom" ? 1 : 0;
  if (!has_modifier(in, "add") || in.operands.size() != first + 2) return false;
  llvm::IRBuilder<>& b = frame.builder;
  const unsigned bits = whole_bits(type);
  llvm::Type* word = int_type(frame, bits);
  const llvm::Align align(bits / 8);
  Value address = read_address(frame, in.operands[first], is_shared(in));
  Value value = read(frame, in, first + 1, bits);
  const PtxSlot seen = new_slot(frame, word);
  llvm::LoadInst* start = b.CreateAlignedLoad(word, address, align);
  start->setAtomic(llvm::AtomicOrdering::Monotonic);
  b.CreateStore(start, seen.address);
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* again = llvm::BasicBlock::Create(b.getContext(), "again", function);
  auto* done = llvm::BasicBlock::Create(b.getContext(), "added", function);
  b.CreateBr(again);
  b.SetInsertPoint(again);
  Value old = b.CreateLoad(word, seen.address);
  Value pair =
      b.CreateAtomicCmpXchg(address, old, half_sum(frame, in, type, old, value), align,
                            llvm::AtomicOrdering::AcquireRelease, llvm::AtomicOrdering::Acquire);
  b.CreateStore(b.CreateExtractValue(pair, 0), seen.address);
  b.CreateCondBr(b.CreateExtractValue(pair, 1), done, again);
  b.SetInsertPoint(done);
  if (first == 1) write(frame, in.operands[0], b.CreateLoad(word, seen.address));
  return true;
}

/// red.add.v2.f32 and its like: each by itself.
bool lower_vector_addition(PtxFrame& frame, const PtxInstruction& in, const PtxType& type) {
  if (in.mnemonic != "red" || in.operands.size() < 2 || !has_modifier(in, "add") ||
      type.kind != 'f' || type.bits != 32 || type.packed) {
    return false;
  }
  llvm::IRBuilder<>& b = frame.builder;
  Value address = read_address(frame, in.operands[0], is_shared(in));
  const auto& parts = in.operands[1].parts;
  for (size_t i = 0; i < parts.size(); ++i) {
    Value value = b.CreateBitCast(read(frame, parts[i], 32), b.getFloatTy());
    b.CreateAtomicRMW(llvm::AtomicRMWInst::FAdd, b.CreateConstGEP1_64(b.getFloatTy(), address, i),
                      value, llvm::Align(4), ordering_of(in));
  }
  return !parts.empty();
}

/// atom has a result, red has none.
bool lower_atomic(PtxFrame& frame, const PtxInstruction& in) {
  llvm::IRBuilder<>& b = frame.builder;
  const PtxType type = type_of(in);
  if (has_modifier(in, "v2") || has_modifier(in, "v4")) {
    return lower_vector_addition(frame, in, type);
  }
  if (has_modifier(in, "noftz")) return lower_half_addition(frame, in, type);
  if (type.packed || type.bits > 64) return false;
  if (has_modifier(in, "cas")) return lower_swap(frame, in, type.bits);
  const auto op = operation(in, type);
  const size_t first = in.mnemonic == "atom" ? 1 : 0;
  const size_t num_hints = has_modifier(in, "L2::cache_hint") ? 1 : 0;
  if (!op || in.operands.size() != first + 2 + num_hints) return false;
  Value address = read_address(frame, in.operands[first], is_shared(in));
  Value value = read(frame, in, first + 1, type.bits);
  if (*op == llvm::AtomicRMWInst::FAdd) {
    if (type.bits < 32) return false;
    value = b.CreateBitCast(value, type.bits == 32 ? b.getFloatTy() : b.getDoubleTy());
  }
  Value old = b.CreateAtomicRMW(*op, address, value, llvm::Align(type.bits / 8), ordering_of(in));
  if (first == 0) return true;
  write(frame, in.operands[0], b.CreateBitCast(old, int_type(frame, type.bits)), type.kind == 's');
  return true;
}

/// The word of `from` at `index` if that is below `available`, else zero.
Value word_or_zero(PtxFrame& frame, Value from, Value index, Value available) {
  llvm::IRBuilder<>& b = frame.builder;
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* load = llvm::BasicBlock::Create(b.getContext(), "load", function);
  auto* loaded = llvm::BasicBlock::Create(b.getContext(), "loaded", function);
  const PtxSlot word = new_slot(frame, b.getInt32Ty());
  b.CreateStore(b.getInt32(0), word.address);
  b.CreateCondBr(b.CreateICmpULT(index, available), load, loaded);
  b.SetInsertPoint(load);
  Value at = b.CreateGEP(b.getInt8Ty(), from, b.CreateZExt(index, b.getInt64Ty()));
  b.CreateStore(b.CreateLoad(b.getInt32Ty(), at), word.address);
  b.CreateBr(loaded);
  b.SetInsertPoint(loaded);
  return b.CreateLoad(b.getInt32Ty(), word.address);
}

/// Word by word, so that the checkers see each access.
void copy_words(PtxFrame& frame, Value to, Value from, Value count, Value available) {
  llvm::IRBuilder<>& b = frame.builder;
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* head = llvm::BasicBlock::Create(b.getContext(), "copy", function);
  auto* body = llvm::BasicBlock::Create(b.getContext(), "word", function);
  auto* done = llvm::BasicBlock::Create(b.getContext(), "copied", function);
  const PtxSlot at = new_slot(frame, b.getInt32Ty());
  b.CreateStore(b.getInt32(0), at.address);
  b.CreateBr(head);
  b.SetInsertPoint(head);
  Value index = b.CreateLoad(b.getInt32Ty(), at.address);
  b.CreateCondBr(b.CreateICmpULT(index, count), body, done);
  b.SetInsertPoint(body);
  Value word = word_or_zero(frame, from, index, available);
  b.CreateStore(word, b.CreateGEP(b.getInt8Ty(), to, b.CreateZExt(index, b.getInt64Ty())));
  b.CreateStore(b.CreateAdd(index, b.getInt32(4)), at.address);
  b.CreateBr(head);
  b.SetInsertPoint(done);
}

/// Hardware stops at an address that is no multiple of the size.
void trap_if_misaligned(PtxFrame& frame, Value to, Value from, Value count) {
  llvm::IRBuilder<>& b = frame.builder;
  llvm::Function* function = b.GetInsertBlock()->getParent();
  auto* wrong = llvm::BasicBlock::Create(b.getContext(), "misaligned", function);
  auto* right = llvm::BasicBlock::Create(b.getContext(), "aligned", function);
  Value places =
      b.CreateOr(b.CreatePtrToInt(to, b.getInt64Ty()), b.CreatePtrToInt(from, b.getInt64Ty()));
  Value below = b.CreateZExt(b.CreateSub(count, b.getInt32(1)), b.getInt64Ty());
  b.CreateCondBr(b.CreateICmpNE(b.CreateAnd(places, below), b.getInt64(0)), wrong, right);
  b.SetInsertPoint(wrong);
  call_runtime(frame, "ambidex_simt_trap", b.getVoidTy(),
               {b.CreateGlobalString("a misaligned cp.async", "", 0, &frame.module)});
  b.CreateBr(right);
  b.SetInsertPoint(right);
}

/// cp.async.ca.shared.global [to], [from], bytes{, source_bytes}: the rest is zero.
bool lower_copy(PtxFrame& frame, const PtxInstruction& in) {
  if (has_modifier(in, "commit_group") || has_modifier(in, "wait_group") ||
      has_modifier(in, "wait_all")) {
    return true;
  }
  const bool plain = in.operands.size() == 3 || in.operands.size() == 4;
  if (has_modifier(in, "bulk") || has_modifier(in, "mbarrier") || !plain) return false;
  for (const std::string& modifier : in.modifiers) {
    if (modifier.find("cache_hint") != std::string::npos) return false;
  }
  Value count = read(frame, in, 2, 32);
  Value available = in.operands.size() == 4 ? read(frame, in, 3, 32) : count;
  Value to = read_address(frame, in.operands[0]);
  Value from = read_address(frame, in.operands[1]);
  trap_if_misaligned(frame, to, from, count);
  copy_words(frame, to, from, count, available);
  return true;
}

bool lower_fence(PtxFrame& frame, const PtxInstruction& in) {
  if (has_modifier(in, "proxy") || has_modifier(in, "mbarrier_init")) return false;
  llvm::IRBuilder<>& b = frame.builder;
  call_runtime(frame, "ambidex_simt_fence", b.getVoidTy(), {b.getInt32(scope_of(in))});
  return true;
}

}  // namespace

bool lower_memory(PtxFrame& frame, const PtxInstruction& instruction) {
  const std::string& name = instruction.mnemonic;
  if (has_modifier(instruction, "shared::cluster") && name != "mapa") return false;
  if (name == "ld" || name == "ldu") return lower_load(frame, instruction);
  if (name == "st" && !has_modifier(instruction, "async")) return lower_store(frame, instruction);
  if (name == "atom" || name == "red") return lower_atomic(frame, instruction);
  if (name == "cp" && has_modifier(instruction, "async")) return lower_copy(frame, instruction);
  if (name == "membar" || name == "fence") return lower_fence(frame, instruction);
  if (name == "createpolicy" && !instruction.operands.empty()) {  // a hint, whatever it says
    write(frame, instruction.operands[0], frame.builder.getInt64(0));
    return true;
  }
  if (has_modifier(instruction, "tensormap")) return false;
  return name == "prefetch" || name == "prefetchu" || name == "discard" || name == "applypriority";
}

}  // namespace ambidex
