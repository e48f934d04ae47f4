// SPDX-License-Identifier: Apache-2.0
// What no run in the executor shows, for it has no caches, no queues and one size of a program:
// waits of the host, fences and scopes of the device, and how launches follow sizes. What the
// original has of them the port must have.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "ambidex/base.h"
#include "base/random.h"
#include "port/formula.h"
#include "port/verification.h"

namespace ambidex {
namespace {

using Json = nlohmann::json;

std::string lost_reach(const Json& original, const Json& port) {
  const Json &own = original.at("scopes"), &other = port.at("scopes");
  for (const auto& [key, name] : {std::pair{"fences", "fences that reach the whole GPU"},
                                  std::pair{"system_fences", "fences that reach the system"}}) {
    if (other.at(key) < own.at(key)) {
      return fmt::format(
          "{}:{}: it has {} {}, the original {}: what other blocks may see then shows on a GPU "
          "alone",
          port.at("file").get<std::string>(), port.at("line").get<int64_t>(),
          other.at(key).get<int64_t>(), name, own.at(key).get<int64_t>());
    }
  }
  if (const Json& barriers = other.at("bare_barriers"); !barriers.empty()) {
    return fmt::format(
        "{}:{}: a barrier without a fence beside it: what was written before it may not be seen "
        "behind it, which shows on a GPU alone; __syncthreads() has both",
        port.at("file").get<std::string>(), barriers.front().get<int64_t>());
  }
  if (other.at("atomics") < own.at("atomics")) {
    return fmt::format(
        "{}:{}: it has {} atomic operations and ordered accesses, the original {}: updates that "
        "two threads make at once may be lost, which no order of whole threads shows",
        port.at("file").get<std::string>(), port.at("line").get<int64_t>(),
        other.at("atomics").get<int64_t>(), own.at("atomics").get<int64_t>());
  }
  const Json& atomics = other.at("block_atomics");
  if (atomics.size() <= own.at("block_atomics").size()) return "";
  return fmt::format(
      "{}:{}: an atomic that reaches its own block alone, on memory that is not seen to be shared: "
      "what other blocks add may be lost, which shows on a GPU alone",
      port.at("file").get<std::string>(), atomics.back().get<int64_t>());
}

// Sizes to put into two formulas: small ones, then larger ones.
std::vector<Variables> trials_of(const std::set<std::string>& names) {
  constexpr uint64_t kKey = 1;
  std::vector<Variables> trials;
  uint64_t num_drawn = 0;
  for (int i = 0; i < 64; ++i) {
    Variables& values = trials.emplace_back();
    for (const std::string& name : names) {
      const double most = i < 32 ? 70 : 5000;
      values[name] = 1 + static_cast<int64_t>(random_unit(kKey, num_drawn++) * most);
    }
  }
  return trials;
}

// "n / 128 gives 7, the original's (n + 127) / 128 8"; "" if no trial tells them apart.
std::string formula_difference(const std::string& original, const std::string& port) {
  if (original == port) return "";
  try {
    std::set<std::string> own, other;
    for (const std::string& name : formula_names(original)) own.insert(name);
    for (const std::string& name : formula_names(port)) other.insert(name);
    if (own != other) return "";  // of other names nothing can be said
    for (const Variables& values : trials_of(own)) {
      const int64_t wanted = formula_value(original, values), got = formula_value(port, values);
      if (wanted == got) continue;
      std::string where;
      for (const auto& [name, value] : values) where += fmt::format(" {} = {}", name, value);
      return fmt::format("{} is {}, the original's {} is {}, with{}", port, got, original, wanted,
                         where);
    }
  } catch (const Error&) {  // a size for which one of them is no number
  }
  return "";
}

std::string text_or_none(const Json& formula) {
  return formula.is_string() ? formula.get<std::string>() : "";
}

// Of the n-th place that launches a kernel in either program.
std::string launch_difference_of(const Json& original, const Json& port) {
  for (const char* key : {"grid", "block"}) {
    if (!original.at(key).is_array() || !port.at(key).is_array()) continue;  // it is not known
    for (size_t axis = 0; axis < 3; ++axis) {
      const std::string own = text_or_none(original.at(key).at(axis));
      const std::string other = text_or_none(port.at(key).at(axis));
      if (own.empty() || other.empty()) continue;
      if (const std::string fault = formula_difference(own, other); !fault.empty()) {
        return fmt::format("{}:{}: its {} in {}: {}", port.at("file").get<std::string>(),
                           port.at("line").get<int64_t>(), key, "xyz"[axis], fault);
      }
    }
  }
  return "";
}

std::vector<const Json*> launches_of(const Json& facts, const std::string& mangled) {
  std::vector<const Json*> launches;
  for (const Json& launch : facts.at("launches")) {
    if (launch.at("kernel") == mangled) launches.push_back(&launch);
  }
  return launches;
}

std::string lost_geometry(const Verification& state, const Json& original, const Json& port) {
  const auto own = launches_of(state.request.original.facts, original.at("kernel"));
  const auto others = launches_of(state.request.port.facts, port.at("kernel"));
  if (own.size() != others.size()) return "";
  for (size_t i = 0; i < own.size(); ++i) {
    if (std::string fault = launch_difference_of(*own[i], *others[i]); !fault.empty()) return fault;
  }
  return "";
}

}  // namespace

std::string lost_wait(const Trace& original, const Trace& port) {
  size_t at = 0;
  int64_t num_launches = 0;
  for (const std::string& step : original.host_order) {
    const size_t begin = at;
    while (at < port.host_order.size() && port.host_order[at] != step) ++at;
    if (at == port.host_order.size()) {
      return fmt::format(
          "after {} launches the original's host code has \"{}\", the port's has not{}",
          num_launches, step,
          begin < at ? fmt::format(" (but \"{}\")", port.host_order[begin]) : "");
    }
    ++at;
    num_launches += step == "launch";
  }
  return "";
}

const Json* facts_of_port(const Verification& state, const std::string& kernel) {
  const Json* same_stem = nullptr;
  for (const Json& other : state.request.port.facts.at("kernels")) {
    const std::string name = kernel_base_name(other.at("name"));
    if (name == kernel) return &other;
    if (kernel_stem(name) == kernel_stem(kernel)) same_stem = &other;
  }
  return same_stem;
}

std::map<std::string, std::string> unseen_faults(const Verification& state) {
  std::map<std::string, std::string> faults;
  for (const Json& kernel : state.request.original.facts.at("kernels")) {
    const std::string name = kernel_base_name(kernel.at("name"));
    const Json* const port = facts_of_port(state, name);
    if (port == nullptr) continue;
    std::string fault = lost_reach(kernel, *port);
    if (fault.empty()) fault = lost_geometry(state, kernel, *port);
    if (!fault.empty()) faults.emplace(name, std::move(fault));
  }
  return faults;
}

}  // namespace ambidex
