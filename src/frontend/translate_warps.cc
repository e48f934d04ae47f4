// SPDX-License-Identifier: Apache-2.0
// Warps of 32 lanes on waves of 64: what the table of names leaves to do.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/word_list.h"
#include "frontend/translate.h"

namespace ambidex {
namespace {

constexpr std::array<std::string_view, 4> kShuffles{"__shfl_sync", "__shfl_up_sync",
                                                    "__shfl_down_sync", "__shfl_xor_sync"};
constexpr std::array<std::string_view, 4> kOldShuffles{"__shfl", "__shfl_up", "__shfl_down",
                                                       "__shfl_xor"};

// W01: the width is spelled, 32.
void add_width(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  const bool is_old = is_any(words.text(i), kOldShuffles);
  if (!is_old && !is_any(words.text(i), kShuffles)) return;
  if (words.text(i + 1) != "(" || words.partner_of(i + 1) < 0) return;
  const size_t num_arguments = arguments_of(words, i + 1).size();
  if (num_arguments != (is_old ? 2U : 3U)) return;
  const int64_t close = words.partner_of(i + 1);
  insert_at(translation, words.last(close - 1), ", 32", "warp.shuffle-width", "W01",
            "the logical warp has 32 lanes");
}

bool declares(const Words& words, int64_t i) {
  const std::string_view before = words.text(i - 1);
  return before == "int" || before == "unsigned" || before == "define" || before == "auto" ||
         before == "size_t" || before == "long" || before == "uint32_t" || before == "typename";
}

// W09: warpSize of the device, of a cudaDeviceProp, and as an attribute.
void fix_warp_size(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  if (words.text(i) != "warpSize" || declares(words, i)) return;
  if (translation.tree.declared.contains("warpSize")) return;
  translation.needs_port = true;
  const std::string_view before = words.text(i - 1);
  if (before == "::") return;
  if (before != "." && before != "->") {
    replace_word(translation, i, "ambidex_port::warp_size", "warp.size", "W09",
                 "a constant of the port: the logical warp");
    return;
  }
  const int64_t start = start_of_postfix(words, i - 1);
  if (start < 0 || std::any_of(words.file.tokens.begin() + start, words.file.tokens.begin() + i,
                               [](const Token& token) { return token.text == "("; })) {
    refuse_word(translation, i, "warp.size", "W09",
                "warpSize of an expression: 64 on the device, where the port has logical warps of "
                "32; write ambidex_port::warp_size");
    return;
  }
  translation.edits.push_back({.first = words.first(start),
                               .last = words.last(i),
                               .pieces = {{.text = "ambidex_port::warp_size"}},
                               .rule = "warp.size",
                               .hazard = "W09",
                               .note = "the host must agree with kernels of logical warps"});
}

void fix_warp_size_attribute(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  if (words.text(i) != "cudaDeviceGetAttribute" || words.text(i + 1) != "(") return;
  const auto arguments = arguments_of(words, i + 1);
  if (arguments.size() != 3 || words.source(arguments[1]) != "cudaDevAttrWarpSize") return;
  translation.needs_port = true;
  const int64_t first = words.first(arguments[0].first);
  const int64_t last = words.last(arguments[0].last - 1);
  translation.edits.push_back({.first = words.first(i),
                               .last = words.last(words.partner_of(i + 1)),
                               .pieces = {{.text = "(*("},
                                          {.first = first, .last = last},
                                          {.text = ") = ambidex_port::warp_size, hipSuccess)"}},
                               .rule = "warp.size",
                               .hazard = "W09",
                               .note = "the host must agree with kernels of logical warps"});
}

// W15: cub::WarpReduce<T> has the hardware's width; CUDA's is 32.
void fix_warp_primitive(Translation& translation, int64_t i) {
  static constexpr std::array<std::string_view, 6> kNames{
      "WarpReduce", "WarpScan", "WarpExchange", "WarpLoad", "WarpStore", "WarpMergeSort"};
  const Words& words = translation.words;
  if (!is_any(words.text(i), kNames) || words.text(i + 1) != "<") return;
  const std::string_view space = words.text(i - 2);
  const bool is_cub = words.text(i - 1) == "::" && (space == "cub" || space == "hipcub");
  if (!is_cub && (words.text(i - 1) == "::" || translation.tree.declared.contains(words.text(i)))) {
    return;
  }
  const int64_t after = after_template_arguments(words, i + 1);
  if (after < 0) return;
  if (words.text(i) != "WarpReduce" && words.text(i) != "WarpScan") {
    refuse_word(
        translation, i, "warp.cub-width", "W15",
        fmt::format("{} has the width of the hardware: name its logical width, 32", words.text(i)));
    return;
  }
  for (int64_t k = i + 2; k < after - 1; ++k) {
    if (words.text(k) == "(") k = std::max(k, words.partner_of(k));
    if (words.text(k) == "<") k = std::max(k, after_template_arguments(words, k) - 1);
    if (words.text(k) == ",") return;  // it is spelled
  }
  if (words.text(after - 1) != ">") {
    // `>>` closes two lists: the first of its signs is this one's.
    insert_at(translation, words.first(after - 1), ", 32", "warp.cub-width", "W15");
    return;
  }
  insert_at(translation, words.last(after - 2), ", 32", "warp.cub-width", "W15",
            "hipCUB's default is the width of the hardware");
}

// W14: collectives of a tile by the port's header.
void fix_tile_function(Translation& translation, int64_t i) {
  static constexpr std::array<std::string_view, 12> kNames{
      "reduce",  "inclusive_scan", "exclusive_scan", "plus",         "less", "greater",
      "bit_and", "bit_or",         "bit_xor",        "memcpy_async", "wait", "wait_prior"};
  const Words& words = translation.words;
  if (!is_any(words.text(i), kNames) || words.text(i - 1) != "::") return;
  const std::string_view space = words.text(i - 2);
  const bool is_groups = space == "cooperative_groups" || translation.groups.contains(space);
  if (!is_groups) return;
  translation.needs_port = true;
  const bool copies = words.text(i) == "memcpy_async" || words.text(i).starts_with("wait");
  translation.edits.push_back({.first = words.first(i - 2),
                               .last = words.last(i),
                               .pieces = {{.text = fmt::format("ambidex_port::{}", words.text(i))}},
                               .rule = copies ? "memory.synchronous-copy" : "warp.tile-collective",
                               .hazard = copies ? "N05" : "W14",
                               .note = ""});
}

// Numbers and what is made of them by operators alone, as far as words tell.
bool is_number(const Words& words, TokenRange range) {
  static constexpr std::array<std::string_view, 21> kTypes{
      "bool",    "char",     "short",    "int",      "long",    "unsigned", "signed",
      "float",   "double",   "size_t",   "int8_t",   "int16_t", "int32_t",  "int64_t",
      "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uint",    "ushort",   "uchar"};
  for (int64_t i = range.first; i < range.last; ++i) {
    if (!words.is_word(i) || is_any(words.text(i), kTypes)) continue;
    const std::string_view before = words.text(i - 1), after = words.text(i + 1);
    if (before == "." || before == "->" || before == "::" || after == "(" || after == "::" ||
        !is_any(declared_type(words, i, words.text(i)), kTypes)) {
      return false;
    }
  }
  return true;
}

// W14: groups of HIP exchange numbers alone, CUDA's any value.
void fix_group_shuffle(Translation& translation, int64_t i) {
  static constexpr std::array<std::string_view, 4> kNames{"shfl", "shfl_up", "shfl_down",
                                                          "shfl_xor"};
  const Words& words = translation.words;
  const std::string_view dot = words.text(i - 1);
  if (!is_any(words.text(i), kNames) || (dot != "." && dot != "->")) return;
  if (words.text(i + 1) != "(" || translation.tree.declared.contains(words.text(i))) return;
  const std::vector<TokenRange> arguments = arguments_of(words, i + 1);
  const int64_t group = start_of_postfix(words, i - 1);
  if (arguments.size() != 2 || group < 0 || is_number(words, arguments[0])) return;
  translation.needs_port = true;
  translation.edits.push_back({.first = words.first(group),
                               .last = words.last(i + 1),
                               .pieces = {{.text = fmt::format("ambidex_port::{}({}", words.text(i),
                                                               dot == "." ? "" : "*")},
                                          {.first = words.first(group), .last = words.last(i - 2)},
                                          {.text = ", "}},
                               .rule = "warp.group-shuffle",
                               .hazard = "W14",
                               .note = "HIP's groups exchange numbers alone"});
}

// W13: groups of the lanes that happen to be together are of the wave: up to 64 lanes. Partitions
// by a label or predicate are in no ROCm.
void fix_lane_group(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  const std::string_view name = words.text(i);
  static constexpr std::array<std::string_view, 3> kCalls{"coalesced_threads", "labeled_partition",
                                                          "binary_partition"};
  const bool is_call = is_any(name, kCalls) && words.text(i + 1) == "(";
  if ((!is_call && name != "coalesced_group") || translation.tree.declared.contains(name)) return;
  const std::string_view space = words.text(i - 2);
  const bool is_qualified = words.text(i - 1) == "::";
  if (is_qualified && space != "cooperative_groups" && !translation.groups.contains(space)) return;
  translation.needs_port = true;
  translation.edits.push_back({.first = words.first(is_qualified ? i - 2 : i),
                               .last = words.last(i),
                               .pieces = {{.text = fmt::format("ambidex_port::{}", name)}},
                               .rule = "warp.lane-group",
                               .hazard = "W13",
                               .note = "HIP's group is of the wave"});
}

}  // namespace

void translate_warps(Translation& translation) {
  const Words& words = translation.words;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (words.text(i) == "namespace" && words.text(i + 2) == "=" &&
        words.text(i + 3) == "cooperative_groups") {
      translation.groups.insert(words.text(i + 1));
    }
  }
  for (int64_t i = 0; i < words.size(); ++i) {
    if (!words.is_word(i) || words.at(i).amd_only) continue;
    add_width(translation, i);
    fix_warp_size(translation, i);
    fix_warp_size_attribute(translation, i);
    fix_warp_primitive(translation, i);
    fix_tile_function(translation, i);
    fix_group_shuffle(translation, i);
    fix_lane_group(translation, i);
  }
}

}  // namespace ambidex
