// SPDX-License-Identifier: Apache-2.0
// Contracts against the original: what a proposal leaves open is filled in from what the kernel
// does, and what it says is tried in other orders, with other fillings and at other sizes.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "port/verification.h"

namespace ambidex {
namespace {

struct Hull {
  int64_t begin = 0, end = 0;  // bytes from where the pointer points; begin == end: nothing
};

Replayed run(const Verification& state, const TracedLaunch& launch, uint64_t seed, int poison) {
  RunManner how = manner(state, Side::original, 32, "contract");
  how.seed = seed;
  how.poison = kPoisons[poison];
  how.max_seconds = std::max(10.0, 20 * launch.seconds);
  return replay(launch, launch.symbol, how);
}

std::string fault_of(const Replayed& run) {
  if (const TracedProblem* fault = first_fault(run.problems, Side::original)) {
    return text_of(*fault);
  }
  return run.status == "ended" ? "" : run.status;
}

const TracedPointer* pointer_of(const TracedLaunch& launch, size_t parameter) {
  for (const TracedPointer& pointer : launch.pointers) {
    if (pointer.parameter == static_cast<int64_t>(parameter) && pointer.at == 0 &&
        pointer.buffer >= 0) {
      return &pointer;
    }
  }
  return nullptr;
}

// Of what the kernel has written behind a pointer.
Hull hull_of(const Replayed& run, const TracedPointer& pointer) {
  const auto& written = run.written.at(static_cast<size_t>(pointer.buffer));
  Hull hull;
  for (const ByteRange& range : written) {
    if (range.end <= pointer.offset) continue;
    const int64_t begin = std::max<int64_t>(range.begin - pointer.offset, 0);
    hull = hull.begin == hull.end ? Hull{begin, range.end - pointer.offset}
                                  : Hull{hull.begin, range.end - pointer.offset};
  }
  return hull;
}

Hull united(Hull a, Hull b) {
  if (a.begin == a.end) return b;
  if (b.begin == b.end) return a;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

bool shares_its_buffer(const Contract& contract, const std::string& parameter) {
  return std::any_of(contract.aliases.begin(), contract.aliases.end(), [&](const auto& pair) {
    return pair[0] == parameter || pair[1] == parameter;
  });
}

// A buffer that the kernel fills before it reads it.
bool is_output_only(const Verification& state, const TracedLaunch& launch, int64_t buffer) {
  TracedLaunch fresh = launch;
  TracedBuffer& tried = fresh.buffers[static_cast<size_t>(buffer)];
  tried.unwritten = {{0, static_cast<int64_t>(tried.before.size())}};
  return fault_of(run(state, fresh, 0, 0)).empty();
}

void fill_in(const Verification& state, const TracedLaunch& launch,
             const std::vector<Replayed>& runs, Contract& contract) {
  const Variables sizes = scalars_of(launch, view_of(contract));
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    ContractParameter& parameter = contract.parameters[i];
    const TracedPointer* const pointer = pointer_of(launch, i);
    if (parameter.kind != "pointer" || pointer == nullptr || parameter.role == Role::in) continue;
    Hull hull;
    for (const Replayed& run : runs) hull = united(hull, hull_of(run, *pointer));
    if (hull.begin == hull.end) {
      parameter.role = Role::in;
      continue;
    }
    const int64_t stride = element_bytes(parameter.element);
    parameter.writes = {std::to_string(hull.begin),
                        formula_value(parameter.bytes, sizes) == hull.end
                            ? parameter.bytes
                            : propose_size(hull.end, stride, sizes)};
    const bool out = !shares_its_buffer(contract, parameter.name) &&
                     is_output_only(state, launch, pointer->buffer);
    parameter.role = out ? Role::out : Role::inout;
  }
  contract.order_dependent = runs[0].buffers != runs[2].buffers;  // of the same filling
}

// What a run writes beyond the contract; "" if nothing.
std::string beyond_of(const Contract& contract, const TracedLaunch& launch, const Replayed& run) {
  const Variables sizes = scalars_of(launch, view_of(contract));
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const ContractParameter& parameter = contract.parameters[i];
    const TracedPointer* const pointer = pointer_of(launch, i);
    if (pointer == nullptr || shares_its_buffer(contract, parameter.name)) continue;
    const Hull hull = hull_of(run, *pointer);
    if (hull.begin == hull.end) continue;
    if (parameter.role == Role::in) {
      return fmt::format("bytes {} to {} of {} are written, its role is in", hull.begin, hull.end,
                         parameter.name);
    }
    const bool writes = !parameter.writes[1].empty();
    const int64_t begin = writes ? formula_value(parameter.writes[0], sizes) : 0;
    const int64_t end = writes ? formula_value(parameter.writes[1], sizes) : 0;
    if (hull.begin >= begin && hull.end <= end) continue;
    return fmt::format("bytes {} to {} of {} are written, its write set is {} to {}", hull.begin,
                       hull.end, parameter.name, begin, end);
  }
  return "";
}

// At half of each size the write set must still be what its formula says; else it is all of the
// buffer.
void try_smaller(const Verification& state, const TracedLaunch& launch, Contract& contract) {
  const KernelView view = view_of(contract);
  for (const auto& [name, value] : contract.launches[0].sizes) {
    if (value < 4) continue;
    const auto half = resized(launch, view, contract.launches[0].formulas, name, value / 2);
    if (!half) continue;
    const Replayed smaller = run(state, *half, 0, 0);
    if (!fault_of(smaller).empty() || beyond_of(contract, *half, smaller).empty()) continue;
    for (ContractParameter& parameter : contract.parameters) {
      if (!parameter.writes[1].empty()) parameter.writes = {"0", parameter.bytes};
    }
    return;
  }
}

// The program's first launch of the kernel, or one by the contract.
TracedLaunch launch_to_hold(const Verification& state, const Contract& contract) {
  for (const TracedLaunch& launch : state.original().launches) {
    if (kernel_base_name(launch.kernel) == contract.kernel) return launch;
  }
  if (contract.launches.empty()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("contract of {}: nothing launches the kernel, and the contract has no "
                            "launch; add one",
                            quote(contract.kernel)));
  }
  const ContractLaunch& launch = contract.launches[0];
  TracedLaunch made = generate_launch(contract, launch, launch.sizes, state.request.key);
  made.symbol = state.original_symbols.at(contract.kernel);
  return made;
}

}  // namespace

std::string confirm(const Verification& state, const TracedLaunch& launch, Contract& contract,
                    bool proposed) {
  std::vector<Replayed> runs;
  for (const auto& [seed, poison] : {std::pair<uint64_t, int>{0, 0}, {1, 1}, {2, 0}}) {
    runs.push_back(run(state, launch, seed, poison));
    if (const std::string fault = fault_of(runs.back()); !fault.empty()) return fault;
  }
  if (proposed) {
    fill_in(state, launch, runs, contract);
    try_smaller(state, launch, contract);
  }
  for (const Replayed& run : runs) {
    if (const std::string beyond = beyond_of(contract, launch, run); !beyond.empty()) return beyond;
  }
  return "";
}

std::string writes_beyond(const Verification& state, const TracedLaunch& launch,
                          const Replayed& original, const Replayed& port) {
  const auto found = state.contracts.find(kernel_base_name(launch.kernel));
  if (found == state.contracts.end() || !beyond_of(found->second, launch, original).empty()) {
    return "";
  }
  const std::string beyond = beyond_of(found->second, launch, port);
  return beyond.empty() ? "" : "beyond its contract: " + beyond;
}

std::optional<LaunchFormulas> formulas_of(const Verification& state, const TracedLaunch& launch) {
  if (auto formulas = matching_formulas(state.request.original.facts, launch)) return formulas;
  const auto found = state.contracts.find(kernel_base_name(launch.kernel));
  if (found == state.contracts.end()) return std::nullopt;
  const Variables sizes = scalars_of(launch, view_of(found->second));
  for (const ContractLaunch& known : found->second.launches) {
    TracedLaunch applied = launch;
    if (apply(known.formulas, sizes, applied) && applied.grid == launch.grid &&
        applied.block == launch.block &&
        applied.dynamic_shared_bytes == launch.dynamic_shared_bytes) {
      return known.formulas;
    }
  }
  return std::nullopt;
}

std::vector<TracedLaunch> launches_by_contract(const Verification& state) {
  std::set<std::string> launched;
  for (const TracedLaunch& launch : state.original().launches) {
    launched.insert(kernel_base_name(launch.kernel));
  }
  std::vector<TracedLaunch> launches;
  for (const auto& [kernel, contract] : state.contracts) {
    if (launched.contains(kernel)) continue;
    for (const ContractLaunch& launch : contract.launches) {
      launches.push_back(generate_launch(contract, launch, launch.sizes, state.request.key));
      launches.back().symbol = state.original_symbols.at(kernel);
    }
  }
  return launches;
}

void take_contracts(Verification& state) {
  for (const Contract& contract : state.request.contracts) {
    check_fit(contract, state.request.original.facts);
    const auto view = state.views.find(contract.kernel);
    if (view != state.views.end() && contract.error_class > view->second.error_class) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("contract of {}: class {} allows more than the source's own, {}; a "
                              "port is held to the latter at least",
                              quote(contract.kernel), name_of(contract.error_class),
                              name_of(view->second.error_class)));
    }
    state.contracts[contract.kernel] = contract;
    if (view != state.views.end()) view->second.error_class = contract.error_class;
  }
}

void freeze_contracts(Verification& state) {
  std::set<std::string> tried;
  for (const TracedLaunch& launch : state.original().launches) {
    const std::string kernel = kernel_base_name(launch.kernel);
    const bool known =
        state.contracts.contains(kernel) || !state.views.contains(kernel) || is_of_library(kernel);
    if (known || !tried.insert(kernel).second) continue;
    Contract contract = propose_contract(state.request.original.facts, launch);
    const std::string fault = confirm(state, launch, contract, true);
    if (fault.empty()) {
      state.contracts.emplace(kernel, std::move(contract));
    } else {
      state.report.remarks.push_back(fmt::format("no contract of {}: {}", kernel, fault));
    }
  }
}

void hold_contracts(Verification& state) {
  for (const Contract& given : state.request.contracts) {
    Contract contract = given;
    const TracedLaunch launch = launch_to_hold(state, given);
    const std::string fault = confirm(state, launch, contract, false);
    if (fault.empty()) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("contract of {}: the original does not keep it: {}",
                            quote(given.kernel), fault));
  }
}

std::string propose_by_signature(Verification& state, const nlohmann::json& kernel) {
  const std::string name = kernel_base_name(kernel.at("name"));
  std::string first_fault = "its parameters are more than numbers and pointers to numbers";
  bool first = true;
  const nlohmann::json* const port = facts_of_port(state, name);  // which rules may have bounded
  const int64_t most = port == nullptr ? 0 : port->at("max_threads").get<int64_t>();
  for (Contract& contract : propose_contracts(kernel, most)) {
    const ContractLaunch& launch = contract.launches[0];
    TracedLaunch made = generate_launch(contract, launch, launch.sizes, state.request.key);
    made.symbol = state.original_symbols.at(name);
    std::string fault = confirm(state, made, contract, true);
    const bool writes = std::any_of(contract.parameters.begin(), contract.parameters.end(),
                                    [](const auto& p) { return !p.writes[1].empty(); });
    if (fault.empty() && !writes) fault = "it writes nothing";
    if (fault.empty()) {
      state.report.remarks.push_back(fmt::format(
          "nothing launches {}: it was launched as its signature suggests, {} blocks of {} threads",
          name, fmt::join(made.grid, "x"), fmt::join(made.block, "x")));
      state.contracts.emplace(name, std::move(contract));
      return "";
    }
    if (std::exchange(first, false)) first_fault = fault;
  }
  return fmt::format(
      "nothing launches it, and what its signature suggests fails ({}); give its contract",
      first_fault);
}

}  // namespace ambidex
