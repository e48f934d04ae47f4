// SPDX-License-Identifier: Apache-2.0
#include "frontend/prelude.h"

#include <clang/Frontend/FrontendAction.h>
#include <clang/Serialization/ASTWriter.h>
#include <clang/Serialization/PCHContainerOperations.h>

#include "frontend/invocation.h"

namespace ambidex {
namespace {

class Precompile : public clang::ASTFrontendAction {
 public:
  std::shared_ptr<clang::PCHBuffer> buffer = std::make_shared<clang::PCHBuffer>();

 protected:
  clang::TranslationUnitKind getTranslationUnitKind() override { return clang::TU_Prefix; }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    return std::make_unique<clang::PCHGenerator>(
        compiler.getPreprocessor(), compiler.getModuleCache(), "", "", buffer,
        compiler.getCodeGenOpts(), llvm::ArrayRef<std::shared_ptr<clang::ModuleFileExtension>>());
  }
};

}  // namespace

std::string precompiled_prelude(const std::vector<std::string>& arguments) {
  const Unit unit{.path = "/ambidex/data/cuda/ambidex_scan/prelude.h",
                  .dialect = Dialect::cuda,
                  .pass = Pass::host,
                  .arch = {},
                  .arguments = arguments};
  clang::IgnoringDiagConsumer diagnostics;
  const auto compiler = compiler_of(unit, diagnostics);
  if (!compiler) return {};
  compiler->getFrontendOpts().SkipFunctionBodies = true;
  compiler->getLangOpts().CompilingPCH = true;
  Precompile action;
  const bool done = compiler->ExecuteAction(action) && action.buffer->IsComplete;
  if (!done || compiler->getDiagnostics().hasErrorOccurred()) return {};
  return {action.buffer->Data.begin(), action.buffer->Data.end()};
}

}  // namespace ambidex
