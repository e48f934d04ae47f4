// SPDX-License-Identifier: Apache-2.0
// Seconds of a matrix product in the vendor's own library, which shows no configuration: the
// fastest of a few ideal tiles and K-splits. Leaves out a library's bad picks and the power limit
// of launches longer than some milliseconds. Formulas and errors: docs/gemm-library.md.
//
//   LibraryModel model = make_library_model(load_device("h200"));
//   double seconds = library_seconds(model, {.m = 8192, .n = 1024, .k = 512});
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/base.h"
#include "ambidex/cost.h"
#include "ambidex/devices.h"

namespace ambidex {

/// `calibration.library.constants` of a device. Effective numbers of one library on one device,
/// not hardware facts.
struct LibraryConstants {
  double launch_seconds = 0;
  double latency_seconds = 0;         // of a load that a cache answers
  double memory_latency_seconds = 0;  // what a tile's first load takes longer from memory
  double loop_latency_seconds = 0;    // the same of a load in the loop
  double cached_bytes = 0;            // operands and result up to here stay in cache
  double idle_ratio = 0;              // share of the last wave's idle units that is paid for
  double shared_memory_ratio = 0;     // times that an operand byte crosses the port
  double iteration_clocks = 0;        // on top of products and copies
  double l2_ratio = 0;                // L2 rate in 64 bytes a clock and unit
  double epilogue_bytes_per_clock = 0;
  double tile_clocks = 0;  // of an output tile, on top of its epilogue
  double memory_ratio = 0;
  double split_seconds = 0;               // of a K-split, on top of its bytes
  double workspace_bytes_per_second = 0;  // partial sums of a K-split
  double misaligned_clocks = 0;           // of an iteration with loads of 2 bytes
  double misaligned_load_clocks = 0;      // of such a load of an operand contiguous in k
  double misaligned_output_ratio = 0;     // share of both that a misaligned output alone costs
  double tiles_in_flight = 0;             // iterations that one group loads ahead
  double resident_groups = 0;             // of one unit
};

/// Names of LibraryConstants' fields, in their order; a calibration also has lib_NAME_ratio, and
/// in_flight_bytes and sustained_clock_hz if they are not facts of the device.
std::vector<std::string> library_constant_names();

/// Which of `calibration.library.sigma` applies: those of Regime, in its order, and one of
/// misaligned operands in any regime.
enum class LibrarySigma : uint8_t { memory, tile_count, k, split_k, misaligned };
static_assert(static_cast<int>(LibrarySigma::split_k) == static_cast<int>(Regime::split_k));
inline constexpr int kNumLibrarySigmas = 5;
std::string_view name_of(LibrarySigma sigma);

/// All that a prediction reads. Any number of threads may use one.
struct LibraryModel {
  std::string device;
  LibraryConstants constants;
  double num_units = 0;
  double clock_hz = 0;
  double shared_memory_bytes_per_clock = 0;  // of one unit
  double memory_bytes_per_second = 0;
  double in_flight_bytes = 0;                             // of one unit
  std::array<double, kNumDTypes> flop_per_clock{};        // of one unit; 0: not known
  std::array<double, kNumDTypes> sustained_clock_hz{};    // with all units at work
  std::map<std::string, double, std::less<>> lib_ratios;  // measured / ideal, by library
  double lib_ratio = 0;                                   // of the library that is asked for
  std::array<double, kNumLibrarySigmas> sigma{};
};

/// Model of the vendor's main library (cuBLASLt, hipBLASLt).
///   throws Error(unsupported) if the device has no `calibration.library` or lacks a number that
///   the message names, Error(bad_input) on a constant or a regime that nobody knows
LibraryModel make_library_model(const Device& device);

/// The model of another library of the same device: "hipblaslt", "torch", "asm", ...
///   throws Error(not_found) with the nearest names
LibraryModel for_library(LibraryModel model, std::string_view library);

/// `op` must be valid. `num_units` > 0 leaves only so many compute units. Grows with m, n and k at
/// equal alignment, and is never above the roofline of the device.
///   throws Error(unsupported) if the device has no rate for op.dtype
double library_seconds(const LibraryModel& model, const GemmOp& op, int64_t num_units = 0);

/// The same with its terms, interval and regime.
Estimate library_estimate(const LibraryModel& model, const GemmOp& op, int64_t num_units = 0);

LibrarySigma library_sigma(const LibraryModel& model, const GemmOp& op, int64_t num_units = 0);

}  // namespace ambidex
