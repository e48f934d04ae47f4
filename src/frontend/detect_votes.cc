// SPDX-License-Identifier: Apache-2.0
// W05 and W12: votes, matches and reductions over what is one warp in CUDA and two here.
#include "frontend/kernel_detectors.h"

namespace ambidex::syntax {
namespace {

bool compares(std::string_view sign) { return sign == "==" || sign == "!="; }

// ballot(...) == 0, ballot(...) == 0xffffffff: a vote by other means.
bool is_compared(const Words& words, const Call& call) {
  const int close = words.partner[static_cast<size_t>(call.open)];
  return compares(words.text(close + 1)) || compares(words.text(call.name - 1)) ||
         words.text(call.name - 1) == "!";
}

}  // namespace

bool is_vote(std::string_view name) {
  return name == "__any" || name == "__all" || name == "__any_sync" || name == "__all_sync" ||
         name == "__uni_sync";
}

void detect_votes(const Kernels& kernels, std::vector<Finding>& findings) {
  for (const Function& function : kernels.program.functions) {
    if (function.lambda) continue;
    const Words& words = *function.words;
    for (const Call& call : function.calls) {
      const std::string_view name = name_of_call(kernels.program, words, call);
      if (call.member) continue;
      if (is_vote(name)) {
        findings.push_back(finding(words, call.name, "W05", Severity::s0, FixKind::rule,
                                   std::string(name) +
                                       " votes over 64 lanes here, that is over two of the warps "
                                       "that the code means; derive it from the own half of a "
                                       "ballot"));
      } else if (name.starts_with("__ballot") && is_compared(words, call)) {
        findings.push_back(finding(words, call.name, "W05", Severity::s0, FixKind::rule,
                                   "a ballot used as a vote sees 64 lanes here, that is two of the "
                                   "warps that the code means; compare the own half of it"));
      } else if (name == "__match_any_sync" || name == "__match_all_sync") {
        findings.push_back(finding(words, call.name, "W12", Severity::s0, FixKind::library,
                                   std::string(name) +
                                       " matches over 64 lanes here and gives a 64-bit mask; use "
                                       "the version of the port that stays in the own half"));
      } else if (name.starts_with("__reduce_") && name.ends_with("_sync")) {
        findings.push_back(finding(words, call.name, "W12", Severity::s0, FixKind::library,
                                   std::string(name) +
                                       " reduces over 64 lanes here, where it exists at all; use "
                                       "the version of the port that stays in the own half"));
      }
    }
  }
}

}  // namespace ambidex::syntax
