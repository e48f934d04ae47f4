// SPDX-License-Identifier: Apache-2.0
// A model's reply as edits, and what they make of the sources. Only we write, and only into bodies
// that are allowed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "port/repair_spans.h"

namespace ambidex::repair {

struct Edit {
  std::string file, search, replace;
};

/// Either edits, or `gave_up`, or `fault`: why the reply cannot be used.
struct Reply {
  std::vector<Edit> edits;
  std::string gave_up;
  std::string fault;
};

/// Reads blocks of
///
///   FILE name
///   <<<<<<< SEARCH
///   lines as they are
///   =======
///   lines as they shall be
///   >>>>>>> REPLACE
///
/// or a line `CANNOT: reason`; all else is talk. Never throws.
Reply parse_reply(std::string_view text);

struct BodyChange {
  Body body;  // as it was
  std::string before, after;
};

struct Patch {
  Texts files;  // new texts of the files that change
  std::vector<BodyChange> changes;
  std::string fault;  // why it was not applied; then there is nothing else
};

struct PatchLimits {
  int64_t max_bytes = 16384;  // of all replacements
  int64_t max_lines = 300;
};

/// SEARCH is found by its words, in any layout and with or without comments, exactly once and
/// within one of `bodies`. Never throws.
Patch apply(const std::vector<Edit>& edits, const Texts& texts, const std::vector<Body>& bodies,
            const PatchLimits& limits = {});

/// The patch without the marks of refusals above `bodies`, which are of the texts before it.
Patch without_marks(Patch patch, const Texts& before, const std::vector<Body>& bodies);

/// The patch as a diff against the texts before it.
std::string diff_of(const Patch& patch, const Texts& before);

}  // namespace ambidex::repair
