// SPDX-License-Identifier: Apache-2.0
// CUDA to HIP, stage by stage: hazards found, edits made, objects compiled, ports verified.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {

/// s0 silent wrong result or hang, s1 run-time error, s2 compile error, s3 slow only.
enum class Severity : uint8_t { s0, s1, s2, s3 };
std::string_view name_of(Severity severity);  // "S0"
/// throws Error(bad_input)
Severity severity_from_name(std::string_view name);

/// How a hazard is removed: by a rule that is safe by construction, by a rule under a condition
/// that is proved, by a header of the port, by an agent or a person, or not at all (diagnosed).
enum class FixKind : uint8_t { rule, rule_if_proved, library, agent, none };
std::string_view name_of(FixKind fix);
/// throws Error(bad_input)
FixKind fix_from_name(std::string_view name);

/// A row of the catalogue, data/hazards/ID.md.
struct Hazard {
  std::string id;          // "W01"
  std::string title;       // one line
  Severity severity;       // the worst it can be
  FixKind fix;             // the usual one
  bool is_unseen = false;  // by the executor: a port that has it may pass all the same
  std::string page;        // what `ambidex port explain` prints, Markdown
};

/// The whole catalogue, by id.
std::span<const Hazard> hazards();
/// throws Error(not_found) with the nearest ids; case does not matter
const Hazard& hazard(std::string_view id);

/// One place in the sources where a hazard was found. Severity and fix are those of this
/// occurrence as written, before any fix.
struct Finding {
  std::string id;
  Severity severity = Severity::s0;
  std::string file;
  int64_t line = 0;    // from 1
  int64_t column = 0;  // from 1
  std::string message;
  FixKind fix = FixKind::none;
  std::string evidence;  // the source text that shows it
};

}  // namespace ambidex
