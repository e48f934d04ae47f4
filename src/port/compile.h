// SPDX-License-Identifier: Apache-2.0
// Stage 3 of a port: HIP sources as code objects for AMD's GPUs, and what stands against them.
//
//   CompiledSource compiled = compile_hip("reduce.hip", {.output_folder = "objects"});
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {

struct CompileOptions {
  std::vector<std::string> archs{"gfx942", "gfx950"};
  std::vector<std::string> arguments;       // for clang: -D, -I, -std
  std::vector<std::string> instantiations;  // kernels to have beside those launched: "k<float, 4>"
  std::map<std::string, std::vector<int64_t>> touched;  // lines of a file that the port has edited
  std::string output_folder;                            // created if missing
};

struct KernelArgument {
  std::string name, type;  // as in the source; empty for one that the compiler adds
  std::string kind;        // LLVM's: global_buffer, by_value, hidden_block_count_x
  int64_t offset_bytes = 0, num_bytes = 0;
};

/// What LLVM notes of a kernel. Registers are per lane (vgprs, accumulators included) or per wave.
struct KernelResources {
  std::string symbol, name;  // mangled; as in the source
  int64_t num_vgprs = 0, num_agprs = 0, num_sgprs = 0;
  int64_t num_vgpr_spills = 0, num_sgpr_spills = 0;
  int64_t scratch_bytes = 0;  // per thread
  int64_t lds_bytes = 0;      // static
  int64_t max_threads = 0;    // of a block
  int64_t wave_width = 0;
  int64_t max_waves_per_simd = 0;  // by registers
  int64_t argument_bytes = 0, argument_align_bytes = 0;
  std::vector<KernelArgument> arguments;
};

struct CodeObject {
  std::string arch;
  bool ok = false;
  std::string path;  // empty if not linked
  std::vector<KernelResources> kernels;
  std::vector<std::string> undefined;  // functions of ROCm's device library that it still needs
};

struct CompileDiagnostic {
  std::string severity;  // note, remark, warning, error, fatal
  std::string pass;      // host or an arch
  std::string file;
  int64_t line = 0, column = 0;
  std::string message;
  std::string flag;  // "undef" for -Wundef, "lds", "threads"; may be empty
};

/// A launch on one arch. -1: not a constant of the source.
struct LaunchResources {
  std::string arch, symbol, file;
  int64_t line = 0;
  int64_t threads = -1, static_lds_bytes = 0, dynamic_lds_bytes = -1;
  int64_t waves_per_simd = -1;  // by registers, LDS and whole blocks
};

struct CompiledSource {
  std::string file;
  bool ok = false;
  std::vector<CodeObject> objects;
  std::vector<LaunchResources> launches;
  std::vector<CompileDiagnostic> diagnostics;
};

/// The objects are output_folder/<name of the file>-<arch>.co. Errors of the source are in the
/// result; a launch with more LDS or threads than `arch` or the kernel takes is one.
///   throws Error(not_found) without the file, Error(unsupported) for an arch without limits
CompiledSource compile_hip(const std::string& file, const CompileOptions& options);

/// Waves that a SIMD of CDNA3 or CDNA4 holds of blocks with `threads` threads and `lds_bytes`;
/// 0 if not even one block fits.
int64_t resident_waves_per_simd(const std::string& arch, int64_t max_waves_per_simd,
                                int64_t threads, int64_t lds_bytes);

/// For resources.json, with the field names above.
nlohmann::json to_json(const CompiledSource& compiled);

}  // namespace ambidex
