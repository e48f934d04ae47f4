// SPDX-License-Identifier: Apache-2.0
// Source of the numbers: instructions of SASS, nvcc 13.0, sm_90, -O3, of a kernel of one thread an
// element, beyond those of the same kernel with an addition, and as far as could be told without
// the paths for arguments out of range. Compiled were atan, cbrt, div, erf, exp, exp2, fmod, log,
// log1p, pow, sin, sqrt and tanh of float, div, exp, log, sin and sqrt of double, and __expf,
// __fdividef, __logf, __sinf and rsqrtf; the others have the numbers of the one most like them.
#include "frontend/function_costs.h"

#include <algorithm>
#include <array>

namespace ambidex {
namespace {

struct Row {
  std::string_view name;
  FunctionCost of_float, of_double;
};

constexpr std::array<Row, 22> kFunctions{
    {{"atan", {17, 1}, {30, 1}},  {"cbrt", {13, 2}, {30, 1}},  {"cos", {22, 0}, {45, 0}},
     {"div", {9, 1}, {13, 1}},    {"erf", {25, 1}, {45, 0}},   {"erfc", {25, 1}, {45, 0}},
     {"exp", {8, 1}, {32, 0}},    {"exp10", {8, 1}, {32, 0}},  {"exp2", {3, 1}, {32, 0}},
     {"expm1", {12, 1}, {36, 0}}, {"fmod", {40, 2}, {60, 1}},  {"hypot", {14, 1}, {30, 1}},
     {"log", {24, 0}, {45, 1}},   {"log10", {24, 0}, {45, 1}}, {"log1p", {29, 0}, {45, 1}},
     {"log2", {24, 0}, {45, 1}},  {"pow", {70, 1}, {130, 1}},  {"sin", {22, 0}, {45, 0}},
     {"sinh", {14, 2}, {45, 0}},  {"sqrt", {8, 1}, {14, 1}},   {"tan", {30, 1}, {60, 0}},
     {"tanh", {14, 2}, {45, 0}}}};
constexpr FunctionCost kOtherFloat{25, 1}, kOtherDouble{50, 1};

struct Intrinsic {
  std::string_view name;
  FunctionCost cost;
};

constexpr std::array<Intrinsic, 17> kIntrinsics{{{"__cosf", {1, 1}},
                                                 {"__exp10f", {3, 1}},
                                                 {"__expf", {3, 1}},
                                                 {"__fdividef", {4, 1}},
                                                 {"__frcp_rn", {8, 1}},
                                                 {"__frsqrt_rn", {3, 1}},
                                                 {"__fsqrt_rn", {8, 1}},
                                                 {"__log10f", {3, 1}},
                                                 {"__log2f", {3, 1}},
                                                 {"__logf", {3, 1}},
                                                 {"__powf", {4, 2}},
                                                 {"__sinf", {1, 1}},
                                                 {"__tanf", {3, 3}},
                                                 {"__tanhf", {0, 1}},
                                                 {"fdividef", {9, 1}},
                                                 {"rcbrtf", {14, 2}},
                                                 {"rsqrtf", {3, 1}}}};

template <class Rows>
auto find(const Rows& rows, std::string_view name) {
  return std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
}

}  // namespace

FunctionCost cost_of_function(std::string_view name, bool is_double) {
  auto row = find(kFunctions, name);
  if (row == kFunctions.end() && name.ends_with('f')) {
    row = find(kFunctions, name.substr(0, name.size() - 1));
  }
  if (row == kFunctions.end()) return is_double ? kOtherDouble : kOtherFloat;
  return is_double ? row->of_double : row->of_float;
}

std::optional<FunctionCost> cost_of_intrinsic(std::string_view base_name) {
  const auto row = find(kIntrinsics, base_name);
  if (row == kIntrinsics.end()) return {};
  return row->cost;
}

}  // namespace ambidex
