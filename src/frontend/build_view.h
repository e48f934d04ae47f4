// SPDX-License-Identifier: Apache-2.0
// A view of a source, made with clang or without.
#pragma once

#include <functional>

#include "frontend/invocation.h"
#include "frontend/source_view.h"

namespace ambidex {

using ViewUse = std::function<void(SourceView& view)>;

/// Parses `unit` and hands its view to `use`, once; clang's tree lives as long as that call. Errors
/// of the source end up in the view. Includes that lead nowhere count as empty.
///   throws Error(bad_input) if the file cannot be read, and what `use` throws
void with_view(const Unit& unit, const ViewUse& use);

/// The view without clang's tree, of the main file alone: for sources on which clang gives up.
///   throws Error(bad_input) if the file cannot be read
SourceView view_of_words(const Unit& unit);

}  // namespace ambidex
