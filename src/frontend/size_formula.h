// SPDX-License-Identifier: Apache-2.0
// Host expressions of a launch (grid, block, bytes) as formulas in the kernel's parameters; the
// language is that of port/formula.h.
#pragma once

#include <clang/AST/Expr.h>

#include <map>
#include <optional>
#include <set>
#include <string>

namespace ambidex {

/// What names mean at a launch site.
struct SizeNames {
  const clang::ASTContext* ast = nullptr;
  std::map<const clang::ValueDecl*, std::string> parameters;  // a host variable that is passed on
  std::set<const clang::ValueDecl*> reassigned;  // more than their initialiser: no formula
};

/// Nothing if the value depends on more than the kernel's parameters and constants.
std::optional<std::string> size_formula(const clang::Expr& expression, const SizeNames& names);

/// x, y and z of a dim3, or of what converts to one; missing ones are "1".
std::optional<std::array<std::string, 3>> dim3_formulas(const clang::Expr& expression,
                                                        const SizeNames& names);

}  // namespace ambidex
