// SPDX-License-Identifier: Apache-2.0
#include "frontend/ptx_lower.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Module.h>

#include "frontend/assembly.h"
#include "frontend/ptx_frame.h"

namespace ambidex {
namespace {

using Constraints = llvm::InlineAsm::ConstraintInfoVector;

/// Of the caller's, so that it can be inlined into it, and its accesses are seen like the caller's.
llvm::Function* new_function(llvm::CallBase& call) {
  llvm::Module& module = *call.getModule();
  auto* function = llvm::Function::Create(call.getFunctionType(), llvm::Function::InternalLinkage,
                                          "ambidex_ptx", module);
  llvm::AttrBuilder attributes(module.getContext(),
                               call.getFunction()->getAttributes().getFnAttrs());
  for (const auto kind : {llvm::Attribute::NoInline, llvm::Attribute::OptimizeNone,
                          llvm::Attribute::MustProgress, llvm::Attribute::NoRecurse}) {
    attributes.removeAttribute(kind);
  }
  attributes.addAttribute(llvm::Attribute::AlwaysInline);
  function->addFnAttrs(attributes);
  return function;
}

llvm::Type* output_type(llvm::CallBase& call, unsigned index, unsigned count) {
  return count == 1 ? call.getType() : call.getType()->getStructElementType(index);
}

/// A slot for each output and input; outputs that are inputs too start with that value.
bool add_operands(PtxFrame& frame, llvm::CallBase& call, const Constraints& constraints,
                  llvm::Function& function, unsigned num_outputs) {
  unsigned output = 0, argument = 0;
  for (const llvm::InlineAsm::ConstraintInfo& it : constraints) {
    if (it.Type == llvm::InlineAsm::isClobber) continue;
    if (it.isIndirect || it.Type == llvm::InlineAsm::isLabel) return false;
    if (it.Type == llvm::InlineAsm::isOutput) {
      frame.operands.push_back(new_slot(frame, output_type(call, output++, num_outputs)));
      continue;
    }
    llvm::Value* value = function.getArg(argument++);
    const PtxSlot slot = new_slot(frame, value->getType());
    llvm::IRBuilder<> builder(frame.entry);
    builder.CreateStore(value, slot.address);
    frame.operands.push_back(slot);
    if (!it.hasMatchingInput() && !it.Codes.empty() &&
        it.Codes[0].find_first_not_of("0123456789") == std::string::npos) {
      const PtxSlot& tied = frame.operands[std::stoul(it.Codes[0])];
      if (tied.type != value->getType()) return false;
      builder.CreateStore(value, tied.address);
    }
  }
  return true;
}

bool add_registers(PtxFrame& frame, const PtxCode& code) {
  for (const PtxRegister& declared : code.registers) {
    const auto type = ptx_type(declared.type);
    if (!type || declared.count > 256) return false;
    const unsigned bits = type->kind == 'p' ? 1 : type->bits * (type->packed ? 2 : 1);
    // .reg .b32 %%r1: as it is used, without its %
    const std::string name = declared.name.substr(declared.name.starts_with('%') ? 1 : 0);
    if (declared.count == 0) frame.registers[name] = new_slot(frame, int_type(frame, bits));
    for (int64_t i = 0; i < declared.count; ++i) {
      frame.registers[name + std::to_string(i)] = new_slot(frame, int_type(frame, bits));
    }
  }
  return true;
}

void add_labels(PtxFrame& frame, const PtxCode& code, llvm::Function& function) {
  const auto add = [&](const std::string& label) {
    frame.labels[label] = llvm::BasicBlock::Create(frame.builder.getContext(), label, &function);
  };
  for (const PtxInstruction& instruction : code.instructions) {
    for (const std::string& label : instruction.labels) add(label);
  }
  for (const std::string& label : code.end_labels) add(label);
}

bool lower_branch(PtxFrame& frame, const PtxInstruction& instruction) {
  if (instruction.mnemonic != "bra" || instruction.operands.size() != 1) return false;
  const auto found = frame.labels.find(instruction.operands[0].text);
  if (found == frame.labels.end()) return false;
  frame.builder.CreateBr(found->second);
  return true;
}

bool lower_one(PtxFrame& frame, const PtxInstruction& instruction) {
  constexpr bool (*kFamilies[])(PtxFrame&, const PtxInstruction&) = {
      lower_branch,     lower_comparison, lower_integer, lower_bits,  lower_float,
      lower_conversion, lower_memory,     lower_warp,    lower_matrix};
  for (const auto family : kFamilies) {
    if (family(frame, instruction)) return !frame.failed;
    if (frame.failed) return false;
  }
  return false;
}

llvm::Value* guard_of(PtxFrame& frame, const PtxInstruction& instruction) {
  PtxOperand guard;
  guard.text = instruction.guard;
  guard.negated = instruction.guard_negated;
  if (guard.text.starts_with('%')) guard.text.erase(0, 1);
  const bool is_number = guard.text.find_first_not_of("0123456789") == std::string::npos;
  if (is_number && !guard.text.empty() && guard.text.size() < 4) {
    guard.kind = PtxOperandKind::placeholder;
    guard.index = std::stol(guard.text);
  }
  return read_predicate(frame, guard);
}

void enter(PtxFrame& frame, llvm::BasicBlock* block) {
  if (frame.builder.GetInsertBlock()->getTerminator() == nullptr) frame.builder.CreateBr(block);
  frame.builder.SetInsertPoint(block);
}

bool lower_all(PtxFrame& frame, const PtxCode& code, llvm::Function& function) {
  llvm::LLVMContext& context = frame.builder.getContext();
  for (const PtxInstruction& instruction : code.instructions) {
    for (const std::string& label : instruction.labels) enter(frame, frame.labels[label]);
    llvm::BasicBlock* after = nullptr;
    if (!instruction.guard.empty()) {
      auto* inside = llvm::BasicBlock::Create(context, "", &function);
      after = llvm::BasicBlock::Create(context, "", &function);
      frame.builder.CreateCondBr(guard_of(frame, instruction), inside, after);
      frame.builder.SetInsertPoint(inside);
    }
    if (!lower_one(frame, instruction)) return false;
    if (frame.builder.GetInsertBlock()->getTerminator() != nullptr && after == nullptr) {
      after = llvm::BasicBlock::Create(context, "", &function);
    }
    if (after != nullptr) enter(frame, after);
  }
  for (const std::string& label : code.end_labels) enter(frame, frame.labels[label]);
  return true;
}

void return_outputs(PtxFrame& frame, llvm::Type* type, unsigned num_outputs) {
  llvm::IRBuilder<>& b = frame.builder;
  if (num_outputs == 0) {
    b.CreateRetVoid();
  } else if (num_outputs == 1) {
    b.CreateRet(b.CreateLoad(type, frame.operands[0].address));
  } else {
    llvm::Value* all = llvm::PoisonValue::get(type);
    for (unsigned i = 0; i < num_outputs; ++i) {
      const PtxSlot& slot = frame.operands[i];
      all = b.CreateInsertValue(all, b.CreateLoad(slot.type, slot.address), i);
    }
    b.CreateRet(all);
  }
}

bool fill(llvm::Function& function, llvm::CallBase& call, const PtxCode& code) {
  llvm::LLVMContext& context = function.getContext();
  auto* entry = llvm::BasicBlock::Create(context, "entry", &function);
  auto* body = llvm::BasicBlock::Create(context, "body", &function);
  llvm::IRBuilder<> builder(body);
  PtxFrame frame{.builder = builder,
                 .module = *function.getParent(),
                 .entry = entry,
                 .operands = {},
                 .registers = {},
                 .labels = {}};
  const auto* assembly = llvm::cast<llvm::InlineAsm>(call.getCalledOperand());
  const Constraints constraints = assembly->ParseConstraints();
  unsigned num_outputs = 0;
  for (const auto& it : constraints) num_outputs += it.Type == llvm::InlineAsm::isOutput ? 1 : 0;
  if (!add_operands(frame, call, constraints, function, num_outputs)) return false;
  if (!add_registers(frame, code)) return false;
  frame.carry = new_slot(frame, builder.getInt1Ty()).address;
  add_labels(frame, code, function);
  if (!lower_all(frame, code, function) || frame.failed) return false;
  return_outputs(frame, call.getType(), num_outputs);
  llvm::IRBuilder<>(entry).CreateBr(body);
  return true;
}

}  // namespace

bool lower_ptx(llvm::CallBase& call, std::string_view text) {
  if (!llvm::isa<llvm::CallInst>(call)) return false;
  const PtxCode code = parse_ptx(text);
  if (!code.problems.empty()) return false;
  llvm::Function* function = new_function(call);
  if (!fill(*function, call, code)) {
    function->dropAllReferences();
    function->eraseFromParent();
    return false;
  }
  llvm::IRBuilder<> builder(&call);
  const std::vector<llvm::Value*> arguments(call.arg_begin(), call.arg_end());
  llvm::CallInst* replacement = builder.CreateCall(function, arguments);
  replacement->setDebugLoc(call.getDebugLoc());
  replacement->setConvergent();
  call.replaceAllUsesWith(replacement);
  call.eraseFromParent();
  return true;
}

bool lower_assembly(const Assembly& assembly) {
  return !assembly.hip && lower_ptx(*assembly.call, assembly.text);
}

}  // namespace ambidex
