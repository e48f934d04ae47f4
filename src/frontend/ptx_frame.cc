// SPDX-License-Identifier: Apache-2.0
#include "frontend/ptx_frame.h"

#include <llvm/IR/Module.h>

#include <charconv>
#include <cstring>

namespace ambidex {
namespace {

// Offsets of AmbidexSimtThread, include/ambidex/simt_device.h, in words of 32 bits.
constexpr unsigned kThread = 0, kBlock = 3, kBlockSize = 6, kGridSize = 9, kLane = 13, kWave = 14,
                   kWaveWidth = 15, kDynamicBytes = 16;

/// The name of the holder that host_module_device.cc gives the block's dynamic shared memory.
constexpr const char* kDynamicShared = "ambidex_dynamic_shared";

llvm::Value* self_word(PtxFrame& frame, unsigned word) {
  llvm::IRBuilder<>& b = frame.builder;
  llvm::Value* self = call_runtime(frame, "ambidex_simt_self", b.getPtrTy(), {});
  return b.CreateLoad(b.getInt32Ty(), b.CreateConstGEP1_32(b.getInt32Ty(), self, word));
}

llvm::Value* lane_mask(PtxFrame& frame, std::string_view which) {
  llvm::IRBuilder<>& b = frame.builder;
  llvm::Value* lane = b.CreateAnd(self_word(frame, kLane), 31);
  llvm::Value* equal = b.CreateShl(b.getInt32(1), lane);
  llvm::Value* below = b.CreateSub(equal, b.getInt32(1));
  if (which == "eq") return equal;
  if (which == "lt") return below;
  if (which == "le") return b.CreateOr(below, equal);
  if (which == "gt") return b.CreateNot(b.CreateOr(below, equal));
  return which == "ge" ? b.CreateNot(below) : nullptr;
}

std::optional<uint64_t> decimal_bits(const std::string& text, unsigned bits) {
  double value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  uint64_t out = 0;
  const auto narrow = static_cast<float>(value);
  if (bits == 64) std::memcpy(&out, &value, 8);
  if (bits == 32) std::memcpy(&out, &narrow, 4);
  return bits == 64 || bits == 32 ? std::optional(out) : std::nullopt;
}

llvm::Value* from_slot(PtxFrame& frame, const PtxSlot& slot, unsigned bits) {
  llvm::IRBuilder<>& b = frame.builder;
  llvm::Value* value = b.CreateLoad(slot.type, slot.address);
  const unsigned own = slot.type->isPointerTy() ? 64 : slot.type->getScalarSizeInBits();
  if (slot.type->isPointerTy()) value = b.CreatePtrToInt(value, b.getInt64Ty());
  if (slot.type->isFloatingPointTy()) value = b.CreateBitCast(value, int_type(frame, own));
  return resized(frame, value, bits);
}

const PtxSlot* slot_of(PtxFrame& frame, const PtxOperand& operand) {
  if (operand.kind == PtxOperandKind::placeholder) {
    const auto index = static_cast<size_t>(operand.index);
    return operand.index >= 0 && index < frame.operands.size() ? &frame.operands[index] : nullptr;
  }
  const auto found = frame.registers.find(operand.text);
  return found == frame.registers.end() ? nullptr : &found->second;
}

llvm::Value* fail(PtxFrame& frame, unsigned bits) {
  frame.failed = true;
  return int_constant(frame, bits, 0);
}

unsigned width_of(PtxFrame& frame, const PtxOperand& operand) {
  const PtxSlot* const slot = slot_of(frame, operand);
  if (slot == nullptr) return 64;
  return slot->type->isPointerTy() ? 64 : slot->type->getScalarSizeInBits();
}

}  // namespace

std::optional<PtxType> ptx_type(std::string_view modifier) {
  if (modifier == "pred") return PtxType{'p', 1, false};
  if (modifier == "tf32") return PtxType{'b', 32, false};
  PtxType type;
  if (modifier.starts_with("bf")) {
    type.kind = 'h';
    modifier.remove_prefix(2);
  } else if (!modifier.empty() && std::strchr("busf", modifier.front()) != nullptr) {
    type.kind = modifier.front();
    modifier.remove_prefix(1);
  } else {
    return std::nullopt;
  }
  if (modifier.ends_with("x2")) {
    type.packed = true;
    modifier.remove_suffix(2);
  }
  const auto [end, failure] =
      std::from_chars(modifier.data(), modifier.data() + modifier.size(), type.bits);
  const bool known =
      type.bits == 8 || type.bits == 16 || type.bits == 32 || type.bits == 64 || type.bits == 128;
  if (failure != std::errc() || end != modifier.data() + modifier.size() || !known) {
    return std::nullopt;
  }
  return type;
}

PtxType type_of(const PtxInstruction& instruction) {
  for (size_t i = instruction.modifiers.size(); i-- > 0;) {
    if (const auto type = ptx_type(instruction.modifiers[i])) return *type;
  }
  return {};
}

PtxSlot new_slot(PtxFrame& frame, llvm::Type* type) {
  llvm::IRBuilder<> builder(frame.entry);  // which has no end yet
  llvm::AllocaInst* address = builder.CreateAlloca(type);
  builder.CreateStore(llvm::Constant::getNullValue(type), address);
  return {address, type};
}

llvm::IntegerType* int_type(PtxFrame& frame, unsigned bits) {
  return frame.builder.getIntNTy(bits);
}

llvm::Value* int_constant(PtxFrame& frame, unsigned bits, uint64_t value) {
  return llvm::ConstantInt::get(frame.builder.getContext(),
                                llvm::APInt(64, value).zextOrTrunc(bits));
}

llvm::Value* resized(PtxFrame& frame, llvm::Value* value, unsigned bits, bool is_signed) {
  return frame.builder.CreateIntCast(value, int_type(frame, bits), is_signed);
}

llvm::Value* read(PtxFrame& frame, const PtxOperand& operand, unsigned bits) {
  llvm::IRBuilder<>& b = frame.builder;
  if (const PtxSlot* slot = slot_of(frame, operand)) return from_slot(frame, *slot, bits);
  if (operand.kind == PtxOperandKind::immediate) {
    const auto value = operand.bits ? operand.bits : decimal_bits(operand.text, bits);
    return value ? int_constant(frame, bits, *value) : fail(frame, bits);
  }
  if (operand.kind == PtxOperandKind::special) {
    llvm::Value* value = special_register(frame, operand.text);
    return value == nullptr ? fail(frame, bits) : resized(frame, value, bits);
  }
  if (operand.text == "WARP_SZ") return int_constant(frame, bits, 32);
  if (operand.kind == PtxOperandKind::list && !operand.parts.empty()) {  // {low, high}: packed
    const unsigned each = bits / static_cast<unsigned>(operand.parts.size());
    llvm::Value* out = int_constant(frame, bits, 0);
    for (size_t i = 0; i < operand.parts.size(); ++i) {
      llvm::Value* part = resized(frame, read(frame, operand.parts[i], each), bits);
      out = b.CreateOr(out, b.CreateShl(part, each * i));
    }
    return out;
  }
  return fail(frame, bits);
}

llvm::Value* read(PtxFrame& frame, const PtxInstruction& instruction, size_t index, unsigned bits) {
  if (index >= instruction.operands.size()) return fail(frame, bits);
  return read(frame, instruction.operands[index], bits);
}

llvm::Value* read_predicate(PtxFrame& frame, const PtxOperand& operand) {
  const unsigned bits = operand.kind == PtxOperandKind::immediate ? 32 : width_of(frame, operand);
  llvm::Value* value = read(frame, operand, bits);
  value = frame.builder.CreateICmpNE(value, int_constant(frame, bits, 0));
  return operand.negated ? frame.builder.CreateNot(value) : value;
}

void write(PtxFrame& frame, const PtxOperand& operand, llvm::Value* value, bool is_signed) {
  llvm::IRBuilder<>& b = frame.builder;
  if (operand.kind == PtxOperandKind::list) {
    const unsigned bits = value->getType()->getIntegerBitWidth();
    const auto count = static_cast<unsigned>(operand.parts.size());
    for (unsigned i = 0; i < count; ++i) {
      llvm::Value* part = b.CreateLShr(value, uint64_t{bits / count * i});
      write(frame, operand.parts[i], resized(frame, part, bits / count));
    }
    return;
  }
  if (operand.text == "_") return;
  const PtxSlot* const slot = slot_of(frame, operand);
  if (slot == nullptr) {
    frame.failed = true;
    return;
  }
  const unsigned own = width_of(frame, operand);
  value = resized(frame, value, own, is_signed);
  if (slot->type->isPointerTy()) value = b.CreateIntToPtr(value, slot->type);
  if (slot->type->isFloatingPointTy()) value = b.CreateBitCast(value, slot->type);
  b.CreateStore(value, slot->address);
}

/// `low` is the low half of an address within 2 GiB of the block's dynamic shared memory.
llvm::Value* completed_address(PtxFrame& frame, llvm::Value* low) {
  llvm::IRBuilder<>& b = frame.builder;
  llvm::GlobalVariable* holder = frame.module.getNamedGlobal(kDynamicShared);
  if (holder == nullptr) return fail(frame, 64);
  llvm::Value* base = holder;
  if (holder->isThreadLocal()) base = b.CreateThreadLocalAddress(holder);
  base = b.CreatePtrToInt(base, b.getInt64Ty());
  llvm::Value* distance = b.CreateSub(low, b.CreateTrunc(base, b.getInt32Ty()));
  return b.CreateAdd(base, b.CreateSExt(distance, b.getInt64Ty()));
}

llvm::Value* read_address(PtxFrame& frame, const PtxOperand& address, bool is_shared) {
  llvm::IRBuilder<>& b = frame.builder;
  if (address.kind != PtxOperandKind::address || address.parts.size() != 1) {
    return b.CreateIntToPtr(fail(frame, 64), b.getPtrTy());
  }
  const PtxOperand& base = address.parts[0];
  const bool cut = is_shared || width_of(frame, base) == 32;
  llvm::Value* value = read(frame, base, cut ? 32 : 64);
  if (cut) value = completed_address(frame, value);
  value = b.CreateAdd(value, int_constant(frame, 64, static_cast<uint64_t>(address.offset)));
  return b.CreateIntToPtr(value, b.getPtrTy());
}

llvm::Value* special_register(PtxFrame& frame, std::string_view name) {
  llvm::IRBuilder<>& b = frame.builder;
  constexpr std::pair<std::string_view, unsigned> kTriples[] = {
      {"tid", kThread}, {"ntid", kBlockSize}, {"ctaid", kBlock}, {"nctaid", kGridSize}};
  for (const auto& [stem, word] : kTriples) {
    if (name.size() != stem.size() + 2 || !name.starts_with(stem)) continue;
    const char axis = name.back();
    if (name[stem.size()] == '.' && axis >= 'x' && axis <= 'z') {
      return self_word(frame, word + static_cast<unsigned>(axis - 'x'));
    }
  }
  if (name == "laneid") return self_word(frame, kLane);
  if (name == "warpid") return self_word(frame, kWave);
  if (name == "WARP_SZ") return self_word(frame, kWaveWidth);
  if (name == "dynamic_smem_size") return self_word(frame, kDynamicBytes);
  if (name.starts_with("lanemask_")) return lane_mask(frame, name.substr(9));
  if (name == "smid") return b.getInt32(0);  // as the port's functions have it
  if (name == "nsmid") return b.getInt32(16 << 8);
  const bool upper = name == "clock_hi" || name == "globaltimer_hi";
  if (upper || name == "clock" || name == "clock64" || name == "globaltimer" ||
      name == "globaltimer_lo") {
    llvm::Value* time = call_runtime(frame, "ambidex_simt_clock", b.getInt64Ty(), {});
    return upper ? b.CreateLShr(time, 32) : time;
  }
  return nullptr;
}

llvm::Value* call_runtime(PtxFrame& frame, std::string_view name, llvm::Type* result,
                          const std::vector<llvm::Value*>& arguments) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  const llvm::FunctionCallee callee = frame.module.getOrInsertFunction(
      llvm::StringRef(name.data(), name.size()), llvm::FunctionType::get(result, types, false));
  llvm::CallInst* call = frame.builder.CreateCall(callee, arguments);
  call->setConvergent();  // neither duplicated nor merged: lanes meet at the call
  call->addFnAttr(llvm::Attribute::NoMerge);
  return call;
}

}  // namespace ambidex
