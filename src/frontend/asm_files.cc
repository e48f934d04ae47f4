// SPDX-License-Identifier: Apache-2.0
#include "frontend/asm_files.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/Diagnostic.h>

#include <array>
#include <string_view>

#include "base/text.h"

namespace ambidex {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";

// Comments may stand before an instruction.
std::string without_comments(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "/*") != 0) {
      out += text[at++];
      continue;
    }
    const size_t end = text.find("*/", at + 2);
    out += ' ';
    at = end == std::string::npos ? text.size() : end + 2;
  }
  return out;
}

// What an assembler's dialect gets of "{first|second}", as it is in a statement with operands.
std::string of_dialect(const std::string& text, int dialect) {
  std::string out;
  int alternative = -1;  // none: outside of braces
  for (size_t at = 0; at < text.size(); ++at) {
    const char letter = text[at];
    if (letter == '%' && at + 1 < text.size()) {
      const std::string_view pair = std::string_view(text).substr(at++, 2);
      if (alternative < 0 || alternative == dialect) out += pair;
    } else if (letter == '{') {
      alternative = 0;
    } else if (letter == '}') {
      alternative = -1;
    } else if (letter == '|' && alternative >= 0) {
      ++alternative;
    } else if (alternative < 0 || alternative == dialect) {
      out += letter;
    }
  }
  return out;
}

// "%=" is a number.
void number_copies(std::string& text) {
  for (size_t at = 0; (at = text.find("%=", at)) != std::string::npos;) text.replace(at, 2, 1, '0');
}

// Instruction, directive or label: the word that a statement begins with, past its labels.
std::string_view first_word(std::string_view statement) {
  for (;;) {
    const size_t begin = statement.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return {};
    statement.remove_prefix(begin);
    const std::string_view word = statement.substr(0, statement.find_first_of(kBlanks));
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos || word.find('%') < colon) return word;
    statement.remove_prefix(colon + 1);
  }
}

std::string why_refused_plain(const std::string& written) {
  static constexpr std::array<std::string_view, 6> kReaders{".incbin", ".include", ".macro",
                                                            ".irp",    ".rept",    ".altmacro"};
  const std::string text = to_lower(written);
  for (const std::string_view reader : kReaders) {
    if (text.find(reader) != std::string::npos) {
      return std::string(reader) + " may read any file into the program";
    }
  }
  return "";
}

// "%%" is the sign itself, as before a register.
bool has_operand(std::string_view word) {
  for (size_t at = word.find('%'); at != std::string_view::npos; at = word.find('%', at + 2)) {
    if (at + 1 < word.size() && word[at + 1] != '%') return true;
  }
  return false;
}

std::string why_refused_operands(std::string_view text) {
  while (!text.empty()) {
    const size_t end = text.find_first_of(";\n");
    if (has_operand(first_word(text.substr(0, end)))) {
      return "an operand stands in the place of an instruction";
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return "";
}

class AsmVisitor : public clang::DynamicRecursiveASTVisitor {
 public:
  explicit AsmVisitor(clang::DiagnosticsEngine& diagnostics) : diagnostics_(diagnostics) {
    ShouldVisitTemplateInstantiations = true;
    ShouldVisitImplicitCode = true;
  }
  bool VisitGCCAsmStmt(clang::GCCAsmStmt* statement) override {
    const bool has_operands = !statement->isSimple();
    judge(statement->getAsmLoc(), why_refused_asm(statement->getAsmString(), has_operands));
    return true;
  }
  bool VisitFileScopeAsmDecl(clang::FileScopeAsmDecl* decl) override {
    judge(decl->getAsmLoc(), why_refused_asm(decl->getAsmString(), false));
    return true;
  }

 private:
  void judge(clang::SourceLocation place, const std::string& why) {
    if (why.empty()) return;
    const unsigned id = diagnostics_.getCustomDiagID(
        clang::DiagnosticsEngine::Error, "this asm is not assembled: %0; put data into an array");
    diagnostics_.Report(place, id) << why;
  }

  clang::DiagnosticsEngine& diagnostics_;
};

class AsmConsumer : public clang::ASTConsumer {
 public:
  explicit AsmConsumer(clang::CompilerInstance& compiler) : compiler_(compiler) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    AsmVisitor(compiler_.getDiagnostics()).TraverseDecl(context.getTranslationUnitDecl());
  }

 private:
  clang::CompilerInstance& compiler_;
};

}  // namespace

std::string why_refused_asm(const std::string& text, bool has_operands) {
  constexpr int kDialects = 2;  // of x86: AT&T's and Intel's
  if (!has_operands) return why_refused_plain(without_comments(text));
  for (int dialect = 0; dialect < kDialects; ++dialect) {
    std::string chosen = without_comments(of_dialect(text, dialect));
    number_copies(chosen);
    std::string why = why_refused_plain(chosen);
    if (why.empty()) why = why_refused_operands(chosen);
    if (!why.empty()) return why;
  }
  return "";
}

std::unique_ptr<clang::ASTConsumer> refuse_asm_files(clang::CompilerInstance& compiler) {
  return std::make_unique<AsmConsumer>(compiler);
}

}  // namespace ambidex
