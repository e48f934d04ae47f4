// SPDX-License-Identifier: Apache-2.0
// The time formula of Tensile's kernels: one branch-free function of doubles that ranks and
// explains. Its order of operations is part of the answer.
#include "cost/tensile.h"

#include <algorithm>
#include <cmath>

#include "cost/interval.h"
#include "cost/lanes.h"

namespace ambidex {
namespace {

/// What all candidates of one op share.
struct Call {
  double m = 0, n = 0, k = 0, batch = 0;
  double num_units = 0, num_domains = 0, units_per_domain = 0;
  double watts_per_unit = 0;  // of the board's power, all units at work
  double joules_per_miss_byte = 0;
  double last_level_rate = 0, partial_rate = 0, displaced_rate = 0, store_rate = 0;
  double fixup_exposed_ratio = 0;
  double launch_seconds = 0, memory_seconds = 0, displaced_seconds = 0;
};

/// Compulsory bytes at the rate of memory; what a cache may hold still at that of the cache.
double memory_seconds_of(const TensileModel& model, const GemmOp& op) {
  double bytes = gemm_compulsory_bytes(op);
  const double columns = static_cast<double>(op.batch) * static_cast<double>(op.n);
  if (op.epilogue.bias) bytes += columns * static_cast<double>(dtype_bytes(op.out_dtype));
  if (op.epilogue.bias_gradient) bytes += columns * 4;
  const double cached = op.cold ? 0 : std::min(bytes, model.rates.last_level_bytes);
  return ((bytes - cached) / model.rates.memory_bytes_per_second +
          cached / model.rates.last_level_bytes_per_second) /
         model.constants.memory_ratio;
}

Call call_of(const TensileModel& model, const GemmOp& op, int64_t num_units) {
  const TensileConstants& constants = model.constants;
  const TensileRates& rates = model.rates;
  Call call;
  call.m = static_cast<double>(op.m), call.n = static_cast<double>(op.n);
  call.k = static_cast<double>(op.k), call.batch = static_cast<double>(op.batch);
  call.num_units = rates.num_units;
  if (num_units > 0) call.num_units = std::min(rates.num_units, static_cast<double>(num_units));
  call.num_domains = rates.num_domains;
  call.units_per_domain = std::max(1.0, call.num_units / rates.num_domains);
  call.watts_per_unit = rates.power_watts / rates.num_units;  // units taken away draw theirs, too
  call.joules_per_miss_byte = constants.joules_per_miss_byte;
  call.last_level_rate = rates.last_level_bytes_per_second / call.num_units;
  call.partial_rate = constants.partial_tile_ratio * call.last_level_rate;
  call.displaced_rate = constants.displaced_ratio * call.last_level_rate;
  call.store_rate = constants.store_ratio * rates.memory_bytes_per_second / call.num_units;
  call.fixup_exposed_ratio = constants.fixup_exposed_ratio;
  call.launch_seconds = constants.launch_seconds;
  call.memory_seconds = memory_seconds_of(model, op);
  call.displaced_seconds = call.m * call.n * call.batch *
                           static_cast<double>(dtype_bytes(op.out_dtype)) /
                           (constants.displaced_ratio * rates.last_level_bytes_per_second);
  return call;
}

/// Tiles of the result, and how often all units work through one each.
struct Tiles {
  double rows = 0, columns = 0;
  double rounds = 0, whole_rounds = 0, rest = 0;
  double iterations = 0;  // along k
};

AMBIDEX_LANE Tiles tiles_of(const Call& call, const TensileLane& lane) {
  Tiles tiles;
  tiles.rows = std::ceil(call.m / lane.tile_m);
  tiles.columns = std::ceil(call.n / lane.tile_n);
  tiles.rounds = tiles.rows * tiles.columns * call.batch / call.num_units;
  tiles.whole_rounds = std::floor(tiles.rounds);
  tiles.rest = tiles.rounds - tiles.whole_rounds;
  tiles.iterations = std::ceil(call.k / lane.tile_k);
  return tiles;
}

/// Bytes of one unit and iteration that miss L2 while the units of a domain move in step: each
/// row and column of their tiles is fetched once. Fewer rows than the cheapest shape of that many
/// tiles has count as so many: a longer side never takes less. Products of a batch are taken as
/// further columns.
AMBIDEX_LANE double misses_in_step(const Call& call, const TensileLane& lane, const Tiles& tiles) {
  const double units = call.units_per_domain;
  const double all_columns = tiles.columns * call.batch;
  // Consecutive tiles on one domain: a window of group_m rows.
  const double best_rows = std::sqrt(units * lane.bytes_b / lane.bytes_a);
  const double mapped_rows = least(most(tiles.rows, best_rows), least(lane.group_m, units));
  const double mapped_columns = least(all_columns, units / mapped_rows);
  // Dealt out to the domains in turn: every num_domains-th tile, so few rows of a window and a
  // part of its columns, in as many windows as it takes; twice that, since windows do not line up.
  const double window_rows = most(1, lane.group_m / call.num_domains);
  const double part = least(lane.group_m, call.num_domains) / call.num_domains;
  const double best_columns = std::sqrt(2 * units * lane.bytes_a / lane.bytes_b);
  const double dealt_columns = least(most(all_columns * part, best_columns), units / window_rows);
  const double dealt_rows = least(tiles.rows, 2 * units / dealt_columns);
  const bool is_mapped = lane.mapped > 0;
  const double rows = is_mapped ? mapped_rows : dealt_rows;
  const double columns = is_mapped ? mapped_columns : dealt_columns;
  const double bytes = (rows * lane.bytes_a + columns * lane.bytes_b) / units;
  return least(bytes, lane.bytes_a + lane.bytes_b);
}

/// Seconds of one iteration in which a unit misses L2 with `miss_bytes` and `active` of the units
/// work: the pipes, the board's power and the last-level cache, softly the slowest of them.
AMBIDEX_LANE double iteration_seconds(const Call& call, const TensileLane& lane, double miss_bytes,
                                      double active) {
  const double power =
      (lane.joules + miss_bytes * call.joules_per_miss_byte) / call.watts_per_unit * active;
  const double last_level = miss_bytes / call.last_level_rate * active;
  return norm4(lane.pipe_seconds, power, last_level);
}

/// Main loop and unfinished tiles.
struct Main {
  double seconds = 0;
  double fixup_seconds = 0;
  double iterations = 0;  // of the busiest unit
};

/// Stream-K below one tile a unit: units share a tile, and then its partial sums.
AMBIDEX_LANE Main split_tiles(const Call& call, const TensileLane& lane, const Tiles& tiles,
                              double tile_seconds, double apart_seconds) {
  const double partial = lane.partial_bytes / call.partial_rate;
  const double most_splits = most(1, 1 / tiles.rounds);
  const double splits = least(most(1, std::sqrt(apart_seconds / partial)), most_splits);
  const double fixup = partial * splits + lane.returned_bytes / call.displaced_rate;
  const double seconds = apart_seconds / splits + fixup;
  const bool is_split = seconds < tile_seconds;  // never with splits of 1: apart is slower
  Main main;
  main.seconds = least(tile_seconds, seconds);
  main.fixup_seconds = is_split ? fixup : 0;
  main.iterations = is_split ? tiles.iterations / splits : tiles.iterations;
  return main;
}

/// Stream-K above that: all rounds but the last whole one as they are, then it and the rest
/// shared out evenly.
AMBIDEX_LANE Main stream_tiles(const Call& call, const TensileLane& lane, const Tiles& tiles,
                               double tile_seconds, double apart_seconds) {
  const double fixup = call.fixup_exposed_ratio * (lane.partial_bytes / call.partial_rate);
  const double shared = least((1 + tiles.rest) * apart_seconds + fixup, 2 * tile_seconds);
  const bool has_rest = tiles.rest > 0;
  const double streamed = (tiles.whole_rounds - 1) * tile_seconds + shared;
  Main main;
  main.seconds = has_rest ? streamed : tiles.whole_rounds * tile_seconds;
  main.fixup_seconds = has_rest ? fixup : 0;
  main.iterations = tiles.rounds * tiles.iterations;
  return main;
}

AMBIDEX_LANE Main main_of(const Call& call, const TensileLane& lane, const Tiles& tiles,
                          double step_bytes) {
  const double all_bytes = lane.bytes_a + lane.bytes_b;
  const double apart_bytes = lane.share_ratio * step_bytes + (1 - lane.share_ratio) * all_bytes;
  const double active = least(1, tiles.rounds);
  const double step = iteration_seconds(call, lane, step_bytes, active);
  const double last_step = iteration_seconds(call, lane, step_bytes, tiles.rest);
  const double apart = iteration_seconds(call, lane, apart_bytes, 1);
  const double tile_seconds = tiles.iterations * step;
  const double apart_seconds = tiles.iterations * apart;
  const Main split = split_tiles(call, lane, tiles, tile_seconds, apart_seconds);
  const Main streamed = stream_tiles(call, lane, tiles, tile_seconds, apart_seconds);
  const double rest_seconds = tiles.rest > 0 ? tiles.iterations * last_step : 0;
  const double dealt_seconds = tiles.whole_rounds * tile_seconds + rest_seconds;
  const bool is_stream = lane.stream > 0;
  const bool is_split = tiles.rounds < 1;
  Main main;
  main.seconds = is_stream ? (is_split ? split.seconds : streamed.seconds) : dealt_seconds;
  main.fixup_seconds = is_stream ? (is_split ? split.fixup_seconds : streamed.fixup_seconds) : 0;
  main.iterations = is_stream ? (is_split ? split.iterations : streamed.iterations)
                              : std::ceil(tiles.rounds) * tiles.iterations;
  return main;
}

AMBIDEX_LANE double store_seconds(const Call& call, const TensileLane& lane, const Tiles& tiles) {
  return std::ceil(tiles.rounds) * lane.store_bytes / call.store_rate;
}

AMBIDEX_LANE double total_seconds(const Call& call, const TensileLane& lane, const Tiles& tiles,
                                  const Main& main) {
  const double work = main.seconds + store_seconds(call, lane, tiles);
  const double bounded = std::sqrt(work * work + call.memory_seconds * call.memory_seconds);
  const double seconds = bounded + call.launch_seconds + lane.displacing * call.displaced_seconds;
  return seconds * lane.tie_ratio + lane.penalty;
}

AMBIDEX_LANE double lane_seconds(const Call& call, const TensileLane& lane) {
  const Tiles tiles = tiles_of(call, lane);
  const Main main = main_of(call, lane, tiles, misses_in_step(call, lane, tiles));
  return total_seconds(call, lane, tiles, main);
}

AMBIDEX_LANE void lanes_seconds(const Call& call, size_t num_lanes, const double* values,
                                double* seconds) {
  // `seconds` is the caller's: it never overlaps what is prepared.
  AMBIDEX_NO_ALIAS
  for (size_t i = 0; i < num_lanes; ++i) {
    TensileLane lane;
    size_t offset = i;
    const auto load = [&](double& value) __attribute__((always_inline)) {
      value = values[offset];
      offset += num_lanes;
    };
    visit_lane(load, lane);
    seconds[i] = lane_seconds(call, lane);
  }
}

void plain_seconds(const Call& call, size_t num_lanes, const double* values, double* seconds) {
  lanes_seconds(call, num_lanes, values, seconds);
}

AMBIDEX_WIDE void wide_seconds(const Call& call, size_t num_lanes, const double* values,
                               double* seconds) {
  lanes_seconds(call, num_lanes, values, seconds);
}

/// The terms that run beside each other in the main loop, each alone.
void set_loop_terms(Estimate& estimate, const TensileModel& model, const Call& call,
                    const TensileLoop& loop, double miss_bytes, const Tiles& tiles,
                    double iterations) {
  const double active = std::min(1.0, tiles.rounds);
  const auto set = [&](Term term, double clocks, double joules, double bytes) {
    const double pipe = clocks / model.rates.clock_hz;
    const double shared = std::max(joules / call.watts_per_unit, bytes / call.last_level_rate);
    estimate.term_seconds[static_cast<size_t>(term)] = iterations * std::max(pipe, shared * active);
  };
  set(Term::matrix, loop.matrix_clocks, loop.matrix_joules, 0);
  set(Term::shared_memory, loop.lds_clocks, loop.lds_joules, 0);
  set(Term::issue, loop.issue_clocks, 0, 0);
  set(Term::l2, 0, loop.fill_joules, 0);
  set(Term::last_level, 0, miss_bytes * call.joules_per_miss_byte, miss_bytes);
  set(Term::latency, loop.latency_clocks, 0, 0);
}

Regime regime_of(const Call& call, const Tiles& tiles, const Main& main) {
  if (call.memory_seconds > main.seconds) return Regime::memory;
  if (tiles.rounds < 1) return main.fixup_seconds > 0 ? Regime::split_k : Regime::tile_count;
  return tiles.rounds < 2 ? Regime::tile_count : Regime::k;
}

void set_grid(Estimate& estimate, const Call& call, const TensileLane& lane, const Tiles& tiles) {
  const double num_tiles = tiles.rows * tiles.columns * call.batch;
  const double groups = lane.stream > 0 ? call.num_units : num_tiles;  // Stream-K: one a unit
  estimate.num_groups = static_cast<int64_t>(groups);
  estimate.groups_per_unit = 1;
  const double launched =
      tiles.rows * lane.tile_m * tiles.columns * lane.tile_n * tiles.iterations * lane.tile_k;
  estimate.useful_ratio = call.m * call.n * call.k / launched;
}

}  // namespace

void tensile_seconds(const TensileModel& model, const TensilePrepared& prepared, const GemmOp& op,
                     int64_t num_units, std::span<double> seconds) {
  check(seconds.size() == prepared.num_candidates, "one time for each prepared candidate");
  const Call call = call_of(model, op, num_units);
  (has_wide_lanes() ? wide_seconds : plain_seconds)(call, prepared.num_candidates,
                                                    prepared.values.data(), seconds.data());
}

Estimate tensile_estimate(const TensileModel& model, const GemmOp& op, const GemmConfig& config,
                          int64_t num_units) {
  const Call call = call_of(model, op, num_units);
  const TensileLane lane = tensile_lane(model, op, config);
  check(lane.penalty == 0, "tensile_estimate() is asked about legal configurations only");
  const Tiles tiles = tiles_of(call, lane);
  const double miss_bytes = misses_in_step(call, lane, tiles);
  const Main main = main_of(call, lane, tiles, miss_bytes);
  Estimate estimate;
  estimate.seconds = total_seconds(call, lane, tiles, main);
  set_loop_terms(estimate, model, call, tensile_loop(model, op, config), miss_bytes, tiles,
                 main.iterations);
  auto& terms = estimate.term_seconds;
  terms[static_cast<size_t>(Term::launch)] = call.launch_seconds;
  terms[static_cast<size_t>(Term::memory)] = call.memory_seconds;
  terms[static_cast<size_t>(Term::epilogue)] =
      store_seconds(call, lane, tiles) + lane.displacing * call.displaced_seconds;
  terms[static_cast<size_t>(Term::reduction)] = main.fixup_seconds;
  set_binding_term(estimate);
  estimate.regime = regime_of(call, tiles, main);
  set_interval(estimate, model.sigma[static_cast<size_t>(estimate.regime)]);
  set_grid(estimate, call, lane, tiles);
  return estimate;
}

}  // namespace ambidex
