// SPDX-License-Identifier: Apache-2.0
// What CUDA's names are called in HIP: data/api/*.yaml, one file per library.
//
//   const ApiEntry* entry = api_table().find("cudaMalloc");  // hip "hipMalloc", since "5.2"
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/embedded.h"

namespace ambidex {

enum class ApiKind : uint8_t {
  function,
  type,
  enumerator,
  macro,
  name_space,
  header,
  library,
  dropped
};
std::string_view name_of(ApiKind kind);  // "function"

struct ApiEntry {
  std::string cuda;
  std::string hip;  // empty: refused, or left out if of kind `dropped`
  ApiKind kind = ApiKind::function;
  std::string library;  // "cublas": the file's
  std::string since;    // first ROCm version that the table vouches for, "6.2"
  std::string until;    // first ROCm version without it; empty: none known
  std::string rule;     // "api.rename", "api.drop"; "api.refuse" if refused
  std::string hazard;   // "N22"; empty if the two mean the same
  std::string note;     // what differs; the reason if refused
};

struct ApiTable {
  std::map<std::string, ApiEntry, std::less<>> names;      // all but headers and libraries
  std::map<std::string, ApiEntry, std::less<>> headers;    // "cuda_runtime.h"
  std::map<std::string, ApiEntry, std::less<>> libraries;  // "cublas"
  std::vector<std::string> prefixes;  // of names that belong to a library even if not listed
  // Functions that HIP has by the same name, but not for the host or not for every type.
  std::set<std::string, std::less<>> overloads;

  /// Null if it is not listed.
  const ApiEntry* find(std::string_view name) const;
  const ApiEntry* find_header(std::string_view name) const;
};

/// The table of the given files.
///   throws Error(bad_input) `file:line: ...` on an unknown key, a name given twice, a version that
///   is none, or a refusal without a reason
ApiTable read_api_table(std::span<const EmbeddedFile> files);

/// The table of data/api.
const ApiTable& api_table();

}  // namespace ambidex
