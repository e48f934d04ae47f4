// SPDX-License-Identifier: Apache-2.0
// The command `facts`: kernels and their launches, from which contracts are proposed.
// Request {"file", "dialect": "cuda" | "hip", "arguments": [...]}; answer {"kernels": [...],
// "launches": [{"kernel", "file", "line", "grid", "block", "dynamic_shared_bytes", "arguments",
// "buffer_bytes"}], "main": bool, "errors": [...]}. A formula that is not known is null.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/DynamicRecursiveASTVisitor.h>
#include <clang/AST/ExprCXX.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ambidex/base.h"
#include "frontend/commands.h"
#include "frontend/invocation.h"
#include "frontend/kernel_facts.h"
#include "frontend/size_formula.h"
#include "port/trace.h"

namespace ambidex {
namespace {

using clang::dyn_cast;

const clang::ValueDecl* variable_of(const clang::Expr& expression) {
  const clang::Expr* const bare =
      expression.IgnoreParenCasts()->IgnoreImplicit()->IgnoreParenCasts();
  const auto* reference = dyn_cast<clang::DeclRefExpr>(bare);
  return reference ? dyn_cast<clang::ValueDecl>(reference->getDecl()->getCanonicalDecl()) : nullptr;
}

// Variables that change after their initialisation, and bytes of every allocation.
class Host : public clang::DynamicRecursiveASTVisitor {
 public:
  Host() { ShouldVisitTemplateInstantiations = true; }
  bool VisitBinaryOperator(clang::BinaryOperator* operation) override {
    if (operation->isAssignmentOp()) change(*operation->getLHS());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* operation) override {
    if (operation->isIncrementDecrementOp()) change(*operation->getSubExpr());
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    const clang::FunctionDecl* const callee = call->getDirectCallee();
    if (!callee || !callee->getIdentifier() || call->getNumArgs() < 2) return true;
    const llvm::StringRef name = callee->getName();
    if (name != "cudaMalloc" && name != "cudaMallocManaged" && name != "cudaMallocAsync" &&
        name != "hipMalloc" && name != "hipMallocManaged" && name != "hipMallocAsync") {
      return true;
    }
    const auto* address = dyn_cast<clang::UnaryOperator>(call->getArg(0)->IgnoreParenCasts());
    if (!address || address->getOpcode() != clang::UO_AddrOf) return true;
    if (const auto* variable = variable_of(*address->getSubExpr())) {
      allocations[variable] = call->getArg(1);
    }
    return true;
  }
  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* launch) override {
    if (!launch->isTypeDependent() && !launch->isValueDependent()) launches.push_back(launch);
    return true;
  }
  bool VisitFunctionDecl(clang::FunctionDecl* function) override {
    if (function->isMain() && function->hasBody()) has_main = true;
    if (function->hasAttr<clang::CUDAGlobalAttr>() && function->doesThisDeclarationHaveABody() &&
        std::string_view(function->getName()) != kLibraryKernel) {
      (function->isDependentContext() ? templates : kernels).push_back(function);
    }
    return true;
  }

  std::set<const clang::ValueDecl*> changed;
  std::map<const clang::ValueDecl*, const clang::Expr*> allocations;
  std::vector<const clang::CUDAKernelCallExpr*> launches;
  std::vector<const clang::FunctionDecl*> kernels;
  std::vector<const clang::FunctionDecl*> templates;  // of kernels
  bool has_main = false;

 private:
  void change(const clang::Expr& target) {
    const clang::Expr* place = target.IgnoreParenCasts();
    if (const auto* member = dyn_cast<clang::MemberExpr>(place)) place = member->getBase();
    if (const auto* variable = variable_of(*place)) changed.insert(variable);
  }
};

nlohmann::json optional_json(const std::optional<std::string>& text) {
  return text ? nlohmann::json(*text) : nlohmann::json();
}

nlohmann::json launch_facts(const clang::CUDAKernelCallExpr& launch, const Host& host,
                            const clang::ASTContext& ast) {
  const clang::FunctionDecl* const kernel = launch.getDirectCallee();
  const clang::CallExpr& config = *launch.getConfig();
  SizeNames names{.ast = &ast, .parameters = {}, .reassigned = host.changed};
  for (unsigned i = 0; i < launch.getNumArgs() && i < kernel->getNumParams(); ++i) {
    if (const auto* variable = variable_of(*launch.getArg(i))) {
      names.parameters.emplace(variable, kernel->getParamDecl(i)->getNameAsString());
    }
  }
  nlohmann::json arguments = nlohmann::json::array(), bytes = nlohmann::json::object();
  SizeNames host_names = names;
  for (unsigned i = 0; i < launch.getNumArgs() && i < kernel->getNumParams(); ++i) {
    const clang::Expr& argument = *launch.getArg(i);
    const auto* variable = variable_of(argument);
    if (const auto found = host.allocations.find(variable);
        variable && found != host.allocations.end()) {
      bytes[kernel->getParamDecl(i)->getNameAsString()] =
          optional_json(size_formula(*found->second, names));
    }
    // A constant that is handed over is a fact; a variable is what the contract varies.
    host_names.parameters.erase(variable);
    arguments.push_back(argument.getType()->isIntegerType()
                            ? optional_json(size_formula(argument, host_names))
                            : nlohmann::json());
    if (variable)
      host_names.parameters.emplace(variable, kernel->getParamDecl(i)->getNameAsString());
  }
  const clang::SourceManager& sources = ast.getSourceManager();
  const clang::SourceLocation where = sources.getExpansionLoc(launch.getBeginLoc());
  nlohmann::json facts{{"kernel", mangled_kernel(*kernel)},
                       {"file", sources.getFilename(where).str()},
                       {"line", sources.getSpellingLineNumber(where)},
                       {"grid", nullptr},
                       {"block", nullptr},
                       {"arguments", std::move(arguments)},
                       {"buffer_bytes", std::move(bytes)}};
  if (const auto grid = dim3_formulas(*config.getArg(0), names)) facts["grid"] = *grid;
  if (const auto block = dim3_formulas(*config.getArg(1), names)) facts["block"] = *block;
  facts["dynamic_shared_bytes"] =
      config.getNumArgs() > 2 ? optional_json(size_formula(*config.getArg(2), names)) : "0";
  return facts;
}

struct Consumer : clang::ASTConsumer {
  nlohmann::json* answer;
  explicit Consumer(nlohmann::json* into) : answer(into) {}
  void HandleTranslationUnit(clang::ASTContext& ast) override {
    Host host;
    host.TraverseDecl(ast.getTranslationUnitDecl());
    std::set<std::string> seen;
    for (const clang::FunctionDecl* kernel : host.kernels) {
      if (!seen.insert(mangled_kernel(*kernel)).second) continue;
      (*answer)["kernels"].push_back(kernel_facts(*kernel, ast));
    }
    for (const clang::CUDAKernelCallExpr* launch : host.launches) {
      if (launch->getDirectCallee()) {
        (*answer)["launches"].push_back(launch_facts(*launch, host, ast));
      }
    }
    // What instantiates them may be what the missing header would have made of a macro.
    for (const clang::FunctionDecl* pattern : host.templates) {
      const bool known = (*answer)["errors"].empty() ||
                         std::any_of(host.kernels.begin(), host.kernels.end(),
                                     [&](const clang::FunctionDecl* kernel) {
                                       return kernel->getLocation() == pattern->getLocation();
                                     });
      if (!known) (*answer)["kernels"].push_back(template_facts(*pattern, ast));
    }
    (*answer)["main"] = host.has_main;
  }
};

// "sum.cu:3:7: ", or nothing where there is no place.
std::string place_text(const clang::SourceManager& sources, clang::SourceLocation location) {
  const clang::PresumedLoc place = sources.getPresumedLoc(location);
  if (place.isInvalid()) return "";
  return fmt::format("{}:{}:{}: ", place.getFilename(), place.getLine(), place.getColumn());
}

// A header that is not here is an error that ends nothing: the kernels may do without it.
class MissingHeaders : public clang::PPCallbacks {
 public:
  MissingHeaders(const clang::SourceManager& sources, nlohmann::json* answer)
      : sources_(sources), answer_(answer) {}
  bool FileNotFound(llvm::StringRef) override { return true; }
  void InclusionDirective(clang::SourceLocation hash, const clang::Token&, llvm::StringRef name,
                          bool, clang::CharSourceRange, clang::OptionalFileEntryRef found,
                          llvm::StringRef, llvm::StringRef, const clang::Module*, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    if (found) return;
    (*answer_)["errors"].push_back(
        fmt::format("{}'{}' file not found", place_text(sources_, hash), name.str()));
  }

 private:
  const clang::SourceManager& sources_;
  nlohmann::json* answer_;
};

struct Action : clang::ASTFrontendAction {
  nlohmann::json* answer;
  explicit Action(nlohmann::json* into) : answer(into) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                        llvm::StringRef) override {
    return std::make_unique<Consumer>(answer);
  }
  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    compiler.getPreprocessor().addPPCallbacks(
        std::make_unique<MissingHeaders>(compiler.getSourceManager(), answer));
    return true;
  }
};

}  // namespace

nlohmann::json answer_facts(const nlohmann::json& request) {
  nlohmann::json answer{{"kernels", nlohmann::json::array()},
                        {"launches", nlohmann::json::array()},
                        {"main", false},
                        {"errors", nlohmann::json::array()}};
  clang::TextDiagnosticBuffer diagnostics;
  const Unit unit{
      .path = request.at("file"),
      .dialect = request.value("dialect", "cuda") == "hip" ? Dialect::hip : Dialect::cuda,
      .pass = Pass::host,
      .arch = {},
      .arguments = request.value("arguments", std::vector<std::string>{})};
  const auto compiler = compiler_of(unit, diagnostics);
  if (!compiler) {
    throw Error(ErrorKind::bad_input, unit.path + ": its arguments make no compilation");
  }
  Action action(&answer);
  compiler->ExecuteAction(action);
  for (auto error = diagnostics.err_begin(); error != diagnostics.err_end(); ++error) {
    answer["errors"].push_back(place_text(compiler->getSourceManager(), error->first) +
                               error->second);
  }
  return answer;
}

}  // namespace ambidex
