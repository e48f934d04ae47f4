// SPDX-License-Identifier: Apache-2.0
#include "port/native_shapes.h"

#include <algorithm>

#include "ambidex/base.h"
#include "base/random.h"

namespace ambidex::repair {
namespace {

constexpr int64_t kMaxBytes = int64_t{64} << 20;
constexpr int64_t kShareDrawn = 8;  // a drawn size is up to an eighth larger

int64_t bytes_of(const Contract& contract, const Variables& sizes) {
  int64_t bytes = 0;
  for (const ContractParameter& parameter : contract.parameters) {
    if (parameter.role != Role::value) bytes += formula_value(parameter.bytes, sizes);
  }
  return bytes;
}

}  // namespace

Variables sizes_at(const Contract& contract, double scale, Scaling scaling, uint64_t key) {
  Variables sizes = contract.launches.at(0).sizes;
  int64_t largest = 0;
  for (const auto& [name, value] : sizes) largest = std::max(largest, value);
  uint64_t number = 0;
  for (auto& [name, value] : sizes) {
    ++number;
    if (value < 2 || (scaling == Scaling::largest_alone && value != largest)) continue;
    value = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(value) * scale));
    if (scaling != Scaling::drawn) continue;
    const auto room = static_cast<uint64_t>(value / kShareDrawn + 1);
    value += static_cast<int64_t>(random_bits(key, number) % room);
  }
  return sizes;
}

std::optional<TracedLaunch> launch_at(const Contract& contract, double scale, Scaling scaling,
                                      uint64_t key) {
  try {
    const Variables sizes = sizes_at(contract, scale, scaling, key);
    if (bytes_of(contract, sizes) > kMaxBytes) return std::nullopt;
    return generate_launch(contract, contract.launches.at(0), sizes, key);
  } catch (const Error&) {
    return std::nullopt;  // a formula has no value there
  }
}

}  // namespace ambidex::repair
