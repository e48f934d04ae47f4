// SPDX-License-Identifier: Apache-2.0
// What sources, launches and signatures suggest. Nothing here is believed before it has been
// confirmed on the original (verify_contract.cc).
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ambidex/base.h"
#include "port/contract.h"

namespace ambidex {
namespace {

constexpr int64_t kThreads = 256;  // of a block that nothing determines
constexpr int64_t kManyElements = 1000;

const nlohmann::json* facts_of(const nlohmann::json& facts, const TracedLaunch& launch) {
  for (const auto& kernel : facts.at("kernels")) {
    if (kernel_base_name(kernel.at("name")) == kernel_base_name(launch.kernel)) return &kernel;
  }
  return nullptr;
}

ContractParameter parameter_of(const nlohmann::json& row) {
  ContractParameter parameter{.name = row.at("name"),
                              .type = row.at("type"),
                              .kind = row.at("kind"),
                              .element = element_from_name(row.at("element").get<std::string>()),
                              .bytes = {},
                              .writes = {},
                              .range = {}};
  if (parameter.kind == "pointer") {
    parameter.role = row.at("constant") ? Role::in : Role::inout;
  }
  return parameter;
}

Contract contract_of(const nlohmann::json& kernel) {
  Contract contract{.kernel = kernel_base_name(kernel.at("name")),
                    .parameters = {},
                    .launches = {},
                    .aliases = {}};
  if (kernel.at("reorders")) contract.error_class = ErrorClass::reorder;
  if (kernel.at("approximates")) contract.error_class = ErrorClass::approximate;
  for (const auto& row : kernel.at("parameters")) {
    contract.parameters.push_back(parameter_of(row));
  }
  return contract;
}

bool has_value(const std::string& formula, const Variables& sizes, int64_t wanted) {
  try {
    return formula_value(formula, sizes) == wanted;
  } catch (const Error&) {
    return false;
  }
}

// From facts of any launch of this kernel; "" if none has the right value. One that is a number
// has lost the name of the size, which a formula of the parameters may give back.
std::string source_formula(const nlohmann::json& facts, const nlohmann::json& kernel,
                           const std::string& parameter, int64_t num_bytes,
                           const Variables& sizes) {
  for (const auto& row : facts.at("launches")) {
    if (row.at("kernel") != kernel.at("kernel")) continue;
    const auto found = row.at("buffer_bytes").find(parameter);
    if (found == row.at("buffer_bytes").end() || !found->is_string()) continue;
    const std::string formula = found->get<std::string>();
    if (!formula_names(formula).empty() && has_value(formula, sizes, num_bytes)) return formula;
  }
  return "";
}

void propose_range(const TracedBuffer& buffer, ContractParameter& parameter) {
  if (!is_integer(parameter.element)) return;
  const auto range = integer_range(written_part(buffer), parameter.element);
  if (range) parameter.range = {std::to_string(range->low), std::to_string(range->high)};
}

ContractLaunch launch_of(const nlohmann::json& facts, const TracedLaunch& launch,
                         const Variables& sizes) {
  ContractLaunch proposed{.formulas = {}, .cooperative = launch.cooperative, .sizes = sizes};
  if (const auto formulas = matching_formulas(facts, launch)) {
    proposed.formulas = *formulas;
    return proposed;
  }
  const auto constants = [](const std::array<uint32_t, 3>& extents) {
    return std::array<std::string, 3>{std::to_string(extents[0]), std::to_string(extents[1]),
                                      std::to_string(extents[2])};
  };
  proposed.formulas.grid = constants(launch.grid);
  proposed.formulas.block = constants(launch.block);
  proposed.formulas.dynamic_shared_bytes = std::to_string(launch.dynamic_shared_bytes);
  return proposed;
}

std::string product_of(const std::vector<std::string>& names) {
  return names.empty() ? std::to_string(kManyElements) : fmt::format("{}", fmt::join(names, " * "));
}

}  // namespace

std::string propose_size(int64_t num_bytes, int64_t stride, const Variables& sizes) {
  std::vector<std::string> terms;
  for (const auto& [name, value] : sizes) {
    if (value > 1) terms.push_back(name);
  }
  const auto bytes = [&](const std::string& count) {
    return fmt::format("{} * {}", count, stride);
  };
  for (const std::string& a : terms) {
    if (has_value(bytes(a), sizes, num_bytes)) return bytes(a);
  }
  for (const std::string& a : terms) {
    for (const std::string& b : terms) {
      const std::string product = fmt::format("{} * {}", a, b);
      if (a <= b && has_value(bytes(product), sizes, num_bytes)) return bytes(product);
    }
  }
  return fmt::format("{}", num_bytes);
}

Contract propose_contract(const nlohmann::json& facts, const TracedLaunch& launch) {
  const nlohmann::json* const kernel = facts_of(facts, launch);
  check(kernel != nullptr, "a launched kernel has facts");
  Contract contract = contract_of(*kernel);
  const Variables sizes = scalars_of(launch, view_of(contract));
  std::map<int64_t, std::string> first;  // parameter by buffer
  for (const TracedPointer& pointer : launch.pointers) {
    const auto index = static_cast<size_t>(pointer.parameter);
    ContractParameter& parameter = contract.parameters[index];
    if (parameter.kind != "pointer" || pointer.buffer < 0) continue;
    const TracedBuffer& buffer = launch.buffers[static_cast<size_t>(pointer.buffer)];
    const int64_t num_bytes = static_cast<int64_t>(buffer.before.size()) - pointer.offset;
    parameter.bytes = source_formula(facts, *kernel, parameter.name, num_bytes, sizes);
    if (parameter.bytes.empty()) {
      parameter.bytes = propose_size(num_bytes, element_bytes(parameter.element), sizes);
    }
    propose_range(buffer, parameter);
    const auto [found, added] = first.emplace(pointer.buffer, parameter.name);
    if (!added) contract.aliases.push_back({found->second, parameter.name});
  }
  contract.launches.push_back(launch_of(facts, launch, sizes));
  return contract;
}

// Any of several integers may be a factor of the buffers' sizes: their product stays small.
int64_t size_of_each(size_t num_integers) {
  constexpr std::array<int64_t, 6> kSizes{kManyElements, 37, 17, 7, 5, 3};
  return kSizes[std::clamp<size_t>(num_integers, 1, kSizes.size()) - 1];
}

std::vector<Contract> propose_contracts(const nlohmann::json& kernel, int64_t most_threads) {
  Contract contract = contract_of(kernel);
  ContractLaunch launch;
  std::vector<std::string> names;
  for (const ContractParameter& parameter : contract.parameters) {
    launch.formulas.parameters.push_back(parameter.name);
    if (parameter.kind == "scalar" && is_integer(parameter.element)) {
      names.push_back(parameter.name);
    }
    const bool known = parameter.kind == "scalar" || parameter.kind == "pointer";
    if (!known || parameter.element == Element::bytes) return {};
  }
  for (const std::string& name : names) launch.sizes[name] = size_of_each(names.size());
  for (ContractParameter& parameter : contract.parameters) {
    if (parameter.kind != "pointer") continue;
    const auto index = static_cast<size_t>(&parameter - contract.parameters.data());
    const int64_t element =
        kernel.at("parameters").at(index).value("pointee_bytes", element_bytes(parameter.element));
    parameter.bytes = fmt::format("{} * {}", product_of(names), element);
  }
  int64_t threads = kThreads;
  for (const int64_t most : {kernel.at("max_threads").get<int64_t>(), most_threads}) {
    if (most > 0) threads = std::min(threads, most);
  }
  const std::string blocks = fmt::format("({} + {}) / {}", product_of(names), threads - 1, threads);
  std::vector<Contract> proposals;
  const auto propose = [&](const std::string& grid, int64_t block) {
    launch.formulas.grid = {grid, "1", "1"};
    launch.formulas.block = {std::to_string(block), "1", "1"};
    launch.formulas.dynamic_shared_bytes = std::string("0");
    proposals.push_back(contract);
    proposals.back().launches.push_back(launch);
  };
  propose(blocks, threads);                          // a thread for each element
  if (names.size() > 1) propose(names[0], threads);  // a block for each row
  return proposals;
}

}  // namespace ambidex
