// SPDX-License-Identifier: Apache-2.0
// Kernels: a function `void(void** arguments)` that calls one, and what its source says of it.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/IR/Function.h>

#include <nlohmann/json.hpp>
#include <string>

namespace ambidex {

/// Defines the thunk beside `kernel` and returns its name; arguments[i] points to parameter i.
std::string emit_thunk(clang::CodeGenerator& generator, llvm::Function& kernel,
                       const clang::FunctionDecl& decl);

/// {name, symbol, file, line, parameters, max_threads, min_blocks}; see docs of port/modules.h.
nlohmann::json describe_kernel(const clang::FunctionDecl& decl, const clang::ASTContext& context,
                               const std::string& symbol, int index);

}  // namespace ambidex
