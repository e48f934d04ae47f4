// SPDX-License-Identifier: Apache-2.0
#include "port/library_calls.h"

#include <regex>

#include "port/code_words.h"

namespace ambidex {
namespace {

// Not what only makes, asks or casts.
const std::regex& call_pattern() {
  static const std::regex kPattern(
      R"re(\b(cublas(?!Create|Destroy|Set|Get|Lt)[A-Z]\w{0,80}|curandGenerate(?!Seeds)\w{0,80}|)re"
      R"re(thrust::(?!make_|raw_|device_pointer|get\b|swap\b)\w{1,80})(?=\s{0,80}\()|\b(cub::Device\w{1,80})(?=::))re");
  return kPattern;
}

}  // namespace

std::set<std::string> library_calls(const TranslatedTree& tree) {
  std::set<std::string> calls;
  for (const TranslatedFile& file : tree.files) {
    if (file.edits.empty()) continue;  // whatever calls a library of CUDA's is edited
    const std::string text = code::without_comments(file.text);
    for (std::sregex_iterator at(text.begin(), text.end(), call_pattern()), end; at != end; ++at) {
      calls.insert(at->str());
    }
  }
  return calls;
}

}  // namespace ambidex
