// SPDX-License-Identifier: Apache-2.0
#include "frontend/stand_ins.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <optional>
#include <string>

#include "frontend/function_costs.h"
#include "frontend/instruction_table.h"

namespace ambidex {
namespace {

bool has(llvm::StringRef name, llvm::StringRef part) { return name.contains(part); }

// wmma's loops over fragments: their accesses count, their arithmetic of indices is ours.
bool is_of_fragments(llvm::StringRef symbol) {
  return symbol.starts_with("_ZN6nvcuda4wmma") &&
         (has(symbol, "_matrix_sync") || has(symbol, "13fill_fragment") ||
          has(symbol, "8mma_sync"));
}

bool is_conversion(llvm::StringRef symbol) {
  return symbol.starts_with("_ZN12ambidex_cuda6encode") ||
         symbol.starts_with("_ZN12ambidex_cudaL6encode") || has(symbol, "15decode_binary16");
}

std::string base_name(const std::string& symbol) {
  llvm::ItaniumPartialDemangler demangler;
  if (demangler.partialDemangle(symbol.c_str())) return "";
  char* name = demangler.getFunctionBaseName(nullptr, nullptr);
  const std::string base = name == nullptr ? "" : name;
  std::free(name);
  return base;
}

// Of __half and __nv_bfloat16, and of the pairs of them that one instruction serves.
std::optional<InstructionTable> small_float_table(llvm::StringRef symbol) {
  if (!has(symbol, "6__half") && !has(symbol, "7__half2") && !has(symbol, "__nv_bfloat16")) {
    return {};
  }
  const std::string base = base_name(symbol.str());
  const llvm::StringRef name(base);
  if (!name.starts_with("__h") || name.starts_with("__half")) return {};
  const uint32_t each = name.contains("fma") ? 2 : 1;
  const bool computes = name.contains("fma") || name.contains("add") || name.contains("sub") ||
                        name.contains("mul") || name.contains("div");
  InstructionTable table;
  table.add(SimtInstruction::f16, 1);
  table.flop[0] = computes ? each * (name.ends_with("2") || name.contains("2_") ? 2 : 1) : 0;
  return table;
}

std::optional<InstructionTable> table_of(llvm::StringRef symbol) {
  if (is_of_fragments(symbol)) return InstructionTable{};
  InstructionTable table;
  if (is_conversion(symbol)) {
    table.add(SimtInstruction::f32, 1);
    return table;
  }
  if (const auto cost = cost_of_intrinsic(base_name(symbol.str()))) {
    table.add(SimtInstruction::f32, cost->num);
    table.add(SimtInstruction::special, cost->num_special);
    table.flop[1] = 1;
    return table;
  }
  return small_float_table(symbol);
}

void mark(llvm::Function& function, const InstructionTable& table, llvm::FunctionCallee note) {
  llvm::Module& module = *function.getParent();
  llvm::BasicBlock& entry = function.getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  builder.CreateCall(note, {table.constant_in(module)});
  auto* end = llvm::ConstantPointerNull::get(builder.getPtrTy());
  for (llvm::BasicBlock& block : function) {
    if (!llvm::isa<llvm::ReturnInst>(block.getTerminator())) continue;
    builder.SetInsertPoint(block.getTerminator());
    builder.CreateCall(note, {end});
  }
}

}  // namespace

void mark_stand_ins(llvm::Module& module) {
  llvm::FunctionCallee note =
      module.getOrInsertFunction(kStandIn, llvm::Type::getVoidTy(module.getContext()),
                                 llvm::PointerType::getUnqual(module.getContext()));
  llvm::cast<llvm::Function>(note.getCallee())->setDoesNotThrow();
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (const auto table = table_of(function.getName())) mark(function, *table, note);
  }
}

}  // namespace ambidex
