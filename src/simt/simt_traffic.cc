// SPDX-License-Identifier: Apache-2.0
#include "ambidex/simt_traffic.h"

namespace ambidex {

std::string_view name_of(SimtInstruction instruction) {
  constexpr std::array<std::string_view, kNumSimtInstructions> kNames{
      "f16", "f32", "f64", "special", "integer", "product"};
  return kNames[static_cast<size_t>(instruction)];
}

std::string_view name_of(SimtSpace space) {
  constexpr std::array<std::string_view, 3> kNames{"load", "store", "shared"};
  return kNames[static_cast<size_t>(space)];
}

}  // namespace ambidex
