// SPDX-License-Identifier: Apache-2.0
// Arithmetic in half and bfloat16: what rounds a result to 16 bits, as against what moves, converts
// or selects such numbers.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

namespace ambidex {

/// Whether a header of ours, CUDA's stand-in, declares it.
bool is_of_our_headers(const clang::FunctionDecl& function);

/// Whether it is of the header that ports bring along.
bool is_of_port(const clang::FunctionDecl& function);

/// By functions and operators of our headers.
bool is_small_arithmetic(const clang::CallExpr& call, const clang::FunctionDecl& callee);

/// By the text of inline assembly, of f16, bf16, f16x2 ...
bool is_small_assembly(llvm::StringRef text);

}  // namespace ambidex
