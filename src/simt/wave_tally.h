// SPDX-License-Identifier: Apache-2.0
// What the lanes of one wave have done since they last met, by instruction.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "ambidex/simt_device.h"
#include "ambidex/simt_traffic.h"
#include "simt/sectors.h"

namespace ambidex::simt {

enum class SiteKind : uint8_t { load, store, atomic, shared, shared_atomic, stretch };

/// An instruction that touches memory, or a stretch of others.
struct Site {
  uint64_t program_counter = 0;
  SiteKind kind = SiteKind::load;
  const AmbidexSimtInstructions* stretch = nullptr;
  SimtSite sums;
};

/// Of one access: a sector and its bytes, or a word of 4 bytes and the lane.
struct Piece {
  uint64_t key = 0;
  uint32_t bytes_or_lane = 0;
  int32_t next = -1;
};

/// One access of a wave: the lanes that came to the instruction for the same time.
struct Occurrence {
  int32_t first = -1;  // piece
  uint32_t lanes = 0;
  uint32_t bytes = 0;
};

struct WaveSite {
  std::array<uint32_t, 64> times{};  // that a lane has come
  std::vector<Occurrence> occurrences;
  std::vector<Piece> pieces;
};

/// What is summed over all blocks of a worker.
struct Sums {
  SimtTraffic traffic;
  Sectors of_block, of_launch;
  std::unordered_map<uint64_t, int64_t> atomic_words;  // accesses of waves, by address / 4
};

class WaveTally {
 public:
  /// `site` is the index of `kind`'s site.
  void access(uint32_t site, SiteKind kind, uint32_t lane, uintptr_t address, int64_t num_bytes);
  void stretch(uint32_t site, uint32_t lane);
  bool is_large() const { return num_pieces_ > (int64_t{1} << 21); }
  /// The lanes meet: all they have done goes to the sums.
  void meet(std::vector<Site>& sites, Sums& sums);

 private:
  WaveSite& touch(uint32_t site, uint32_t lane);

  std::vector<WaveSite> sites_;  // by index
  std::vector<uint32_t> touched_;
  std::vector<bool> is_touched_;
  int64_t num_pieces_ = 0;
};

}  // namespace ambidex::simt
