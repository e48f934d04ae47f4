// SPDX-License-Identifier: Apache-2.0
// R11: functions of graphs that have two forms in CUDA, by its version, and one in HIP.
#include <string>

#include "frontend/translate.h"

namespace ambidex {
namespace {

// CUDA 12: (executable, graph, flags = 0); before: (executable, graph, node, log, bytes), HIP's.
void translate_instantiate(Translation& translation, int64_t i,
                           const std::vector<TokenRange>& arguments) {
  const Words& words = translation.words;
  if (arguments.size() != 2 && arguments.size() != 3) return;
  const Piece given{.first = words.first(i + 2), .last = words.first(words.partner_of(i + 1))};
  translation.edits.insert(translation.edits.begin(),  // before the change of names
                           {.first = words.first(i),
                            .last = words.last(words.partner_of(i + 1)),
                            .pieces = {{.text = "hipGraphInstantiateWithFlags("},
                                       given,
                                       {.text = arguments.size() == 2 ? ", 0)" : ")"}},
                            .rule = "graph.instantiate",
                            .hazard = "R11",
                            .note = "HIP's function of this name takes a node and a log"});
}

}  // namespace

void translate_graphs(Translation& translation) {
  const Words& words = translation.words;
  for (int64_t i = 0; i < words.size(); ++i) {
    if (!words.is_word(i) || words.at(i).amd_only || words.text(i + 1) != "(") continue;
    const std::string_view name = words.text(i);
    if (name != "cudaGraphInstantiate" && name != "cudaGraphExecUpdate") continue;
    const auto arguments = arguments_of(words, i + 1);
    if (name == "cudaGraphInstantiate") {
      translate_instantiate(translation, i, arguments);
    } else if (arguments.size() == 3) {
      refuse_word(translation, i, "graph.update", "R11",
                  "HIP's hipGraphExecUpdate takes the node that failed and the result apart, as "
                  "CUDA 11 did: pass cudaGraphNode_t* and cudaGraphExecUpdateResult*");
    }
  }
}

}  // namespace ambidex
