// SPDX-License-Identifier: Apache-2.0
// Words for the enumerators of cost.h.
#include <algorithm>
#include <array>
#include <iterator>

#include "ambidex/cost.h"
#include "base/text.h"

namespace ambidex {
namespace {

constexpr std::array<std::string_view, 3> kTemplates{"triton", "tensile", "library"};
constexpr std::array<std::string_view, kNumTerms> kTerms{
    "launch",     "prologue", "matrix",  "shared_memory", "issue",    "l2",
    "last_level", "memory",   "latency", "epilogue",      "reduction"};
constexpr std::array<std::string_view, kNumRegimes> kRegimes{"memory", "tile_count", "k",
                                                             "split_k"};

}  // namespace

std::string_view name_of(KernelTemplate kernel_template) {
  return kTemplates[static_cast<size_t>(kernel_template)];
}

std::string_view name_of(Term term) { return kTerms[static_cast<size_t>(term)]; }

std::string_view name_of(Regime regime) { return kRegimes[static_cast<size_t>(regime)]; }

KernelTemplate template_from_name(std::string_view name) {
  const std::string word = to_lower(name);
  const auto entry = std::find(kTemplates.begin(), kTemplates.end(), word);
  if (entry != kTemplates.end()) return static_cast<KernelTemplate>(entry - kTemplates.begin());
  const std::vector<std::string> known(kTemplates.begin(), kTemplates.end());
  throw Error(ErrorKind::bad_input, unknown_name("template", name, known));
}

}  // namespace ambidex
