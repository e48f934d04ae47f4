// SPDX-License-Identifier: Apache-2.0
// Warps and barriers of PTX in C++.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/ptx_rewrite.h"

namespace ambidex {
namespace {

struct Shuffle {
  std::string_view mode;
  std::string_view function;
};

const Shuffle* shuffle_mode(const PtxInstruction& in) {
  static constexpr std::array<Shuffle, 4> kModes{{{"idx", "shfl_sync"},
                                                  {"bfly", "shfl_xor_sync"},
                                                  {"down", "shfl_down_sync"},
                                                  {"up", "shfl_up_sync"}}};
  const size_t at = has_modifier(in, "sync") ? 1 : 0;
  if (in.modifiers.size() != at + 2 || in.modifiers.back() != "b32") return nullptr;
  const auto* const found = std::find_if(
      kModes.begin(), kModes.end(), [&](const Shuffle& it) { return it.mode == in.modifiers[at]; });
  return found == kModes.end() ? nullptr : found;
}

// shfl.sync.bfly.b32 d|p, a, b, c, mask; before Volta without .sync and mask. Of whole logical
// warps and constant or masked lanes as CUDA's functions.
std::optional<PtxMeaning> shuffle_of(const PtxScope& scope, const PtxInstruction& in) {
  const Shuffle* const mode = shuffle_mode(in);
  const bool syncs = has_modifier(in, "sync");
  if (mode == nullptr || in.operands.size() != (syncs ? 5U : 4U)) return {};
  const auto values = values_of(scope, in, syncs ? "b32 b32 b32 b32" : "b32 b32 b32");
  if (!values) return {};
  const auto& v = *values;
  const PtxOperand& to = in.operands[0];
  if (to.kind == PtxOperandKind::pair) {
    const auto value = assignment(scope, to.parts[0], "ambidex_value", "b32");
    const auto inside = assignment(scope, to.parts[1], "ambidex_inside", "pred");
    if (!value || !inside) return {};
    return PtxMeaning{
        fmt::format("{{ bool ambidex_inside; const unsigned ambidex_value = ambidex_port::shfl_ptx<"
                    "ambidex_port::shuffle_{}>({}, {}, {}, ambidex_inside); {}; {}; }}",
                    mode->mode, v[0], v[1], v[2], *value, *inside),
        "", "warp"};
  }
  const uint64_t whole = mode->mode == "up" ? 0 : 31;
  const bool plain_lane = mode->mode == "idx" || (in.operands[2].bits && *in.operands[2].bits < 32);
  if (syncs && plain_lane && in.operands[3].bits == whole) {
    return PtxMeaning{
        fmt::format("ambidex_port::{}({}, {}, {}, 32)", mode->function, v[3], v[0], v[1]), "b32",
        "warp"};
  }
  return PtxMeaning{fmt::format("ambidex_port::shfl_ptx<ambidex_port::shuffle_{}>({}, {}, {})",
                                mode->mode, v[0], v[1], v[2]),
                    "b32", "warp"};
}

std::optional<PtxMeaning> vote_of(const PtxScope& scope, const PtxInstruction& in) {
  const bool syncs = has_modifier(in, "sync");
  const size_t at = syncs ? 1 : 0;
  if (in.modifiers.size() != at + 2) return {};
  const std::string& how = in.modifiers[at];
  const std::string type = how == "ballot" ? "b32" : "pred";
  const bool known = how == "ballot" || how == "any" || how == "all" || how == "uni";
  if (!known || in.modifiers.back() != type || (!syncs && how == "uni")) return {};
  const auto values = values_of(scope, in, syncs ? "pred b32" : "pred");
  if (!values) return {};
  std::string text =
      syncs ? fmt::format("ambidex_port::{}_sync({}, {})", how, (*values)[1], (*values)[0])
            : fmt::format("ambidex_port::{}({})", how, (*values)[0]);
  return PtxMeaning{how == "ballot" ? text : text + " != 0", type, "warp"};
}

// match.any.sync.b32 d, a, mask; match.all.sync.b32 d|p, a, mask.
std::optional<PtxMeaning> match_of(const PtxScope& scope, const PtxInstruction& in) {
  const std::string options = options_of(in), type = type_suffix(in);
  if (type != "b32" && type != "b64") return {};
  const auto values = values_of(scope, in, type + " b32");
  if (!values) return {};
  if (options == "any.sync") {
    return PtxMeaning{
        fmt::format("ambidex_port::match_any_sync({}, {})", (*values)[1], (*values)[0]), "b32",
        "warp"};
  }
  if (options != "all.sync") return {};
  const PtxOperand& to = in.operands[0];
  const bool pair = to.kind == PtxOperandKind::pair;
  const auto lanes = assignment(scope, pair ? to.parts[0] : to, "ambidex_lanes", "b32");
  const auto same = pair ? assignment(scope, to.parts[1], "ambidex_same != 0", "pred")
                         : std::optional<std::string>("(void)ambidex_same");
  if (!lanes || !same) return {};
  return PtxMeaning{
      fmt::format(
          "{{ int ambidex_same; const unsigned ambidex_lanes = ambidex_port::match_all_sync({}, "
          "{}, &ambidex_same); {}; {}; }}",
          (*values)[1], (*values)[0], *lanes, *same),
      "", "warp"};
}

std::optional<PtxMeaning> redux_of(const PtxScope& scope, const PtxInstruction& in) {
  constexpr std::array<std::string_view, 6> kOperations{"add", "min", "max", "and", "or", "xor"};
  const std::string type = type_suffix(in);
  if (in.modifiers.size() != 3 || in.modifiers[0] != "sync") return {};
  if (type != "u32" && type != "s32" && type != "b32") return {};
  const auto values = values_of(scope, in, type + " b32");
  const bool known =
      std::find(kOperations.begin(), kOperations.end(), in.modifiers[1]) != kOperations.end();
  if (!values || !known) return {};
  return PtxMeaning{fmt::format("ambidex_port::reduce_{}_sync({}, {})", in.modifiers[1],
                                (*values)[1], (*values)[0]),
                    type, "warp"};
}

// elect.sync d|p, mask: the lane, and whether it is this one.
std::optional<PtxMeaning> elect_of(const PtxScope& scope, const PtxInstruction& in) {
  if (full_mnemonic(in) != "elect.sync" || in.operands.size() != 2) return {};
  const PtxOperand& to = in.operands[0];
  const auto mask = value_of(scope, in.operands[1], "b32");
  if (to.kind != PtxOperandKind::pair || !mask) return {};
  if (to.parts[0].text == "_") {
    const auto only =
        assignment(scope, to.parts[1], fmt::format("ambidex_port::elect_sync({})", *mask), "pred");
    return only ? std::optional(PtxMeaning{*only, "", "warp"}) : std::nullopt;
  }
  const auto lane = assignment(scope, to.parts[0], "ambidex_lane", "b32");
  const auto is_this =
      assignment(scope, to.parts[1], "ambidex_lane == ambidex_port::lane_id()", "pred");
  if (!lane || !is_this) return {};
  return PtxMeaning{
      fmt::format("{{ const unsigned ambidex_lane = ambidex_port::elected_lane({}); {}; {}; }}",
                  *mask, *lane, *is_this),
      "", "warp"};
}

// bar.red.popc.u32 d, barrier, p: of all threads of the block.
std::optional<PtxMeaning> reduction_of(const PtxScope& scope, const PtxInstruction& in) {
  if (in.operands.size() != 3) return {};
  const std::string whole = full_mnemonic(in);
  const std::string stem = whole.substr(
      whole.find(".red.") == std::string::npos ? whole.size() : whole.find(".red.") + 5);
  const auto predicate = value_of(scope, in.operands[2], "pred");
  if (!predicate) return {};
  if (stem == "popc.u32" || stem == "aligned.popc.u32") {
    return PtxMeaning{fmt::format("(unsigned)__syncthreads_count({})", *predicate), "u32",
                      "barrier"};
  }
  const bool all = stem == "and.pred" || stem == "aligned.and.pred";
  if (!all && stem != "or.pred" && stem != "aligned.or.pred") return {};
  return PtxMeaning{fmt::format("__syncthreads_{}({}) != 0", all ? "and" : "or", *predicate),
                    "pred", "barrier"};
}

// A barrier that all threads of the block wait at is __syncthreads() whatever its number: no thread
// can wait at another one meanwhile.
std::optional<PtxMeaning> barrier_of(const PtxScope& scope, const PtxInstruction& in) {
  const std::string whole = full_mnemonic(in);
  if (whole == "bar.warp.sync" && in.operands.size() == 1) {
    const auto mask = value_of(scope, in.operands[0], "u32");
    if (!mask) return {};
    return PtxMeaning{fmt::format("ambidex_port::syncwarp({})", *mask), "", "barrier"};
  }
  if (has_modifier(in, "cluster")) return {};
  if (has_modifier(in, "red")) return reduction_of(scope, in);
  const bool syncs = whole == "bar.sync" || whole == "barrier.sync" ||
                     whole == "barrier.sync.aligned" || whole == "bar.cta.sync" ||
                     whole == "barrier.cta.sync" || whole == "barrier.cta.sync.aligned";
  if (!syncs || in.operands.size() != 1) return {};
  return PtxMeaning{"__syncthreads()", "", "barrier"};
}

}  // namespace

std::optional<PtxMeaning> warp_meaning_of(const PtxScope& scope,
                                          const PtxInstruction& instruction) {
  const std::string& mnemonic = instruction.mnemonic;
  if (mnemonic == "shfl") return shuffle_of(scope, instruction);
  if (mnemonic == "vote") return vote_of(scope, instruction);
  if (mnemonic == "match") return match_of(scope, instruction);
  if (mnemonic == "redux") return redux_of(scope, instruction);
  if (mnemonic == "elect") return elect_of(scope, instruction);
  if (mnemonic == "bar" || mnemonic == "barrier") return barrier_of(scope, instruction);
  const std::string whole = full_mnemonic(instruction);
  if (whole == "activemask.b32" && instruction.operands.size() == 1) {
    return PtxMeaning{"ambidex_port::activemask()", "b32", "warp"};
  }
  if (whole != "nanosleep.u32" || instruction.operands.size() != 1) return {};
  const auto time = value_of(scope, instruction.operands[0], "u32");
  if (!time) return {};
  return PtxMeaning{fmt::format("ambidex_port::nanosleep({})", *time), "", "time"};
}

}  // namespace ambidex
