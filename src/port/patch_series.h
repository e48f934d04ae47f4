// SPDX-License-Identifier: Apache-2.0
// A translated tree as a series of patches, one for each hazard, so that each can be reviewed for
// what it is.
#pragma once

#include <string>
#include <vector>

#include "port/translate.h"

namespace ambidex {

struct SeriesPatch {
  std::string name;  // "0002-W01-shuffle-width.patch"
  std::string text;  // a mail of `git format-patch`, for `git am` in the order of names
};

/// The first patch has new names, headers and build files, then each hazard has its own, by id.
/// Applied in order they give the translated tree; what lies between need not compile.
std::vector<SeriesPatch> patch_series(const TranslatedTree& tree);

}  // namespace ambidex
