// SPDX-License-Identifier: Apache-2.0
// One page of the catalogue: front matter between lines of ---, then Markdown.
#pragma once

#include <string>
#include <string_view>

#include "ambidex/port.h"

namespace ambidex {

/// `where` is the file's path, whose name must be the id.
///   throws Error(bad_input) `where: what`
Hazard parse_hazard(std::string_view text, const std::string& where);

}  // namespace ambidex
