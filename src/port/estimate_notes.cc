// SPDX-License-Identifier: Apache-2.0
#include "port/estimate_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace ambidex {
namespace {

// From where on a figure is worth a line.
constexpr double kFewMoved = 1.5;       // bytes moved for each that would do; passes likewise
constexpr double kLowOccupancy = 0.25;  // of the waves that a unit can hold
constexpr double kFewActive = 0.75;     // of the lanes
constexpr double kOfTime = 0.25;        // share of the largest term
constexpr int64_t kSectorBytes = 32;

struct Notes {
  const Device& device;
  const LaunchEstimate& launch;
  const nlohmann::json& sites;
  std::vector<EstimateNote> notes;

  void add(const char* id, std::string message) {
    notes.push_back({id, std::move(message), "", 0});
  }

  // The site of `space` that is furthest from its best is the first.
  void place(const char* space) {
    for (const nlohmann::json& site : sites) {
      if (site.at("space").get<std::string>() != space) continue;
      notes.back().file = site.value("file", "");
      notes.back().line = site.value("line", int64_t{0});
      return;
    }
  }

  int64_t width() const { return require(device.spec.waves.wave_width, "spec.wave_width", device); }
  double share_of(TimeTerm term) const {
    const auto& terms = launch.time.term_seconds;
    const double largest = *std::max_element(terms.begin(), terms.end());
    return largest > 0 ? terms[static_cast<size_t>(term)] / largest : 0;
  }

  void unfilled_waves() {
    const int64_t threads = launch.counts.num_threads();
    const int64_t lanes = (threads + width() - 1) / width() * width();
    if (threads == lanes) return;
    add("W16",
        fmt::format("a block of {} threads takes waves of {} lanes: {:.0f} % of the lanes "
                    "are idle",
                    threads, lanes,
                    100.0 * static_cast<double>(lanes - threads) / static_cast<double>(lanes)));
  }

  void coalescing(const SimtGlobalTraffic& traffic, const char* space, const char* verb) {
    int64_t units = 0, best = 0;
    for (const nlohmann::json& site : sites) {
      if (site.at("space").get<std::string>() != space) continue;
      units += site.at("units").get<int64_t>();
      best += site.at("best_units").get<int64_t>();
    }
    if (best == 0 || static_cast<double>(units) < kFewMoved * static_cast<double>(best)) return;
    add("N24", fmt::format("lanes {} {} bytes and move {} in sectors of 32, {:.1f} times as many "
                           "as side by side",
                           verb, traffic.bytes, traffic.moved.sectors * kSectorBytes,
                           static_cast<double>(units) / static_cast<double>(best)));
    place(space);
  }

  void bank_conflicts() {
    const SimtSharedTraffic& shared = launch.counts.traffic.shared;
    const bool wide = device.spec.shared_memory.shared_memory_bytes_per_clock.value_or(0) >= 256;
    const int64_t passes = wide ? shared.wide_passes : shared.passes;
    const int64_t best =
        wide ? shared.wide_passes_without_conflicts : shared.passes_without_conflicts;
    if (best == 0 || static_cast<double>(passes) < kFewMoved * static_cast<double>(best)) return;
    add("N24", fmt::format("bank conflicts: {} passes of shared memory ({} banks) where {} would "
                           "do, {:.1f} times as many",
                           passes, wide ? 64 : 32, best,
                           static_cast<double>(passes) / static_cast<double>(best)));
    place("shared");
  }

  void few_waves() {
    const Occupancy& occupancy = launch.occupancy;
    if (occupancy.ratio < kLowOccupancy) {
      add("", fmt::format(
                  "low occupancy: {} waves of {} on a compute unit, for want of {}",
                  occupancy.waves_per_unit,
                  require(device.spec.waves.max_waves_per_unit, "spec.max_waves_per_unit", device),
                  name_of(occupancy.limit)));
    }
    const int64_t units =
        require(device.spec.compute.num_compute_units, "spec.num_compute_units", device);
    if (launch.counts.num_blocks() < units) {
      add("", fmt::format("a grid of {} blocks leaves {} of {} compute units idle",
                          launch.counts.num_blocks(), units - launch.counts.num_blocks(), units));
    }
  }

  void scratch() {
    const EstimateResources& resources = launch.resources;
    if (resources.scratch_bytes == 0 && resources.num_spills == 0) return;
    add("R04", fmt::format("scratch memory: {} bytes a thread, {} registers spilled",
                           resources.scratch_bytes, resources.num_spills));
  }

  void software_products(const LaunchEstimate* original) {
    if (original == nullptr || original == &launch) return;
    const auto flop_of = [](const LaunchEstimate& of) {
      const auto& flop = of.counts.traffic.arithmetic.matrix_flop;
      return std::accumulate(flop.begin(), flop.end(), int64_t{0},
                             [](int64_t sum, const auto& row) { return sum + row.second; });
    };
    const int64_t all = flop_of(*original);
    if (all == 0 || flop_of(launch) > 0) return;
    add("N02", fmt::format("{} FLOP of matrix products are done in software, by {} exchanges of "
                           "waves, not by matrix instructions",
                           all, launch.counts.shuffles));
  }

  void atomics() {
    const SimtAtomicTraffic& atomics = launch.counts.traffic.atomics;
    if (atomics.compare_exchanges > 0) {
      add("N11",
          fmt::format(
              "{} compare-and-exchanges, {:.1f} for each thread", atomics.compare_exchanges,
              static_cast<double>(atomics.compare_exchanges) /
                  static_cast<double>(launch.counts.num_blocks() * launch.counts.num_threads())));
    }
    if (share_of(TimeTerm::atomic) >= kOfTime) {
      add("N10", fmt::format("waves access one word by {} atomics, which must follow each other",
                             atomics.hottest_word));
    }
  }

  void divergence() {
    const SimtArithmetic& arithmetic = launch.counts.traffic.arithmetic;
    const auto sum = [](const SimtInstructions& all) {
      return static_cast<double>(std::accumulate(all.begin(), all.end(), int64_t{0}));
    };
    const double waves = sum(arithmetic.waves) * static_cast<double>(width());
    const double lanes = sum(arithmetic.lanes);
    if (waves == 0 || lanes >= kFewActive * waves) return;
    add("", fmt::format("divergence: {:.1f} of {} lanes execute an instruction of a wave",
                        lanes / waves * static_cast<double>(width()), width()));
  }

  void exchanges() {
    if (share_of(TimeTerm::exchange) < 1) return;
    add("", fmt::format("{} exchanges of waves are most of what shared memory's unit does",
                        launch.counts.shuffles));
  }
};

}  // namespace

std::vector<EstimateNote> launch_notes(const Device& device, const LaunchEstimate& launch,
                                       const LaunchEstimate* original,
                                       const nlohmann::json& sites) {
  Notes notes{device, launch, sites, {}};
  notes.unfilled_waves();
  notes.coalescing(launch.counts.traffic.loads, "load", "load");
  notes.coalescing(launch.counts.traffic.stores, "store", "store");
  notes.bank_conflicts();
  notes.few_waves();
  notes.scratch();
  notes.software_products(original);
  notes.atomics();
  notes.divergence();
  notes.exchanges();
  return std::move(notes.notes);
}

}  // namespace ambidex
