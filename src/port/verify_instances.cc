// SPDX-License-Identifier: Apache-2.0
// Instances of templates that a program has and does not launch (a switch over block sizes): they
// are launched as a sibling of theirs was, on the same data.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "port/verification.h"

namespace ambidex {
namespace {

// "int", "512u", "true" of reduce<int, 512u, true>.
std::vector<std::string> template_arguments(const std::string& kernel) {
  std::vector<std::string> arguments;
  const size_t open = kernel.find('<');
  if (open == std::string::npos) return arguments;
  int depth = 0;
  arguments.emplace_back();
  for (size_t i = open + 1; i + 1 < kernel.size(); ++i) {
    const char c = kernel[i];
    depth += (c == '<' || c == '(') - (c == '>' || c == ')');
    if (c == ',' && depth == 0) {
      arguments.emplace_back();
    } else if (c != ' ' || !arguments.back().empty()) {
      arguments.back() += c;
    }
  }
  return arguments;
}

uint32_t number_of(const std::string& argument) {
  uint32_t value = 0;
  std::from_chars(argument.data(), argument.data() + argument.size(), value);
  return value;
}

std::vector<std::string> parameter_types(const nlohmann::json& kernel) {
  std::vector<std::string> types;
  for (const auto& parameter : kernel.at("parameters")) {
    types.push_back(parameter.at("type").get<std::string>());
  }
  return types;
}

// An argument that was the width of the sibling's block is that of the instance's.
void set_block(const std::vector<std::string>& own, const std::vector<std::string>& sibling,
               TracedLaunch& launch) {
  const uint32_t width = launch.block[0];
  for (size_t i = 0; i < own.size() && i < sibling.size(); ++i) {
    const uint32_t value = number_of(own[i]);
    if (number_of(sibling[i]) != width || value == 0 || value == width) continue;
    launch.block[0] = value;
    if (value > width) {
      launch.dynamic_shared_bytes = (launch.dynamic_shared_bytes * value + width - 1) / width;
    }
    return;
  }
}

}  // namespace

std::vector<TracedLaunch> launches_of_siblings(const Verification& state) {
  std::set<std::string> known;
  for (const TracedLaunch& launch : state.original().launches) {
    known.insert(kernel_base_name(launch.kernel));
  }
  for (const auto& [kernel, contract] : state.contracts) known.insert(kernel);
  std::map<std::string, std::vector<std::string>> types;
  for (const auto& kernel : state.request.original.facts.at("kernels")) {
    types.emplace(kernel_base_name(kernel.at("name")), parameter_types(kernel));
  }
  std::vector<TracedLaunch> launches;
  for (const auto& [name, own_types] : types) {
    const auto symbol = state.original_symbols.find(name);
    if (known.contains(name) || symbol == state.original_symbols.end()) continue;
    const auto& all = state.original().launches;
    const auto sibling = std::find_if(all.begin(), all.end(), [&](const TracedLaunch& launch) {
      const auto found = types.find(kernel_base_name(launch.kernel));
      return kernel_stem(launch.kernel) == kernel_stem(name) && found != types.end() &&
             found->second == own_types;
    });
    if (sibling == all.end()) continue;
    TracedLaunch launch = *sibling;
    launch.kernel = name;
    launch.symbol = symbol->second;
    set_block(template_arguments(name), template_arguments(kernel_base_name(sibling->kernel)),
              launch);
    launches.push_back(std::move(launch));
  }
  return launches;
}

}  // namespace ambidex
