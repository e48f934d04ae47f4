// SPDX-License-Identifier: Apache-2.0
// A mark above device code that was refused: a comment with the reason, and a warning of the
// compiler's that -DAMBIDEX_ALLOW_REFUSED silences.
#pragma once

#include <string_view>
#include <vector>

#include "port/translate.h"

namespace ambidex {

/// Adds the edits that mark each kernel and device function with refusals in it. One that is
/// marked stays as it is, and so do macros.
void mark_refusals(TranslatedFile& file);

/// The mark that stands directly above the function whose body has byte `at` of `text`, as bytes
/// [begin, end); empty if it has none.
struct MarkSpan {
  size_t begin = 0, end = 0;
};
MarkSpan refusal_mark_above(std::string_view text, size_t at);

}  // namespace ambidex
