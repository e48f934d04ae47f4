// SPDX-License-Identifier: Apache-2.0
#include "ambidex/devices.h"

#include <fmt/format.h>

#include "base/data_files.h"
#include "devices/reader.h"

namespace ambidex {
namespace {

constexpr std::string_view kDeviceFolder = "data/devices/";
constexpr std::string_view kSystemFolder = "data/systems/";

template <class T>
T parse(std::string_view yaml, const std::string& where) {
  const YamlNode root = parse_yaml(yaml, where);
  T value;
  MapReader reader(root, "", where);
  visit_fields(reader, value);
  reader.finish();
  try {
    validate(value);
  } catch (const Error& error) {
    throw Error(error.kind, fmt::format("{}: {}", where, error.what()));
  }
  return value;
}

template <class T>
T load(std::string_view folder, std::string_view what, const std::string& name_or_path) {
  const DataFile file = load_data_file(folder, what, name_or_path);
  return parse<T>(file.text, file.where);
}

[[noreturn]] void fail_missing(std::string_view field, const Device& device,
                               std::string_view known) {
  throw Error(ErrorKind::unsupported,
              fmt::format("device {} has no {}: the value is not known{}; add it to a copy of the "
                          "file and pass --device ./mine.yaml",
                          device.id, field, known));
}

template <class T>
T require_value(const std::optional<T>& value, std::string_view field, const Device& device) {
  if (!value) fail_missing(field, device, "");
  return *value;
}

}  // namespace

std::string_view name_of(Vendor vendor) {
  switch (vendor) {
    case Vendor::nvidia:
      return "nvidia";
    case Vendor::amd:
      return "amd";
    case Vendor::mtia:
      return "mtia";
    case Vendor::cpu:
      return "cpu";
  }
  return "";
}

std::string_view name_of(ScaleUpKind kind) {
  return kind == ScaleUpKind::nvlink_switch ? "nvlink_switch" : "xgmi_mesh";
}

std::vector<std::string> device_ids() { return data_file_ids(kDeviceFolder); }
std::vector<std::string> system_ids() { return data_file_ids(kSystemFolder); }

Device load_device(const std::string& name_or_path) {
  return load<Device>(kDeviceFolder, "device", name_or_path);
}

System load_system(const std::string& name_or_path) {
  return load<System>(kSystemFolder, "system", name_or_path);
}

Device parse_device(std::string_view yaml, const std::string& where) {
  return parse<Device>(yaml, where);
}

System parse_system(std::string_view yaml, const std::string& where) {
  return parse<System>(yaml, where);
}

double require(const std::optional<double>& value, std::string_view field, const Device& device) {
  return require_value(value, field, device);
}

int64_t require(const std::optional<int64_t>& value, std::string_view field, const Device& device) {
  return require_value(value, field, device);
}

double require(const std::map<DType, double>& values, DType dtype, std::string_view field,
               const Device& device) {
  const auto entry = values.find(dtype);
  if (entry != values.end()) return entry->second;
  std::string known;
  for (const auto& [other, rate] : values) {
    known += fmt::format("{}{}", known.empty() ? " (known: " : ", ", name_of(other));
  }
  fail_missing(fmt::format("{}.{}", field, name_of(dtype)), device,
               known.empty() ? known : known + ")");
}

}  // namespace ambidex
