// SPDX-License-Identifier: Apache-2.0
// Launches that no program has made: buffers and arguments as a contract describes them.
#include <fmt/format.h>

#include "ambidex/base.h"
#include "base/random.h"
#include "base/text.h"
#include "port/contract.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxBufferBytes = int64_t{1} << 30;
constexpr IntegerRange kSmallIntegers{0, 100};  // that are drawn where a contract says nothing

[[noreturn]] void refuse(const Contract& contract, const std::string& message) {
  throw Error(ErrorKind::bad_input,
              fmt::format("contract of {}: {}", quote(contract.kernel), message));
}

std::string argument_of(const Contract& contract, const ContractParameter& parameter,
                        const Variables& sizes) {
  if (parameter.kind == "pointer") return std::string(sizeof(void*), '\0');
  if (parameter.kind != "scalar" || parameter.element == Element::bytes) {
    refuse(contract, fmt::format("{} is a {}, which a launch cannot be made for; run a program "
                                 "that launches the kernel",
                                 quote(parameter.name), quote(parameter.type)));
  }
  if (is_float(parameter.element)) return encoded(parameter.element, parameter.number);
  const auto size = sizes.find(parameter.name);
  if (size == sizes.end()) {
    refuse(contract, fmt::format("sizes: no value for {}", quote(parameter.name)));
  }
  return encoded(parameter.element, static_cast<double>(size->second));
}

IntegerRange range_of(const ContractParameter& parameter, const Variables& sizes) {
  if (parameter.range[1].empty()) return kSmallIntegers;
  IntegerRange range{formula_value(parameter.range[0], sizes),
                     formula_value(parameter.range[1], sizes)};
  range.high = std::max(range.high, range.low + 1);
  return range;
}

TracedBuffer buffer_of(const Contract& contract, const ContractParameter& parameter,
                       const Variables& sizes, uint64_t key) {
  const int64_t num_bytes = formula_value(parameter.bytes, sizes);
  if (num_bytes < 1 || num_bytes > kMaxBufferBytes) {
    refuse(contract, fmt::format("{} would have {} bytes; expected 1 to {}", quote(parameter.name),
                                 num_bytes, kMaxBufferBytes));
  }
  TracedBuffer buffer{.name = parameter.name,
                      .variable = {},
                      .unwritten = {},
                      .before = std::string(static_cast<size_t>(num_bytes), '\0'),
                      .after = {}};
  if (parameter.role == Role::out) {
    buffer.unwritten = {{0, num_bytes}};
  } else {
    fill_values(parameter.element, ValuePattern::normal, key, range_of(parameter, sizes),
                std::as_writable_bytes(std::span(buffer.before.data(), buffer.before.size())));
  }
  return buffer;
}

// The parameter whose buffer this one shares; its own name if it has one of its own.
std::string owner_of(const Contract& contract, const std::string& parameter) {
  for (const auto& [first, second] : contract.aliases) {
    if (second == parameter) return first;
  }
  return parameter;
}

}  // namespace

TracedLaunch generate_launch(const Contract& contract, const ContractLaunch& launch,
                             const Variables& sizes, uint64_t key) {
  TracedLaunch made{.kernel = contract.kernel,
                    .symbol = {},
                    .cooperative = launch.cooperative,
                    .arguments = {},
                    .pointers = {},
                    .buffers = {}};
  std::map<std::string, int64_t> buffers;  // by the owner's name
  for (size_t i = 0; i < contract.parameters.size(); ++i) {
    const ContractParameter& parameter = contract.parameters[i];
    made.arguments.push_back(argument_of(contract, parameter, sizes));
    if (parameter.kind != "pointer") continue;
    const auto [found, added] = buffers.emplace(owner_of(contract, parameter.name),
                                                static_cast<int64_t>(made.buffers.size()));
    if (added) made.buffers.push_back(buffer_of(contract, parameter, sizes, random_key(key, i)));
    made.pointers.push_back({.parameter = static_cast<int64_t>(i),
                             .buffer = found->second,
                             .constant = parameter.role == Role::in});
  }
  if (!apply(launch.formulas, sizes, made)) {
    refuse(contract,
           "grid, block or dynamic_shared_bytes have no value at its sizes, or one that "
           "no device can launch");
  }
  return made;
}

}  // namespace ambidex
