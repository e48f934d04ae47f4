// SPDX-License-Identifier: Apache-2.0
// Sizes as formulas in a kernel's scalar parameters: "(n + 255) / 256", "max(rows, 1) * 4". What
// a contract says of grids, shared memory and buffers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ambidex {

using Variables = std::map<std::string, int64_t, std::less<>>;

/// The value of `text`: integers, names, ( ), unary -, * / % + - << >>, comparisons, &&, ||, ?:,
/// min(a, b), max(a, b). Division is C's.
///   throws Error(bad_input): not a formula, an unknown name, a division by zero, an overflow
int64_t formula_value(std::string_view text, const Variables& variables);

/// Names that `text` mentions, each once, in order.
///   throws Error(bad_input) on a text that is no formula
std::vector<std::string> formula_names(std::string_view text);

}  // namespace ambidex
