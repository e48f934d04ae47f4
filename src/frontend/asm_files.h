// SPDX-License-Identifier: Apache-2.0
// Assembly that reads files: the assembler opens them by itself, past all that clang is asked.
#pragma once

#include <clang/AST/ASTConsumer.h>
#include <clang/Frontend/CompilerInstance.h>

#include <memory>
#include <string>

namespace ambidex {

/// Why the text of an asm statement is refused: .incbin and .include, and what could write them
/// when it is assembled (macros, an operand in the place of an instruction); "" if it is not.
///   has_operands  % stands for an operand, as in a statement that has some
std::string why_refused_asm(const std::string& text, bool has_operands);

/// Makes every such asm of a translation unit an error, before another consumer emits it.
std::unique_ptr<clang::ASTConsumer> refuse_asm_files(clang::CompilerInstance& compiler);

}  // namespace ambidex
