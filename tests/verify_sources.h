// SPDX-License-Identifier: Apache-2.0
// A port held to its original, both of one file, by tests of verification.
#pragma once

#include <string>

#include "base/files.h"
#include "port/verify.h"
#include "scratch.h"

namespace ambidex {

/// Of NAME.cu and NAME.hip.
inline VerifyReport verify_sources(const std::string& original, const std::string& port,
                                   const std::string& name = "a") {
  const ScratchFolder scratch;
  const std::string cu = scratch.path(name + ".cu"), hip = scratch.path(name + ".hip");
  write_file(cu, original);
  write_file(hip, port);
  return verify_port({.original = programs_of(cu, "cuda", {})[0],
                      .port = programs_of(hip, "hip", {})[0],
                      .folder = scratch.path("work"),
                      .key = 1,
                      .num_workers = 1,
                      .trusted = true});
}

/// A program with its port, which differ by the names of the runtime alone.
inline VerifyReport verify_renamed(const std::string& original, const std::string& kernel_of_port) {
  std::string port = "#include <hip/hip_runtime.h>\n" + kernel_of_port;
  for (size_t at = port.find("cuda"); at != std::string::npos; at = port.find("cuda", at)) {
    port.replace(at, 4, "hip");
  }
  return verify_sources(original, port);
}

}  // namespace ambidex
