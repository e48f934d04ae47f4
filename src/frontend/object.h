// SPDX-License-Identifier: Apache-2.0
// HIP sources as code objects of AMD's GPUs, and what their kernels need.
#pragma once

#include <clang/Frontend/CompilerInstance.h>

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ambidex {

/// A launch in the host's half. Sizes are -1 where they are no constants.
struct ObjectLaunch {
  std::string symbol;  // of the kernel, as in the code object
  std::string file;
  int64_t line = 0;
  int64_t threads = -1;        // of a block
  int64_t dynamic_bytes = -1;  // of LDS
};

struct HostFindings {
  std::vector<ObjectLaunch> launches;
  nlohmann::json parameters = nlohmann::json::object();  // {kernel's symbol: [{name, type}]}
};

/// An action that checks the host's half and tells what it launches. It does not own `findings`.
std::unique_ptr<clang::FrontendAction> host_finder(HostFindings& findings);

/// {kernels: [{symbol, name, vgprs, agprs, sgprs, vgpr_spills, sgpr_spills, scratch_bytes,
/// lds_bytes, max_threads, wave_width, waves_per_simd, argument_bytes, argument_align, arguments:
/// [{name, offset, bytes, kind}]}], undefined: [symbol]} of an ELF file with AMD's notes.
///   throws Error(internal) if it has none
nlohmann::json read_resources(const std::string& path);

/// Bytes of LDS that a block can have on `arch`.
///   throws Error(unsupported) for any but gfx942 and gfx950
int64_t lds_limit_bytes(const std::string& arch);

}  // namespace ambidex
