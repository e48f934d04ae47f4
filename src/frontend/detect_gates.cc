// SPDX-License-Identifier: Apache-2.0
// R07, R08, R09: decisions by device properties, by __CUDA_ARCH__ and by CUDA's other macros.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "frontend/detector.h"
#include "frontend/token_facts.h"

namespace ambidex {
namespace {

const Token& token_at(const SourceFile& file, int64_t i) {
  return file.tokens[static_cast<size_t>(i)];
}

bool is_condition(std::string_view name) {
  return name == "if" || name == "elif" || name == "ifdef" || name == "ifndef" ||
         name == "elifdef" || name == "elifndef";
}

/// A condition that names HIP has been ported.
bool knows_hip(const SourceFile& file, TokenRange range) {
  for (int64_t i = range.first; i < range.last; ++i) {
    if (text_at(file, i).starts_with("__HIP") || text_at(file, i).starts_with("USE_ROCM")) {
      return true;
    }
  }
  return false;
}

/// Of `#if defined(X)`, `#ifdef X`; not of a comparison.
bool only_asks_defined(const SourceFile& file, const Directive& directive, int64_t at) {
  if (directive.name.ends_with("def")) return true;
  return text_at(file, at - 1) == "defined" ||
         (text_at(file, at - 1) == "(" && text_at(file, at - 2) == "defined");
}

/// `#if defined(X) && X >= 800` asks both.
bool compares_too(const SourceFile& file, const Directive& directive, std::string_view name) {
  for (int64_t i = directive.rest.first; i < directive.rest.last; ++i) {
    if (text_at(file, i) == name && !only_asks_defined(file, directive, i)) return true;
  }
  return false;
}

void look_at_arch(const SourceFile& file, const Directive& directive, int64_t at,
                  std::vector<Finding>& findings) {
  const bool compared = compares_too(file, directive, text_at(file, at));
  findings.push_back(finding_at(
      file, token_at(file, at), "R08", Severity::s0, FixKind::rule,
      compared ? "__CUDA_ARCH__ is not defined when HIP compiles for AMD and counts as 0: the gate "
                 "closes silently; give HIP a branch of its own"
               : "__CUDA_ARCH__ is not defined when HIP compiles for AMD: device code takes the "
                 "host's branch; use __HIP_DEVICE_COMPILE__"));
}

bool is_compiler_macro(std::string_view word) {
  static constexpr std::array<std::string_view, 8> kNames{"__CUDACC__",
                                                          "__NVCC__",
                                                          "CUDA_VERSION",
                                                          "CUDART_VERSION",
                                                          "__CUDACC_RTC__",
                                                          "__CUDA_API_VER",
                                                          "__CUDACC_EXTENDED_LAMBDA__",
                                                          "__CUDA__"};
  return std::find(kNames.begin(), kNames.end(), word) != kNames.end() ||
         word.starts_with("__CUDACC_VER") || word == "CUDNN_VERSION" || word == "CUB_VERSION" ||
         word == "NCCL_VERSION_CODE";
}

void look_at_compiler(const SourceFile& file, const Directive& directive, int64_t at,
                      std::vector<Finding>& findings) {
  const std::string_view name = text_at(file, at);
  const bool compared = compares_too(file, directive, name);
  findings.push_back(finding_at(
      file, token_at(file, at), "R09", compared ? Severity::s0 : Severity::s2, FixKind::rule,
      fmt::format("{} is not defined under HIP on AMD: {}", name,
                  compared ? "the comparison is with 0, silently; add HIP's condition"
                           : "what it guards is missing; add defined(__HIPCC__)")));
}

void look_at_conditions(const SourceFile& file, std::vector<Finding>& findings) {
  for (const Directive& directive : file.directives) {
    if (!is_condition(directive.name) || knows_hip(file, directive.rest)) continue;
    for (int64_t i = directive.rest.first; i < directive.rest.last; ++i) {
      const std::string_view word = text_at(file, i);
      if (token_at(file, i).amd_only) break;
      if (word.starts_with("__CUDA_ARCH_") || word.starts_with("__CUDA_MINIMUM_ARCH")) {
        look_at_arch(file, directive, i, findings);
      } else if (is_compiler_macro(word)) {
        look_at_compiler(file, directive, i, findings);
      }
    }
  }
}

/// Outside of conditions: `int arch = __CUDA_ARCH__;`, `#define SM __CUDA_ARCH__`.
void look_at_value(const SourceFile& file, int64_t at, std::vector<Finding>& findings) {
  const Token& token = token_at(file, at);
  if (token.text != "__CUDA_ARCH__" && token.text != "CUDART_VERSION" &&
      token.text != "CUDA_VERSION") {
    return;
  }
  if (token.directive) {
    const auto holds = [&](const Directive& it) {
      return it.line.first <= at && at < it.line.last && it.name != "define";
    };
    if (std::any_of(file.directives.begin(), file.directives.end(), holds)) return;
  }
  const bool is_arch = token.text == "__CUDA_ARCH__";
  findings.push_back(finding_at(
      file, token, is_arch ? "R08" : "R09",
      token.directive && is_arch ? Severity::s0 : Severity::s2, FixKind::rule,
      fmt::format("{} is not defined when HIP compiles for AMD; ask for the feature", token.text)));
}

struct Property {
  std::string_view name;
  bool compares;  // a version: S0 as soon as it decides
  std::string_view message;
};

constexpr std::array<Property, 8> kProperties{{
    {"major", true,
     "is 9 on gfx942 and gfx950: gates for Ampere or Hopper open; ask for the feature"},
    {"minor", true, "means another thing on AMD; ask for the feature"},
    {"sharedMemPerBlockOptin", true, "may be 0 on AMD; use sharedMemPerBlock"},
    {"multiProcessorCount", false,
     "compute units are not SMs; a multiple of it fits another machine"},
    {"clockRate", false, "is another clock than clock64() counts"},
    {"maxThreadsPerMultiProcessor", false, "2048 here, in 32 waves of 64"},
    {"regsPerMultiprocessor", false, "counts other registers"},
    {"sharedMemPerMultiprocessor", false, "equals sharedMemPerBlock on CDNA"},
}};

bool is_property_base(const SourceFile& file, int64_t dot) {
  if (text_at(file, dot - 1) == ")") {
    for (int64_t i = dot - 1; i > dot - 10; --i) {
      if (text_at(file, i).find("DeviceProp") != std::string_view::npos) return true;
    }
    return false;
  }
  if (text_at(file, dot - 1) == "]") return true;
  const std::string_view base = text_at(file, dot - 1);
  const Declared declared = declaration_of(file, dot - 1, base);
  if (declared.found && declared.type.find("cudaDeviceProp") != std::string::npos) return true;
  const bool says_so =
      base.find("prop") != std::string_view::npos || base.find("Prop") != std::string_view::npos;
  return says_so && (!declared.found || declared.type.find("auto") != std::string::npos ||
                     declared.type.find("Prop") != std::string::npos);
}

bool decides(const SourceFile& file, int64_t at) {
  const TokenRange range = statement_around(file, at);
  if (has_word(file, range, "printf") || has_word(file, range, "cout")) return false;
  for (int64_t i = range.first; i < range.last; ++i) {
    const std::string_view text = text_at(file, i);
    if (text == ">=" || text == "<" || text == "==" || text == ">" || text == "<=" ||
        text == "!=" || text == "*" || text == "?" || text == "=" || text == "return" ||
        text == "switch") {
      return true;
    }
  }
  return false;
}

void look_at_property(const SourceFile& file, int64_t at, std::vector<Finding>& findings) {
  const std::string_view before = text_at(file, at - 1);
  if (before != "." && before != "->") return;
  const auto property =
      std::find_if(kProperties.begin(), kProperties.end(),
                   [&](const Property& it) { return it.name == text_at(file, at); });
  if (property == kProperties.end() || !is_property_base(file, at - 1)) return;
  const bool grave = property->compares && decides(file, at);
  findings.push_back(finding_at(file, token_at(file, at), "R07",
                                grave ? Severity::s0 : Severity::s3, FixKind::rule,
                                fmt::format("{} {}", property->name, property->message)));
}

}  // namespace

void detect_gates(const SourceView& view, std::vector<Finding>& findings) {
  for (const SourceFile& file : view.files) {
    look_at_conditions(file, findings);
    for (int64_t i = 0; i < std::ssize(file.tokens); ++i) {
      const Token& token = token_at(file, i);
      if (token.kind != TokenKind::word || token.amd_only) continue;
      look_at_value(file, i, findings);
      look_at_property(file, i, findings);
    }
  }
}

}  // namespace ambidex
