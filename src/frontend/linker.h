// SPDX-License-Identifier: Apache-2.0
// LLVM's linker, as a program.
#pragma once

#include <string>
#include <vector>

namespace ambidex {

/// Links `objects` into the file `path`. `options` go before all else, `what` into messages:
/// "linking WHAT: ...".
///   throws Error(unsupported) without a linker, Error(bad_input) with what it reports
void link_objects(const std::vector<std::string>& options, const std::vector<std::string>& objects,
                  const std::string& path, const std::string& what);

}  // namespace ambidex
