// SPDX-License-Identifier: Apache-2.0
// Programs and kernels on the CPU: CUDA or HIP sources to a module (ambidex-clang), a module to
// what it does (ambidex-simt). docs/runner.md has the documents that the two programs exchange.
//
//   Module module = build_module({.files = {"sum.cu"}, .folder = "work"});
//   nlohmann::json answer = run_module({{"module", module.path}, {"wave_width", 64}}, 60);
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ambidex {

struct ModuleSources {
  std::vector<std::string> files;      // a whole program
  std::string dialect = "cuda";        // or "hip"
  std::vector<std::string> arguments;  // -D, -I, -std
  bool checked = true;                 // loads and stores of kernels are seen
  bool counted = false;                // and instructions; with checked
  std::string arch = "gfx942";         // whose macros the device code of HIP sees
  std::string folder;                  // where modules are written
};

struct CompilerMessage {
  std::string severity;  // note, remark, warning, error, fatal
  std::string file;
  int64_t line = 0, column = 0;
  std::string message;
};

/// A type as the executor needs it. kind: bool, int, uint, float, pointer, void, struct.
struct ModuleType {
  std::string name;
  std::string kind;
  int64_t num_bytes = 0;
};

/// A pointer in a parameter: at `offset`, 0 where the parameter is one.
struct ModulePointer {
  int64_t offset = 0;
  bool is_const = false;
  ModuleType element;
};

struct ModuleParameter {
  std::string name;
  ModuleType type;
  int64_t align = 1;
  std::vector<ModulePointer> pointers;
};

struct ModuleKernel {
  std::string name;    // demangled
  std::string symbol;  // mangled
  std::string file;
  int64_t line = 0;
  std::vector<ModuleParameter> parameters;
  int64_t max_threads = 0, min_blocks = 0;  // of __launch_bounds__; 0: not given
  int64_t shared_bytes = 0;                 // static
  bool dynamic_shared = false;              // it uses `extern __shared__`
};

/// An arch that gets other device code than the module's, and the first place where it does.
struct OtherArch {
  std::string arch;
  std::string file;
  int64_t line = 0;
  std::string message;  // "this condition is true on gfx942 and false on gfx950"
};

/// A comparison in the device code of the user's files.
struct ModuleDecision {
  std::string file;
  int64_t line = 0, column = 0;
  std::string asks;  // "sgt 1000000": LLVM's predicate and the constants of the source
};

struct Module {
  bool ok = false;  // else `messages` say why not, and there is nothing more
  std::string path;
  std::vector<CompilerMessage> messages;
  std::vector<ModuleKernel> kernels;
  std::vector<ModuleDecision> decisions;  // of a checked module; runs tell how each came out
  std::vector<OtherArch> other_archs;  // of HIP's gfx942 and gfx950, other than the one asked for
};

/// Why a module is not ok: the first message that is an error; null if there is none.
const CompilerMessage* first_error(const Module& module);

/// Compiles, unless this process has done so with the same sources, included files, arguments and
/// folder. Files that the compilation would read if they existed are not looked for again.
/// HIP's device code must be, behind the preprocessor, what `arch` gets: else the module is not ok.
///   throws Error(bad_input) for a file that is not there or a device function without definition
Module build_module(const ModuleSources& sources);

/// Runs a module as `request` (docs/runner.md) says, in ambidex-simt, which is looked for beside
/// the running program, and in its sandbox. The answer of docs/runner.md.
///   throws Error(unsupported) without that program or without a sandbox, what it reports, and
///   Error(internal) if it takes much longer than `max_seconds`
nlohmann::json run_module(const nlohmann::json& request, double max_seconds);

}  // namespace ambidex
