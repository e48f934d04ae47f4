// SPDX-License-Identifier: Apache-2.0
// Accelerators and the systems they sit in, as data. A field that nobody knows is absent, and
// asking for it is an error that names it.
//
//   using namespace ambidex;
//   Device device = load_device("mi350x");  // or "./mine.yaml"
//   double bandwidth = require(device.spec.memory.memory_bytes_per_second,
//                              "spec.memory_bytes_per_second", device);
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {

enum class Vendor : uint8_t { nvidia, amd, mtia, cpu };
std::string_view name_of(Vendor vendor);

/// One row of a vendor's matrix-instruction table: m x n x k products in `cycles` of one SIMD.
struct MatrixInstruction {
  int64_t m = 0;
  int64_t n = 0;
  int64_t k = 0;
  DType dtype = DType::bf16;
  double cycles = 0;
  bool operator==(const MatrixInstruction&) const = default;
};

// The groups below are a C++ grouping only: in YAML and JSON all their fields are keys of `spec`.

/// Whole-device rates. A dtype that the matrix units lack is absent from `flop_per_second`.
struct Compute {
  std::optional<int64_t> num_compute_units;      // SMs, CUs, PEs or cores that are enabled
  std::optional<double> clock_hz;                // highest engine clock
  std::optional<double> peak_rate_clock_hz;      // clock that flop_per_second assumes
  std::map<DType, double> flop_per_second;       // dense; matrix units where the dtype has them
  std::optional<double> vector_flop_per_second;  // f32, fused multiply-add counted as two
  std::optional<double> board_power_watts;
  std::vector<MatrixInstruction> matrix_instructions;
  bool operator==(const Compute&) const = default;
};

struct Memory {
  std::optional<int64_t> memory_bytes;
  std::optional<double> memory_bytes_per_second;
  std::optional<int64_t> last_level_cache_bytes;  // memory side (MALL); 0: the device has none
  std::optional<double> last_level_cache_bytes_per_second;
  bool operator==(const Memory&) const = default;
};

struct Cache {
  std::optional<int64_t> l2_bytes;            // of one L2 domain
  std::optional<int64_t> num_l2_domains;      // L2s that do not see each other's lines (XCDs)
  std::optional<int64_t> num_l2_partitions;   // parts of one coherent L2, a far part being slower
  std::optional<double> l2_bytes_per_second;  // all domains together, towards the units
  std::optional<int64_t> l1_bytes_per_unit;   // where shared memory is not carved out of it
  std::optional<int64_t> cache_line_bytes;
  std::optional<int64_t> fetch_granule_bytes;       // smallest piece fetched from memory
  std::optional<int64_t> in_flight_bytes_per_unit;  // outstanding loads that one unit can hold
  bool operator==(const Cache&) const = default;
};

/// Waves (warps) and registers of one unit.
struct Waves {
  std::optional<int64_t> wave_width;  // lanes
  std::optional<int64_t> num_simds_per_unit;
  std::optional<int64_t> max_waves_per_unit;
  std::optional<int64_t> max_groups_per_unit;
  std::optional<int64_t> register_file_bytes_per_unit;
  std::optional<int64_t> max_registers_per_lane;  // 4 bytes each; AMD: VGPRs plus AGPRs
  std::optional<int64_t> register_granule;        // registers of a lane, allocated at a time
  bool operator==(const Waves&) const = default;
};

struct SharedMemory {
  std::optional<int64_t> shared_memory_bytes_per_unit;
  std::optional<int64_t> shared_memory_bytes_per_group;           // most that one group may ask for
  std::optional<int64_t> shared_memory_reserved_bytes_per_group;  // taken on top of what it asks
  std::optional<int64_t> shared_memory_granule_bytes;
  std::optional<double> shared_memory_bytes_per_clock;  // read, of one unit
  std::optional<int64_t> tensor_memory_bytes_per_unit;  // 0: the device has none
  std::optional<int64_t> async_copy_bytes_per_lane;     // widest memory-to-shared copy; 0: none
  bool operator==(const SharedMemory&) const = default;
};

/// Lanes whose instruction one unit finishes in a clock, of instructions on one number a lane.
struct VectorLanes {
  std::optional<double> f32_lanes_per_clock;      // multiply-add; the others share its issue slots
  std::optional<double> f64_lanes_per_clock;      // multiply-add
  std::optional<double> integer_lanes_per_clock;  // 32-bit additions, logic, comparisons
  std::optional<double> special_lanes_per_clock;  // reciprocals, roots, exponentials
  bool operator==(const VectorLanes&) const = default;
};

/// The vendor's word.
struct Spec {
  Compute compute;
  Memory memory;
  Cache cache;
  Waves waves;
  VectorLanes vector_lanes;
  SharedMemory shared_memory;
  bool operator==(const Spec&) const = default;
};

/// Measured by this project or by a named source.
struct Measured {
  std::map<DType, double> sustained_clock_hz;      // under a long dense matrix product
  std::map<DType, double> matrix_flop_per_second;  // best dense matrix product seen
  std::optional<double> copy_bytes_per_second;     // memory, reads plus writes
  std::optional<double> l2_bytes_per_second;
  std::optional<double> last_level_cache_bytes_per_second;
  std::optional<double> memory_latency_seconds;
  std::optional<double> l2_latency_seconds;
  std::optional<double> launch_seconds;                // of an empty kernel inside a graph
  std::optional<double> same_word_atomics_per_second;  // of waves that all update one word
  std::optional<double> write_requests_per_second;     // lines that waves store to or update
  bool operator==(const Measured&) const = default;
};

/// Constants of one kernel template on one device. The cost module knows their names.
struct Calibration {
  std::map<std::string, double> constants;
  std::map<std::string, double> sigma;  // regime -> standard deviation of ln(measured/predicted)
  std::map<std::string, double> uncertainty;
  std::string source;        // what was fitted, on what, by which command
  bool transferred = false;  // true: fitted on another device
  bool operator==(const Calibration&) const = default;
};

struct Device {
  std::string id;    // file name without .yaml
  std::string name;  // as the vendor writes it
  Vendor vendor = Vendor::cpu;
  std::string isa;  // compiler target: sm_90, gfx950, ...
  Spec spec;
  Measured measured;
  std::map<std::string, Calibration> calibration;  // by template: triton, tensile, library
  std::map<std::string, std::string> sources;      // "spec" or "spec.l2_bytes" -> text
  bool operator==(const Device&) const = default;
};

enum class ScaleUpKind : uint8_t { nvlink_switch, xgmi_mesh };
std::string_view name_of(ScaleUpKind kind);

/// Links inside one node; rates are of one direction.
struct ScaleUp {
  ScaleUpKind kind = ScaleUpKind::nvlink_switch;
  std::optional<int64_t> num_links;  // of one device
  std::optional<double> bytes_per_second_per_device;
  std::optional<double> bytes_per_second_per_pair;
  bool operator==(const ScaleUp&) const = default;
};

/// Network between nodes; rates are of one direction.
struct ScaleOut {
  std::string nic;
  std::optional<double> bytes_per_second_per_device;
  bool operator==(const ScaleOut&) const = default;
};

/// One measured fact. Rates keep the definition of their source, which `source` states.
struct CollectiveFact {
  std::string collective;  // all_reduce, all_gather, reduce_scatter, all_to_all, pair_copy
  int64_t num_devices = 0;
  std::optional<int64_t> message_bytes;  // absent: best over the sizes of the source
  std::optional<double> seconds;
  std::optional<double> bytes_per_second_per_device;
  std::string source;
  bool operator==(const CollectiveFact&) const = default;
};

struct System {
  std::string id;
  std::string name;
  std::string device;  // id of a device
  int64_t num_devices = 0;
  ScaleUp scale_up;
  std::optional<ScaleOut> scale_out;
  std::vector<CollectiveFact> measured;
  std::map<std::string, std::string> sources;
  bool operator==(const System&) const = default;
};

/// Ids of the built-in devices and systems, sorted.
std::vector<std::string> device_ids();
std::vector<std::string> system_ids();

/// A built-in device by id, or a file if the argument holds a '/' or ends in ".yaml".
///   throws Error(not_found) with the nearest ids, Error(bad_input) with file and line
Device load_device(const std::string& name_or_path);
System load_system(const std::string& name_or_path);

/// The same from text; `where` is the file name that messages carry.
Device parse_device(std::string_view yaml, const std::string& where);
System parse_system(std::string_view yaml, const std::string& where);

/// throws Error(bad_input) on facts that contradict each other or that no source covers.
void validate(const Device& device);
void validate(const System& system);

/// 16 hex digits of everything a prediction may read: id, isa, every number. Names and sources are
/// left out.
std::string device_hash(const Device& device);

/// The value, or Error(unsupported) that names the device and the field:
/// require(device.spec.cache.l2_bytes, "spec.l2_bytes", device)
double require(const std::optional<double>& value, std::string_view field, const Device& device);
int64_t require(const std::optional<int64_t>& value, std::string_view field, const Device& device);
/// require(device.spec.compute.flop_per_second, DType::tf32, "spec.flop_per_second", device)
double require(const std::map<DType, double>& values, DType dtype, std::string_view field,
               const Device& device);

}  // namespace ambidex
