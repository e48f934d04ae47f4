// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <bit>

#include "ambidex/device_fields.h"

namespace ambidex {
namespace {

/// 64-bit FNV-1a over keys and values. An absent value adds nothing, so that a field added to the
/// structs later leaves the hash of today's files alone.
struct Hasher {
  uint64_t state = 0xcbf29ce484222325;

  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
    add_byte(0xff);  // in no UTF-8 text: keeps "ab","c" apart from "a","bc"
  }
  void add(uint64_t bits) {
    for (int shift = 0; shift < 64; shift += 8) add_byte(bits >> shift & 0xff);
  }
  void add(double value) { add(std::bit_cast<uint64_t>(value)); }
  void add(int64_t value) { add(static_cast<double>(value)); }
  void add(DType dtype) { add(name_of(dtype)); }
  void add_byte(uint64_t byte) { state = (state ^ byte) * 0x100000001b3; }

  template <class T>
  void operator()(Field field, const T& value) {
    add(field.key);
    add(value);
  }
  template <class T>
  void operator()(Field field, const std::optional<T>& value) {
    if (value) (*this)(field, *value);
  }
  template <class K>
  void operator()(Field field, const std::map<K, double>& values) {
    for (const auto& [key, value] : values) {
      add(field.key);
      add(key);
      add(value);
    }
  }
  void operator()(Field field, const std::vector<MatrixInstruction>& rows) {
    for (const MatrixInstruction& row : rows) {
      add(field.key);
      visit_fields(*this, row);
    }
  }
};

}  // namespace

std::string device_hash(const Device& device) {
  Hasher hasher;
  hasher.add(device.id);
  hasher.add(name_of(device.vendor));
  hasher.add(device.isa);
  hasher.add("spec");
  visit_fields(hasher, device.spec);
  hasher.add("measured");
  visit_fields(hasher, device.measured);
  for (const auto& [name, calibration] : device.calibration) {
    hasher.add("calibration");
    hasher.add(name);
    hasher("constants", calibration.constants);
    hasher("sigma", calibration.sigma);
    hasher("uncertainty", calibration.uncertainty);
    hasher("transferred", int64_t{calibration.transferred});
  }
  return fmt::format("{:016x}", hasher.state);
}

}  // namespace ambidex
