// SPDX-License-Identifier: Apache-2.0
// Finds the launches of a HIP source, with what of their configuration is constant.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Mangle.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/FrontendAction.h>

#include "frontend/object.h"

namespace ambidex {
namespace {

int64_t constant(const clang::Expr* expression, const clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (expression == nullptr || expression->isValueDependent()) return -1;
  if (!expression->EvaluateAsInt(result, context)) return -1;
  const llvm::APSInt& value = result.Val.getInt();
  return value.isRepresentableByInt64() ? value.getExtValue() : -1;
}

// Threads of a dim3: its value if clang can evaluate it, members x y z in that order.
int64_t threads_of(const clang::Expr* block, const clang::ASTContext& context) {
  clang::Expr::EvalResult result;
  if (block == nullptr || block->isValueDependent()) return -1;
  if (!block->EvaluateAsRValue(result, context) || !result.Val.isStruct()) return -1;
  int64_t threads = 1;
  if (result.Val.getStructNumFields() != 3) return -1;
  for (unsigned i = 0; i < 3; ++i) {
    const clang::APValue& field = result.Val.getStructField(i);
    if (!field.isInt()) return -1;
    threads *= field.getInt().getExtValue();
  }
  return threads;
}

class Visitor : public clang::DynamicRecursiveASTVisitor {
 public:
  Visitor(clang::ASTContext& context, HostFindings& findings)
      : context_(context), names_(context.createMangleContext()), findings_(findings) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitFunctionDecl(clang::FunctionDecl* kernel) override {
    if (!kernel->hasAttr<clang::CUDAGlobalAttr>() || kernel->isDependentContext()) return true;
    nlohmann::json& list = findings_.parameters[symbol_of(*kernel)];
    list = nlohmann::json::array();
    for (const clang::ParmVarDecl* parameter : kernel->parameters()) {
      list.push_back({{"name", parameter->getNameAsString()},
                      {"type", parameter->getType().getAsString(context_.getPrintingPolicy())}});
    }
    return true;
  }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) override {
    const clang::FunctionDecl* kernel = call->getDirectCallee();
    const clang::CallExpr* configuration = call->getConfig();
    if (kernel == nullptr || configuration == nullptr || configuration->getNumArgs() < 2 ||
        kernel->isDependentContext() || call->isTypeDependent()) {
      return true;
    }
    ObjectLaunch site;
    site.symbol = symbol_of(*kernel);
    const clang::SourceManager& sources = context_.getSourceManager();
    const clang::PresumedLoc place = sources.getPresumedLoc(call->getBeginLoc());
    if (place.isValid()) {
      site.file = place.getFilename();
      site.line = place.getLine();
    }
    site.threads = threads_of(configuration->getArg(1), context_);
    site.dynamic_bytes =
        configuration->getNumArgs() > 2 ? constant(configuration->getArg(2), context_) : 0;
    findings_.launches.push_back(std::move(site));
    return true;
  }

 private:
  std::string symbol_of(const clang::FunctionDecl& kernel) {
    std::string symbol;
    llvm::raw_string_ostream stream(symbol);
    names_->mangleName(clang::GlobalDecl(&kernel, clang::KernelReferenceKind::Kernel), stream);
    return symbol;
  }

  clang::ASTContext& context_;
  std::unique_ptr<clang::MangleContext> names_;
  HostFindings& findings_;
};

class Consumer : public clang::ASTConsumer {
 public:
  explicit Consumer(HostFindings& findings) : findings_(findings) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    if (context.getDiagnostics().hasErrorOccurred()) return;
    Visitor(context, findings_).TraverseDecl(context.getTranslationUnitDecl());
  }

 private:
  HostFindings& findings_;
};

class Action : public clang::ASTFrontendAction {
 public:
  explicit Action(HostFindings& findings) : findings_(findings) {}

 protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                        llvm::StringRef) override {
    return std::make_unique<Consumer>(findings_);
  }

 private:
  HostFindings& findings_;
};

}  // namespace

std::unique_ptr<clang::FrontendAction> host_finder(HostFindings& findings) {
  return std::make_unique<Action>(findings);
}

}  // namespace ambidex
