// SPDX-License-Identifier: Apache-2.0
// What a patch must not bring into a kernel, told from its words before anything is run: state that
// outlives a launch, other code than its own, narrower arithmetic, branches on the sizes at hand.
// docs/port-repair.md says which attack each check answers.
#pragma once

#include <string>
#include <vector>

namespace ambidex::repair {

/// A kernel and its device functions, heads and bodies, one text after another.
struct Subject {
  std::string original;            // in CUDA
  std::string before, after;       // in HIP
  std::vector<std::string> sizes;  // integer parameters
};

/// Why the patch is refused; "" if it is not.
std::string cheat_in(const Subject& subject);

/// The same of what can be counted: accumulators stay as wide as they were, and what is atomic
/// stays so.
std::string less_in(const Subject& subject);

}  // namespace ambidex::repair
