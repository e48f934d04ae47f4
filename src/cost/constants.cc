// SPDX-License-Identifier: Apache-2.0
#include "cost/constants.h"

#include <fmt/format.h>

#include <algorithm>

namespace ambidex {
namespace {

// Beyond, fourth powers of a formula leave the range of double.
constexpr double kMinConstant = 1e-18;
constexpr double kMaxConstant = 1e18;

const Calibration& calibration_of(const Device& device, std::string_view kernel_template) {
  const auto entry = device.calibration.find(std::string(kernel_template));
  if (entry != device.calibration.end()) return entry->second;
  throw Error(ErrorKind::unsupported,
              fmt::format("device {0} has no calibration.{1}: {1} kernels have not been modelled "
                          "on it; add the block to a copy of the device's file (see `ambidex fit "
                          "--help`) and pass it with --device",
                          device.id, kernel_template));
}

}  // namespace

ConstantReader::ConstantReader(const Device& device, std::string_view kernel_template)
    : device_(device),
      kernel_template_(kernel_template),
      calibration_(calibration_of(device, kernel_template)) {}

std::string ConstantReader::path(std::string_view name) const {
  return fmt::format("calibration.{}.constants.{}", kernel_template_, name);
}

std::optional<double> ConstantReader::find(Field field) {
  known_.emplace_back(field.key);
  const auto entry = calibration_.constants.find(known_.back());
  if (entry == calibration_.constants.end()) return std::nullopt;
  const double value = entry->second;
  if (field.may_be_zero && value == 0) return value;
  const auto fail = [&](const std::string& expected) {
    throw Error(ErrorKind::bad_input, fmt::format("device {}: {}: expected a number {}, got {:g}",
                                                  device_.id, path(field.key), expected, value));
  };
  if (!(value > 0)) fail(field.may_be_zero ? ">= 0" : "> 0");
  if (!(value >= kMinConstant && value <= kMaxConstant)) {
    fail(fmt::format("from {:g} to {:g}", kMinConstant, kMaxConstant));
  }
  return value;
}

void ConstantReader::operator()(Field field, double& value) {
  value = require(find(field), path(field.key), device_);
}

double ConstantReader::fact(const std::optional<double>& published, std::string_view field,
                            Field assumption) {
  const std::optional<double> assumed = find(assumption);
  return require(published ? published : assumed, field, device_);
}

std::array<double, kNumRegimes> ConstantReader::sigma() const {
  std::array<std::string_view, kNumRegimes> names;
  for (size_t i = 0; i < names.size(); ++i) names[i] = name_of(static_cast<Regime>(i));
  std::array<double, kNumRegimes> values{};
  read_sigma(names, values);
  return values;
}

void ConstantReader::read_sigma(std::span<const std::string_view> names,
                                std::span<double> sigma) const {
  const std::vector<std::string> known(names.begin(), names.end());
  for (size_t i = 0; i < known.size(); ++i) {
    const auto entry = calibration_.sigma.find(known[i]);
    const std::optional<double> value =
        entry == calibration_.sigma.end() ? std::nullopt : std::optional(entry->second);
    sigma[i] =
        require(value, fmt::format("calibration.{}.sigma.{}", kernel_template_, known[i]), device_);
    if (!(sigma[i] > 0 && sigma[i] <= 3)) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("device {}: calibration.{}.sigma.{}: expected a number > 0, at most "
                              "3, got {:g}",
                              device_.id, kernel_template_, known[i], sigma[i]));
    }
  }
  for (const auto& [name, value] : calibration_.sigma) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("device {}: calibration.{}.sigma: {}", device_.id, kernel_template_,
                            unknown_name("regime", name, known)));
  }
}

void ConstantReader::finish() const {
  for (const auto& [name, value] : calibration_.constants) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("device {}: calibration.{}.constants: {}", device_.id, kernel_template_,
                            unknown_name("constant", name, known_)));
  }
}

}  // namespace ambidex
