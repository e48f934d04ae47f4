// SPDX-License-Identifier: Apache-2.0
// Hazards that a name alone tells. Facts on what HIP has: ROCm 6.2 to 7.2 headers as documented at
// https://rocm.docs.amd.com/projects/HIP.
#pragma once

#include <span>
#include <string_view>

#include "ambidex/port.h"

namespace ambidex {

/// Where a name counts.
enum class NameUse : uint8_t {
  word,         // anywhere outside of preprocessor conditions
  call,         // f(...), f<...>(...)
  device_call,  // a call in device code
  space,        // name::
  include,      // #include, by the start of the path
};

struct NameRule {
  std::string_view pattern;  // a name; with * at its end, what it begins with
  NameUse use;
  std::string_view id;
  Severity severity;
  FixKind fix;
  std::string_view message;  // after "NAME: "
};

/// What the tables are written in.
namespace rule_words {
inline constexpr auto kWord = NameUse::word;
inline constexpr auto kCall = NameUse::call;
inline constexpr auto kDevice = NameUse::device_call;
inline constexpr auto kSpace = NameUse::space;
inline constexpr auto kInclude = NameUse::include;
inline constexpr auto kS0 = Severity::s0;
inline constexpr auto kS1 = Severity::s1;
inline constexpr auto kS2 = Severity::s2;
inline constexpr auto kS3 = Severity::s3;
inline constexpr auto kRule = FixKind::rule;
inline constexpr auto kProved = FixKind::rule_if_proved;
inline constexpr auto kLibrary = FixKind::library;
inline constexpr auto kAgent = FixKind::agent;
}  // namespace rule_words

/// Names of R hazards and of libraries.
std::span<const NameRule> runtime_names();
/// Names of N hazards in device code.
std::span<const NameRule> device_names();

}  // namespace ambidex
