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
  bool native = false;             // a faster body: what is_native_name allows may be added
  bool reads_wide = false;         // some input is of float or double
};

/// Why the patch is refused; "" if it is not.
std::string cheat_in(const Subject& subject);

/// What a native body may have beyond that, held to: operands of matrix instructions as wide as the
/// inputs, and no arithmetic on narrower types than before.
std::string narrower_in(const Subject& subject);

/// The same of what can be counted: accumulators stay as wide as they were, and what is atomic
/// stays so.
std::string less_in(const Subject& subject);

}  // namespace ambidex::repair
