// SPDX-License-Identifier: Apache-2.0
#include "port/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "ambidex/base.h"
#include "base/random.h"
#include "port/formula.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxGrid = int64_t{1} << 20;  // blocks of a case

std::optional<int64_t> scalar_value(const TracedLaunch& launch, const KernelView& view,
                                    size_t parameter) {
  const bool pointer = std::any_of(
      launch.pointers.begin(), launch.pointers.end(),
      [&](const TracedPointer& p) { return p.parameter == static_cast<int64_t>(parameter); });
  const std::string& bytes = launch.arguments[parameter];
  const Element element =
      parameter < view.elements.size() ? view.elements[parameter] : Element::bytes;
  if (pointer || !is_integer(element) ||
      static_cast<int64_t>(bytes.size()) != element_bytes(element)) {
    return std::nullopt;
  }
  const double value = decode(element, reinterpret_cast<const std::byte*>(bytes.data()));
  if (value < -9e15 || value > 9e15) return std::nullopt;
  return static_cast<int64_t>(value);
}

std::optional<LaunchFormulas> formulas_of(const nlohmann::json& row,
                                          std::vector<std::string> parameters) {
  if (row.at("grid").is_null() || row.at("block").is_null() ||
      row.at("dynamic_shared_bytes").is_null()) {
    return std::nullopt;
  }
  return LaunchFormulas{.parameters = std::move(parameters),
                        .grid = row.at("grid").get<std::array<std::string, 3>>(),
                        .block = row.at("block").get<std::array<std::string, 3>>(),
                        .dynamic_shared_bytes = row.at("dynamic_shared_bytes").get<std::string>()};
}

bool same_geometry(const TracedLaunch& a, const TracedLaunch& b) {
  return a.grid == b.grid && a.block == b.block && a.dynamic_shared_bytes == b.dynamic_shared_bytes;
}

// Ascending, below the recorded size; each is where something begins or ends, but for two that
// nobody can foresee.
std::vector<int64_t> interesting_sizes(int64_t recorded, const TracedLaunch& launch,
                                       const std::set<int64_t>& compared, uint64_t key) {
  const int64_t threads = static_cast<int64_t>(launch.block[0]) * launch.block[1] * launch.block[2];
  std::set<int64_t> sizes{1,   31,  32,          33,      63,          64,          65,
                          127, 129, threads - 1, threads, threads + 1, recorded - 1};
  for (uint64_t draw = 0; draw < 2 && recorded > 2; ++draw) {
    const auto width = static_cast<uint64_t>(recorded - 1);
    sizes.insert(1 + static_cast<int64_t>(random_bits(key, draw) % width));
  }
  // Where the code decides otherwise: n == 1000, n > 4096.
  constexpr size_t kMostCompared = 6;
  size_t num_compared = 0;
  for (const int64_t constant : compared) {
    if (constant <= 1 || constant >= recorded || num_compared++ >= kMostCompared) continue;
    sizes.insert({constant, constant + 1});
  }
  std::vector<int64_t> kept;
  for (const int64_t size : sizes) {
    if (size >= 1 && size < recorded) kept.push_back(size);
  }
  return kept;
}

// Modes and flags: each value that the code tells apart, and one that it does not.
std::vector<int64_t> other_choices(int64_t recorded, const KernelView& view,
                                   const std::string& parameter) {
  constexpr size_t kMostChoices = 6;
  std::set<int64_t> values;
  if (const auto known = view.choices.find(parameter); known != view.choices.end()) {
    for (const int64_t value : known->second) {
      if (values.size() < kMostChoices) values.insert(value);
    }
    if (!values.empty()) values.insert(*values.rbegin() + 1);
  }
  values.erase(recorded);
  return {values.begin(), values.end()};
}

void set_scalar(TracedLaunch& launch, const KernelView& view, size_t parameter, int64_t value) {
  encode(view.elements[parameter], static_cast<double>(value),
         reinterpret_cast<std::byte*>(launch.arguments[parameter].data()));
}

}  // namespace

bool apply(const LaunchFormulas& formulas, const Variables& variables, TracedLaunch& launch) {
  try {
    for (size_t i = 0; i < 3; ++i) {
      const int64_t blocks = formula_value((*formulas.grid)[i], variables);
      const int64_t threads = formula_value((*formulas.block)[i], variables);
      if (blocks < 1 || blocks > kMaxGrid || threads < 1 || threads > 1024) return false;
      launch.grid[i] = static_cast<uint32_t>(blocks);
      launch.block[i] = static_cast<uint32_t>(threads);
    }
    launch.dynamic_shared_bytes = formula_value(*formulas.dynamic_shared_bytes, variables);
    return launch.dynamic_shared_bytes >= 0;
  } catch (const Error&) {
    return false;
  }
}

Variables scalars_of(const TracedLaunch& launch, const KernelView& view) {
  Variables variables;
  for (size_t i = 0; i < launch.arguments.size() && i < view.names.size(); ++i) {
    if (const auto value = scalar_value(launch, view, i)) variables[view.names[i]] = *value;
  }
  return variables;
}

std::optional<LaunchFormulas> matching_formulas(const nlohmann::json& facts,
                                                const TracedLaunch& launch) {
  const std::string name = kernel_base_name(launch.kernel);
  const KernelViews views = views_of(facts);
  for (const auto& kernel : facts.at("kernels")) {
    if (kernel_base_name(kernel.at("name")) != name) continue;
    for (const auto& row : facts.at("launches")) {
      if (row.at("kernel") != kernel.at("kernel")) continue;
      const auto formulas = formulas_of(row, views.at(name).names);
      TracedLaunch applied = launch;
      if (formulas && apply(*formulas, scalars_of(launch, views.at(name)), applied) &&
          same_geometry(applied, launch)) {
        return formulas;
      }
    }
  }
  return std::nullopt;
}

std::optional<TracedLaunch> resized(const TracedLaunch& launch, const KernelView& view,
                                    const std::optional<LaunchFormulas>& formulas,
                                    const std::string& parameter, int64_t value) {
  for (size_t i = 0; i < launch.arguments.size() && i < view.names.size(); ++i) {
    if (view.names[i] != parameter || !scalar_value(launch, view, i)) continue;
    TracedLaunch made = launch;
    set_scalar(made, view, i, value);
    if (formulas && !apply(*formulas, scalars_of(made, view), made)) return std::nullopt;
    return made;
  }
  return std::nullopt;
}

std::vector<LaunchCase> size_cases(const TracedLaunch& launch, const KernelView& view,
                                   const std::optional<LaunchFormulas>& formulas, uint64_t key) {
  std::vector<LaunchCase> cases;
  LaunchCase odd{.name = "all sizes odd", .launch = launch};
  for (size_t i = 0; i < launch.arguments.size() && i < view.names.size(); ++i) {
    const auto recorded = scalar_value(launch, view, i);
    if (!recorded) continue;
    std::vector<int64_t> values =
        interesting_sizes(*recorded, launch, view.compared, random_key(key, i));
    for (const int64_t choice : other_choices(*recorded, view, view.names[i])) {
      if (std::find(values.begin(), values.end(), choice) == values.end()) values.push_back(choice);
    }
    for (const int64_t size : values) {
      if (auto made = resized(launch, view, formulas, view.names[i], size)) {
        cases.push_back({fmt::format("{} = {}", view.names[i], size), *std::move(made)});
      }
    }
    if (*recorded > 2) set_scalar(odd.launch, view, i, *recorded - (*recorded % 2 == 0 ? 1 : 2));
  }
  if (odd.launch.arguments != launch.arguments &&
      (!formulas || apply(*formulas, scalars_of(odd.launch, view), odd.launch))) {
    cases.push_back(std::move(odd));
  }
  return cases;
}

}  // namespace ambidex
