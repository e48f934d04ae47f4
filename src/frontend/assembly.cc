// SPDX-License-Identifier: Apache-2.0
#include "frontend/assembly.h"

#include <fmt/format.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace ambidex {
namespace {

// Undoes clang's rewriting for x86: $0 is %0, ${1:x} %x1, $$ a dollar, and $( $| $) were braces.
std::string as_written(llvm::StringRef text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char next = text[++i];
    if (next == '(') {
      out += '{';
    } else if (next == ')') {
      out += '}';
    } else if (next == '|' || next == '$') {
      out += next;
    } else if (next == '{') {
      const size_t end = text.find('}', i);
      const auto [number, modifier] = text.slice(i + 1, end).split(':');
      out += "%" + modifier.str() + number.str();
      i = end;
    } else {
      out += '%';
      out += next;
    }
  }
  return out;
}

void trap(const Assembly& assembly) {
  llvm::IRBuilder<> builder(assembly.call);
  llvm::Module& module = *assembly.call->getModule();
  std::string text = assembly.text;
  for (char& letter : text) {
    if (letter == '\n' || letter == '\t') letter = ' ';
  }
  llvm::Value* reason = builder.CreateGlobalString(
      fmt::format("asm \"{}\": the executor does not know this instruction", text));
  const llvm::FunctionCallee callee =
      module.getOrInsertFunction("ambidex_simt_trap", builder.getVoidTy(), builder.getPtrTy());
  builder.CreateCall(callee, {reason});
  if (!assembly.call->getType()->isVoidTy()) {
    assembly.call->replaceAllUsesWith(llvm::Constant::getNullValue(assembly.call->getType()));
  }
  assembly.call->eraseFromParent();
}

bool is_blank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

}  // namespace

void replace_assembly(llvm::Module& module, bool hip) {
  std::vector<Assembly> found;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || !call->isInlineAsm()) continue;
      const auto* assembly = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
      found.push_back(
          {call, as_written(assembly->getAsmString()), assembly->getConstraintString().str(), hip});
    }
  }
  for (const Assembly& assembly : found) {
    if (is_blank(assembly.text)) continue;  // only a fence for the compiler, and stays one
    if (!lower_assembly(assembly)) trap(assembly);
  }
}

}  // namespace ambidex
