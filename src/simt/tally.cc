// SPDX-License-Identifier: Apache-2.0
#include "simt/tally.h"

#include <algorithm>
#include <array>
#include <functional>

#include "simt/memory.h"
#include "simt/wave_tally.h"

namespace ambidex::simt {
namespace {

constexpr size_t kMaxSites = 32;  // that are told of
constexpr int kDoubleProduct = 255;

enum class Space : uint8_t { global, shared, local, constant, self };

struct Range {
  uintptr_t begin = 0, end = 0;
  bool holds(uintptr_t address) const { return address >= begin && address < end; }
};

/// What a thread has done last, as far as it says what comes next.
struct Recent {
  Access load;                    // atomic; becomes part of an update, or a load of its own
  const Accessor* who = nullptr;  // null: there is none
  int stand_ins = 0;              // that it is in, one inside of the other
  uintptr_t updating = 0;         // further compare-and-exchanges of it are the same update
};

}  // namespace

struct BlockTally::State {
  State(SimtMemory* in_memory, int num_threads, int width)
      : memory(in_memory),
        wave_width(static_cast<uint32_t>(width)),
        recent(static_cast<size_t>(num_threads)),
        waves(static_cast<size_t>((num_threads + width - 1) / width)) {
    if (memory == nullptr) return;
    for (const SimtSharedVariable& variable : memory->shared()) {
      const auto begin = reinterpret_cast<uintptr_t>(variable.address());
      shared.push_back({begin, begin + static_cast<uintptr_t>(variable.num_bytes)});
    }
  }

  SimtMemory* memory;
  uint32_t wave_width;
  std::vector<Range> shared;
  Range dynamic;
  std::vector<Recent> recent;  // by linear thread
  std::vector<WaveTally> waves;
  std::vector<Site> sites;
  std::unordered_map<uint64_t, uint32_t> index_of;  // by key
  std::array<std::pair<uint64_t, uint32_t>, 256> near{};
  Sums sums;

  Space space_of(const Accessor& who, uintptr_t address) const;
  uint32_t site_of(uint64_t program_counter, SiteKind kind);
  void add(const Accessor& who, const Access& what, SiteKind global, SiteKind in_shared);
  void add_plain(const Accessor& who, const Access& what);
  void add_atomic(const Accessor& who, const Access& what, bool update);
  void settle(const Accessor& who);
  void meet(uint32_t wave);
};

Space BlockTally::State::space_of(const Accessor& who, uintptr_t address) const {
  if (address >= who.stack_begin && address < who.stack_end) return Space::local;
  if (address >= who.self_begin && address < who.self_end) return Space::self;
  const auto holds = [&](const Range& range) { return range.holds(address); };
  if (dynamic.holds(address) || std::any_of(shared.begin(), shared.end(), holds)) {
    return Space::shared;
  }
  if (memory == nullptr || memory->state().arena_shadow_at(address, 1) != nullptr) {
    return Space::global;
  }
  const uint8_t* shadow = memory->state().variable_shadow_at(address, 1);
  return shadow != nullptr && (*shadow & kReadOnly) != 0 ? Space::constant : Space::global;
}

uint32_t BlockTally::State::site_of(uint64_t program_counter, SiteKind kind) {
  const uint64_t key = program_counter * 8 + static_cast<uint64_t>(kind);
  auto& [near_key, near_index] = near[(key / 8 ^ key) % near.size()];
  if (near_key == key) return near_index;
  const auto [found, is_new] = index_of.try_emplace(key, static_cast<uint32_t>(sites.size()));
  if (is_new) sites.push_back({.program_counter = program_counter, .kind = kind});
  near_key = key;
  return near_index = found->second;
}

void BlockTally::State::add(const Accessor& who, const Access& what, SiteKind global,
                            SiteKind in_shared) {
  const Space space = space_of(who, what.address);
  if (space == Space::local) sums.traffic.local_bytes += what.num_bytes;
  if (space == Space::constant) sums.traffic.constant_bytes += what.num_bytes;
  if (space != Space::global && space != Space::shared) return;
  const SiteKind kind = space == Space::shared ? in_shared : global;
  WaveTally& wave = waves[who.wave];
  wave.access(site_of(what.program_counter, kind), kind, who.lane, what.address, what.num_bytes);
  if (wave.is_large()) wave.meet(sites, sums);
}

void BlockTally::State::add_plain(const Accessor& who, const Access& what) {
  if (what.kind != AccessKind::write) add(who, what, SiteKind::load, SiteKind::shared);
  if (what.kind != AccessKind::read) add(who, what, SiteKind::store, SiteKind::shared);
}

void BlockTally::State::add_atomic(const Accessor& who, const Access& what, bool update) {
  SimtAtomicTraffic& atomics = sums.traffic.atomics;
  ++(update ? atomics.updates : atomics.compare_exchanges);
  atomics.in_shared += space_of(who, what.address) == Space::shared;
  add(who, what, SiteKind::atomic, SiteKind::shared_atomic);
}

void BlockTally::State::settle(const Accessor& who) {
  Recent& last = recent[who.linear_thread];
  if (last.who != nullptr) add_plain(who, last.load);
  last.who = nullptr;
  last.updating = 0;
}

void BlockTally::State::meet(uint32_t wave) { waves[wave].meet(sites, sums); }

BlockTally::BlockTally(std::unique_ptr<State> state) : state_(std::move(state)) {}
BlockTally::~BlockTally() = default;

void BlockTally::begin_block(std::span<std::byte> dynamic_shared) {
  const auto begin = reinterpret_cast<uintptr_t>(dynamic_shared.data());
  state_->dynamic = {begin, begin + dynamic_shared.size()};
  std::fill(state_->recent.begin(), state_->recent.end(), Recent{});
}

void BlockTally::block_barrier() {
  for (uint32_t i = 0; i < state_->waves.size(); ++i) state_->meet(i);
}

void BlockTally::end_block() {
  for (const Recent& last : state_->recent) {
    if (last.who != nullptr) state_->settle(*last.who);
  }
  block_barrier();
  Sums& sums = state_->sums;
  for (const bool written : {false, true}) {
    const SimtPieces pieces = sums.of_block.pieces(written);
    SimtPieces& all = (written ? sums.traffic.stores : sums.traffic.loads).of_blocks;
    all.sectors += pieces.sectors;
    all.half_lines += pieces.half_lines;
    all.lines += pieces.lines;
  }
  sums.of_launch.add_all(sums.of_block);
  sums.of_block.clear();
}

void BlockTally::wave_meets(uint32_t wave) { state_->meet(wave); }

void BlockTally::access(const Accessor& who, const Access& what) {
  Recent& last = state_->recent[who.linear_thread];
  if (what.sort != AccessSort::atomic || what.kind == AccessKind::write) {
    state_->settle(who);
    state_->add_plain(who, what);
  } else if (what.kind == AccessKind::read) {
    state_->settle(who);
    last.load = what;
    last.who = &who;
  } else if (what.compares) {
    if (last.updating == what.address) return;
    const bool update = last.who != nullptr && last.load.address == what.address;
    if (!update) state_->settle(who);
    last.who = nullptr;
    last.updating = update ? what.address : 0;
    state_->add_atomic(who, what, update);
  } else {
    state_->settle(who);
    state_->add_atomic(who, what, true);
  }
}

void BlockTally::copy(const Accessor& who, uintptr_t target, uintptr_t source, int64_t num_bytes,
                      uint64_t program_counter) {
  if (num_bytes <= 0) return;
  Access what{.address = source, .num_bytes = num_bytes, .program_counter = program_counter};
  access(who, what);
  what.address = target;
  what.kind = AccessKind::write;
  access(who, what);
}

void BlockTally::stand_in(const Accessor& who, const AmbidexSimtInstructions* hardware) {
  int& depth = state_->recent[who.linear_thread].stand_ins;
  if (hardware == nullptr) {
    --depth;
    return;
  }
  if (depth == 0) instructions(who, *hardware);
  ++depth;
}

void BlockTally::instructions(const Accessor& who, const AmbidexSimtInstructions& stretch) {
  if (state_->recent[who.linear_thread].stand_ins > 0) return;
  const uint32_t site = state_->site_of(reinterpret_cast<uintptr_t>(&stretch), SiteKind::stretch);
  state_->sites[site].stretch = &stretch;
  state_->waves[who.wave].stretch(site, who.lane);
}

void BlockTally::matrix_product(int type, uint64_t num_flop) {
  SimtArithmetic& arithmetic = state_->sums.traffic.arithmetic;
  const auto flop = static_cast<int64_t>(num_flop);
  if (type >= 0 && type < kNumDTypes) {
    arithmetic.matrix_flop[static_cast<DType>(type)] += flop;
  } else if (type == kDoubleProduct) {
    arithmetic.flop[2] += flop;
  }
}

namespace {

void add(SimtPieces& sum, const SimtPieces& pieces) {
  sum.sectors += pieces.sectors;
  sum.half_lines += pieces.half_lines;
  sum.lines += pieces.lines;
}

void add(SimtGlobalTraffic& sum, const SimtGlobalTraffic& traffic) {
  for (const auto field :
       {&SimtGlobalTraffic::accesses, &SimtGlobalTraffic::lanes, &SimtGlobalTraffic::bytes}) {
    sum.*field += traffic.*field;
  }
  add(sum.moved, traffic.moved);
  add(sum.of_blocks, traffic.of_blocks);
}

void add(SimtSharedTraffic& sum, const SimtSharedTraffic& traffic) {
  for (const auto field :
       {&SimtSharedTraffic::accesses, &SimtSharedTraffic::lanes, &SimtSharedTraffic::bytes,
        &SimtSharedTraffic::passes, &SimtSharedTraffic::passes_without_conflicts,
        &SimtSharedTraffic::wide_passes, &SimtSharedTraffic::wide_passes_without_conflicts}) {
    sum.*field += traffic.*field;
  }
  sum.worst_passes = std::max(sum.worst_passes, traffic.worst_passes);
}

void add(SimtArithmetic& sum, const SimtArithmetic& arithmetic) {
  const auto plus = std::plus<int64_t>();
  for (const auto field : {&SimtArithmetic::lanes, &SimtArithmetic::waves}) {
    std::transform((sum.*field).begin(), (sum.*field).end(), (arithmetic.*field).begin(),
                   (sum.*field).begin(), plus);
  }
  std::transform(sum.flop.begin(), sum.flop.end(), arithmetic.flop.begin(), sum.flop.begin(), plus);
  for (const auto& [type, flop] : arithmetic.matrix_flop) sum.matrix_flop[type] += flop;
}

void add(SimtTraffic& sum, const SimtTraffic& traffic) {
  add(sum.loads, traffic.loads);
  add(sum.stores, traffic.stores);
  add(sum.shared, traffic.shared);
  add(sum.arithmetic, traffic.arithmetic);
  sum.atomics.updates += traffic.atomics.updates;
  sum.atomics.compare_exchanges += traffic.atomics.compare_exchanges;
  sum.atomics.in_shared += traffic.atomics.in_shared;
  sum.atomics.wave_words += traffic.atomics.wave_words;
  sum.constant_bytes += traffic.constant_bytes;
  sum.local_bytes += traffic.local_bytes;
  sum.load_rounds += traffic.load_rounds;
}

using SiteKey = std::pair<uint64_t, SimtSpace>;

void add_sites(std::map<SiteKey, SimtSite>& sum, const std::vector<Site>& sites) {
  for (const Site& site : sites) {
    if (site.kind == SiteKind::stretch) continue;
    const bool shared = site.kind == SiteKind::shared || site.kind == SiteKind::shared_atomic;
    const SimtSpace space = shared                        ? SimtSpace::shared
                            : site.kind == SiteKind::load ? SimtSpace::load
                                                          : SimtSpace::store;
    SimtSite& all = sum[{site.program_counter, space}];
    all.program_counter = site.program_counter;
    all.space = space;
    for (const auto field : {&SimtSite::accesses, &SimtSite::lanes, &SimtSite::bytes,
                             &SimtSite::units, &SimtSite::best_units}) {
      all.*field += site.sums.*field;
    }
  }
}

std::vector<SimtSite> worst_of(const std::map<SiteKey, SimtSite>& sites) {
  std::vector<SimtSite> worst;
  for (const auto& [key, site] : sites) {
    if (site.accesses > 0) worst.push_back(site);  // else part of a neighbour
  }
  std::stable_sort(worst.begin(), worst.end(), [](const SimtSite& a, const SimtSite& b) {
    return a.units - a.best_units > b.units - b.best_units;
  });
  if (worst.size() > kMaxSites) worst.resize(kMaxSites);
  return worst;
}

void count_distinct(SimtTraffic& traffic, const Sectors& sectors) {
  for (const bool written : {false, true}) {
    SimtGlobalTraffic& to = written ? traffic.stores : traffic.loads;
    to.distinct = sectors.pieces(written);
    to.distinct_bytes = sectors.num_bytes(written);
  }
}

}  // namespace

Tally::Tally(const SimtLaunch& launch, const SimtOptions& options)
    : memory_(options.memory),
      num_threads_(static_cast<int>(launch.block[0] * launch.block[1] * launch.block[2])),
      wave_width_(options.wave_width) {}
Tally::~Tally() = default;

BlockTally& Tally::add_block() {
  auto state = std::make_unique<BlockTally::State>(memory_, num_threads_, wave_width_);
  const std::lock_guard lock(mutex_);
  return *blocks_.emplace_back(std::make_unique<BlockTally>(std::move(state)));
}

SimtTraffic Tally::take() {
  SimtTraffic traffic;
  Sectors sectors;
  std::unordered_map<uint64_t, int64_t> atomic_words;
  std::map<SiteKey, SimtSite> sites;
  for (const auto& block : blocks_) {
    const BlockTally::State& state = *block->state_;
    add(traffic, state.sums.traffic);
    sectors.add_all(state.sums.of_launch);
    add_sites(sites, state.sites);
    for (const auto& [word, times] : state.sums.atomic_words) atomic_words[word] += times;
  }
  for (const auto& [word, times] : atomic_words) {
    traffic.atomics.hottest_word = std::max(traffic.atomics.hottest_word, times);
  }
  count_distinct(traffic, sectors);
  traffic.sites = worst_of(sites);
  return traffic;
}

}  // namespace ambidex::simt
