// SPDX-License-Identifier: Apache-2.0
// The `calibration` block of a device: reader, and list of known names, in one.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/cost.h"
#include "ambidex/device_fields.h"
#include "ambidex/devices.h"

namespace ambidex {

class ConstantReader {
 public:
  /// throws Error(unsupported) if the device has no calibration for `kernel_template`
  ConstantReader(const Device& device, std::string_view kernel_template);

  /// The constant, if the calibration has it.
  ///   throws Error(bad_input) if it is not > 0 (or 0, where the field may be)
  std::optional<double> find(Field field);

  /// throws Error(unsupported) that names the constant if the calibration lacks it
  void operator()(Field field, double& value);

  /// A number of the data sheet or, where nobody has published it, the calibration's assumption.
  double fact(const std::optional<double>& published, std::string_view field, Field assumption);

  /// Standard deviations by regime.
  ///   throws Error(unsupported) if one is missing, Error(bad_input) on one that nobody knows
  std::array<double, kNumRegimes> sigma() const;

  /// The same of a template with regimes of its own: sigma[i] is that of names[i].
  void read_sigma(std::span<const std::string_view> names, std::span<double> sigma) const;

  /// throws Error(bad_input) with the nearest names on a constant that nobody has asked for
  void finish() const;

  const std::map<std::string, double>& constants() const { return calibration_.constants; }

 private:
  std::string path(std::string_view name) const;

  const Device& device_;
  std::string kernel_template_;
  const Calibration& calibration_;
  std::vector<std::string> known_;
};

}  // namespace ambidex
