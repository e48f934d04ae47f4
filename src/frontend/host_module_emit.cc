// SPDX-License-Identifier: Apache-2.0
#include <clang/Basic/TargetInfo.h>
#include <clang/CodeGen/BackendUtil.h>
#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include "ambidex/base.h"
#include "frontend/count_instructions.h"
#include "frontend/decisions.h"
#include "frontend/diagnostics.h"
#include "frontend/host_module.h"
#include "frontend/linker.h"
#include "frontend/lockstep.h"
#include "frontend/shape_for_gpu.h"

namespace ambidex {
namespace {

void run_backend(Half& half, llvm::Module& module, clang::BackendAction action,
                 std::unique_ptr<llvm::raw_pwrite_stream> output) {
  clang::CompilerInstance& compiler = *half.compiler;
  clang::emitBackendOutput(compiler, compiler.getCodeGenOpts(),
                           compiler.getTarget().getDataLayoutString(), &module, action,
                           compiler.getVirtualFileSystemPtr(), std::move(output));
}

std::string first_message(const nlohmann::json& diagnostics) {
  for (const auto& row : diagnostics) {
    if (row["severity"] == "error" || row["severity"] == "fatal") return row["message"];
  }
  return "";
}

}  // namespace

void emit_object(Half& half, llvm::Module& module, const std::string& path, Pass pass,
                 bool counted) {
  nlohmann::json diagnostics = nlohmann::json::array();
  JsonDiagnostics consumer(diagnostics);
  half.compiler->getDiagnostics().setClient(&consumer, false);
  const bool device = pass == Pass::device_on_host;
  if (device && half.compiler->getLangOpts().HIP) mark_rounds(module);
  half.compiler->getLangOpts().Sanitize.set(clang::SanitizerKind::Thread, half.checked);
  auto& callbacks = half.compiler->getCodeGenOpts().PassBuilderCallbacks;
  if (counted) callbacks.push_back(shape_for_gpu);
  if (half.checked) callbacks.push_back(hide_notes);
  run_backend(half, module, clang::Backend_EmitNothing, nullptr);
  callbacks.clear();
  if (device) order_blocks(module);
  if (counted) count_instructions(module);
  // The sanitizer adds a constructor of its own; the runner needs none. The function stays, for
  // llvm.used names it.
  for (const char* list : {"llvm.global_ctors", "llvm.global_dtors"}) {
    if (auto* variable = module.getNamedGlobal(list)) variable->eraseFromParent();
  }
  std::error_code failure;
  auto file = std::make_unique<llvm::raw_fd_ostream>(path, failure);
  if (failure) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: cannot be written: {}", path, failure.message()));
  }
  half.compiler->getCodeGenOpts().DisableLLVMPasses = true;
  run_backend(half, module, clang::Backend_EmitObj, std::move(file));
  half.compiler->getDiagnostics().setClient(new clang::IgnoringDiagConsumer, true);
  const std::string message = first_message(diagnostics);
  if (!message.empty()) throw Error(ErrorKind::bad_input, "compiling for this machine: " + message);
}

void link_module(const std::vector<std::string>& objects, const std::string& path) {
  link_objects(
      {"-shared", "-Bsymbolic", "-z", "now", "--eh-frame-hdr", "--build-id", "--gc-sections"},
      objects, path, "the module");
}

}  // namespace ambidex
