// SPDX-License-Identifier: Apache-2.0
// A detector finds the hazards of one kind in a view of a source and adds them to `findings`, in
// any order; scan.cc sorts them and drops those that say the same twice. To add one: a function in
// src/frontend/detect_<topic>.cc, a line here and in kDetectors, a line in CMakeLists.txt.
#pragma once

#include <array>
#include <vector>

#include "ambidex/port.h"
#include "frontend/source_view.h"

namespace ambidex {

using Detector = void (*)(const SourceView& view, std::vector<Finding>& findings);

/// A finding at a word of a file, with its evidence.
Finding finding_at(const SourceFile& file, const Token& token, std::string_view id,
                   Severity severity, FixKind fix, std::string message);

/// A file of a view, and where a detector puts what it finds in it.
struct FileLook {
  const SourceView& view;
  const SourceFile& file;
  std::vector<Finding>& findings;

  /// A finding at word `at`, unless only HIP compiles that word.
  void add(int64_t at, std::string_view id, Severity severity, FixKind fix,
           std::string message) const;
};

// W and S: warp width, scheduling and memory order.
void detect_kernels(const SourceView& view, std::vector<Finding>& findings);
void detect_lane_sources(const SourceView& view, std::vector<Finding>& findings);  // W11

// R, N: launches, resources, instructions, types, numerics.
void detect_asm(const SourceView& view, std::vector<Finding>& findings);      // N01 and others
void detect_atomics(const SourceView& view, std::vector<Finding>& findings);  // N10, N11
void detect_gates(const SourceView& view, std::vector<Finding>& findings);    // R07 to R09
void detect_launch(const SourceView& view, std::vector<Finding>& findings);  // R01, R03 to R06, R13
void detect_names(const SourceView& view, std::vector<Finding>& findings);   // those of a table
void detect_sizes(const SourceView& view, std::vector<Finding>& findings);   // R01, N23 by clang
void detect_types(const SourceView& view, std::vector<Finding>& findings);   // N02, N08, N23, N24

inline constexpr std::array<Detector, 9> kDetectors{
    detect_kernels, detect_lane_sources, detect_asm,   detect_atomics, detect_gates,
    detect_launch,  detect_names,        detect_sizes, detect_types,
};

}  // namespace ambidex
