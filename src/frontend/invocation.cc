// SPDX-License-Identifier: Apache-2.0
#include "frontend/invocation.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/DiagnosticOptions.h>
#include <clang/Driver/CreateInvocationFromArgs.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Lex/HeaderSearchOptions.h>
#include <clang/Lex/PreprocessorOptions.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/VirtualFileSystem.h>

#include "frontend/headers.h"
#include "frontend/ptx_constraints.h"
#include "frontend/readable_files.h"
#include "frontend/system_headers.h"

namespace ambidex {
namespace {

constexpr const char* kGpuBinary = "/ambidex/gpu_binary";
constexpr const char* kPrelude = "/ambidex/prelude.pch";

// rocThrust's headers are named as thrust's; here each declares everything.
void add_rocthrust(llvm::vfs::InMemoryFileSystem& headers) {
  static constexpr std::string_view kThrust = "data/cuda/thrust/";
  for (const EmbeddedFile& file : embedded_headers()) {
    if (!file.path.starts_with(kThrust)) continue;
    std::string name(file.path.substr(kThrust.size()));
    if (const size_t at = name.find("/cuda/"); at != std::string::npos)
      name.replace(at, 6, "/hip/");
    headers.addFile(kHeaderRoot + ("data/hip/thrust/" + name), 0,
                    llvm::MemoryBuffer::getMemBuffer("#include \"ambidex_hip/thrust.h\"\n"));
  }
}

using Files = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

Files real_files() { return without_toolkit(llvm::vfs::getRealFileSystem()); }

// `real` and our own headers.
Files file_system(const Unit& unit, const Files& real) {
  auto headers = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const EmbeddedFile& file : embedded_headers()) {
    headers->addFile(kHeaderRoot + std::string(file.path), 0,
                     llvm::MemoryBuffer::getMemBuffer(file.contents, file.path, false));
  }
  add_rocthrust(*headers);
  headers->addFile(kGpuBinary, 0, llvm::MemoryBuffer::getMemBufferCopy(unit.gpu_binary));
  headers->addFile(kPrelude, 0, llvm::MemoryBuffer::getMemBuffer(unit.prelude, kPrelude, false));
  auto all = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(real);
  all->pushOverlay(headers);
  const bool ptx = unit.dialect == Dialect::cuda && unit.pass == Pass::device_on_host;
  if (ptx) return host_constraint_files(all);
  return all;
}

// Folders of -I and those of the compiler and the system.
std::vector<std::string> header_folders(const clang::CompilerInstance& compiler) {
  std::vector<std::string> folders{AMBIDEX_CLANG_RESOURCES};
  for (const auto& entry : compiler.getHeaderSearchOpts().UserEntries) {
    folders.push_back(entry.Path);
  }
  return folders;
}

std::vector<std::string> arguments_of(const Unit& unit) {
  const bool cuda = unit.dialect == Dialect::cuda;
  std::vector<std::string> arguments{"clang++", "-resource-dir",       AMBIDEX_CLANG_RESOURCES,
                                     "-x",      cuda ? "cuda" : "hip", "-std=c++17"};
  if (cuda) {
    for (const char* word :
         {"-nocudainc", "-nocudalib", "--cuda-path=/nonexistent", "-Wno-unknown-cuda-version",
          "-Xclang", "-target-sdk-version=12.8", "-include", "cuda_runtime.h"}) {  // as nvcc does
      arguments.push_back(word);
    }
  } else {
    // What hipcc does by itself: clang's wrapper first, and its versions of standard headers.
    for (const char* word :
         {"-nogpuinc", "-nogpulib", "-isystem", AMBIDEX_CLANG_RESOURCES "/include/cuda_wrappers",
          "-include", "ambidex_hip/prelude.h"}) {
      arguments.push_back(word);
    }
  }
  if (unit.pass == Pass::device) {
    arguments.push_back("--cuda-device-only");
    arguments.emplace_back("-fuse-cuid=none");  // its hash of the path would make objects differ
    arguments.push_back((cuda ? "--cuda-gpu-arch=" : "--offload-arch=") + unit.arch);
  } else {
    arguments.push_back("--cuda-host-only");
  }
  if (unit.pass == Pass::device_on_host) {
    for (const char* word :
         {"-Xclang", "-fcuda-is-device", "-Xclang", "-fcuda-allow-variadic-functions", "-fPIC"}) {
      arguments.push_back(word);
    }
    // nvcc lets a lane hand a variable to a function that only its warp's leader has set. clang may
    // take for granted that it never comes to that, in HIP as in CUDA: the port is judged so.
    if (cuda) arguments.insert(arguments.end(), {"-Xclang", "-no-enable-noundef-analysis"});
  }
  if (unit.pass == Pass::host && !unit.gpu_binary.empty()) {
    for (const char* word : {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", kGpuBinary}) {
      arguments.push_back(word);
    }
  }
  const std::string root = kHeaderRoot;
  arguments.push_back("-I" + root + (cuda ? "data/cuda" : "data/hip"));
  arguments.push_back("-I" + root + "include");
  arguments.insert(arguments.end(), unit.arguments.begin(), unit.arguments.end());
  arguments.push_back(unit.path.starts_with('-') ? "./" + unit.path : unit.path);
  return arguments;
}

}  // namespace

std::unique_ptr<clang::CompilerInstance> compiler_of(const Unit& unit,
                                                     clang::DiagnosticConsumer& consumer) {
  const Files files = file_system(unit, real_files());  // the driver looks around in the system
  clang::DiagnosticOptions options;
  const auto diagnostics =
      clang::CompilerInstance::createDiagnostics(*files, options, &consumer, false);
  const std::vector<std::string> arguments = arguments_of(unit);
  std::vector<const char*> words;
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  clang::CreateInvocationOptions create;
  create.Diags = diagnostics;
  create.VFS = files;
  std::shared_ptr<clang::CompilerInvocation> invocation =
      clang::createInvocation(words, std::move(create));
  if (!invocation) return nullptr;
  auto compiler = std::make_unique<clang::CompilerInstance>(std::move(invocation));
  compiler->setVirtualFileSystem(
      file_system(unit, readable_files(real_files(), unit.path, header_folders(*compiler))));
  compiler->getDiagnosticOpts().ShowCarets = false;  // else it prints how many there were
  compiler->createDiagnostics(&consumer, false);
  if (!unit.prelude.empty()) {
    clang::PreprocessorOptions& preprocessor = compiler->getPreprocessorOpts();
    preprocessor.ImplicitPCHInclude = kPrelude;
    preprocessor.DisablePCHOrModuleValidation = clang::DisableValidationForModuleKind::All;
  }
  return compiler;
}

}  // namespace ambidex
