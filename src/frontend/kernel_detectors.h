// SPDX-License-Identifier: Apache-2.0
// The detectors of W and S: they look at functions and what their values depend on.
#pragma once

#include "frontend/detector.h"
#include "frontend/program.h"

namespace ambidex::syntax {

/// How the functions that call each other use the width of a warp.
struct LaneUse {
  bool hardware = false;      // warpSize, ballots, lane ids of the hardware
  bool arithmetic32 = false;  // thread & 31 and the like
  bool hazard = false;        // an exchange or a vote whose result changes with 64 lanes
  bool exchanges = false;     // any exchange or vote
};

struct Kernels {
  const Program& program;
  std::vector<LaneUse> lanes;  // per component

  const LaneUse& lanes_of(const Function& function) const {
    return lanes[static_cast<size_t>(program.facts_of(function).component)];
  }
};

/// Needs classify_shuffle and the rest to be done on `program` alone.
Kernels kernels_of(const Program& program);

using KernelDetector = void (*)(const Kernels& kernels, std::vector<Finding>& findings);

void detect_shuffles(const Kernels& kernels, std::vector<Finding>& findings);     // W01
void detect_masks(const Kernels& kernels, std::vector<Finding>& findings);        // W02 W03 W04 W17
void detect_votes(const Kernels& kernels, std::vector<Finding>& findings);        // W05 W12
void detect_lanes(const Kernels& kernels, std::vector<Finding>& findings);        // W06 W08
void detect_warp_size(const Kernels& kernels, std::vector<Finding>& findings);    // W09 W10
void detect_launches(const Kernels& kernels, std::vector<Finding>& findings);     // W07 W16 S06 S07
void detect_half_ported(const Kernels& kernels, std::vector<Finding>& findings);  // W07
void detect_groups(const Kernels& kernels, std::vector<Finding>& findings);       // W13 W14 W15 W18
void detect_barriers(const Kernels& kernels, std::vector<Finding>& findings);     // S01 S02
void detect_progress(const Kernels& kernels, std::vector<Finding>& findings);     // S03 S08
void detect_lockstep(const Kernels& kernels, std::vector<Finding>& findings);     // S04 S05
void detect_memory_order(const Kernels& kernels, std::vector<Finding>& findings);  // S09 S10

inline constexpr std::array<KernelDetector, 12> kKernelDetectors{
    detect_shuffles,  detect_masks,    detect_votes,       detect_lanes,
    detect_warp_size, detect_launches, detect_half_ported, detect_groups,
    detect_barriers,  detect_progress, detect_lockstep,    detect_memory_order,
};

enum class ShuffleKind : uint8_t {
  none,        // no shuffle, or its arguments are not to be seen
  narrow,      // an explicit width of 32 or less
  butterfly,   // closed under halves of 32
  guarded,     // lanes that would read across a half do not use it
  first_lane,  // of a tree: only the first lane of each 32 uses it
  wave_wide,   // follows warpSize, and so does what is around it
  half_fix,    // follows warpSize, but what is around it counts 32
  down,
  up,
  broadcast,
  indexed,
};
ShuffleKind classify_shuffle(const Program& program, const std::vector<LaneUse>& lanes,
                             const Function& function, const Call& call);

/// Whether a shuffle down by `distance` belongs to a tree, or is one step of it, whose result only
/// the first lane of each 32 uses.
bool is_tree_to_first_lane(const Program& program, const Function& function, const Call& call,
                           Span distance);

bool is_vote(std::string_view name);

/// The operand that ends before word `end`: a name with its members, or a parenthesis.
Span operand_before(const Words& words, int end, int first);
Span operand_after(const Words& words, int first, int last);

/// thread & 31, thread % 32, thread / 32, thread >> 5 at the sign `at`: 0, or kOnLane32 or
/// kOnWarp32.
uint32_t lane_arithmetic(const Program& program, const Function& function, int at);

Finding finding(const Words& words, int at, std::string_view id, Severity severity, FixKind fix,
                std::string message);

}  // namespace ambidex::syntax
