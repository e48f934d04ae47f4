// SPDX-License-Identifier: Apache-2.0
// What a kernel promises, frozen by hash: parameters, sizes, which of its buffers it reads and
// writes, how it is launched, how exact it is. docs/verify.md describes the file.
//
//   Contract contract = read_contract(json, "scale.json");  // refuses a hash that does not match
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "port/cases.h"
#include "port/compare.h"
#include "port/trace.h"

namespace ambidex {

/// What a kernel does with what it is given. out: no byte is read before the kernel has written it.
enum class Role : uint8_t { value, in, out, inout };
std::string_view name_of(Role role);

/// Sizes are formulas of port/formula.h in the names of integer parameters.
struct ContractParameter {
  std::string name, type, kind;  // kind: scalar | pointer | struct | array_struct
  Element element = Element::bytes;
  Role role = Role::value;
  std::string bytes;                  // behind a pointer, from where it points
  std::array<std::string, 2> writes;  // [begin, end) bytes outside of which nothing is written
  std::array<std::string, 2> range;   // [low, high) of integers to be drawn; may be empty
  double number = 0.5;                // of a floating-point value that is not recorded
};

struct ContractLaunch {
  LaunchFormulas formulas;  // all are there
  bool cooperative = false;
  Variables sizes;  // integer parameters of a launch at which the contract was confirmed
};

struct Contract {
  std::string kernel;  // base name
  std::vector<ContractParameter> parameters;
  std::vector<ContractLaunch> launches;
  std::vector<std::array<std::string, 2>> aliases;  // pointers into the same allocation
  ErrorClass error_class = ErrorClass::elementwise;
  bool order_dependent = false;  // what it leaves depends on the order of blocks, waves and lanes
};

/// With "version" and "hash", the SHA-256 of the rest as JSON without spaces, keys in order.
nlohmann::json to_json(const Contract& contract);
std::string contract_hash(const Contract& contract);

/// Without "hash" it is a proposal by hand.
///   throws Error(bad_input) that names `where`: another form, or a hash of other content
Contract read_contract(const nlohmann::json& json, const std::string& where);

/// The contracts in a file, or in all .json files of a folder.
///   throws Error(not_found), Error(bad_input)
std::vector<Contract> read_contracts(const std::string& path);

/// "KERNEL.json", with what a file cannot be called replaced.
std::string contract_file_name(const Contract& contract);

/// throws Error(bad_input) if no kernel of `facts` has this name, or it has other parameters
void check_fit(const Contract& contract, const nlohmann::json& facts);

/// The contract that the source and a recorded launch suggest. `facts` is of the whole program.
Contract propose_contract(const nlohmann::json& facts, const TracedLaunch& launch);

/// The simplest formula that a size can have: "n * 4", "columns * rows * 4", or the number itself.
///   stride  bytes of an element
std::string propose_size(int64_t num_bytes, int64_t stride, const Variables& sizes);

/// Contracts that a signature alone suggests, the likeliest first: every integer parameter is a
/// size, every buffer has as many elements as their product. Nothing for parameters with structures
/// or pointers to unknown types.
///   most_threads  of a block, for the port; 0: no limit beside the kernel's own
std::vector<Contract> propose_contracts(const nlohmann::json& kernel, int64_t most_threads = 0);

/// A launch as the contract describes it, at `sizes`, with contents drawn by `key`; its symbol is
/// left open.
///   throws Error(bad_input) if a size is missing, a formula has no value, or it needs what a
///   contract does not describe (structures, more than 1 GiB)
TracedLaunch generate_launch(const Contract& contract, const ContractLaunch& launch,
                             const Variables& sizes, uint64_t key);

/// How the parameters' buffers are to be read.
KernelView view_of(const Contract& contract);

}  // namespace ambidex
