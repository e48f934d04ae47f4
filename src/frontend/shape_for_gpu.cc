// SPDX-License-Identifier: Apache-2.0
#include "frontend/shape_for_gpu.h"

#include <llvm/Passes/PassBuilder.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/NaryReassociate.h>
#include <llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h>
#include <llvm/Transforms/Scalar/StraightLineStrengthReduce.h>
#include <llvm/Transforms/Vectorize/LoadStoreVectorizer.h>

namespace ambidex {

namespace {

// What this machine's back end says of itself is left out: it loads vectors from anywhere, GPUs
// only from where they are known to be aligned.
struct VectorizeAligned : llvm::PassInfoMixin<VectorizeAligned> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    llvm::LoopAnalysisManager of_loop;
    llvm::FunctionAnalysisManager of_function;
    llvm::CGSCCAnalysisManager of_component;
    llvm::ModuleAnalysisManager of_module;
    llvm::PassBuilder passes;
    passes.registerModuleAnalyses(of_module);
    passes.registerCGSCCAnalyses(of_component);
    passes.registerFunctionAnalyses(of_function);
    passes.registerLoopAnalyses(of_loop);
    passes.crossRegisterProxies(of_loop, of_function, of_component, of_module);
    for (llvm::Function& function : module) {
      if (!function.isDeclaration()) llvm::LoadStoreVectorizerPass().run(function, of_function);
    }
    return llvm::PreservedAnalyses::none();
  }
};

}  // namespace

void shape_for_gpu(llvm::PassBuilder& passes) {
  passes.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& of_module, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
        llvm::FunctionPassManager of_function;
        of_function.addPass(llvm::SeparateConstOffsetFromGEPPass(true));
        of_function.addPass(llvm::StraightLineStrengthReducePass());
        of_function.addPass(llvm::EarlyCSEPass());
        of_function.addPass(llvm::NaryReassociatePass());
        of_function.addPass(llvm::EarlyCSEPass());
        of_module.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(of_function)));
        of_module.addPass(VectorizeAligned());
      });
}

}  // namespace ambidex
