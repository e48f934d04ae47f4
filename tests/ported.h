// SPDX-License-Identifier: Apache-2.0
// One file translated, for tests of rules.
#pragma once

#include <string>
#include <vector>

#include "base/files.h"
#include "port/translate.h"
#include "scratch.h"

namespace ambidex {

struct Ported {
  std::string text;
  std::vector<TranslateEdit> edits;
  std::vector<TranslateRefusal> refusals;
};

inline Ported port(const std::string& text, const std::string& name = "a.cu") {
  const ScratchFolder scratch;
  write_file(scratch.path() + "/" + name, text);
  const TranslatedTree tree = translate_tree(scratch.path() + "/" + name, {});
  return {tree.files[0].new_text, tree.files[0].edits, tree.files[0].refusals};
}

// The line of the port that was `line` of a kernel.
inline std::string line_of_kernel(const std::string& line) {
  const std::string text = port("__global__ void k(int* p, float v) {\n  " + line + "\n}\n").text;
  const size_t start = text.find("{\n  ") + 4;
  return text.substr(start, text.find("\n}\n", start) - start);
}

inline std::string refused_hazards(const std::string& text) {
  std::string out;
  for (const TranslateRefusal& refusal : port(text).refusals) out += refusal.hazard + " ";
  return out;
}

}  // namespace ambidex
