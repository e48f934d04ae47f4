// SPDX-License-Identifier: Apache-2.0
// What becomes of each flag of nvcc: one row a meaning.
#pragma once

#include <span>
#include <string_view>

namespace ambidex {

enum class FlagAction : uint8_t {
  put,           // `text` stands for it, "$" in it for the value
  leave_out,     //
  refuse,        // `text` says why
  architecture,  // -arch and its kin: the list of architectures, once for a run of them
  host_flags,    // the value is a list with commas for the host's compiler
  linker_flags,  // the same for the linker
  relocatable,   // `text`, and device code is linked across files
};

enum class FlagValue : uint8_t { none, any, optional_number };

struct NvccFlag {
  std::string_view names;  // "-rdc --relocatable-device-code"
  FlagValue value;
  std::string_view only;  // the row is for these values alone, "true per-thread"; empty: for all
  FlagAction action;
  std::string_view text;
  std::string_view hazard;
  std::string_view note;
  bool is_common = false;  // other tools have a flag of that name
};

std::span<const NvccFlag> nvcc_flags();

}  // namespace ambidex
