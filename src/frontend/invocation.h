// SPDX-License-Identifier: Apache-2.0
// A CUDA or HIP source as a compilation of clang's, with our own headers and no vendor's toolkit.
#pragma once

#include <clang/Frontend/CompilerInstance.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

enum class Dialect { cuda, hip };

/// What a translation unit is compiled to.
enum class Pass {
  host,            // the host's half: launches call the runtime
  device_on_host,  // the device's half, as host code for the executor
  device,          // the device's half for `arch`
};

struct Unit {
  std::string path;
  Dialect dialect = Dialect::cuda;
  Pass pass = Pass::host;
  std::string arch;                    // Pass::device: gfx942, gfx950
  std::vector<std::string> arguments;  // the user's -D, -I, -std
  std::string gpu_binary;              // Pass::host: what the runtime is given to register
  std::string_view prelude = {};       // a precompiled header that comes first, or nothing
};

/// A compiler that is ready to execute an action on `unit`. Diagnostics go to `diagnostics`, which
/// it does not own. Null if the arguments make no compilation; diagnostics then say why.
std::unique_ptr<clang::CompilerInstance> compiler_of(const Unit& unit,
                                                     clang::DiagnosticConsumer& diagnostics);

}  // namespace ambidex
