// SPDX-License-Identifier: Apache-2.0
#include "frontend/small_arithmetic.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/SourceManager.h>

#include <string>

#include "base/word_list.h"
#include "frontend/headers.h"

namespace ambidex {

bool is_of_our_headers(const clang::FunctionDecl& function) {
  const clang::SourceManager& sources = function.getASTContext().getSourceManager();
  return is_header_of_ours(sources.getFilename(sources.getExpansionLoc(function.getLocation())));
}

bool is_of_port(const clang::FunctionDecl& function) {
  return function.getQualifiedNameAsString().starts_with("ambidex_port::");
}

namespace {

bool is_small_float(clang::QualType type) {
  const auto* record = type.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
  if (record == nullptr || record->getIdentifier() == nullptr) return false;
  const llvm::StringRef name = record->getName();
  return name == "__half" || name == "__half2" || name == "__nv_bfloat16" ||
         name == "__nv_bfloat162";
}

// A product of fragments that is summed in 16 bits: mma_sync(accumulator of half, ...).
bool is_small_product(const clang::CallExpr& call, llvm::StringRef name) {
  if (name != "mma_sync" || call.getNumArgs() == 0) return false;
  const std::string type = call.getArg(0)->getType().getCanonicalType().getAsString();
  return type.find("__half") != std::string::npos;
}

}  // namespace

// Calls that round to 16 bits what they compute; others move, convert or select.
bool is_small_arithmetic(const clang::CallExpr& call, const clang::FunctionDecl& callee) {
  if (!is_of_our_headers(callee)) return false;
  const auto* const identifier = callee.getIdentifier();
  if (identifier != nullptr && is_small_product(call, identifier->getName())) return true;
  if (!is_small_float(callee.getReturnType())) return false;
  if (identifier != nullptr) {
    return has_any(
        identifier->getName(),
        {"add", "Add",  "sub",  "hmul",  "hdiv",  "hfma", "hcmadd", "exp",    "log", "sqrt",
         "rcp", "hsin", "hcos", "h2sin", "h2cos", "tanh", "reduce", "Reduce", "Sum", "scan"});
  }
  switch (callee.getOverloadedOperator()) {
    case clang::OO_Plus:
    case clang::OO_Minus:
      return call.getNumArgs() == 2;
    case clang::OO_Star:
    case clang::OO_Slash:
    case clang::OO_PlusEqual:
    case clang::OO_MinusEqual:
    case clang::OO_StarEqual:
    case clang::OO_SlashEqual:
      return true;
    default:
      return false;
  }
}

// Of f16, bf16, f16x2 ...: instructions that round their result to it.
bool is_small_assembly(llvm::StringRef text) {
  if (!text.contains("f16")) return false;
  if (text.contains("mma")) return !text.contains(".f32");
  return has_any(text, {"add", "sub", "mul", "fma", "ex2", "tanh", "rcp", "sqrt"});
}

}  // namespace ambidex
