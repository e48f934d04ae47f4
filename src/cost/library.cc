// SPDX-License-Identifier: Apache-2.0
// The formulas of docs/gemm-library.md. Times in seconds, clocks of one unit at its highest clock.
#include "cost/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "cost/interval.h"

namespace ambidex {
namespace {

constexpr int kNumSides = 6;
constexpr int64_t kSides[kNumSides] = {16, 32, 64, 128, 192, 256};
constexpr int kNumSplits = 6;
constexpr int64_t kSplits[kNumSplits] = {1, 2, 4, 8, 16, 32};

/// Rows and columns, as indices into kSides.
struct TileSides {
  uint8_t m;
  uint8_t n;
};
/// Square tiles of library kernels and two slim ones of each size; symmetric in m and n. The order
/// is that of how often they win, since an early good one rules out the others without a root.
constexpr TileSides kTiles[] = {{3, 3}, {2, 2}, {5, 5}, {5, 3}, {3, 5}, {3, 2},
                                {2, 3}, {1, 1}, {0, 0}, {5, 4}, {4, 5}, {3, 1},
                                {1, 3}, {2, 0}, {0, 2}, {5, 2}, {2, 5}};

constexpr double kIterationBytes = 128;       // of one row of A or one column of B
constexpr double kPortBytes = 64;             // of L2, a clock and unit
constexpr int64_t kVectorBytes = 16;          // widest load; an operand without it is misaligned
constexpr double kScalarBytes = 2;            // the load that the constants for those mean
constexpr int64_t kMisalignedTile = 1 << 14;  // outputs, at most, in kernels for those
constexpr double kPartialBytes = 4;           // f32 sums of a K-split; also column sums

double square(double x) { return x * x; }
double power4(double x) { return square(square(x)); }
double power8(double x) { return square(power4(x)); }
double root4(double x) { return std::sqrt(std::sqrt(x)); }
/// Two resources used side by side: the larger one, and somewhat more when they are alike.
double overlap(double a, double b) { return root4(power4(a) + power4(b)); }
double num_pieces(int64_t size, int64_t piece) {
  return static_cast<double>((size + piece - 1) / piece);
}
/// std::ceil of something below 2^63, without the call that plain x86-64 makes for it.
double ceiling(double x) {
  const auto below = static_cast<double>(static_cast<int64_t>(x));
  return below < x ? below + 1 : below;
}

/// All that depends on neither tile nor split.
struct Shape {
  double rows[kNumSides];  // of a tile that hold outputs
  double columns[kNumSides];
  double row_tiles[kNumSides];  // of all batches
  double column_tiles[kNumSides];
  double iterations[kNumSplits];
  double depth = 0;           // elements of one iteration
  double filled_bytes = 0;    // of one row in one iteration
  double outputs = 0;         // of all batches
  double epilogue_bytes = 0;  // of one output
  double residual_bytes = 0;  // of all outputs
  double moved_bytes = 0;     // operands once, results once
  double memory_ratio = 0;    // share of loads that go to memory
  double scalar_ratio = 0;    // loads of kScalarBytes that a misaligned load stands for, or 0
  double a_along_k = 0;       // 1: A is contiguous in k
  double b_along_k = 0;
};

bool is_misaligned(const Shape& shape) { return shape.scalar_ratio > 0; }

/// The part of the device that may be used, for the op's type.
struct Units {
  double num_units = 0;
  double flop_per_clock = 0;  // of one unit
  double power_ratio = 0;     // clocks lost to the power limit for each unit at work
  double first_seconds = 0;   // latency of a tile's first load
  double loop_clocks = 0;     // latency of a load
  double seconds_per_clock = 0;
  double memory_seconds = 0;
  double rest_seconds[kNumSplits];  // launch and reduction
  double roofline_seconds = 0;
};

/// What a tile of a shape costs, however k is split; clocks are of one iteration.
struct TileWork {
  double tiles = 0;
  double matrix_clocks = 0;  // at the highest clock
  double shared_clocks = 0;
  double issue_clocks = 0;
  double l2_clocks = 0;           // for each unit at work
  double latency_clocks = 0;      // of a load, spread over the bytes in flight
  double epilogue_clocks = 0;     // of the whole tile
  double partial_sum_clocks = 0;  // the same if k is split
};

/// The same with k in pieces.
struct Work {
  double groups = 0;
  double waves = 0;  // tiles of the busiest unit; idle ones of the last wave count in part
  double iterations = 0;
  double power = 0;  // highest clock / clock that the power allows
  double l2_clocks = 0;
  double latency_clocks = 0;
  double tile_clocks = 0;   // outside of the loop
  double rest_seconds = 0;  // outside of the tiles
};

struct Best {
  double seconds = std::numeric_limits<double>::infinity();
  TileSides tile{};
  int split = 0;
};

/// Loads of kScalarBytes for each load of the widest kind that rows of `row_bytes` allow; 0: that
/// is kVectorBytes.
double scalar_ratio_of(int64_t row_bytes) {
  const int64_t width = power_of_two_divisor(row_bytes, kVectorBytes);
  return width < kVectorBytes ? kScalarBytes / static_cast<double>(width) : 0;
}

/// Kernels of a library have one alignment for all operands, so the worst one counts.
void set_alignment(Shape& shape, const LibraryConstants& constants, const GemmOp& op) {
  const bool a_along_k = op.layout == Layout::nn || op.layout == Layout::nt;
  const bool b_along_k = op.layout == Layout::nt || op.layout == Layout::tt;
  shape.a_along_k = a_along_k ? 1 : 0;
  shape.b_along_k = b_along_k ? 1 : 0;
  const int64_t in_bytes = dtype_bytes(op.dtype);
  shape.scalar_ratio = std::max(
      {scalar_ratio_of((a_along_k ? op.k : op.m) * in_bytes),
       scalar_ratio_of((b_along_k ? op.k : op.n) * in_bytes),
       constants.misaligned_output_ratio * scalar_ratio_of(op.n * dtype_bytes(op.out_dtype))});
}

void set_bytes(Shape& shape, const LibraryModel& model, const GemmOp& op) {
  const auto out_bytes = static_cast<double>(dtype_bytes(op.out_dtype));
  const auto n = static_cast<double>(op.n);
  shape.outputs = static_cast<double>(op.batch) * static_cast<double>(op.m) * n;
  shape.epilogue_bytes = op.epilogue.residual ? 2 * out_bytes : out_bytes;
  shape.residual_bytes = op.epilogue.residual ? shape.outputs * out_bytes : 0;
  shape.moved_bytes = gemm_compulsory_bytes(op) + (op.epilogue.bias ? n * out_bytes : 0) +
                      (op.epilogue.bias_gradient ? n * kPartialBytes : 0);
  // From all in cache to all in memory within about 10 % of the size. Capped against overflow.
  const double fill8 = power8(std::min(1000.0, shape.moved_bytes / model.constants.cached_bytes));
  shape.memory_ratio = op.cold ? 1 : fill8 / (1 + fill8);
}

Shape shape_of(const LibraryModel& model, const GemmOp& op) {
  Shape shape;
  for (int i = 0; i < kNumSides; ++i) {
    shape.rows[i] = static_cast<double>(std::min(kSides[i], op.m));
    shape.columns[i] = static_cast<double>(std::min(kSides[i], op.n));
    shape.row_tiles[i] = num_pieces(op.m, kSides[i]) * static_cast<double>(op.batch);
    shape.column_tiles[i] = num_pieces(op.n, kSides[i]);
  }
  const int64_t in_bytes = dtype_bytes(op.dtype);
  const int64_t depth = static_cast<int64_t>(kIterationBytes) / in_bytes;
  shape.depth = static_cast<double>(depth);
  shape.filled_bytes = static_cast<double>(std::min(depth, op.k) * in_bytes);
  for (int i = 0; i < kNumSplits; ++i) shape.iterations[i] = num_pieces(op.k, depth * kSplits[i]);
  set_bytes(shape, model, op);
  set_alignment(shape, model.constants, op);
  return shape;
}

/// What the power allows if all of `num_units` work. The rest of the device is idle.
double clock_of(const LibraryModel& model, size_t dtype, double num_units) {
  const double sustained_hz = model.sustained_clock_hz[dtype] * model.num_units / num_units;
  return std::min(model.clock_hz, sustained_hz);
}

/// By rate, and by Little's law. The cap counts units and not groups: with groups, a larger product
/// could be faster than a smaller one.
double memory_seconds(const LibraryModel& model, const Shape& shape, double num_units) {
  const LibraryConstants& constants = model.constants;
  const double by_rate = 1 / (model.memory_bytes_per_second * constants.memory_ratio);
  const double by_latency = constants.memory_latency_seconds / (num_units * model.in_flight_bytes);
  return shape.memory_ratio * shape.moved_bytes * overlap(by_rate, by_latency);
}

/// What comes before and after the tiles.
double rest_seconds(const LibraryConstants& constants, const Shape& shape, int split) {
  if (split == 0) return constants.launch_seconds;
  const double bytes =
      kPartialBytes * shape.outputs * static_cast<double>(kSplits[split]) + shape.residual_bytes;
  return constants.launch_seconds + constants.split_seconds +
         bytes / constants.workspace_bytes_per_second;
}

Units units_of(const LibraryModel& model, const GemmOp& op, int64_t num_units, const Shape& shape) {
  const LibraryConstants& constants = model.constants;
  const auto dtype = static_cast<size_t>(op.dtype);
  Units units;
  units.flop_per_clock = model.flop_per_clock[dtype];
  if (units.flop_per_clock == 0) {
    throw Error(ErrorKind::unsupported, fmt::format("device {} has no spec.flop_per_second.{}",
                                                    model.device, name_of(op.dtype)));
  }
  units.num_units =
      num_units > 0 ? std::min(model.num_units, static_cast<double>(num_units)) : model.num_units;
  units.power_ratio = model.clock_hz / (model.num_units * model.sustained_clock_hz[dtype]);
  units.first_seconds =
      constants.latency_seconds + constants.memory_latency_seconds * shape.memory_ratio;
  units.loop_clocks = model.clock_hz * (constants.latency_seconds +
                                        constants.loop_latency_seconds * shape.memory_ratio);
  units.seconds_per_clock = 1 / model.clock_hz;
  for (int i = 0; i < kNumSplits; ++i) units.rest_seconds[i] = rest_seconds(constants, shape, i);
  units.memory_seconds = memory_seconds(model, shape, units.num_units);
  units.roofline_seconds = std::max(
      gemm_flop(op) /
          (units.num_units * units.flop_per_clock * clock_of(model, dtype, units.num_units)),
      op.cold ? shape.moved_bytes / model.memory_bytes_per_second : 0);
  return units;
}

TileWork tile_work_of(const LibraryModel& model, const Shape& shape, const Units& units,
                      TileSides tile) {
  const LibraryConstants& constants = model.constants;
  const auto rows = static_cast<double>(kSides[tile.m]);
  const auto columns = static_cast<double>(kSides[tile.n]);
  TileWork work;
  work.tiles = shape.row_tiles[tile.m] * shape.column_tiles[tile.n];
  work.matrix_clocks = 2 * rows * columns * shape.depth / units.flop_per_clock;
  work.shared_clocks = (rows + columns) * kIterationBytes * constants.shared_memory_ratio /
                       model.shared_memory_bytes_per_clock;
  const double scalar_loads =
      (rows * shape.a_along_k + columns * shape.b_along_k) * (kIterationBytes / kScalarBytes);
  work.issue_clocks = constants.iteration_clocks +
                      shape.scalar_ratio * (constants.misaligned_clocks +
                                            constants.misaligned_load_clocks * scalar_loads);
  const double bytes = (shape.rows[tile.m] + shape.columns[tile.n]) * shape.filled_bytes;
  work.l2_clocks = bytes / (units.num_units * kPortBytes * constants.l2_ratio);
  work.latency_clocks = units.loop_clocks * bytes / model.in_flight_bytes;
  const double clocks_per_byte = rows * columns / constants.epilogue_bytes_per_clock;
  work.epilogue_clocks = clocks_per_byte * shape.epilogue_bytes + constants.tile_clocks;
  work.partial_sum_clocks = clocks_per_byte * kPartialBytes + constants.tile_clocks;
  return work;
}

Work work_of(const LibraryModel& model, const Shape& shape, const Units& units,
             const TileWork& tile, int split) {
  const LibraryConstants& constants = model.constants;
  Work work;
  work.groups = tile.tiles * static_cast<double>(kSplits[split]);
  const double waves = work.groups / units.num_units;
  work.waves = std::max(1.0, waves + constants.idle_ratio * (ceiling(waves) - waves));
  work.iterations = shape.iterations[split];
  // On average. By min(groups, units), more units could be slower: more power for no wave less.
  const double active = work.groups / work.waves;
  work.power = active * units.power_ratio;
  work.l2_clocks = active * tile.l2_clocks;
  const double loads_ahead =
      constants.tiles_in_flight * std::min(constants.resident_groups, work.waves);
  work.latency_clocks = std::max(tile.latency_clocks, units.loop_clocks / loads_ahead);
  work.tile_clocks = split > 0 ? tile.partial_sum_clocks : tile.epilogue_clocks;
  work.rest_seconds = units.rest_seconds[split];
  return work;
}

double tiles_seconds(const Units& units, const Work& work, double iteration_clocks) {
  const double clocks = work.waves * (work.iterations * iteration_clocks + work.tile_clocks);
  return clocks * units.seconds_per_clock + units.first_seconds;
}

/// Never above seconds_of(), rounding aside, and without its roots.
double bound_of(const Units& units, const TileWork& tile, const Work& work) {
  const double core = std::max(tile.matrix_clocks * std::max(1.0, work.power), tile.shared_clocks) +
                      tile.issue_clocks;
  const double iteration = std::max({core, work.l2_clocks, work.latency_clocks});
  return std::max(tiles_seconds(units, work, iteration), units.memory_seconds) + work.rest_seconds;
}

double powered_matrix_clocks(const TileWork& tile, const Work& work) {
  return tile.matrix_clocks * root4(std::sqrt(1 + power8(work.power)));
}

double seconds_of(const Units& units, const TileWork& tile, const Work& work) {
  const double core =
      overlap(powered_matrix_clocks(tile, work), tile.shared_clocks) + tile.issue_clocks;
  const double iteration = overlap(overlap(core, work.l2_clocks), work.latency_clocks);
  return overlap(tiles_seconds(units, work, iteration), units.memory_seconds) + work.rest_seconds;
}

Best best_of(const LibraryModel& model, const Shape& shape, const Units& units) {
  Best best;
  for (const TileSides tile : kTiles) {
    if (is_misaligned(shape) && kSides[tile.m] * kSides[tile.n] > kMisalignedTile) continue;
    const TileWork tile_work = tile_work_of(model, shape, units, tile);
    for (int split = 0; split < kNumSplits; ++split) {
      const Work work = work_of(model, shape, units, tile_work, split);
      if (bound_of(units, tile_work, work) >= best.seconds) continue;
      const double seconds = seconds_of(units, tile_work, work);
      if (seconds < best.seconds) best = {seconds, tile, split};
    }
  }
  best.seconds = std::max(best.seconds * model.lib_ratio, units.roofline_seconds);
  return best;
}

void set_terms(Estimate& estimate, const LibraryModel& model, const Units& units,
               const TileWork& tile, const Work& work) {
  const auto set = [&](Term term, double seconds) {
    estimate.term_seconds[static_cast<size_t>(term)] = seconds;
  };
  const double loop_seconds = work.waves * work.iterations * units.seconds_per_clock;
  set(Term::launch, model.constants.launch_seconds);
  set(Term::prologue, units.first_seconds);
  set(Term::matrix, loop_seconds * powered_matrix_clocks(tile, work));
  set(Term::shared_memory, loop_seconds * tile.shared_clocks);
  set(Term::issue, loop_seconds * tile.issue_clocks);
  set(Term::l2, loop_seconds * work.l2_clocks);
  set(Term::memory, units.memory_seconds);
  set(Term::latency, loop_seconds * work.latency_clocks);
  set(Term::epilogue, work.waves * work.tile_clocks * units.seconds_per_clock);
  set(Term::reduction, work.rest_seconds - model.constants.launch_seconds);
  set_binding_term(estimate);
}

Regime regime_of(const Best& best, const Units& units, const Work& work, const Estimate& estimate) {
  if (best.split > 0) return Regime::split_k;
  if (estimate.binds == Term::memory) return Regime::memory;
  return work.groups <= units.num_units ? Regime::tile_count : Regime::k;
}

LibrarySigma sigma_of(const Shape& shape, const Estimate& estimate) {
  return is_misaligned(shape) ? LibrarySigma::misaligned
                              : static_cast<LibrarySigma>(estimate.regime);
}

/// The estimate, and which sigma it has.
struct Judged {
  Estimate estimate;
  LibrarySigma sigma = LibrarySigma::k;
};

Judged judged(const LibraryModel& model, const GemmOp& op, int64_t num_units) {
  const Shape shape = shape_of(model, op);
  const Units units = units_of(model, op, num_units, shape);
  const Best best = best_of(model, shape, units);
  const TileWork tile = tile_work_of(model, shape, units, best.tile);
  const Work work = work_of(model, shape, units, tile, best.split);
  Judged out;
  Estimate& estimate = out.estimate;
  estimate.seconds = best.seconds;
  set_terms(estimate, model, units, tile, work);
  estimate.regime = regime_of(best, units, work, estimate);
  out.sigma = sigma_of(shape, estimate);
  set_interval(estimate, model.sigma[static_cast<size_t>(out.sigma)]);
  estimate.num_groups = static_cast<int64_t>(work.groups);
  estimate.groups_per_unit = static_cast<int32_t>(model.constants.resident_groups);
  const double launched = work.groups *
                          static_cast<double>(kSides[best.tile.m] * kSides[best.tile.n]) *
                          work.iterations * shape.depth;
  estimate.useful_ratio = shape.outputs * static_cast<double>(op.k) / launched;
  return out;
}

}  // namespace

double library_seconds(const LibraryModel& model, const GemmOp& op, int64_t num_units) {
  const Shape shape = shape_of(model, op);
  return best_of(model, shape, units_of(model, op, num_units, shape)).seconds;
}

Estimate library_estimate(const LibraryModel& model, const GemmOp& op, int64_t num_units) {
  return judged(model, op, num_units).estimate;
}

LibrarySigma library_sigma(const LibraryModel& model, const GemmOp& op, int64_t num_units) {
  return judged(model, op, num_units).sigma;
}

}  // namespace ambidex
