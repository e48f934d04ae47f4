// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "ambidex/base.h"
#include "base/text.h"

namespace ambidex {
namespace {

struct DTypeRow {
  std::string_view name;
  int64_t bytes;
};

// In the order of DType.
constexpr std::array<DTypeRow, kNumDTypes> kDTypes{{
    {"f32", 4},
    {"tf32", 4},
    {"f16", 2},
    {"bf16", 2},
    {"fp8_e4m3", 1},
    {"fp8_e5m2", 1},
    {"fp8_e4m3_fnuz", 1},
    {"fp8_e5m2_fnuz", 1},
    {"int8", 1},
}};

constexpr std::array<std::string_view, 4> kLayouts{"NN", "NT", "TN", "TT"};

template <class Rows, class Name>
std::vector<std::string> names_of(const Rows& rows, Name name) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(name(row));
  return names;
}

}  // namespace

std::string_view name_of(DType dtype) { return kDTypes.at(static_cast<size_t>(dtype)).name; }

int64_t dtype_bytes(DType dtype) { return kDTypes.at(static_cast<size_t>(dtype)).bytes; }

DType dtype_from_name(std::string_view name) {
  if (name == "xf32") return DType::tf32;
  if (name == "fp8") return DType::fp8_e4m3;
  const auto* row = std::find_if(kDTypes.begin(), kDTypes.end(),
                                 [&](const DTypeRow& each) { return each.name == name; });
  if (row != kDTypes.end()) return static_cast<DType>(row - kDTypes.begin());
  const auto known = names_of(kDTypes, [](const DTypeRow& each) { return each.name; });
  throw Error(ErrorKind::bad_input, unknown_name("dtype", name, known));
}

std::string_view name_of(Layout layout) { return kLayouts.at(static_cast<size_t>(layout)); }

Layout layout_from_name(std::string_view name) {
  const std::string folded = to_lower(name);
  const auto* row = std::find_if(kLayouts.begin(), kLayouts.end(),
                                 [&](std::string_view each) { return to_lower(each) == folded; });
  if (row != kLayouts.end()) return static_cast<Layout>(row - kLayouts.begin());
  const auto known = names_of(kLayouts, [](std::string_view each) { return each; });
  throw Error(ErrorKind::bad_input, unknown_name("layout", name, known));
}

}  // namespace ambidex
