// SPDX-License-Identifier: Apache-2.0
// Is a port right? The CUDA original runs in the executor at wave width 32, the HIP port at 64 and
// at 32, on the same data; docs/verify.md says what is compared and how.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ambidex/port.h"
#include "port/compare.h"
#include "port/contract.h"
#include "port/programs.h"
#include "port/trace.h"

namespace ambidex {

/// One program in both languages.
struct VerifyRequest {
  Program original;    // CUDA, with main
  Program port;        // the same in HIP
  std::string folder;  // for modules and contents of buffers; made
  uint64_t key = 1;    // of values that are drawn
  int num_workers = 1;
  bool trusted = false;             // run without a sandbox where there is none
  bool use_gpus = true;             // those that are here
  bool stop_at_first = false;       // of what is wrong; more is not looked for
  bool any_width = true;            // right on waves of 32 lanes, too; else on those of 64 alone
  bool whole_program = true;        // else kernels alone, on what the original's program gives them
  std::vector<Contract> contracts;  // frozen ones, to which the kernels that they name are held
};

enum class KernelVerdict : uint8_t { right, wrong, unverified };
std::string_view name_of(KernelVerdict verdict);  // "right"

/// A run of the original beside one of the port.
struct VerifyCase {
  std::string name;  // "launch 2, values wide, n = 33, width 64, seed 1"
  bool right = false;
  std::string message;               // what differs first, or what a checker found
  std::optional<Divergence> first;   // the first wrong element
  std::optional<TracedPlace> place;  // that wrote it, or where a checker found something
};

struct KernelReport {
  std::string kernel;
  KernelVerdict verdict = KernelVerdict::unverified;
  std::string reason;  // of anything but right
  int64_t num_cases = 0;
  int64_t num_bit_identical = 0;  // cases in which every byte is the same
  bool takes_floats = false;      // numbers, or buffers that it reads
  std::vector<OutputSeen> outputs;
  std::vector<VerifyCase> failures;
};

struct VerifyReport {
  std::vector<KernelReport> kernels;
  std::string program;               // "" if the programs as a whole agree, else what does not
  std::string library;               // why main is left out and kernels are judged by themselves
  std::vector<std::string> remarks;  // what was tolerated in the original, what was not tried
  std::vector<Contract> contracts;   // of the kernels, as confirmed on the original
  bool measured = false;             // all launches of the program were right on an AMD GPU, too
  bool right() const;
};

/// Builds both programs and compares them.
///   throws Error(bad_input) if one does not compile or a contract does not fit the sources,
///   Error(unsupported) without clang or sandbox
VerifyReport verify_port(const VerifyRequest& request);

/// {"right", "program", "library", "kernels": [{"kernel", "verdict", "reason", "num_cases",
/// "num_bit_identical", "outputs", "failures": [{"name", "message", "place": {"file", "line",
/// "block", "thread"}, "element": {"buffer", "index", "expected", "actual"}}]}], "contracts":
/// [{"kernel", "hash"}], "remarks"}; place and element where they are known
nlohmann::json to_json(const VerifyReport& report);

}  // namespace ambidex
