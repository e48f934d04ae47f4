// SPDX-License-Identifier: Apache-2.0
// Launches and their resources.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/text.h"
#include "frontend/translate.h"

namespace ambidex {
namespace {

constexpr int64_t kWaveWidth = 64;
constexpr int64_t kUnitsPerBlock = 4;  // SIMD units of a compute unit

std::optional<int64_t> number_in(const Words& words, TokenRange range) {
  if (range.last - range.first != 1) return {};
  return int64_from_text(words.text(range.first));
}

int64_t waves_per_unit(int64_t threads, int64_t blocks) {
  const int64_t per_wave = kWaveWidth * kUnitsPerBlock;
  return std::max<int64_t>(1, (blocks * threads + per_wave - 1) / per_wave);
}

// R03: the second number is blocks per multiprocessor in CUDA, waves per SIMD unit in HIP.
void fix_launch_bounds(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  if (words.text(i) != "__launch_bounds__" || words.text(i + 1) != "(") return;
  const auto arguments = arguments_of(words, i + 1);
  if (arguments.size() == 3) {
    refuse_word(translation, i, "launch.bounds", "R04",
                "the third number of __launch_bounds__ is a cluster of blocks, which AMD has not");
    return;
  }
  if (arguments.size() != 2 || translation.is_hip) return;
  const auto threads = number_in(words, arguments[0]);
  const auto blocks = number_in(words, arguments[1]);
  const int64_t first = words.first(arguments[1].first);
  const int64_t last = words.last(arguments[1].last - 1);
  Edit edit{.first = first,
            .last = last,
            .pieces = {},
            .rule = "launch.bounds",
            .hazard = "R03",
            .note = "ceil(blocks * threads / (64 * 4)) waves per SIMD unit"};
  if (threads && blocks && *threads <= 1024 && *blocks <= 64) {
    edit.pieces = {{.text = std::to_string(waves_per_unit(*threads, *blocks))}};
    if (edit.pieces[0].text == words.text(arguments[1].first)) {
      // The number stays; that it has been looked at is told by the header.
      translation.needs_port = true;
      return;
    }
  } else {
    edit.pieces = {
        {.text = "(("},
        {.first = first, .last = last},
        {.text = ") * ("},
        {.first = words.first(arguments[0].first), .last = words.last(arguments[0].last - 1)},
        {.text = ") + 255) / 256"}};
  }
  translation.needs_port = true;  // the mark by which a second pass knows
  translation.edits.push_back(std::move(edit));
}

// R04: without a bound clang allows for blocks of 1024 threads. Where all launches of the tree are
// known, theirs is the bound.
void add_launch_bounds(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  if (words.text(i) != "__global__" || words.at(i).directive || translation.is_hip) return;
  const int64_t name = kernel_name_at(words, i);
  for (int64_t k = i; k < name; ++k) {
    if (words.text(k) == "__launch_bounds__") return;
  }
  const auto use = translation.tree.kernels.find(words.text(name));
  if (use == translation.tree.kernels.end() || use->second.is_unknown) return;
  if (use->second.max_threads == 0) return;
  insert_at(translation, words.first(name),
            fmt::format("__launch_bounds__({}) ", use->second.max_threads), "launch.bounds", "R04",
            "the largest block of the launches in this tree");
}

// HIP takes const void* or void** where CUDA has a template over the kernel or the pointer.
void cast_argument(Translation& translation, int64_t i) {
  struct Call {
    std::string_view name;
    size_t position;
    std::string_view type;
  };
  static constexpr std::array<Call, 6> kCalls{{{"cudaFuncSetAttribute", 0, "const void*"},
                                               {"cudaFuncSetCacheConfig", 0, "const void*"},
                                               {"cudaFuncSetSharedMemConfig", 0, "const void*"},
                                               {"cudaFuncGetAttributes", 1, "const void*"},
                                               {"cudaHostGetDevicePointer", 0, "void**"},
                                               {"cudaMallocPitch", 0, "void**"}}};
  const Words& words = translation.words;
  const auto* call = std::find_if(kCalls.begin(), kCalls.end(), [&](const Call& candidate) {
    return candidate.name == words.text(i);
  });
  if (call == kCalls.end() || words.text(i + 1) != "(") return;
  const auto arguments = arguments_of(words, i + 1);
  if (arguments.size() <= call->position) return;
  const TokenRange argument = arguments[call->position];
  // Cast already: (void*)k, (const void*)k, reinterpret_cast<...>(k).
  const std::string_view start = words.text(argument.first);
  if (start == "(" || start == "reinterpret_cast") return;
  const bool is_kernel = call->type == "const void*";
  const std::string_view rule = is_kernel ? "launch.kernel-pointer" : "api.pointer-cast";
  const std::string_view hazard = is_kernel ? "R02" : "N21";
  insert_at(translation, words.first(argument.first),
            fmt::format("reinterpret_cast<{}>(", call->type), rule, hazard,
            fmt::format("HIP takes {}", call->type));
  insert_at(translation, words.last(argument.last - 1), ")", rule, hazard);
}

// R01: more dynamic shared memory than either device has.
void check_opt_in(Translation& translation, int64_t i) {
  constexpr int64_t kLargestLds = 163840;
  const Words& words = translation.words;
  if (words.text(i) != "cudaFuncSetAttribute" || words.text(i + 1) != "(") return;
  const auto arguments = arguments_of(words, i + 1);
  if (arguments.size() != 3) return;
  const auto bytes = number_in(words, arguments[2]);
  if (!bytes || *bytes <= kLargestLds) return;
  refuse_word(translation, i, "launch.shared-memory", "R02",
              fmt::format("{} bytes of shared memory: gfx942 has 65536, gfx950 {}; use less per "
                          "block",
                          *bytes, kLargestLds));
}

// R07: numbers of sm_NN, which say another thing of gfx.
void fix_capability(Translation& translation, int64_t i) {
  const Words& words = translation.words;
  const bool is_member = words.text(i - 1) == "." || words.text(i - 1) == "->";
  if (!is_member || (words.text(i) != "major" && words.text(i) != "minor")) return;
  if (!translation.properties.contains(words.text(start_of_postfix(words, i - 1)))) return;
  const int64_t start = start_of_postfix(words, i - 1);
  const bool is_major = words.text(i) == "major";
  translation.needs_version = true;
  translation.edits.push_back(
      {.first = words.first(start),
       .last = words.last(i),
       .pieces = {{.text = is_major ? "(AMBIDEX_PORT_ARCHITECTURE / 100)"
                                    : "(AMBIDEX_PORT_ARCHITECTURE / 10 % 10)"}},
       .rule = "device.capability",
       .hazard = "R07",
       .note =
           "the architecture that the port's kernels stand for; gfx numbers mean another thing"});
}

// Variables of type cudaDeviceProp.
void find_properties(Translation& translation) {
  const Words& words = translation.words;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (words.text(i) != "cudaDeviceProp") continue;
    int64_t name = i + 1;
    while (words.text(name) == "&" || words.text(name) == "*" || words.text(name) == "const")
      ++name;
    if (words.is_word(name)) translation.properties.insert(words.text(name));
  }
}

}  // namespace

void translate_launches(Translation& translation) {
  const Words& words = translation.words;
  find_properties(translation);
  for (int64_t i = 0; i < words.size(); ++i) {
    if (!words.is_word(i) || words.at(i).amd_only) continue;
    fix_launch_bounds(translation, i);
    add_launch_bounds(translation, i);
    cast_argument(translation, i);
    check_opt_in(translation, i);
    fix_capability(translation, i);
  }
}

}  // namespace ambidex
