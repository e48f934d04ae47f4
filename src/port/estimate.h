// SPDX-License-Identifier: Apache-2.0
// Stage 5 of a port: what each launch costs on the device that the original ran on and on those of
// the port. Both programs run in the executor, which counts; nothing is timed, nothing is judged.
//
//   EstimateReport report = estimate_port({.path = "reduce.cu", .folder = "work"});
//   std::string text = to_json(report).dump(2);
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "port/kernel_time.h"
#include "port/programs.h"

namespace ambidex {

struct EstimateRequest {
  std::string path;    // CUDA source with main, or a folder
  std::string folder;  // for the port, modules and objects; made
  // Ids or files of devices: those of NVIDIA get the original, those of AMD the port.
  std::vector<std::string> devices{"h200", "mi300x", "mi350x"};
  std::vector<std::string> arguments;   // -D, -I
  std::vector<std::string> words = {};  // of the programs' command line
  double max_seconds = 120;             // of one run in the executor
  bool trusted = false;                 // run without a sandbox where there is none
};

/// A construct that is right and slow, with its figure.
struct EstimateNote {
  std::string id;       // of the hazard; "" if it is none
  std::string message;  // one sentence
  std::string file;     // where, if that is known
  int64_t line = 0;
};

/// What the compiler has said of the kernel for a device of AMD.
struct EstimateResources {
  bool known = false;  // false for NVIDIA, whose compiler is not asked
  int64_t registers_per_lane = 0, scratch_bytes = 0, num_spills = 0;
};

struct LaunchEstimate {
  std::string device;
  LaunchCounts counts;  // of the original on a device of NVIDIA, of the port on one of AMD
  EstimateResources resources;
  Occupancy occupancy;
  KernelTime time;
  std::vector<EstimateNote> notes;
};

/// Launches of one kernel with one geometry, in the program's order. Figures are those of the
/// first of them.
struct KernelEstimate {
  std::string kernel;
  int64_t num_launches = 0;
  std::vector<LaunchEstimate> devices;  // in the order of the request
};

struct ProgramEstimate {
  std::string program;
  std::string fault;  // why there is no estimate, or not one for every device; else ""
  std::vector<KernelEstimate> kernels;
  std::vector<EstimateNote> notes;   // of the source as a whole
  int64_t num_library_launches = 0;  // calls of cuBLAS, thrust and the like: not in `kernels`
};

struct EstimateReport {
  std::vector<ProgramEstimate> programs;
  std::vector<std::string> assumptions;  // what figures rest on that nobody measured
};

/// Translates, compiles and counts.
///   throws Error(not_found) or Error(bad_input) for a path that holds nothing to port, a device
///   that is neither NVIDIA's nor AMD's, and Error(unsupported) without clang, without a sandbox,
///   or for a device without a number that the model reads
EstimateReport estimate_port(const EstimateRequest& request);

/// One program whose port is there already; request.path is not read. Throws likewise.
ProgramEstimate estimate_program(const Program& original, const Program& port,
                                 const EstimateRequest& request);

/// {"measured": false, "assumptions", "programs": [{"program", "fault", "notes",
/// "library_launches", "kernels": [{"kernel", "num_launches", "devices": [{"device", "grid",
/// "block", "seconds", "binds", ...}]}]}]}
nlohmann::json to_json(const EstimateReport& report);

}  // namespace ambidex
