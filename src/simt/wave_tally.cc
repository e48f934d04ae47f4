// SPDX-License-Identifier: Apache-2.0
#include "simt/wave_tally.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace ambidex::simt {
namespace {

constexpr int64_t kSectorBytes = 32;
constexpr int64_t kWordBytes = 4;

using Pieces = std::vector<Piece>;

bool has_words(SiteKind kind) { return kind != SiteKind::load && kind != SiteKind::store; }

void add_sector(WaveSite& site, Occurrence& access, uint64_t sector, uint32_t bytes) {
  for (int32_t at = access.first; at >= 0; at = site.pieces[static_cast<size_t>(at)].next) {
    Piece& piece = site.pieces[static_cast<size_t>(at)];
    if (piece.key != sector) continue;
    piece.bytes_or_lane |= bytes;
    return;
  }
  site.pieces.push_back({sector, bytes, access.first});
  access.first = static_cast<int32_t>(site.pieces.size()) - 1;
}

void add_bytes(WaveSite& site, Occurrence& access, uintptr_t address, int64_t num_bytes) {
  while (num_bytes > 0) {
    const auto begin = static_cast<int64_t>(address % kSectorBytes);
    const int64_t count = std::min(num_bytes, kSectorBytes - begin);
    const uint64_t bits = ((uint64_t{1} << count) - 1) << begin;
    add_sector(site, access, address / kSectorBytes, static_cast<uint32_t>(bits));
    address += static_cast<uintptr_t>(count);
    num_bytes -= count;
  }
}

void add_words(WaveSite& site, Occurrence& access, uint32_t lane, uintptr_t address,
               int64_t num_bytes) {
  const uint64_t last = (address + static_cast<uintptr_t>(num_bytes) - 1) / kWordBytes;
  for (uint64_t word = address / kWordBytes; word <= last; ++word) {
    site.pieces.push_back({word, lane, access.first});
    access.first = static_cast<int32_t>(site.pieces.size()) - 1;
  }
}

void collect(const WaveSite& site, const Occurrence& access, Pieces& pieces) {
  pieces.clear();
  for (int32_t at = access.first; at >= 0; at = pieces.back().next) {
    pieces.push_back(site.pieces[static_cast<size_t>(at)]);
  }
}

int64_t num_distinct(const Pieces& sorted, int shift) {
  int64_t num = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    num += i == 0 || sorted[i].key >> shift != sorted[i - 1].key >> shift;
  }
  return num;
}

void count_global(const Occurrence& access, Pieces& sectors, bool writes, Site& site, Sums& sums) {
  std::sort(sectors.begin(), sectors.end(),
            [](const Piece& a, const Piece& b) { return a.key < b.key; });
  int64_t distinct_bytes = 0;
  for (const Piece& piece : sectors) {
    distinct_bytes += std::popcount(piece.bytes_or_lane);
    sums.of_block.add(
        {piece.key, writes ? 0 : piece.bytes_or_lane, writes ? piece.bytes_or_lane : 0});
  }
  SimtGlobalTraffic& traffic = writes ? sums.traffic.stores : sums.traffic.loads;
  const int64_t num_sectors = num_distinct(sectors, 0);
  ++traffic.accesses;
  traffic.lanes += access.lanes;
  traffic.bytes += access.bytes;
  traffic.moved.sectors += num_sectors;
  traffic.moved.half_lines += num_distinct(sectors, 1);
  traffic.moved.lines += num_distinct(sectors, 2);
  site.sums.units += num_sectors;
  site.sums.best_units += (distinct_bytes + kSectorBytes - 1) / kSectorBytes;
}

// Each word once, and the sectors that the words are in.
Pieces sectors_of(Pieces& words) {
  std::sort(words.begin(), words.end(),
            [](const Piece& a, const Piece& b) { return a.key < b.key; });
  words.erase(std::unique(words.begin(), words.end(),
                          [](const Piece& a, const Piece& b) { return a.key == b.key; }),
              words.end());
  Pieces sectors;
  for (const Piece& word : words) {
    const uint64_t sector = word.key * kWordBytes / kSectorBytes;
    const uint32_t bytes = 0xfu << (word.key * kWordBytes % kSectorBytes);
    if (sectors.empty() || sectors.back().key != sector) sectors.push_back({sector, 0, -1});
    sectors.back().bytes_or_lane |= bytes;
  }
  return sectors;
}

void count_atomic(const Occurrence& access, Pieces& words, Site& site, Sums& sums) {
  Pieces sectors = sectors_of(words);
  for (const Piece& word : words) ++sums.atomic_words[word.key];
  sums.traffic.atomics.wave_words += std::ssize(words);
  count_global(access, sectors, true, site, sums);
}

struct Passes {
  int64_t num = 0, without_conflicts = 0, worst = 0;
};

// A pass serves 4 bytes of each bank: so many lanes at a time as their words fit. Lanes that want
// the same word share it, unless they update it.
Passes passes_of(const Pieces& words, uint32_t num_lanes, uint32_t num_banks, bool shares) {
  const auto each =
      std::bit_ceil((static_cast<uint32_t>(words.size()) + num_lanes - 1) / num_lanes);
  const uint32_t lanes_at_once = std::max(1u, num_banks / each);
  std::vector<std::array<uint64_t, 3>> wanted;  // lanes, bank, word
  for (const Piece& word : words) {
    wanted.push_back({word.bytes_or_lane / lanes_at_once, word.key % num_banks, word.key});
  }
  std::sort(wanted.begin(), wanted.end());
  Passes passes;
  int64_t of_bank = 0, of_group = 0;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool same_group = i > 0 && wanted[i][0] == wanted[i - 1][0];
    const bool same_bank = same_group && wanted[i][1] == wanted[i - 1][1];
    if (!same_group) {
      passes.num += of_group;
      ++passes.without_conflicts;
      of_group = 0;
    }
    if (!same_bank) of_bank = 0;
    of_bank += !(same_bank && shares && wanted[i][2] == wanted[i - 1][2]);
    of_group = std::max(of_group, of_bank);
    passes.worst = std::max(passes.worst, of_group);
  }
  passes.num += of_group;
  return passes;
}

void count_shared(const Occurrence& access, const Pieces& words, bool shares, Site& site,
                  Sums& sums) {
  SimtSharedTraffic& traffic = sums.traffic.shared;
  const Passes narrow = passes_of(words, access.lanes, 32, shares);
  const Passes wide = passes_of(words, access.lanes, 64, shares);
  ++traffic.accesses;
  traffic.lanes += access.lanes;
  traffic.bytes += access.bytes;
  traffic.passes += narrow.num;
  traffic.passes_without_conflicts += narrow.without_conflicts;
  traffic.wide_passes += wide.num;
  traffic.wide_passes_without_conflicts += wide.without_conflicts;
  traffic.worst_passes = std::max(traffic.worst_passes, narrow.worst);
  site.sums.units += narrow.num;
  site.sums.best_units += narrow.without_conflicts;
}

void count_stretch(const WaveSite& wave, const AmbidexSimtInstructions& stretch,
                   SimtTraffic& traffic) {
  const int64_t of_lanes = std::accumulate(wave.times.begin(), wave.times.end(), int64_t{0});
  const int64_t of_wave = *std::max_element(wave.times.begin(), wave.times.end());
  SimtArithmetic& sums = traffic.arithmetic;
  for (size_t i = 0; i < sums.lanes.size(); ++i) {
    sums.lanes[i] += of_lanes * stretch.num[i];
    sums.waves[i] += of_wave * stretch.num[i];
  }
  for (size_t i = 0; i < sums.flop.size(); ++i) sums.flop[i] += of_lanes * stretch.flop[i];
  traffic.load_rounds += static_cast<double>(of_wave * stretch.waits) / 16;
}

void count_accesses(const WaveSite& wave, Site& site, Sums& sums) {
  Pieces pieces;
  for (const Occurrence& access : wave.occurrences) {
    collect(wave, access, pieces);
    ++site.sums.accesses;
    site.sums.lanes += access.lanes;
    site.sums.bytes += access.bytes;
    if (site.kind == SiteKind::atomic) {
      count_atomic(access, pieces, site, sums);
    } else if (has_words(site.kind)) {
      count_shared(access, pieces, site.kind == SiteKind::shared, site, sums);
    } else {
      count_global(access, pieces, site.kind == SiteKind::store, site, sums);
    }
  }
}

}  // namespace

WaveSite& WaveTally::touch(uint32_t site, uint32_t lane) {
  if (site >= sites_.size()) {
    sites_.resize(site + 1);
    is_touched_.resize(site + 1);
  }
  if (!is_touched_[site]) {
    is_touched_[site] = true;
    touched_.push_back(site);
  }
  ++sites_[site].times[lane];
  return sites_[site];
}

void WaveTally::stretch(uint32_t site, uint32_t lane) { touch(site, lane); }

void WaveTally::access(uint32_t site, SiteKind kind, uint32_t lane, uintptr_t address,
                       int64_t num_bytes) {
  WaveSite& here = touch(site, lane);
  const size_t time = here.times[lane] - 1;
  if (time >= here.occurrences.size()) here.occurrences.resize(time + 1);
  Occurrence& access = here.occurrences[time];
  ++access.lanes;
  access.bytes += static_cast<uint32_t>(num_bytes);
  const size_t before = here.pieces.size();
  if (has_words(kind)) {
    add_words(here, access, lane, address, num_bytes);
  } else {
    add_bytes(here, access, address, num_bytes);
  }
  num_pieces_ += static_cast<int64_t>(here.pieces.size() - before);
}

void WaveTally::meet(std::vector<Site>& sites, Sums& sums) {
  for (const uint32_t index : touched_) {
    WaveSite& wave = sites_[index];
    Site& site = sites[index];
    if (site.kind == SiteKind::stretch) {
      count_stretch(wave, *site.stretch, sums.traffic);
    } else {
      count_accesses(wave, site, sums);
    }
    wave.times = {};
    wave.occurrences.clear();
    wave.pieces.clear();
    is_touched_[index] = false;
  }
  touched_.clear();
  num_pieces_ = 0;
}

}  // namespace ambidex::simt
