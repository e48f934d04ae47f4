// SPDX-License-Identifier: Apache-2.0
// The time of a Triton kernel. Clocks inside a unit, seconds outside; docs/gemm-triton.md.
#include "cost/triton.h"

#include <algorithm>

#include "cost/interval.h"

namespace ambidex {
namespace {

/// What all candidates of one call share.
struct Call {
  double m = 0, n = 0, k = 0, batch = 1;
  double element_bytes = 2;
  double a_along_k = 0, b_along_k = 0;  // 1: the operand is contiguous in k
  double a_bytes = 0, b_bytes = 0,
         d_bytes = 0;  // over the batch; d: result and what it is added to
  double miss = 0;     // share of loads that come from memory
  double resident_bytes = 0;
  double num_units = 0, num_domains = 1;
  double clock_hz = 0;
  double latency_clocks = 0, memory_latency_clocks = 0, prologue_clocks = 0;
  double short_run_k = 0, short_run_mn = 0;
  double wrapped_bytes_per_clock = 0, load_bytes_per_clock = 0, load_wait_ratio = 0;
  double stream_bytes_per_clock = 0;      // of all units
  double last_level_bytes_per_clock = 0;  // of the device; infinity: no such cache
  double in_flight_bytes = 0;             // infinity: no known limit
  double lone_epilogue = 0, epilogue = 0;
  double tail_drift = 0;
  double memory_rate = 0;
  double launch_seconds = 0, dispatch_seconds = 0, zero_fill_seconds = 0;
  double floor_seconds = 0;  // the roofline
};

constexpr double kFarAway = 1e300;

void set_sizes(Call& call, const GemmOp& op) {
  const OperandAccess access = operand_access(op);
  call.m = static_cast<double>(op.m);
  call.n = static_cast<double>(op.n);
  call.k = static_cast<double>(op.k);
  call.batch = static_cast<double>(op.batch);
  call.element_bytes = static_cast<double>(dtype_bytes(op.dtype));
  call.a_along_k = access.a_along_k ? 1 : 0;
  call.b_along_k = access.b_along_k ? 1 : 0;
  call.a_bytes = call.m * call.k * call.batch * call.element_bytes;
  call.b_bytes = call.n * call.k * call.batch * call.element_bytes;
  const double out = static_cast<double>(dtype_bytes(op.out_dtype));
  call.d_bytes = call.m * call.n * call.batch * out * (op.epilogue.residual ? 2 : 1);
}

Call call_of(const TritonModel& model, const GemmOp& op, int64_t num_units) {
  const TritonConstants& c = model.constants;
  const TritonRates& rates = model.rates;
  Call call;
  set_sizes(call, op);
  call.num_units = rates.num_units;
  if (num_units > 0) call.num_units = least(rates.num_units, static_cast<double>(num_units));
  call.num_domains = rates.num_domains;
  call.clock_hz = rates.clock_hz;
  call.resident_bytes = rates.resident_bytes * c.resident_ratio;
  call.latency_clocks = c.latency_seconds * rates.clock_hz;
  call.memory_latency_clocks = c.memory_latency_seconds * rates.clock_hz;
  call.prologue_clocks = c.prologue_seconds * rates.clock_hz;
  call.short_run_k = c.short_run_k_ratio;
  call.short_run_mn = c.short_run_mn_ratio;
  call.wrapped_bytes_per_clock = c.wrapped_bytes_per_clock;
  call.load_bytes_per_clock = c.load_bytes_per_clock;
  call.load_wait_ratio = c.load_wait_ratio;
  call.stream_bytes_per_clock = c.stream_bytes_per_clock * rates.num_units;
  call.last_level_bytes_per_clock = rates.last_level_bytes_per_second > 0
                                        ? rates.last_level_bytes_per_second / rates.clock_hz
                                        : kFarAway;
  call.in_flight_bytes = rates.in_flight_bytes > 0 ? rates.in_flight_bytes : kFarAway;
  call.lone_epilogue = c.lone_epilogue_bytes_per_clock;
  call.epilogue = c.epilogue_bytes_per_clock * rates.num_units / call.num_units;
  call.tail_drift = c.tail_drift;
  call.memory_rate = rates.memory_bytes_per_second * c.memory_ratio;
  call.launch_seconds = c.launch_seconds;
  call.dispatch_seconds = c.dispatch_seconds;
  call.zero_fill_seconds = c.zero_fill_seconds;
  const auto dtype = static_cast<size_t>(op.dtype);
  const double peak = rates.flop_per_clock[dtype] * rates.clock_of[dtype] * call.num_units;
  const double compulsory = op.cold ? gemm_compulsory_bytes(op) / rates.memory_bytes_per_second : 0;
  call.floor_seconds = most(gemm_flop(op) / peak, compulsory);
  return call;
}

/// The launched grid, and what one iteration of a group does.
struct Work {
  double rows = 0, columns = 0;  // tiles
  double groups = 0, iterations = 0;
  double running = 0;  // groups at once
  double miss = 0;
  double bytes = 0;  // loaded in one iteration, short runs weighed
  double core_clocks = 0, lone_clocks = 0;
  double load_clocks = 0;   // latency of a load
  double unique_bytes = 0;  // of one iteration of all groups that run, over all L2s
  double restreams = 1;     // times that B comes from memory
};

/// Rows and columns of tiles that the groups of one L2 work on at a time, in bytes of one
/// iteration, over all L2s. Groups are dealt to the L2s in turn.
AMBIDEX_LANE double unique_bytes(const Call& call, const TritonLane& lane, const Work& work) {
  const double window = least(lane.group_m, work.rows);
  const double slab = window * work.columns;
  const double slabs = std::ceil(work.running / slab);
  const double dealt_rows = most(1, window / call.num_domains);
  const double rows = least(work.rows, dealt_rows * slabs);
  const double per_domain = most(1, work.running / call.num_domains);
  const double columns = least(work.columns, most(1, per_domain / rows));
  const double row_bytes = lane.tile_m * lane.tile_k * call.element_bytes;
  const double column_bytes = lane.tile_n * lane.tile_k * call.element_bytes;
  const double domains = least(call.num_domains, work.running);
  return domains * (rows * row_bytes + columns * column_bytes);
}

AMBIDEX_LANE double run_ratio(const Call& call, double along_k, double depth_bytes,
                              double side_bytes) {
  const double along = 1 + call.short_run_k * (256 / least(256, depth_bytes) - 1);
  const double across = 1 + call.short_run_mn * (128 / least(128, side_bytes) - 1);
  return along_k > 0 ? along : across;
}

/// Loads of the part of a tile beyond the matrix wrap around and come in as many pieces as the
/// side is short.
AMBIDEX_LANE double wrapped_bytes(const Call& call, double along_k, double tile, double side,
                                  double depth_bytes) {
  const double pieces = 128 / least(128, side * call.element_bytes);
  return along_k > 0 ? 0 : (tile - side) * depth_bytes * pieces;
}

AMBIDEX_LANE Work work_of(const Call& call, const TritonLane& lane, double cold) {
  Work work;
  work.rows = std::ceil(call.m / lane.tile_m);
  work.columns = std::ceil(call.n / lane.tile_n);
  work.groups = work.rows * work.columns * call.batch * lane.split_k;
  work.iterations = std::ceil(call.k / (lane.tile_k * lane.split_k));
  work.running = least(work.groups, call.num_units * lane.resident);
  const double d_bytes = lane.split_k > 1 ? call.m * call.n * call.batch * 4 : call.d_bytes;
  const double x = least(1e3, (call.a_bytes + call.b_bytes + d_bytes) / call.resident_bytes);
  const double x4 = fourth_power(x);
  const double x8 = x4 * x4;
  work.miss = cold > 0 ? 1 : x8 / (1 + x8);
  const double depth = lane.tile_k * call.element_bytes;
  const double rows = least(lane.tile_m, call.m);
  const double columns = least(lane.tile_n, call.n);
  const double a_run = run_ratio(call, call.a_along_k, depth, rows * call.element_bytes);
  const double b_run = run_ratio(call, call.b_along_k, depth, columns * call.element_bytes);
  work.bytes = (rows * a_run + columns * b_run) * depth;
  const double wrapped = wrapped_bytes(call, call.a_along_k, lane.tile_m, rows, depth) +
                         wrapped_bytes(call, call.b_along_k, lane.tile_n, columns, depth);
  work.core_clocks = lane.core_clocks + wrapped / call.wrapped_bytes_per_clock;
  work.lone_clocks = norm4(work.core_clocks, lane.chain_clocks, 0);
  // B is read again for each window of rows once it and the window's A outgrow the cache.
  const double window_bytes =
      least(call.a_bytes, lane.group_m * lane.tile_m * call.k * call.element_bytes);
  const bool restreams = call.b_bytes + window_bytes > call.resident_bytes;
  work.restreams = restreams ? std::ceil(work.rows / lane.group_m) : 1;
  const double part = least(1, depth / 128);  // of a line that this iteration is first to touch
  const double a_first = work.miss * (call.a_along_k > 0 ? part : 1);
  const double b_first = (restreams ? work.miss : 0) * (call.b_along_k > 0 ? part : 1);
  const double a_share = lane.tile_m / (lane.tile_m + lane.tile_n);
  const double first = a_share * a_first + (1 - a_share) * b_first;
  work.load_clocks = call.latency_clocks + call.memory_latency_clocks * first;
  work.unique_bytes = unique_bytes(call, lane, work);
  return work;
}

/// Clocks of one iteration with `resident` groups on the busiest unit and `mean` on the average.
AMBIDEX_LANE double iteration_clocks(const Call& call, const TritonLane& lane, const Work& work,
                                     double resident, double mean) {
  const double lone4 = fourth_power(work.lone_clocks);
  const double shared4 = fourth_power(resident * work.core_clocks);
  const double pipes4 = lone4 + (resident > 1 ? shared4 : 0);
  const double stream =
      work.bytes * mean * call.num_units * work.miss / call.stream_bytes_per_clock;
  const double share = least(1, mean * call.num_units / work.running);
  const double last_level = work.unique_bytes * share / call.last_level_bytes_per_clock;
  const double own = work.lone_clocks * lane.own_wait_ratio;
  const double wait = call.load_wait_ratio * work.bytes / call.load_bytes_per_clock;
  const double latency = (work.load_clocks + wait + own) / lane.stages;
  const double queue = resident * work.bytes * work.load_clocks / call.in_flight_bytes;
  const double sum4 = pipes4 + fourth_power(stream) + fourth_power(last_level) +
                      fourth_power(latency) + fourth_power(queue);
  return fourth_root(sum4) + lane.unpiped * work.load_clocks;
}

AMBIDEX_LANE double epilogue_clocks(const Call& call, const TritonLane& lane, double resident,
                                    double mean) {
  const double alone = resident * lane.store_bytes / call.lone_epilogue;
  const double together = lane.store_bytes * mean / call.epilogue;
  return norm4(alone, together, 0) + resident * lane.store_clocks;
}

AMBIDEX_LANE double prologue_clocks(const Call& call, const TritonLane& lane, const Work& work) {
  const double loads = least(lane.prologue_loads, work.iterations);
  const double dead = most(0, lane.prologue_loads - work.iterations);  // issued all the same
  return call.prologue_clocks + work.load_clocks +
         (loads * work.bytes + dead * lane.fill_bytes) / call.load_bytes_per_clock;
}

/// Rounds of resident groups.
struct Rounds {
  double full = 0, rest = 0;  // whole rounds; groups of the last, partial one
  double clocks = 0;          // of all
  double loop_clocks = 0;     // of one iteration in the first
};

/// A grid that fits at once runs as one round. A larger one starts its later groups as slots free
/// up: the rest of it pairs up on units that finish together, unless many rounds have drifted
/// apart.
AMBIDEX_LANE Rounds rounds_of(const Call& call, const TritonLane& lane, const Work& work) {
  const double units = call.num_units;
  const double slots = lane.resident * units;
  Rounds rounds;
  rounds.full = std::floor(work.groups / slots);
  rounds.rest = work.groups - rounds.full * slots;
  const bool is_single = rounds.full < 1;
  const double resident = is_single ? std::ceil(work.groups / units) : lane.resident;
  const double mean = is_single ? work.groups / units : lane.resident;
  rounds.loop_clocks = iteration_clocks(call, lane, work, resident, mean);
  const double loop = work.iterations * rounds.loop_clocks;
  const double ends =
      prologue_clocks(call, lane, work) + epilogue_clocks(call, lane, resident, mean);
  const double step = loop + lane.overlap_ratio * ends;
  const double tail_resident = least(lane.resident, 1 + rounds.rest / units);
  const double tail_mean = rounds.rest / units;
  const double tail_loop =
      work.iterations * iteration_clocks(call, lane, work, tail_resident, tail_mean);
  const double tail_ends =
      prologue_clocks(call, lane, work) + epilogue_clocks(call, lane, tail_resident, tail_mean);
  const double alone = tail_loop + lane.overlap_ratio * tail_ends;
  const double hidden = step * rounds.rest / slots;
  const double drift = 1 + call.tail_drift * (rounds.full - 1);
  const double tail = rounds.rest > 0 ? hidden + most(0, alone - hidden) / drift : 0;
  rounds.clocks = loop + ends + (is_single ? 0 : (rounds.full - 1) * step + tail);
  return rounds;
}

AMBIDEX_LANE double memory_seconds(const Call& call, const TritonLane& lane, const Work& work) {
  const double d_bytes = lane.split_k > 1 ? call.m * call.n * call.batch * 4 : call.d_bytes;
  const double d_miss = work.miss > 0.5 ? 1 : work.miss;
  const double bytes =
      work.miss * (call.a_bytes + call.b_bytes * work.restreams) + d_bytes * d_miss;
  return bytes / call.memory_rate;
}

AMBIDEX_LANE double launch_seconds(const Call& call, const Work& work) {
  return call.launch_seconds + call.dispatch_seconds * least(work.groups, call.num_units);
}

/// Zero fill of the output, and the adds of all splits at four times the memory's rate.
AMBIDEX_LANE double reduction_seconds(const Call& call, const TritonLane& lane) {
  const double outputs = call.m * call.n * call.batch;
  const double fill = outputs * 4 / call.memory_rate;
  const double adds = outputs * lane.atomic_bytes / (4 * call.memory_rate);
  return lane.split_k > 1 ? call.zero_fill_seconds + fill + adds : 0;
}

AMBIDEX_LANE double total_seconds(const Call& call, const TritonLane& lane, const Work& work,
                                  const Rounds& rounds) {
  const double units = rounds.clocks / call.clock_hz;
  const double bounded = norm4(units, memory_seconds(call, lane, work), 0);
  const double seconds = bounded + launch_seconds(call, work) + reduction_seconds(call, lane);
  return most(seconds, call.floor_seconds) + lane.penalty;
}

AMBIDEX_LANE void lanes_seconds(const Call& call, double cold, size_t num_lanes,
                                const double* values, double* seconds) {
  // `seconds` is the caller's: it never overlaps what is prepared.
  AMBIDEX_NO_ALIAS
  for (size_t i = 0; i < num_lanes; ++i) {
    TritonLane lane;
    size_t offset = i;
    const auto load = [&](double& value) __attribute__((always_inline)) {
      value = values[offset];
      offset += num_lanes;
    };
    visit_triton_lane(load, lane);
    const Work work = work_of(call, lane, cold);
    seconds[i] = total_seconds(call, lane, work, rounds_of(call, lane, work));
  }
}

void plain_seconds(const Call& call, double cold, size_t num_lanes, const double* values,
                   double* seconds) {
  lanes_seconds(call, cold, num_lanes, values, seconds);
}

AMBIDEX_WIDE void wide_seconds(const Call& call, double cold, size_t num_lanes,
                               const double* values, double* seconds) {
  lanes_seconds(call, cold, num_lanes, values, seconds);
}

/// Terms of the main loop: each pipe alone, over all rounds.
void set_loop_terms(Estimate& estimate, const Call& call, const TritonLane& lane, const Work& work,
                    const TritonLoop& loop) {
  const double units = call.num_units;
  const double rounds = std::max(1.0, work.groups / (lane.resident * units));
  const double resident = std::min(lane.resident, std::ceil(work.groups / units));
  const double iterations = work.iterations * rounds;
  const auto set = [&](Term term, double clocks) {
    estimate.term_seconds[static_cast<size_t>(term)] = clocks * iterations / call.clock_hz;
  };
  const double mean = std::min(lane.resident, work.groups / units);
  set(Term::matrix, resident * loop.matrix_clocks);
  set(Term::shared_memory, resident * loop.shared_clocks);
  set(Term::issue, resident * (work.core_clocks - lane.core_clocks + loop.issue_clocks));
  set(Term::l2, work.bytes * mean * units * work.miss / call.stream_bytes_per_clock);
  set(Term::last_level, work.unique_bytes / call.last_level_bytes_per_clock);
  const double own = work.lone_clocks * lane.own_wait_ratio;
  const double wait = call.load_wait_ratio * work.bytes / call.load_bytes_per_clock;
  set(Term::latency,
      (work.load_clocks + wait + own) / lane.stages + lane.unpiped * work.load_clocks);
}

void set_other_terms(Estimate& estimate, const Call& call, const TritonLane& lane,
                     const Work& work) {
  const double units = call.num_units;
  const double rounds = std::max(1.0, work.groups / (lane.resident * units));
  const double resident = std::min(lane.resident, std::ceil(work.groups / units));
  const double mean = std::min(lane.resident, work.groups / units);
  const auto set = [&](Term term, double seconds) {
    estimate.term_seconds[static_cast<size_t>(term)] = seconds;
  };
  set(Term::launch, launch_seconds(call, work));
  set(Term::prologue, rounds * prologue_clocks(call, lane, work) / call.clock_hz);
  set(Term::epilogue, rounds * epilogue_clocks(call, lane, resident, mean) / call.clock_hz);
  set(Term::memory, memory_seconds(call, lane, work));
  set(Term::reduction, reduction_seconds(call, lane));
}

Regime regime_of(const Estimate& estimate, const Call& call, const TritonLane& lane,
                 const Work& work) {
  if (lane.split_k > 1) return Regime::split_k;
  if (estimate.term_seconds[static_cast<size_t>(Term::memory)] > 0.5 * estimate.seconds) {
    return Regime::memory;
  }
  return work.groups < 2 * call.num_units ? Regime::tile_count : Regime::k;
}

}  // namespace

void triton_seconds(const TritonModel& model, const TritonPrepared& prepared, const GemmOp& op,
                    int64_t num_units, std::span<double> seconds) {
  check(seconds.size() == prepared.num_candidates, "one time for each prepared candidate");
  const Call call = call_of(model, op, num_units);
  (has_wide_lanes() ? wide_seconds : plain_seconds)(call, op.cold ? 1 : 0, prepared.num_candidates,
                                                    prepared.values.data(), seconds.data());
}

Estimate triton_estimate(const TritonModel& model, const GemmOp& op, const GemmConfig& config,
                         int64_t num_units) {
  const Call call = call_of(model, op, num_units);
  const TritonLane lane = triton_lane(model, op, config);
  check(lane.penalty == 0, "triton_estimate() is asked about legal configurations only");
  const Work work = work_of(call, lane, op.cold ? 1 : 0);
  Estimate estimate;
  estimate.seconds = total_seconds(call, lane, work, rounds_of(call, lane, work));
  set_loop_terms(estimate, call, lane, work, triton_loop(model, op, config));
  set_other_terms(estimate, call, lane, work);
  set_binding_term(estimate);
  estimate.regime = regime_of(estimate, call, lane, work);
  set_interval(estimate, model.sigma[static_cast<size_t>(estimate.regime)]);
  estimate.num_groups = static_cast<int64_t>(work.groups);
  estimate.groups_per_unit = static_cast<int32_t>(lane.resident);
  const double launched =
      work.groups / call.batch * lane.tile_m * lane.tile_n * work.iterations * lane.tile_k;
  estimate.useful_ratio = call.m * call.n * call.k / launched;
  return estimate;
}

}  // namespace ambidex
