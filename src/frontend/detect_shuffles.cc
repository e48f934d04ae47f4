// SPDX-License-Identifier: Apache-2.0
// W01: shuffles without a width. Which of them survive on 64 lanes is a matter of the source lane.
#include <algorithm>

#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

struct Shuffle {
  std::string_view name;
  const Function* function = nullptr;
  const Call* call = nullptr;
  Span lane;
  Span width;  // empty: not given
};

bool is_shuffle(std::string_view name) {
  static const std::set<std::string_view> kNames{
      "__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
      "__shfl",      "__shfl_up",      "__shfl_down",      "__shfl_xor"};
  return kNames.contains(name);
}

std::optional<Shuffle> shuffle_of(const Program& program, const Function& function,
                                  const Call& call) {
  Shuffle shuffle{
      .name = name_of_call(program, *function.words, call), .function = &function, .call = &call};
  if (!is_shuffle(shuffle.name)) return std::nullopt;
  const size_t lane = shuffle.name.ends_with("_sync") ? 2 : 1;
  const auto& arguments = call.arguments;
  if (arguments.size() <= lane || arguments.size() > lane + 2) return std::nullopt;
  for (const Span argument : arguments) {
    if (has_word(*function.words, argument, "...") ||
        has_word(*function.words, argument, "__VA_ARGS__")) {
      return std::nullopt;
    }
  }
  shuffle.lane = arguments[lane];
  if (arguments.size() > lane + 1) shuffle.width = arguments[lane + 1];
  return shuffle;
}

bool depends_on_width(const Program& program, const Function& function, Span span) {
  return names_hardware_width(program, *function.words, span) ||
         (depends_of(program, function, span) & kOnHardware) != 0;
}

bool keeps_half(const Program& program, const Words& words, Span lane) {
  for (int i = lane.first; i + 1 < lane.last; ++i) {
    if (words.text(i) != "&") continue;
    const auto value = constant_of(program, words, {i + 1, lane.last});
    const auto next = constant_of(program, words, operand_after(words, i + 1, lane.last));
    if (value == 32 || next == 32 || value == ~int64_t{31} || next == ~int64_t{31}) return true;
  }
  return false;
}

// A comparison of a lane of 32 in `span`.
bool tests_lane(const Program& program, const Function& function, Span span) {
  const Words& words = *function.words;
  bool compares = false;
  bool lane = false;
  for (int i = span.first; i < span.last; ++i) {
    const std::string_view text = words.text(i);
    compares = compares || text == ">=" || text == ">" || text == "<" || text == "<=" ||
               text == "==" || text == "!=";
    if (!words.is_word(i)) continue;
    const uint32_t depends = depends_of(program, function, {i, i + 1});
    const bool named_lane = text.find("lane") != std::string_view::npos && !(depends & kOnWaveId);
    lane = lane || named_lane || (depends & kOnLane32) != 0;
  }
  const bool written_out = depends_of(program, function, span) & kOnLane32;
  return compares && (lane || written_out);
}

// The innermost statement that holds word `at`; `conditions` gets the ifs around it.
const Statement* statement_at(const Statement& statement, int at, std::vector<Span>& conditions) {
  for (const auto* inside : {&statement.body, &statement.otherwise}) {
    for (const Statement& inner : *inside) {
      if (at < inner.all.first || at >= inner.all.last) continue;
      if (inner.kind == StatementKind::if_else) conditions.push_back(inner.head);
      const Statement* found = statement_at(inner, at, conditions);
      return found != nullptr ? found : &inner;
    }
  }
  return nullptr;
}

// v = shuffle(...) and nothing else on the right.
std::string_view plain_result(const Shuffle& shuffle) {
  const Words& words = *shuffle.function->words;
  const int name = shuffle.call->name;
  return words.text(name - 1) == "=" && words.is_word(name - 2) ? words.text(name - 2)
                                                                : std::string_view();
}

bool use_is_guarded(const Program& program, const Shuffle& shuffle, int at) {
  std::vector<Span> conditions;
  const Statement* statement = statement_at(shuffle.function->block, at, conditions);
  for (const Span condition : conditions) {
    if (tests_lane(program, *shuffle.function, condition)) return true;
  }
  if (statement == nullptr) return false;
  const Span head = statement->head;
  return tests_lane(program, *shuffle.function, head);
}

// Lanes whose source lies across the border do not use what they get.
bool is_guarded(const Program& program, const Shuffle& shuffle) {
  if (use_is_guarded(program, shuffle, shuffle.call->name)) return true;
  const std::string_view result = plain_result(shuffle);
  if (result.empty()) return false;
  const Words& words = *shuffle.function->words;
  const int close = words.partner[static_cast<size_t>(shuffle.call->open)];
  if (has_word(words, {shuffle.call->open, close}, result)) return false;  // v = shuffle(v)
  int uses = 0;
  for (int i = close; i < shuffle.function->body.last; ++i) {
    if (words.text(i) != result || words.text(i - 1) == "." || words.text(i - 1) == "->") continue;
    const bool guarded = use_is_guarded(program, shuffle, i);
    if (words.text(i + 1) == "=") return uses > 0 || guarded;  // the border lanes' is replaced
    if (!guarded) return false;
    ++uses;
  }
  return uses > 0;
}

bool mixes_32(const std::vector<LaneUse>& lanes, const Program& program, const Shuffle& shuffle) {
  return lanes[static_cast<size_t>(program.facts_of(*shuffle.function).component)].arithmetic32;
}

ShuffleKind kind_of_distance(const Program& program, const std::vector<LaneUse>& lanes,
                             const Shuffle& shuffle, ShuffleKind plain) {
  if (depends_on_width(program, *shuffle.function, shuffle.lane)) {
    return mixes_32(lanes, program, shuffle) ? ShuffleKind::half_fix : ShuffleKind::wave_wide;
  }
  return is_guarded(program, shuffle) ? ShuffleKind::guarded : plain;
}

struct Words01 {
  Severity severity;
  const char* text;
};

Words01 words_for(ShuffleKind kind) {
  switch (kind) {
    case ShuffleKind::butterfly:
      return {Severity::s3,
              "an exchange by xor below 32 stays within each half of a 64-lane wave, "
              "so it is right as written; the port spells width 32 all the same"};
    case ShuffleKind::guarded:
      return {Severity::s3,
              "lanes whose source lies in the other half of a 64-lane wave do not "
              "use what they get, so it is right as written; the port spells width "
              "32 all the same"};
    case ShuffleKind::first_lane:
      return {Severity::s3,
              "a tree of which only the first lane of each 32 uses the result: that lane comes out "
              "right on 64 too, and the others do not; the port spells width 32 all the same"};
    case ShuffleKind::wave_wide:
      return {Severity::s3,
              "follows warpSize, which is 64 here, and so does the code around it; "
              "the port keeps warps of 32 and spells width 32"};
    case ShuffleKind::half_fix:
      return {Severity::s0,
              "the distance follows warpSize (64 here), but the code around it counts "
              "lanes by 32: the two halves of a wave get mixed; spell width 32 and "
              "start from 32"};
    case ShuffleKind::down:
      return {Severity::s0,
              "shuffle down without a width: 64 lanes here, so lanes below 32 take "
              "values from the other warp's half (only lanes 0 and 32 of a whole "
              "tree come out right); pass width 32"};
    case ShuffleKind::up:
      return {Severity::s0,
              "shuffle up without a width and without a test of the lane: 64 lanes "
              "here, so lane 32 takes a value from the warp before it; pass width 32"};
    case ShuffleKind::broadcast:
      return {Severity::s0,
              "broadcast without a width: 64 lanes here, so lanes 32 to 63 get the "
              "value of the first half's lane; pass width 32"};
    default:
      return {Severity::s0,
              "indexed shuffle without a width: the index counts within 32, but "
              "selects among 64 lanes here, so the upper half reads the lower; pass "
              "width 32"};
  }
}

// __shfl_##how##_sync(mask, value, lane): no name yet, and no width.
bool is_pasted_shuffle(const Words& words, const Call& call) {
  if (words.text(call.name - 1) != "##" && words.text(call.name) != "_sync") return false;
  for (int i = call.name - 1; i >= 0 && i >= call.name - 4; --i) {
    if (words.text(i).starts_with("__shfl")) return call.arguments.size() == 3;
  }
  return false;
}

}  // namespace

ShuffleKind classify_shuffle(const Program& program, const std::vector<LaneUse>& lanes,
                             const Function& function, const Call& call) {
  const auto shuffle = shuffle_of(program, function, call);
  if (!shuffle) {
    return is_pasted_shuffle(*function.words, call) ? ShuffleKind::indexed : ShuffleKind::none;
  }
  const Words& words = *function.words;
  if (!shuffle->width.empty() && !depends_on_width(program, function, shuffle->width)) {
    return ShuffleKind::narrow;
  }
  if (shuffle->name.find("_xor") != std::string_view::npos) {
    const auto distance = constant_of(program, words, shuffle->lane);
    if (distance && *distance >= 32) return ShuffleKind::half_fix;
    if (!depends_on_width(program, function, shuffle->lane)) return ShuffleKind::butterfly;
    return mixes_32(lanes, program, *shuffle) ? ShuffleKind::half_fix : ShuffleKind::wave_wide;
  }
  if (shuffle->name.find("_down") != std::string_view::npos) {
    const ShuffleKind kind = kind_of_distance(program, lanes, *shuffle, ShuffleKind::down);
    const bool first =
        kind == ShuffleKind::down && is_tree_to_first_lane(program, function, call, shuffle->lane);
    return first ? ShuffleKind::first_lane : kind;
  }
  if (shuffle->name.find("_up") != std::string_view::npos) {
    return kind_of_distance(program, lanes, *shuffle, ShuffleKind::up);
  }
  if (keeps_half(program, words, shuffle->lane)) return ShuffleKind::narrow;
  return depends_of(program, function, shuffle->lane) & kOnThread ? ShuffleKind::indexed
                                                                  : ShuffleKind::broadcast;
}

void detect_shuffles(const Kernels& kernels, std::vector<Finding>& findings) {
  for (const Function& function : kernels.program.functions) {
    if (function.lambda) continue;  // its calls are also its parent's
    for (const Call& call : function.calls) {
      const ShuffleKind kind = classify_shuffle(kernels.program, kernels.lanes, function, call);
      if (kind == ShuffleKind::none || kind == ShuffleKind::narrow) continue;
      const Words01 words = words_for(kind);
      findings.push_back(
          finding(*function.words, call.name, "W01", words.severity, FixKind::rule, words.text));
    }
  }
}

}  // namespace ambidex::syntax
