// SPDX-License-Identifier: Apache-2.0
// Which parts of the user's files only the host can run. What is not known to be the host's counts
// as the GPU's: types, constants, constexpr and lambdas may be used by either.
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/DenseMap.h>

#include <algorithm>

#include "frontend/pass_text.h"

namespace ambidex {
namespace {

class Ranges : public clang::RecursiveASTVisitor<Ranges> {
 public:
  Ranges(clang::ASTContext& context, PassText& text)
      : context_(context), sources_(context.getSourceManager()), text_(text) {}

  bool TraverseDecl(clang::Decl* decl) {
    const bool outermost = decl != nullptr && decl->getDeclContext() != nullptr &&
                           decl->getDeclContext()->isTranslationUnit();
    if (outermost && !is_users(decl->getLocation())) return true;
    return RecursiveASTVisitor::TraverseDecl(decl);
  }

  bool VisitFunctionDecl(clang::FunctionDecl* function) {
    if (function->isImplicit()) return true;
    const bool device = function->hasAttr<clang::CUDADeviceAttr>() ||
                        function->hasAttr<clang::CUDAGlobalAttr>() || function->isConstexpr();
    const clang::FunctionTemplateDecl* const pattern = function->getDescribedFunctionTemplate();
    add(pattern != nullptr ? pattern->getSourceRange() : function->getSourceRange(), device);
    return true;
  }

  bool VisitVarDecl(clang::VarDecl* variable) {
    const bool shared = variable->hasAttr<clang::CUDADeviceAttr>() ||
                        variable->hasAttr<clang::CUDAConstantAttr>() ||
                        variable->hasAttr<clang::HIPManagedAttr>() ||
                        variable->getType().isConstQualified() ||
                        variable->getType()->isReferenceType() || variable->isConstexpr();
    if (variable->isFileVarDecl() && !shared) add(variable->getSourceRange(), false);
    return true;
  }

  bool VisitLambdaExpr(clang::LambdaExpr* lambda) {
    add(lambda->getSourceRange(), true);
    return true;
  }

 private:
  bool is_users(clang::SourceLocation location) {
    if (location.isInvalid()) return false;
    const clang::FileID file = sources_.getFileID(sources_.getExpansionLoc(location));
    const auto [known, is_new] = is_foreign_.try_emplace(file, false);
    if (is_new) known->second = is_foreign_text(sources_, file);
    return !known->second;
  }

  void add(clang::SourceRange range, bool device) {
    const clang::CharSourceRange outer = sources_.getExpansionRange(range);
    if (outer.isInvalid()) return;
    const auto [file, begin] = sources_.getDecomposedLoc(outer.getBegin());
    const clang::SourceLocation last = outer.getEnd();
    const unsigned length = outer.isTokenRange() ? clang::Lexer::MeasureTokenLength(
                                                       last, sources_, context_.getLangOpts())
                                                 : 0;
    const auto [end_file, end] = sources_.getDecomposedLoc(last);
    const auto entry = sources_.getFileEntryRefForID(file);
    if (file != end_file || !entry) return;
    const auto known = std::find(text_.files.begin(), text_.files.end(), entry->getName());
    if (known == text_.files.end()) return;
    text_.ranges.push_back(
        {static_cast<uint32_t>(known - text_.files.begin()), begin, end + length, device});
  }

  clang::ASTContext& context_;
  const clang::SourceManager& sources_;
  PassText& text_;
  llvm::DenseMap<clang::FileID, bool> is_foreign_;  // it asks the file system
};

}  // namespace

void note_ranges(clang::ASTContext& context, PassText& text) {
  Ranges(context, text).TraverseDecl(context.getTranslationUnitDecl());
}

}  // namespace ambidex
