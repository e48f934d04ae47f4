// SPDX-License-Identifier: Apache-2.0
// Asm statements and the PTX in them. Reading never fails, and stays inside the text.
#include "frontend/ptx.h"
#include "fuzz/fuzz.h"

AMBIDEX_FUZZ(text) {
  using namespace ambidex;
  const AsmStatement statement = parse_asm(text);
  check(statement.length <= static_cast<int64_t>(text.size()), "a statement ends in its source");
  check(with_host_constraints(text).size() == text.size(), "every byte keeps its place");
  for (const std::string_view ptx : {std::string_view(statement.text), text}) {
    for (const bool is_template : {true, false}) {
      const PtxCode code = parse_ptx(ptx, is_template);
      for (const PtxInstruction& instruction : code.instructions) {
        check(instruction.position < static_cast<int64_t>(ptx.size()), "it begins in the text");
        ptx_rule(instruction);
      }
    }
  }
}
