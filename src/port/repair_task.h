// SPDX-License-Identifier: Apache-2.0
// What there is to repair: kernels of one program that the rules left, and what may be changed.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "port/repair_spans.h"
#include "port/run.h"

namespace ambidex::repair {

/// One repair: a kernel, or several that do not compile together.
struct Task {
  Program original, port;
  std::set<std::string> kernels;  // base names
  std::vector<Body> bodies;       // in the port
  std::vector<Body> original_bodies;
  std::vector<nlohmann::json> facts;  // of the kernels, in the port
  std::vector<std::string> hazards;   // ids, the refused ones first
  std::vector<std::string> reasons;   // of refusals, as the rules gave them
  VerifyReport report;                // of the port as it is; empty if it does not compile
};

/// Where the trees of a port are.
struct Trees {
  std::string original, hip;  // folders
};

struct Leftover {
  std::string program, kernel;
  std::string why;  // it cannot be repaired here
};

struct Tasks {
  std::vector<Task> tasks;
  std::vector<Leftover> leftovers;
};

/// What of `run` an agent may try: wrong or refused kernels whose trouble lies within their own
/// functions. All else is left over: host code, kernels that nothing launches.
Tasks tasks_of(const PortRun& run, const Trees& trees, const std::vector<std::string>& arguments);

/// Kernels of `run` that pass: one task each, of the bodies that no other kernel has, so that one
/// kernel's gain is not another's loss. All else is left over.
///   trees  the port's may differ from that of `run` in bodies
Tasks native_tasks_of(const PortRun& run, const Trees& trees,
                      const std::vector<std::string>& arguments);

/// The text of bodies with their heads, for reading by people, models and checks.
std::string text_of(const std::vector<Body>& bodies, const Texts& texts);

}  // namespace ambidex::repair
