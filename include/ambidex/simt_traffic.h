// SPDX-License-Identifier: Apache-2.0
// What one launch asked of memory and arithmetic, counted where SimtOptions::counted: the raw
// material of `ambidex port estimate`. docs/simt.md says how lanes of a wave are taken together.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {

/// Pieces of memory, aligned to their size, that contain what was accessed.
struct SimtPieces {
  int64_t sectors = 0;     // of 32 bytes
  int64_t half_lines = 0;  // of 64
  int64_t lines = 0;       // of 128
  bool operator==(const SimtPieces&) const = default;
};

/// Loads, or stores and atomics, of global memory.
struct SimtGlobalTraffic {
  int64_t accesses = 0;        // of waves: one for the lanes that make it together
  int64_t lanes = 0;           // that took part, summed over accesses
  int64_t bytes = 0;           // that lanes asked for
  SimtPieces moved;            // summed over accesses
  SimtPieces of_blocks;        // each once in a block, summed over blocks
  SimtPieces distinct;         // each once in the launch
  int64_t distinct_bytes = 0;  // each once in the launch
  bool operator==(const SimtGlobalTraffic&) const = default;
};

/// Shared memory. A pass serves every bank once: 32 lanes of 4 bytes at best, 16 of 8, 8 of 16.
struct SimtSharedTraffic {
  int64_t accesses = 0, lanes = 0, bytes = 0;  // as above
  int64_t passes = 0;                          // 32 banks of 4 bytes
  int64_t passes_without_conflicts = 0;
  int64_t wide_passes = 0;  // 64 banks of 4 bytes
  int64_t wide_passes_without_conflicts = 0;
  int64_t worst_passes = 0;  // for 32 lanes of one access, 32 banks
  bool operator==(const SimtSharedTraffic&) const = default;
};

/// Atomics of lanes, in global and shared memory. A load that a compare-and-exchange of the same
/// address follows at once is one update, as in the headers' stand-ins for instructions.
struct SimtAtomicTraffic {
  int64_t updates = 0;  // fetch and add, minimum, ...: what hardware does in one instruction
  int64_t compare_exchanges = 0;
  int64_t in_shared = 0;     // of the two above
  int64_t wave_words = 0;    // global: different words of each wave's access, summed
  int64_t hottest_word = 0;  // global: accesses of waves to the word that has most
  bool operator==(const SimtAtomicTraffic&) const = default;
};

/// Instructions by the unit that executes them; `product` are those of integers and of addresses,
/// which NVIDIA's GPUs execute beside the other integer ones.
enum class SimtInstruction : uint8_t { f16, f32, f64, special, integer, product };
inline constexpr int kNumSimtInstructions = 6;
std::string_view name_of(SimtInstruction instruction);

using SimtInstructions = std::array<int64_t, kNumSimtInstructions>;

struct SimtArithmetic {
  SimtInstructions lanes{};              // of threads
  SimtInstructions waves{};              // of waves: one for the lanes that execute it together
  std::array<int64_t, 3> flop{};         // f16, f32, f64; a fused multiply-add is two
  std::map<DType, int64_t> matrix_flop;  // of matrix fragments, by the operands' type
  bool operator==(const SimtArithmetic&) const = default;
};

enum class SimtSpace : uint8_t { load, store, shared };
std::string_view name_of(SimtSpace space);

/// One instruction of the kernel that touches memory.
struct SimtSite {
  uint64_t program_counter = 0;  // as in SimtProblem
  SimtSpace space = SimtSpace::load;
  int64_t accesses = 0, lanes = 0, bytes = 0;
  int64_t units = 0;       // sectors, or passes of shared memory
  int64_t best_units = 0;  // if the same bytes lay side by side
  bool operator==(const SimtSite&) const = default;
};

struct SimtTraffic {
  SimtGlobalTraffic loads, stores;
  SimtSharedTraffic shared;
  SimtAtomicTraffic atomics;
  SimtArithmetic arithmetic;
  int64_t constant_bytes = 0;  // of __constant__ and literals, which caches of their own serve
  int64_t local_bytes = 0;     // of arrays of a thread
  // Times that waves wait for loads and for atomics' results: those of which none needs another's
  // are under way together, in a stretch of code or in 16 rounds of a loop that compilers unroll.
  double load_rounds = 0;
  std::vector<SimtSite> sites;  // those furthest from their best first; at most 32
};

}  // namespace ambidex
