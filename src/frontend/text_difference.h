// SPDX-License-Identifier: Apache-2.0
// Where two passes do not compile the same code for the GPU.
#pragma once

#include <optional>
#include <string>

#include "frontend/pass_text.h"

namespace ambidex {

struct TextDifference {
  std::string file;
  uint32_t line = 0;
  std::string message;  // what each of the two reads there
};

/// Whether every token is the same; then there is nothing to look for.
bool same_tokens(const PassText& a, const PassText& b);

/// The first difference outside of what is the host's alone, by the ranges of both; a condition,
/// where one is behind it. `name_a` and `name_b` stand for the passes in the message: "on gfx942".
std::optional<TextDifference> first_difference(const PassText& a, const std::string& name_a,
                                               const PassText& b, const std::string& name_b);

}  // namespace ambidex
