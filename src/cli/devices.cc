// SPDX-License-Identifier: Apache-2.0
// ambidex devices: what is known of each accelerator, and where it comes from.
#include "ambidex/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/devices_show.h"
#include "cli/json.h"
#include "cli/verbs.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

struct DevicesOptions {
  std::string name;      // of `show`: a device, a system or a file
  bool systems = false;  // list systems; of `show`: the file describes a system
  bool json = false;
};

template <class T>
std::string cell(const std::optional<T>& value, double unit, int precision) {
  if (!value) return "-";
  return fmt::format("{:.{}f}", static_cast<double>(*value) / unit, precision);
}

std::vector<Device> all_devices() {
  std::vector<Device> devices;
  for (const std::string& id : device_ids()) devices.push_back(load_device(id));
  return devices;
}

std::vector<System> all_systems() {
  std::vector<System> systems;
  for (const std::string& id : system_ids()) systems.push_back(load_system(id));
  return systems;
}

std::string device_row(const Device& device, const std::vector<System>& systems) {
  const Compute& compute = device.spec.compute;
  std::optional<double> bf16;
  if (compute.flop_per_second.contains(DType::bf16)) {
    bf16 = compute.flop_per_second.at(DType::bf16);
  }
  const auto is_ours = [&](const System& system) { return system.device == device.id; };
  const auto system = std::find_if(systems.begin(), systems.end(), is_ours);
  const std::optional<double> scale_up =
      system == systems.end() ? std::nullopt : system->scale_up.bytes_per_second_per_device;
  return fmt::format(
      "{:<8} {:<38} {:<7} {:>5} {:>6} {:>13} {:>6} {:>6} {:>14}\n", device.id, device.name,
      name_of(device.vendor), cell(compute.num_compute_units, 1, 0), cell(compute.clock_hz, 1e9, 2),
      cell(bf16, 1e12, 1), cell(device.spec.memory.memory_bytes, 1 << 30, 0),
      cell(device.spec.memory.memory_bytes_per_second, 1e12, 2), cell(scale_up, 1e9, 1));
}

std::string device_table() {
  std::string out =
      fmt::format("{:<8} {:<38} {:<7} {:>5} {:>6} {:>13} {:>6} {:>6} {:>14}\n", "id", "name",
                  "vendor", "units", "GHz", "bf16 TFLOP/s", "GiB", "TB/s", "scale-up GB/s");
  const std::vector<System> systems = all_systems();
  for (const Device& device : all_devices()) out += device_row(device, systems);
  return out + "- is not known; clocks are the highest, rates are dense peaks.\n";
}

std::string system_table() {
  std::string out = fmt::format("{:<9} {:<46} {:<14} {:>6} {:>12} {:>10} {:>15}\n", "id", "name",
                                "scale-up", "links", "GB/s/device", "GB/s/pair", "scale-out GB/s");
  for (const System& system : all_systems()) {
    const ScaleOut scale_out = system.scale_out.value_or(ScaleOut{});
    out += fmt::format("{:<9} {:<46} {:<14} {:>6} {:>12} {:>10} {:>15}\n", system.id, system.name,
                       name_of(system.scale_up.kind), cell(system.scale_up.num_links, 1, 0),
                       cell(system.scale_up.bytes_per_second_per_device, 1e9, 1),
                       cell(system.scale_up.bytes_per_second_per_pair, 1e9, 1),
                       cell(scale_out.bytes_per_second_per_device, 1e9, 1));
  }
  return out + "- is not known; rates are of one direction.\n";
}

template <class T>
Json json_list(std::string_view key, const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return Json{{key, list}};
}

std::string listing(const DevicesOptions& options) {
  if (options.systems) {
    return options.json ? dumped(json_list("systems", all_systems())) : system_table();
  }
  return options.json ? dumped(json_list("devices", all_devices())) : device_table();
}

template <class T>
std::string shown(const T& value, bool json) {
  return json ? dumped(json_of(value)) : text_of(value);
}

/// No device begins with a digit, every built-in system does: 8xh200.
std::string details(const DevicesOptions& options) {
  const bool is_system =
      options.systems || (options.name.front() >= '0' && options.name.front() <= '9' &&
                          options.name.find('/') == std::string::npos);
  if (is_system) return shown(load_system(options.name), options.json);
  return shown(load_device(options.name), options.json);
}

}  // namespace

void add_devices(CLI::App& app, Console& console) {
  const auto options = std::make_shared<DevicesOptions>();
  CLI::App* devices = app.add_subcommand("devices", "List accelerators and what is known of them");
  devices->add_flag("--systems", options->systems, "List systems of several devices instead");
  devices->add_flag("--json", options->json, "One JSON document, base SI units");

  CLI::App* show = devices->add_subcommand("show", "Every fact of one device or system");
  show->add_option("NAME", options->name, "An id of the list, or a file: ./mine.yaml")->required();
  show->add_flag("--systems", options->systems, "The file describes a system");
  show->add_flag("--json", options->json, "One JSON document, base SI units");

  devices->callback([options, show, &console] {
    if (show->parsed() && options->name.empty()) {
      throw Error(ErrorKind::bad_input, "NAME is empty; give an id, see `ambidex devices`");
    }
    console.out = show->parsed() ? details(*options) : listing(*options);
  });
}

}  // namespace ambidex
