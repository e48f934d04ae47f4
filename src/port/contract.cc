// SPDX-License-Identifier: Apache-2.0
// Contracts as documents: reading, writing, and whether they are still what was frozen.
#include "port/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "ambidex/base.h"
#include "base/files.h"
#include "base/json_depth.h"
#include "base/text.h"
#include "port/content_hash.h"
#include "port/sha256.h"

namespace ambidex {
namespace {

constexpr int kVersion = 1;
constexpr int64_t kMaxContractBytes = int64_t{16} << 20;
constexpr std::array<std::string_view, 4> kRoles{"value", "in", "out", "inout"};

[[noreturn]] void refuse(const std::string& where, const std::string& message) {
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}", where, message));
}

Role role_from_name(const std::string& name) {
  for (size_t i = 0; i < kRoles.size(); ++i) {
    if (kRoles[i] == name) return static_cast<Role>(i);
  }
  throw Error(ErrorKind::bad_input,
              unknown_name("role", name, std::vector<std::string>(kRoles.begin(), kRoles.end())));
}

nlohmann::json json_of(const ContractParameter& parameter) {
  nlohmann::json row{{"name", parameter.name},
                     {"type", parameter.type},
                     {"kind", parameter.kind},
                     {"element", name_of(parameter.element)},
                     {"role", name_of(parameter.role)}};
  if (parameter.kind == "pointer") row["bytes"] = parameter.bytes;
  if (!parameter.writes[1].empty()) row["writes"] = parameter.writes;
  if (!parameter.range[1].empty()) row["range"] = parameter.range;
  if (parameter.kind == "scalar" && is_float(parameter.element)) row["number"] = parameter.number;
  return row;
}

ContractParameter parameter_of(const nlohmann::json& row) {
  const std::array<std::string, 2> none;
  return {.name = row.at("name"),
          .type = row.at("type"),
          .kind = row.at("kind"),
          .element = element_from_name(row.at("element").get<std::string>()),
          .role = role_from_name(row.at("role")),
          .bytes = row.value("bytes", ""),
          .writes = row.value("writes", none),
          .range = row.value("range", none),
          .number = row.value("number", 0.5)};
}

nlohmann::json json_of(const ContractLaunch& launch) {
  return {{"grid", *launch.formulas.grid},
          {"block", *launch.formulas.block},
          {"dynamic_shared_bytes", *launch.formulas.dynamic_shared_bytes},
          {"cooperative", launch.cooperative},
          {"sizes", launch.sizes}};
}

using Formulas = std::array<std::string, 3>;

ContractLaunch launch_of(const nlohmann::json& row, const std::vector<std::string>& parameters) {
  ContractLaunch launch{
      .formulas = {.parameters = parameters,
                   .grid = row.at("grid").get<Formulas>(),
                   .block = row.at("block").get<Formulas>(),
                   .dynamic_shared_bytes = row.value("dynamic_shared_bytes", "0")},
      .cooperative = row.value("cooperative", false),
      .sizes = {}};
  for (const auto& [name, value] : row.at("sizes").items()) {
    launch.sizes[name] = value.get<int64_t>();
  }
  return launch;
}

// What the formulas come to at the sizes of a launch: memory and geometry that a device could have.
void check_extents(const Contract& contract, const ContractLaunch& launch,
                   const std::string& where) {
  constexpr int64_t kMaxBytes = int64_t{64} << 30, kMaxSharedBytes = int64_t{1} << 20;
  constexpr int64_t kMaxGrid = (int64_t{1} << 31) - 1, kMaxBlock = 1024;
  const auto check_one = [&](const std::string& formula, int64_t low, int64_t high) {
    const int64_t value = formula.empty() ? low : formula_value(formula, launch.sizes);
    if (value >= low && value <= high) return;
    refuse(where, fmt::format("{} is {} at the sizes of its launch; expected {} to {}",
                              quote(formula), value, low, high));
  };
  for (const ContractParameter& parameter : contract.parameters) {
    check_one(parameter.bytes, 0, kMaxBytes);
    for (const std::string& formula : parameter.writes) check_one(formula, 0, kMaxBytes);
  }
  for (const std::string& formula : *launch.formulas.grid) check_one(formula, 1, kMaxGrid);
  for (const std::string& formula : *launch.formulas.block) check_one(formula, 1, kMaxBlock);
  check_one(*launch.formulas.dynamic_shared_bytes, 0, kMaxSharedBytes);
}

void check_aliases(const Contract& contract, const std::string& where) {
  for (const auto& pair : contract.aliases) {
    for (const std::string& name : pair) {
      const bool known =
          std::any_of(contract.parameters.begin(), contract.parameters.end(),
                      [&](const auto& p) { return p.name == name && p.kind == "pointer"; });
      if (!known || pair[0] == pair[1]) {
        refuse(where, fmt::format("aliases: {} and {}; expected two pointers of the kernel",
                                  quote(pair[0]), quote(pair[1])));
      }
    }
  }
}

// Formulas are read, so that a mistake in one shows before anything runs.
void check_formulas(const Contract& contract) {
  const auto check_all = [](const auto& formulas) {
    for (const std::string& formula : formulas) {
      if (!formula.empty()) formula_names(formula);
    }
  };
  for (const ContractParameter& parameter : contract.parameters) {
    check_all(std::array{parameter.bytes, parameter.writes[0], parameter.writes[1],
                         parameter.range[0], parameter.range[1]});
  }
  const std::string where = fmt::format("contract of {}", quote(contract.kernel));
  if (contract.launches.empty()) refuse(where, "\"launches\" is empty; it has one at least");
  check_aliases(contract, where);
  for (const ContractLaunch& launch : contract.launches) {
    check_extents(contract, launch, where);
    check_all(*launch.formulas.grid);
    check_all(*launch.formulas.block);
    check_all(std::array{*launch.formulas.dynamic_shared_bytes});
  }
}

Contract parse(const nlohmann::json& json) {
  Contract contract{.kernel = json.at("kernel"),
                    .parameters = {},
                    .launches = {},
                    .aliases = json.value("aliases", std::vector<std::array<std::string, 2>>{}),
                    .error_class = error_class_from_name(json.at("class").get<std::string>()),
                    .order_dependent = json.value("order_dependent", false)};
  std::vector<std::string> names;
  for (const auto& row : json.at("parameters")) {
    contract.parameters.push_back(parameter_of(row));
    names.push_back(contract.parameters.back().name);
  }
  for (const auto& row : json.at("launches")) contract.launches.push_back(launch_of(row, names));
  check_formulas(contract);
  return contract;
}

nlohmann::json content_of(const Contract& contract) {
  nlohmann::json parameters = nlohmann::json::array(), launches = nlohmann::json::array();
  for (const ContractParameter& parameter : contract.parameters) {
    parameters.push_back(json_of(parameter));
  }
  for (const ContractLaunch& launch : contract.launches) launches.push_back(json_of(launch));
  return {{"version", kVersion},
          {"kernel", contract.kernel},
          {"parameters", std::move(parameters)},
          {"launches", std::move(launches)},
          {"aliases", contract.aliases},
          {"class", name_of(contract.error_class)},
          {"order_dependent", contract.order_dependent}};
}

}  // namespace

std::string_view name_of(Role role) { return kRoles[static_cast<size_t>(role)]; }

std::string contract_hash(const Contract& contract) { return sha256(content_of(contract).dump()); }

nlohmann::json to_json(const Contract& contract) {
  nlohmann::json json = content_of(contract);
  json["hash"] = contract_hash(contract);
  return json;
}

Contract read_contract(const nlohmann::json& json, const std::string& where) {
  if (!json.is_object()) refuse(where, "expected a contract, a JSON object");
  nlohmann::json content = json;
  content.erase("hash");
  if (json.contains("hash")) {
    const std::string hash =
        sha256(content.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (!json["hash"].is_string() || json["hash"].get<std::string>() != hash) {
      refuse(where, fmt::format("its content has changed since it was frozen: the hash is {}, that "
                                "of its content {}; freeze it again on the original",
                                json["hash"].dump().substr(0, 80), hash));
    }
  }
  if (json.value("version", nlohmann::json(kVersion)) != nlohmann::json(kVersion)) {
    refuse(where, fmt::format("expected version {}, got {}", kVersion, json["version"].dump()));
  }
  try {
    return parse(json);
  } catch (const nlohmann::json::exception& error) {
    refuse(where, fmt::format("not a contract: {}; docs/verify.md describes one", error.what()));
  } catch (const Error& error) {
    refuse(where, error.what());
  }
}

std::vector<Contract> read_contracts(const std::string& path) {
  std::vector<std::string> files;
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) {
    for (const auto& entry : std::filesystem::directory_iterator(path, failure)) {
      if (entry.path().extension() != ".json") continue;
      files.push_back(entry.path().string());
      if (!entry.is_regular_file()) refuse(quote(files.back()), "is no regular file");
    }
    std::sort(files.begin(), files.end());
    if (files.empty()) refuse(quote(path), "no contract (.json) in it");
  } else {
    files.push_back(path);
  }
  std::vector<Contract> contracts;
  for (const std::string& file : files) {
    const auto json = parse_foreign_json(read_file(file, kMaxContractBytes));
    contracts.push_back(read_contract(json, quote(file)));
  }
  return contracts;
}

std::string contract_file_name(const Contract& contract) {
  constexpr size_t kMaxName = 80;
  std::string name = contract.kernel;
  for (char& c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-';
    if (!plain) c = '_';
  }
  if (name == contract.kernel && name.size() <= kMaxName) return name + ".json";
  return fmt::format("{}-{}.json", name.substr(0, kMaxName), content_hash(contract.kernel));
}

void check_fit(const Contract& contract, const nlohmann::json& facts) {
  const std::string where = fmt::format("contract of {}", quote(contract.kernel));
  std::vector<std::string> known;
  for (const auto& kernel : facts.at("kernels")) {
    known.push_back(kernel_base_name(kernel.at("name")));
    if (known.back() != contract.kernel) continue;
    const auto& rows = kernel.at("parameters");
    if (rows.size() != contract.parameters.size()) {
      refuse(where, fmt::format("the kernel has {} parameters, the contract {}", rows.size(),
                                contract.parameters.size()));
    }
    for (size_t i = 0; i < rows.size(); ++i) {
      const ContractParameter& parameter = contract.parameters[i];
      for (const auto& [key, value] : {std::pair<const char*, std::string>{"name", parameter.name},
                                       {"type", parameter.type},
                                       {"kind", parameter.kind},
                                       {"element", std::string(name_of(parameter.element))}}) {
        const std::string got = rows[i].at(key);
        if (got == value) continue;
        refuse(where, fmt::format("{} of parameter {} is {} in the source, {} in the contract", key,
                                  i, quote(got), quote(value)));
      }
    }
    return;
  }
  refuse(where, unknown_name("kernel", contract.kernel, known));
}

KernelView view_of(const Contract& contract) {
  KernelView view{.names = {}, .elements = {}, .error_class = contract.error_class};
  for (const ContractParameter& parameter : contract.parameters) {
    view.names.push_back(parameter.name);
    view.elements.push_back(parameter.element);
  }
  return view;
}

}  // namespace ambidex
