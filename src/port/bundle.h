// SPDX-License-Identifier: Apache-2.0
// The folder of a port as evidence: what went in, what came out, a hash of every file, and whether
// it comes out again.
#pragma once

#include <string>
#include <vector>

#include "port/run.h"

namespace ambidex {

/// `text` with paths below `folder` as they are within it.
std::string within_folder(std::string text, const std::string& folder);

/// Writes, beside original/, hip/ and objects/ of a run: hazards.json, hazards.sarif, edits.json,
/// port.patch, patches/, objects/resources.json, verdict.json, contracts/PROGRAM/KERNEL.json,
/// REPORT.md, and last bundle.json:
/// {"made_by", "version", "name", "source", "arguments", "key", "kernels": [{"program", "kernel",
/// "verdict", "reason", "num_cases", "num_bit_identical", "error_class"}], "files": {name:
/// SHA-256}}.
void write_bundle(const PortRun& run, const PortRunOptions& options);

struct BundleCheck {
  PortRun run;                           // made anew
  int64_t num_files = 0;                 // compared
  std::vector<std::string> differences;  // empty: everything came out again
};

/// Makes the port of `folder` anew from its original/ alone, in the folder `scratch`, with the
/// arguments and the key of its bundle.json, and compares every file and every verdict. A repair is
/// made anew from its transcript, without asking anybody.
///   throws Error(not_found) without a bundle.json, Error(bad_input) if it is not one of ours or a
///   file of the bundle is no longer what it was
BundleCheck check_bundle(const std::string& folder, const std::string& scratch, int num_workers,
                         bool trusted);

/// {"kernel", "program", "verdict", "reason", "num_cases", "num_bit_identical", "error_class"} of
/// each.
nlohmann::ordered_json to_json(const std::vector<PortedKernel>& kernels);

}  // namespace ambidex
