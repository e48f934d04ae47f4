// SPDX-License-Identifier: Apache-2.0
// All stages of a port: scan, translate, compile, verify; a verdict for each kernel.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "port/compile.h"
#include "port/native_result.h"
#include "port/scan.h"
#include "port/translate.h"
#include "port/verify.h"

namespace ambidex {

/// pass says that an AMD GPU of this machine has run it too, and rightly.
enum class PortVerdict : uint8_t { pass, pass_unmeasured, partial, refused };
std::string_view name_of(PortVerdict verdict);  // "PASS-UNMEASURED"

/// The patch of a kernel that `port repair` has mended, from 1, in the folder of the port; and of
/// one with a native body.
std::string repair_patch_name(int64_t number);
std::string native_patch_name(int64_t number);

struct PortRunOptions {
  std::string path;                    // CUDA source or folder
  std::string folder;                  // for all artefacts; made
  std::vector<std::string> arguments;  // -D, -I
  uint64_t key = 1;                    // of values that are drawn in verification
  int num_workers = 1;
  bool trusted = false;
  std::string name = {};                // in the report; that of the path, if empty
  std::vector<std::string> words = {};  // of the programs' command line
};

/// What the report calls the sources: options.name, or the last part of options.path.
std::string name_of_sources(const PortRunOptions& options);

struct PortedKernel {
  std::string program, kernel;
  PortVerdict verdict = PortVerdict::refused;
  std::string reason;  // of anything but a pass
  int64_t num_cases = 0, num_bit_identical = 0;
  ErrorClass error_class = ErrorClass::exact;  // of cases that are not bit-identical
  bool repaired = false;                       // by `port repair`
  std::vector<OutputSeen> outputs = {};
};

struct PortRun {
  ScanResult scan;
  TranslatedTree tree;
  std::vector<CompiledSource> compiled;
  struct ProgramRun {
    std::string name;
    VerifyReport report;                  // empty if it was not reached
    std::string fault;                    // why not
    std::set<std::string> repaired = {};  // kernels whose refusals no longer count
  };
  std::vector<ProgramRun> programs;
  std::vector<PortedKernel> kernels;
  std::vector<NativeKernel> natives = {};   // by `port repair --native`
  std::vector<std::string> arguments = {};  // -D, and -I within original/ where they were in it
  std::vector<std::string> words = {};      // of the programs' command line
  int64_t count(PortVerdict verdict) const;
  bool all_pass() const;  // measured or not
};

/// Runs all stages and writes, below options.folder: original/ and hip/ (both trees), objects/, and
/// what bundle.h lists.
///   throws Error(not_found) or Error(bad_input) for a path that holds nothing to port
PortRun run_port(const PortRunOptions& options);

/// Verdicts of a program's kernels in the place of what `run` has of it, if anything.
void judge_program(PortRun& run, PortRun::ProgramRun program, const Program& original);

}  // namespace ambidex
