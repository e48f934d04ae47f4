// SPDX-License-Identifier: Apache-2.0
// From a source to LLVM's code, and from the AST what LLVM's code no longer tells: types of
// parameters, kinds of variables.
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticBuffer.h>
#include <fmt/format.h>
#include <llvm/Demangle/Demangle.h>

#include "frontend/asm_files.h"
#include "frontend/diagnostics.h"
#include "frontend/gpu_text.h"
#include "frontend/host_module.h"
#include "frontend/host_module_kernel.h"
#include "frontend/load_waits.h"

namespace ambidex {
namespace {

// Names that other sources may have too.
void set_apart(llvm::GlobalValue& value, const clang::NamedDecl& decl, int index) {
  if (decl.isExternallyVisible() || value.hasLocalLinkage()) return;
  value.setName(value.getName() + fmt::format(".{}", index));
  if (auto* object = llvm::dyn_cast<llvm::GlobalObject>(&value)) object->setComdat(nullptr);
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
}

// HIP's attribute, or the word by which our CUDA headers say the same.
bool is_managed(const clang::VarDecl& decl) {
  if (decl.hasAttr<clang::HIPManagedAttr>()) return true;
  const auto* const note = decl.getAttr<clang::AnnotateAttr>();
  return note != nullptr && note->getAnnotation() == kManagedMark;
}

// HIP's device code reaches a managed variable through a pointer that the runtime sets when it
// loads the code. Here host and device share memory: the pointer is a constant.
llvm::GlobalVariable& storage_of(llvm::Module& module, llvm::GlobalVariable& variable,
                                 const clang::VarDecl& decl) {
  if (!decl.hasAttr<clang::HIPManagedAttr>()) return variable;
  llvm::GlobalVariable* const storage =
      module.getGlobalVariable((variable.getName() + ".managed").str(), true);
  if (storage == nullptr) return variable;
  variable.setInitializer(storage);
  variable.setExternallyInitialized(false);
  variable.setConstant(true);
  return *storage;
}

nlohmann::json describe_variable(const clang::VarDecl& decl, const clang::ASTContext& context,
                                 const std::string& symbol, int index) {
  return {{"name", decl.getQualifiedNameAsString()},
          {"symbol", symbol},
          {"file", index},
          {"bytes", context.getTypeSizeInChars(decl.getType()).getQuantity()},
          {"type", decl.getType().getAsString()},
          {"constant", decl.hasAttr<clang::CUDAConstantAttr>()},
          {"managed", is_managed(decl)}};
}

// Collects from the AST while both it and the code are alive.
class Collector : public clang::ASTConsumer {
 public:
  Collector(clang::CodeGenerator& generator, Half& half, int index)
      : generator_(generator), half_(half), index_(index) {}

  void HandleTranslationUnit(clang::ASTContext& context) override {
    llvm::Module* module = generator_.GetModule();
    if (module == nullptr || context.getDiagnostics().hasErrorOccurred()) return;
    note_inputs(context.getSourceManager(), half_.inputs);
    if (context.getLangOpts().CUDAIsDevice) {
      note_ranges(context, half_.text);
      if (half_.checked) mark_checked(*module, context.getSourceManager());
      collect(*module, context);
    } else {
      mark_managed(*module);
    }
    half_.module.reset(generator_.ReleaseModule().release());
  }

 private:
  // As -fsanitize=thread would, which a source could ask for. Only our headers may leave out
  // theirs.
  void mark_checked(llvm::Module& module, const clang::SourceManager& sources) {
    for (llvm::Function& function : module) {
      if (function.isDeclaration()) continue;
      const clang::Decl* decl = generator_.GetDeclForMangledName(function.getName());
      const bool exempt =
          decl != nullptr && decl->hasAttr<clang::NoSanitizeAttr>() &&
          is_foreign_text(sources, sources.getFileID(sources.getExpansionLoc(decl->getLocation())));
      if (!exempt) function.addFnAttr(llvm::Attribute::SanitizeThread);
    }
  }

  // HIP's are marked by clang, in its own way.
  void mark_managed(llvm::Module& module) {
    for (llvm::GlobalVariable& variable : module.globals()) {
      const clang::Decl* decl = generator_.GetDeclForMangledName(variable.getName());
      const auto* source = llvm::dyn_cast_or_null<clang::VarDecl>(decl);
      if (source == nullptr || !is_managed(*source)) continue;
      if (!source->hasAttr<clang::HIPManagedAttr>()) variable.addAttribute(kManagedMark);
    }
  }

  void collect(llvm::Module& module, const clang::ASTContext& context) {
    std::vector<llvm::Function*> functions;
    for (llvm::Function& function : module) functions.push_back(&function);
    for (llvm::Function* function : functions) {
      const clang::Decl* decl = generator_.GetDeclForMangledName(function->getName());
      const auto* kernel = llvm::dyn_cast_or_null<clang::FunctionDecl>(decl);
      if (kernel == nullptr || function->isDeclaration()) continue;
      if (!kernel->hasAttr<clang::CUDAGlobalAttr>()) continue;
      const std::string symbol = function->getName().str();
      set_apart(*function, *kernel, index_);
      Entry entry{emit_thunk(generator_, *function, *kernel),
                  describe_kernel(*kernel, context, symbol, index_)};
      half_.kernels.push_back(std::move(entry));
    }
    for (llvm::GlobalVariable& variable : module.globals()) {
      const clang::Decl* decl = generator_.GetDeclForMangledName(variable.getName());
      const auto* source = llvm::dyn_cast_or_null<clang::VarDecl>(decl);
      if (source == nullptr || source->hasAttr<clang::CUDASharedAttr>()) continue;
      if (variable.isDeclaration() || !variable.isExternallyInitialized()) continue;
      add_variable(storage_of(module, variable, *source), variable, *source, context);
    }
  }

  void add_variable(llvm::GlobalVariable& storage, llvm::GlobalVariable& variable,
                    const clang::VarDecl& source, const clang::ASTContext& context) {
    const std::string symbol = variable.getName().str();
    set_apart(variable, source, index_);
    if (&storage != &variable) set_apart(storage, source, index_);
    if (source.hasAttr<clang::CUDAConstantAttr>()) storage.addAttribute(kConstantMemory);
    const bool literal = source.isConstexpr();  // no state, and the port may have others
    if (!literal) storage.setConstant(false);   // the host may write it
    // Addresses of functions are no contents that another module could be given.
    const bool state = !literal && !storage.getInitializer()->needsRelocation();
    half_.variables.push_back(
        {storage.getName().str(), describe_variable(source, context, symbol, state ? index_ : -1)});
  }

  clang::CodeGenerator& generator_;
  Half& half_;
  int index_;
};

class HalfAction : public clang::ASTFrontendAction {
 public:
  HalfAction(llvm::LLVMContext& context, Half& half, const DeviceManner& manner, int index)
      : context_(context), half_(half), manner_(manner), index_(index) {}

 protected:
  bool BeginSourceFileAction(clang::CompilerInstance& compiler) override {
    if (!compiler.getLangOpts().CUDAIsDevice) return true;
    clang::Preprocessor& preprocessor = compiler.getPreprocessor();
    const std::string& own = preprocessor.getPredefines();
    preprocessor.setPredefines(missing_macros(own, manner_.gpu_predefines) + own);
    note_text(preprocessor, half_.text);
    return true;
  }

  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef file) override {
    auto generator = clang::CreateLLVMCodeGen(compiler, file, context_);
    auto collector = std::make_unique<Collector>(*generator, half_, index_);
    std::vector<std::unique_ptr<clang::ASTConsumer>> consumers;
    if (!compiler.getLangOpts().CUDAIsDevice) {  // else each is replaced, and none assembled
      consumers.push_back(refuse_asm_files(compiler));
    }
    consumers.push_back(std::move(generator));
    consumers.push_back(std::move(collector));
    return std::make_unique<clang::MultiplexConsumer>(std::move(consumers));
  }

 private:
  llvm::LLVMContext& context_;
  Half& half_;
  const DeviceManner& manner_;
  int index_;
};

// Constraints of PTX and of AMDGPU's instructions, which this machine does not have ("h", "v",
// "s"). The statements are replaced before the back end sees them.
void allow_foreign_assembly(clang::DiagnosticsEngine& diagnostics) {
  for (const unsigned id :
       {clang::diag::err_asm_invalid_output_constraint,
        clang::diag::err_asm_invalid_input_constraint, clang::diag::err_asm_invalid_output_size,
        clang::diag::err_asm_invalid_input_size}) {
    diagnostics.setSeverity(id, clang::diag::Severity::Ignored, {});
  }
}

}  // namespace

Half compile_half(const Unit& unit, const DeviceManner& manner, int index,
                  llvm::LLVMContext& context, nlohmann::json& diagnostics) {
  Half half;
  JsonDiagnostics consumer(diagnostics);
  half.compiler = compiler_of(unit, consumer);
  if (half.compiler == nullptr) return half;
  if (unit.pass == Pass::device_on_host) allow_foreign_assembly(half.compiler->getDiagnostics());
  half.checked = manner.checked;
  HalfAction action(context, half, manner, index);
  if (!half.compiler->ExecuteAction(action)) half.module = nullptr;
  half.compiler->getDiagnostics().setClient(new clang::IgnoringDiagConsumer, true);
  return half;
}

}  // namespace ambidex
