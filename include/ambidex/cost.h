// SPDX-License-Identifier: Apache-2.0
// Seconds of one matrix product under one kernel configuration on one device: pure functions of
// numbers, with no launch and no GPU header. docs/gemm.md has every formula and its measured error.
//
//   using namespace ambidex;
//   GemmModel model = make_gemm_model(load_device("h200"), KernelTemplate::triton);
//   GemmConfig config{.tile = {128, 128, 64}, .num_warps = 8, .num_stages = 3};
//   Estimate estimate = gemm_estimate(model, {.m = 8192, .n = 1024, .k = 512}, config);
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/base.h"
#include "ambidex/devices.h"

namespace ambidex {

/// Who generates the kernel. `library` is the vendor's own choice (cuBLASLt, hipBLASLt): it has no
/// configuration, only a time.
enum class KernelTemplate : uint8_t { triton, tensile, library };
std::string_view name_of(KernelTemplate kernel_template);
/// throws Error(bad_input) with the nearest names
KernelTemplate template_from_name(std::string_view name);

/// Output rows and columns of one work-group, and the depth of one iteration.
struct Tile {
  int32_t m = 0;
  int32_t n = 0;
  int32_t k = 0;
  bool operator==(const Tile&) const = default;
};

/// What only AMD's compilers take.
struct AmdOptions {
  int32_t matrix_instr = 0;  // rows and columns of one MFMA, 16 or 32; 0: the compiler's choice
  int32_t waves_per_eu = 0;  // waves per SIMD that registers are capped for; 0: no cap
  int32_t kpack = 1;         // operand fragments packed per LDS read, 1 or 2
  bool operator==(const AmdOptions&) const = default;
};

/// Switches of a Tensile kernel that move its time by less than a few percent.
struct TensileHints {
  int32_t stagger_u = 0;            // groups start at so many different depths
  int32_t stagger_u_stride = 128;   // bytes between those
  bool non_temporal_a = false;      // A passes the caches by (row-major A: Tensile's B)
  bool non_temporal_store = false;  // D does
  bool cluster_local_read = true;   // LDS reads of one iteration are issued together
  bool single_lds_buffer = false;   // one tile of A and B in LDS instead of two
  bool operator==(const TensileHints&) const = default;
};

/// What only hipBLASLt's Tensile kernels take. Rows and columns are those of the row-major product:
/// Tensile's own names are column-major, so its M is our n (docs/gemm-tensile.md).
struct TensileOptions {
  int32_t wave_tile_m = 0;       // output rows of one wave, matrix instruction repeated
  int32_t wave_tile_n = 0;       // output columns of one wave
  int32_t stream_k = 0;          // 0: one work-group a tile; 3: Stream-K with two tiles' overlap
  int32_t xcc_mapping = 1;       // chiplets over which consecutive groups are dealt, 1: hardware's
  bool custom_schedule = false;  // hand-ordered main loop
  bool direct_to_lds = false;    // loads that bypass the registers
  bool transpose_lds = false;    // K-contiguous operands are kept transposed in LDS
  TensileHints hints;
  bool operator==(const TensileOptions&) const = default;
};

/// One kernel configuration. Fields of another template keep their defaults.
struct GemmConfig {
  KernelTemplate kernel_template = KernelTemplate::triton;
  Tile tile;
  int32_t num_warps = 4;   // warps (waves) of one work-group
  int32_t num_stages = 2;  // tiles of A and B in flight plus the one in use
  int32_t group_m = 8;     // output tiles down before one step across; Tensile's WGM
  int32_t split_k = 1;     // work-groups that share one output tile along k
  AmdOptions amd;
  TensileOptions tensile;
  bool operator==(const GemmConfig&) const = default;
};

/// What a time is made of. The terms of one estimate overlap, so they do not add up to it.
enum class Term : uint8_t {
  launch,         // driver and grid start
  prologue,       // first loads, until the first product
  matrix,         // matrix pipe
  shared_memory,  // reads and fills of shared memory (LDS)
  issue,          // instructions beside products: addresses, barriers, scalar loads, spills
  l2,             // L2 towards the units
  last_level,     // memory-side cache
  memory,         // device memory
  latency,        // iterations that wait for a load
  epilogue,       // conversion and stores of the output tile
  reduction,      // split-K and Stream-K: zero fill, atomics, fix-up
};
inline constexpr int kNumTerms = 11;
std::string_view name_of(Term term);

/// How far a prediction can be trusted: which sigma applies.
enum class Regime : uint8_t { memory, tile_count, k, split_k };
inline constexpr int kNumRegimes = 4;
std::string_view name_of(Regime regime);

struct Estimate {
  double seconds = 0;
  std::array<double, kNumTerms> term_seconds{};  // what each term alone would take
  Term binds = Term::launch;                     // the largest of them
  Regime regime = Regime::k;
  double sigma = 0;        // standard deviation of ln(measured / predicted)
  double low_seconds = 0;  // 80 % interval
  double high_seconds = 0;
  int64_t num_groups = 0;       // work-groups launched
  int32_t groups_per_unit = 0;  // resident at once
  double useful_ratio = 0;      // useful / launched products
};

/// Everything that estimates of one device and template share, read and checked once. Immutable:
/// any number of threads may use one.
struct GemmModelData;
using GemmModel = std::shared_ptr<const GemmModelData>;

/// throws Error(unsupported) if the device lacks a number that the template's model reads
/// (the message names it), Error(bad_input) on an unknown constant in its calibration.
GemmModel make_gemm_model(const Device& device, KernelTemplate kernel_template);

/// Why the device cannot run `config` on `op`, in a sentence; empty if it can.
std::string why_illegal(const GemmModel& model, const GemmOp& op, const GemmConfig& config);

/// `op` and `config` must be legal. `num_units` > 0 leaves only so many compute units.
/// For KernelTemplate::library the configuration is ignored.
Estimate gemm_estimate(const GemmModel& model, const GemmOp& op, const GemmConfig& config,
                       int64_t num_units = 0);

/// Configurations made ready for ranking: all that does not depend on sizes is worked out once.
struct PreparedConfigsData;
using PreparedConfigs = std::shared_ptr<const PreparedConfigsData>;

/// Ops with equal keys can share prepared configurations: same types, layout, epilogue and
/// alignment of the leading dimensions.
uint64_t prepare_key(const GemmOp& op);

/// Reads of `op` only what enters prepare_key().
PreparedConfigs prepare(const GemmModel& model, const GemmOp& op,
                        std::span<const GemmConfig> configs);

/// seconds[i] of configuration i of `prepared` on `op`; infinity where it is illegal. Allocates
/// nothing; the same bits on every machine: no library function but sqrt, no contracted
/// multiply-add, one order of operations. Equals gemm_estimate(...).seconds to the last bit.
void gemm_seconds(const GemmModel& model, const PreparedConfigs& prepared, const GemmOp& op,
                  int64_t num_units, std::span<double> seconds);

/// The device that a model was made from, and its template.
const Device& device_of(const GemmModel& model);
KernelTemplate template_of(const GemmModel& model);

/// Changes whenever a formula changes its result; part of GemmSelector::uuid().
inline constexpr std::string_view kGemmModelVersion = "1";

}  // namespace ambidex
