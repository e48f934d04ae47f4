// SPDX-License-Identifier: Apache-2.0
// A CUDA or HIP program as a shared object for ambidex-simt: both halves of every source compiled
// for this machine, and a table of what the executor must know of them.
//
//   host's half of each source:    compile_half, prepare_host, emit_object
//   device's half of all sources:  compile_half each, linked, prepare_device, emit_object
//   link_module makes one .so of all objects
#pragma once

#include <clang/Frontend/CompilerInstance.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "frontend/invocation.h"
#include "frontend/pass_text.h"

namespace ambidex {

/// What an address of the module's tables stands for; `text` describes it to the runner.
struct Entry {
  std::string symbol;  // of the llvm::Module that it is defined in
  nlohmann::json text;
};

/// One half of one source as LLVM's code, not optimised yet.
struct Half {
  std::unique_ptr<clang::CompilerInstance> compiler;
  std::unique_ptr<llvm::Module> module;  // null if the source has errors
  std::vector<Entry> kernels;            // symbols of thunks; the device's half only
  std::vector<Entry> variables;          // __device__, __constant__; then literals, of "file" -1
  std::vector<Entry> shared;             // symbols of functions that give the address
  std::set<std::string> inputs;          // files that were read, but for those below /usr
  PassText text;                         // the device's half only
  bool checked = false;                  // loads and stores are to be seen
};

/// Attribute of what the host's half of CUDA sources has for a managed variable.
inline constexpr const char* kManagedMark = "ambidex_managed";

/// How the device's half is compiled for this machine.
struct DeviceManner {
  bool checked = false;        // loads and stores are to be seen
  std::string gpu_predefines;  // of the GPU whose macros it has, too; read_gpu_text
};

/// Diagnostics are appended to `diagnostics` as {severity, file, line, column, message}. `index`
/// is the source's place in the program: it keeps names apart that are internal to their source.
Half compile_half(const Unit& unit, const DeviceManner& manner, int index,
                  llvm::LLVMContext& context, nlohmann::json& diagnostics);

/// Of all sources' device halves, linked into one: shared variables become thread-local with a red
/// zone, and asm statements become calls of the executor. `counted`: stand-ins are marked.
///   throws Error(bad_input) for a device function that is declared and nowhere defined
void prepare_device(Half& device, bool hip, bool counted);

/// Adds to each kernel's text which of `shared` it can touch, and their bytes.
void list_shared_of_kernels(Half& device);

/// Turns constructors into the array `ambidex_constructors_<index>`, which the runner calls once
/// the sandbox is closed; main and exit become functions that the runner provides for.
/// Returns the number of constructors.
int64_t prepare_host(llvm::Module& module, int index);

/// The tables of host_module_abi.h, defined in `module`.
void emit_tables(llvm::Module& module, const Half& all, const std::vector<int64_t>& constructors,
                 nlohmann::json text);

/// The name under which the module has what device code calls `symbol`.
inline std::string device_name(const std::string& symbol) { return "ambidex_device." + symbol; }

/// Renames what device code defines: the host's halves define the same names. After emit_tables.
void hide_names(llvm::Module& module);

/// Optimises and writes an object file; `counted`: whose code tells its instructions.
///   throws Error(internal) with what the back end reports
void emit_object(Half& half, llvm::Module& module, const std::string& path, Pass pass,
                 bool counted = false);

/// throws Error(unsupported) without a linker, Error(bad_input) with what it reports
void link_module(const std::vector<std::string>& objects, const std::string& path);

}  // namespace ambidex
