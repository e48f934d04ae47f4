// SPDX-License-Identifier: Apache-2.0
// Facts that contradict each other, and sources that cover nothing.
#include <fmt/format.h>

#include <algorithm>

#include "ambidex/device_fields.h"
#include "base/text.h"
#include "devices/reader.h"

namespace ambidex {
namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::bad_input, message); }

/// Collects "spec.l2_bytes" for every key of a block.
struct KeyCollector {
  std::string_view block;
  std::vector<std::string>& keys;

  template <class T>
  void operator()(Field field, const T&) {
    keys.push_back(fmt::format("{}.{}", block, field.key));
  }
  void operator()(Field field, const std::map<DType, double>& rates) {
    keys.push_back(fmt::format("{}.{}", block, field.key));
    for (const auto& [dtype, rate] : rates) {
      keys.push_back(fmt::format("{}.{}.{}", block, field.key, name_of(dtype)));
    }
  }
};

/// Structs filled in by hand are held to what the reader holds files to.
struct NumberChecker {
  std::string_view block;

  void operator()(Field field, double value) const {
    if (is_fact(field, value)) return;
    fail(fmt::format("{}.{}: expected a number {} 0, got {:g}", block, field.key,
                     field.may_be_zero ? ">=" : ">", value));
  }
  void operator()(Field field, int64_t value) const { (*this)(field, static_cast<double>(value)); }
  void operator()(Field, DType) const {}
  template <class T>
  void operator()(Field field, const std::optional<T>& value) const {
    if (value) (*this)(field, *value);
  }
  void operator()(Field field, const std::map<DType, double>& rates) const {
    for (const auto& [dtype, rate] : rates) (*this)(field, rate);
  }
  void operator()(Field, const std::vector<MatrixInstruction>& rows) const {
    for (const MatrixInstruction& row : rows) visit_fields(*this, row);
  }
};

void validate_id(std::string_view what, const std::string& id) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  if (id.empty() || id.size() > 64 || !std::all_of(id.begin(), id.end(), is_plain)) {
    fail(fmt::format("id: expected at most 64 of a-z, 0-9, _ and - for a {}, got {}", what,
                     quote(id)));
  }
}

void validate_sources(const std::map<std::string, std::string>& sources,
                      const std::vector<std::string>& known) {
  for (const auto& [key, text] : sources) {
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      fail("sources: " + unknown_name("block or field", key, known));
    }
  }
}

template <class A, class B>
void at_most(std::string_view small_name, const std::optional<A>& small,
             std::string_view large_name, const std::optional<B>& large) {
  if (!small || !large || static_cast<double>(*small) <= static_cast<double>(*large)) return;
  fail(fmt::format("{} is {:g}, more than {}, {:g}; one of them is wrong", small_name,
                   static_cast<double>(*small), large_name, static_cast<double>(*large)));
}

void validate_units(const Spec& spec) {
  const std::optional<int64_t>& units = spec.compute.num_compute_units;
  const std::optional<int64_t>& domains = spec.cache.num_l2_domains;
  if (units && domains && *units % *domains != 0) {
    fail(fmt::format("spec.num_compute_units is {}, not a multiple of spec.num_l2_domains, {}",
                     *units, *domains));
  }
  const int64_t width = spec.waves.wave_width.value_or(1);
  if ((width & (width - 1)) != 0 || width > 1024) {
    fail(fmt::format("spec.wave_width: expected a power of two up to 1024, got {}", width));
  }
}

void validate_rates(const Spec& spec, const Measured& measured) {
  at_most("spec.peak_rate_clock_hz", spec.compute.peak_rate_clock_hz, "spec.clock_hz",
          spec.compute.clock_hz);
  at_most("spec.shared_memory_bytes_per_group", spec.shared_memory.shared_memory_bytes_per_group,
          "spec.shared_memory_bytes_per_unit", spec.shared_memory.shared_memory_bytes_per_unit);
  at_most("measured.copy_bytes_per_second", measured.copy_bytes_per_second,
          "spec.memory_bytes_per_second", spec.memory.memory_bytes_per_second);
  for (const auto& [dtype, clock] : measured.sustained_clock_hz) {
    at_most(fmt::format("measured.sustained_clock_hz.{}", name_of(dtype)), std::optional(clock),
            "spec.clock_hz", spec.compute.clock_hz);
  }
  for (const auto& [dtype, rate] : measured.matrix_flop_per_second) {
    const auto peak = spec.compute.flop_per_second.find(dtype);
    if (peak == spec.compute.flop_per_second.end()) continue;
    at_most(fmt::format("measured.matrix_flop_per_second.{}", name_of(dtype)), std::optional(rate),
            fmt::format("spec.flop_per_second.{}", name_of(dtype)), std::optional(peak->second));
  }
}

}  // namespace

void validate(const Device& device) {
  validate_id("device", device.id);
  visit_fields(NumberChecker{"spec"}, device.spec);
  visit_fields(NumberChecker{"measured"}, device.measured);
  validate_units(device.spec);
  validate_rates(device.spec, device.measured);
  for (const auto& [name, calibration] : device.calibration) validate_id("template", name);
  std::vector<std::string> known = {"spec", "measured"};
  visit_fields(KeyCollector{"spec", known}, device.spec);
  visit_fields(KeyCollector{"measured", known}, device.measured);
  validate_sources(device.sources, known);
}

void validate(const System& system) {
  validate_id("system", system.id);
  validate_id("device", system.device);
  at_most("scale_up.bytes_per_second_per_pair", system.scale_up.bytes_per_second_per_pair,
          "scale_up.bytes_per_second_per_device", system.scale_up.bytes_per_second_per_device);
  std::vector<std::string> known = {"num_devices", "scale_up", "scale_out"};
  visit_fields(KeyCollector{"scale_up", known}, system.scale_up);
  const ScaleOut scale_out = system.scale_out.value_or(ScaleOut{});
  visit_fields(KeyCollector{"scale_out", known}, scale_out);
  validate_sources(system.sources, known);
}

}  // namespace ambidex
