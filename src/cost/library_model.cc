// SPDX-License-Identifier: Apache-2.0
// What the library model reads of a device.
#include <fmt/format.h>

#include <vector>

#include "cost/constants.h"
#include "cost/library.h"

namespace ambidex {
namespace {

constexpr std::string_view kSigmaNames[kNumLibrarySigmas] = {"memory", "tile_count", "k", "split_k",
                                                             "misaligned"};
/// The library that a caller gets unasked, where the device has a ratio for it.
constexpr std::string_view kMainLibraries[] = {"cublaslt", "hipblaslt"};

template <class V>
void visit_constants(V&& v, LibraryConstants& x) {
  v(Field("launch_seconds", true), x.launch_seconds);
  v("latency_seconds", x.latency_seconds);
  v(Field("memory_latency_seconds", true), x.memory_latency_seconds);
  v(Field("loop_latency_seconds", true), x.loop_latency_seconds);
  v("cached_bytes", x.cached_bytes);
  v(Field("idle_ratio", true), x.idle_ratio);
  v(Field("shared_memory_ratio", true), x.shared_memory_ratio);
  v(Field("iteration_clocks", true), x.iteration_clocks);
  v("l2_ratio", x.l2_ratio);
  v("epilogue_bytes_per_clock", x.epilogue_bytes_per_clock);
  v(Field("tile_clocks", true), x.tile_clocks);
  v("memory_ratio", x.memory_ratio);
  v(Field("split_seconds", true), x.split_seconds);
  v("workspace_bytes_per_second", x.workspace_bytes_per_second);
  v(Field("misaligned_clocks", true), x.misaligned_clocks);
  v(Field("misaligned_load_clocks", true), x.misaligned_load_clocks);
  v(Field("misaligned_output_ratio", true), x.misaligned_output_ratio);
  v("tiles_in_flight", x.tiles_in_flight);
  v("resident_groups", x.resident_groups);
}

/// Every lib_NAME_ratio.
std::map<std::string, double, std::less<>> find_libraries(ConstantReader& constants) {
  constexpr std::string_view kPrefix = "lib_";
  constexpr std::string_view kSuffix = "_ratio";
  constexpr size_t kNumOthers = kPrefix.size() + kSuffix.size();
  std::map<std::string, double, std::less<>> ratios;
  for (const auto& [name, value] : constants.constants()) {
    const bool is_ratio = name.starts_with(kPrefix) && name.ends_with(kSuffix);
    if (!is_ratio || name.size() <= kNumOthers) continue;
    ratios.emplace(name.substr(kPrefix.size(), name.size() - kNumOthers),
                   *constants.find(name.c_str()));
  }
  return ratios;
}

/// The calibration's clock, or else the measured one: bf16's where a type has none of its own,
/// since what limits it is the power of a dense product.
double sustained_clock_hz(const Device& device, std::optional<double> fitted, DType dtype) {
  if (fitted) return *fitted;
  const std::map<DType, double>& clocks = device.measured.sustained_clock_hz;
  const auto own = clocks.find(dtype);
  if (own != clocks.end()) return own->second;
  return require(clocks, DType::bf16, "measured.sustained_clock_hz", device);
}

void read_rates(LibraryModel& model, const Device& device, std::optional<double> fitted_clock_hz) {
  const Compute& compute = device.spec.compute;
  const double rate_clock_hz =
      require(compute.peak_rate_clock_hz, "spec.peak_rate_clock_hz", device);
  for (const auto& [dtype, rate] : compute.flop_per_second) {
    const auto index = static_cast<size_t>(dtype);
    model.flop_per_clock[index] = rate / (model.num_units * rate_clock_hz);
    model.sustained_clock_hz[index] = sustained_clock_hz(device, fitted_clock_hz, dtype);
  }
}

void read_device(LibraryModel& model, const Device& device, std::optional<double> in_flight) {
  const Spec& spec = device.spec;
  model.num_units = static_cast<double>(
      require(spec.compute.num_compute_units, "spec.num_compute_units", device));
  model.clock_hz =
      require(spec.compute.clock_hz ? spec.compute.clock_hz : spec.compute.peak_rate_clock_hz,
              "spec.clock_hz", device);
  model.shared_memory_bytes_per_clock = require(spec.shared_memory.shared_memory_bytes_per_clock,
                                                "spec.shared_memory_bytes_per_clock", device);
  model.memory_bytes_per_second =
      require(spec.memory.memory_bytes_per_second, "spec.memory_bytes_per_second", device);
  model.in_flight_bytes =
      in_flight ? *in_flight
                : static_cast<double>(require(spec.cache.in_flight_bytes_per_unit,
                                              "spec.in_flight_bytes_per_unit", device));
}

double main_library_ratio(const LibraryModel& model) {
  for (const std::string_view library : kMainLibraries) {
    const auto entry = model.lib_ratios.find(library);
    if (entry != model.lib_ratios.end()) return entry->second;
  }
  throw Error(ErrorKind::unsupported,
              fmt::format("device {}: calibration.library.constants lacks both lib_{}_ratio and "
                          "lib_{}_ratio; give the one of its vendor's library",
                          model.device, kMainLibraries[0], kMainLibraries[1]));
}

}  // namespace

std::string_view name_of(LibrarySigma sigma) { return kSigmaNames[static_cast<size_t>(sigma)]; }

std::vector<std::string> library_constant_names() {
  std::vector<std::string> names;
  LibraryConstants constants;
  visit_constants([&](Field field, double&) { names.emplace_back(field.key); }, constants);
  return names;
}

LibraryModel make_library_model(const Device& device) {
  LibraryModel model;
  model.device = device.id;
  ConstantReader constants(device, "library");
  visit_constants(constants, model.constants);
  read_device(model, device, constants.find("in_flight_bytes"));
  read_rates(model, device, constants.find("sustained_clock_hz"));
  model.lib_ratios = find_libraries(constants);
  constants.finish();
  model.lib_ratio = main_library_ratio(model);
  constants.read_sigma(kSigmaNames, model.sigma);
  return model;
}

LibraryModel for_library(LibraryModel model, std::string_view library) {
  const auto entry = model.lib_ratios.find(library);
  if (entry != model.lib_ratios.end()) {
    model.lib_ratio = entry->second;
    return model;
  }
  std::vector<std::string> known;
  for (const auto& [name, ratio] : model.lib_ratios) known.push_back(name);
  throw Error(ErrorKind::not_found,
              fmt::format("device {}: {}", model.device, unknown_name("library", library, known)));
}

}  // namespace ambidex
