// SPDX-License-Identifier: Apache-2.0
#include "cli/devices_show.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ambidex/device_fields.h"
#include "cli/json.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;
using Sources = std::map<std::string, std::string>;

struct Scale {
  std::string_view part;  // of the key
  double unit;
  std::string_view name;
};

// The first part that the key holds decides; then the largest unit that fits the value.
constexpr Scale kScales[] = {
    {"bytes_per_second", 1e12, "TB/s"},
    {"bytes_per_second", 1e9, "GB/s"},
    {"bytes_per_clock", 1, "B/clk"},
    {"flop_per_second", 1e12, "TFLOP/s"},
    {"flop_per_second", 1, "FLOP/s"},
    {"bytes", 1 << 30, "GiB"},
    {"bytes", 1 << 20, "MiB"},
    {"bytes", 1 << 10, "KiB"},
    {"bytes", 1, "B"},
    {"hz", 1e9, "GHz"},
    {"hz", 1e6, "MHz"},
    {"seconds", 1e-3, "ms"},
    {"seconds", 1e-6, "us"},
    {"seconds", 1e-9, "ns"},
    {"watts", 1, "W"},
};

/// Writes the fields of one block, one line each.
struct TextWriter {
  std::string_view block;  // "spec"
  const Sources& sources;
  std::string& out;

  void operator()(Field field, const std::optional<int64_t>& value) {
    add(field.key, value ? scaled(field.key, static_cast<double>(*value)) : "unknown",
        value.has_value());
  }
  void operator()(Field field, const std::optional<double>& value) {
    add(field.key, value ? scaled(field.key, *value) : "unknown", value.has_value());
  }
  void operator()(Field field, const std::map<DType, double>& values) {
    if (values.empty()) return add(field.key, "unknown", false);
    for (const auto& [dtype, value] : values) {
      add(fmt::format("{}.{}", field.key, name_of(dtype)), scaled(field.key, value), true);
    }
  }
  void operator()(Field field, const std::vector<MatrixInstruction>& rows) {
    if (rows.empty()) return add(field.key, "unknown", false);
    for (const MatrixInstruction& row : rows) {
      add(field.key,
          fmt::format("{}x{}x{} {} in {:g} clk", row.m, row.n, row.k, name_of(row.dtype),
                      row.cycles),
          true);
    }
  }
  void operator()(Field field, ScaleUpKind kind) { add(field.key, name_of(kind), true); }
  void operator()(Field field, const std::string& text) { add(field.key, text, true); }

  void add(std::string_view key, std::string_view value, bool known) {
    out += fmt::format("  {:<40} {:<34}", key, value);
    if (known) out += source_of(key);
    while (out.back() == ' ') out.pop_back();
    out += '\n';
  }
  /// "[3]": the source of the field, of the field without its dtype, or of the block.
  std::string source_of(std::string_view key) const {
    const std::string path = fmt::format("{}.{}", block, key);
    const std::string parent = path.substr(0, path.rfind('.'));
    for (const std::string& name : {path, parent, std::string(block)}) {
      const auto found = sources.find(name);
      if (found != sources.end()) {
        return fmt::format(" [{}]", std::distance(sources.begin(), found) + 1);
      }
    }
    return "";
  }
};

std::string list_of(const Sources& sources) {
  std::string out = "sources\n";
  int number = 0;
  for (const auto& [key, text] : sources) {
    out += fmt::format("  [{}] {}: {}\n", ++number, key, text);
  }
  return out;
}

std::string text_of(const std::string& name, const Calibration& calibration) {
  std::string out = fmt::format("calibration of {}{}\n", name,
                                calibration.transferred ? " (fitted on another device)" : "");
  const std::pair<std::string_view, const std::map<std::string, double>&> groups[] = {
      {"", calibration.constants},
      {"sigma.", calibration.sigma},
      {"uncertainty.", calibration.uncertainty}};
  for (const auto& [prefix, values] : groups) {
    for (const auto& [key, value] : values) {
      out += fmt::format("  {:<40} {:g}\n", fmt::format("{}{}", prefix, key), value);
    }
  }
  return out + fmt::format("  source: {}\n", calibration.source);
}

}  // namespace

std::string scaled(std::string_view key, double value) {
  const Scale* last = nullptr;
  for (const Scale& scale : kScales) {
    if (key.find(scale.part) == std::string_view::npos) continue;
    if (last != nullptr && last->part != scale.part) break;
    last = &scale;
    if (value >= scale.unit) break;
  }
  if (last == nullptr) return fmt::format("{:.10g}", value);
  return fmt::format("{:.5g} {}", value / last->unit, last->name);
}

std::string text_of(const Device& device) {
  std::string out = fmt::format("{}: {} ({}, {})\nhash {}\n", device.id, device.name,
                                name_of(device.vendor), device.isa, device_hash(device));
  out += "spec (the vendor's word)\n";
  visit_fields(TextWriter{"spec", device.sources, out}, device.spec);
  out += "measured\n";
  visit_fields(TextWriter{"measured", device.sources, out}, device.measured);
  for (const auto& [name, calibration] : device.calibration) out += text_of(name, calibration);
  return out + list_of(device.sources);
}

std::string text_of(const System& system) {
  std::string out =
      fmt::format("{}: {} ({} x {})\n", system.id, system.name, system.num_devices, system.device);
  out += "scale_up (one direction)\n";
  visit_fields(TextWriter{"scale_up", system.sources, out}, system.scale_up);
  out += "scale_out (one direction)\n";
  if (system.scale_out) {
    visit_fields(TextWriter{"scale_out", system.sources, out}, *system.scale_out);
  } else {
    out += "  unknown\n";
  }
  out += "measured\n";
  for (const CollectiveFact& fact : system.measured) {
    const auto shown = [](std::string_view key, const auto& value) {
      return value ? scaled(key, static_cast<double>(*value)) : std::string("-");
    };
    out += fmt::format("  {:<15} {:>2} devices {:>10} {:>10} {:>12}  {}\n", fact.collective,
                       fact.num_devices, shown("bytes", fact.message_bytes),
                       shown("seconds", fact.seconds),
                       shown("bytes_per_second", fact.bytes_per_second_per_device), fact.source);
  }
  return out + list_of(system.sources);
}

Json json_of(const Device& device) {
  Json out = fields_of(device);
  out["hash"] = device_hash(device);
  return out;
}

Json json_of(const System& system) { return fields_of(system); }

}  // namespace ambidex
