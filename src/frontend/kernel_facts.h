// SPDX-License-Identifier: Apache-2.0
// What a kernel's source says of its contract.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <nlohmann/json.hpp>

namespace ambidex {

/// The kernel's name in object code; what links its facts, launches and compiled code.
std::string mangled_kernel(const clang::FunctionDecl& kernel);

/// {"kernel", "name", "file", "line", "end_line", "parameters": [{"name", "type", "kind",
/// "element", "num_bytes", "constant"}], "max_threads", "reorders", "approximates",
/// "small_arithmetic", "scopes", "compared", "loops": [[begin, end]], "device_functions": [{"name",
/// "file", "line", "end_line"}]}.
///   kind      scalar | pointer | struct | array_struct (a struct that holds pointers)
///   element   of a scalar or of what a pointer points to: names of port/element.h
///   small_arithmetic  results are rounded to half or bfloat16 on the way, not only where stored
///   scopes    of frontend/memory_scopes.h
///   reorders  float sums may be formed in another order (atomics, exchanges, shared memory)
nlohmann::json kernel_facts(const clang::FunctionDecl& kernel, const clang::ASTContext& ast);

/// The same of a template of kernels, of which no more than its place is known.
nlohmann::json template_facts(const clang::FunctionDecl& kernel, const clang::ASTContext& ast);

}  // namespace ambidex
