// SPDX-License-Identifier: Apache-2.0
// Registers, labels and operands of PTX as names of C++.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "frontend/ptx.h"

namespace ambidex {

/// "ptx_p" of p and %p: no word that an operand's expression may have. Empty if C++ has none.
std::string spelled(std::string_view name);
/// The declaration of `name`, which may be one of r<4>; null if there is none.
const PtxRegister* register_of(const PtxCode& code, std::string_view name);
bool has_label(const PtxCode& code, std::string_view name);

const AsmOperand* operand_of(const AsmStatement& statement, int64_t index);
/// The letter of "=r"; '?' if there is none.
char constraint_of(const AsmOperand& operand);

/// Declarations of copies of inputs that are read after an output is written, which may be the same
/// variable, and of operands that are named twice but may be evaluated once; the statements then
/// name the copies.
std::string copies_of(const AsmStatement& statement, std::vector<std::string>& statements);

}  // namespace ambidex
