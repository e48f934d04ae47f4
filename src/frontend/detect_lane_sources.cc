// SPDX-License-Identifier: Apache-2.0
// W11: lane ids and lane masks read from PTX special registers.
#include <array>

#include "frontend/detector.h"

namespace ambidex {
namespace {

// As asm text spells them, with one or two percent signs; %lanemask_eq, _lt, _le, _gt, _ge.
constexpr std::array<std::string_view, 4> kRegisters{"%laneid", "%lanemask_", "%warpid",
                                                     "%nwarpid"};

}  // namespace

void detect_lane_sources(const SourceView& view, std::vector<Finding>& findings) {
  for (const SourceFile& file : view.files) {
    for (const Token& token : file.tokens) {
      if (token.kind != TokenKind::text || token.amd_only) continue;
      for (const std::string_view name : kRegisters) {
        if (token.text.find(name) == std::string_view::npos) continue;
        findings.push_back(finding_at(
            file, token, "W11", Severity::s2, FixKind::rule,
            "inline PTX reads " + std::string(name) +
                (name == "%lanemask_" ? "*: no such register here, and a lane mask has 64 bits; "
                                        "compute it from the lane id within 32 lanes"
                                      : ": no such register here; use __lane_id() & 31, or "
                                        "threadIdx, in its place")));
        break;
      }
    }
  }
}

}  // namespace ambidex
