// SPDX-License-Identifier: Apache-2.0
// How close a kernel's outputs came to the original's, over all cases: the figures behind a
// verdict.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "port/judge.h"

namespace ambidex {

/// What was seen of one buffer that the original changes.
struct OutputSeen {
  std::string name;  // of the parameter or buffer
  Element element = Element::bytes;
  ErrorClass error_class = ErrorClass::exact;  // the widest that was allowed
  int64_t num_different = 0;                   // elements whose bits differ, of all cases
  bool has_number = false;            // a float that is neither NaN nor infinite was among them
  std::optional<ElementError> worst;  // of floats that differ: the largest part of what is allowed
};

/// Adds what one more case has seen of an output.
void add_output(std::vector<OutputSeen>& outputs, const OutputSeen& seen);

/// Whether elements that `after` has and `before` had not hold a number. Without a `before` of the
/// same size all count.
bool has_new_number(Element element, std::string_view before, std::string_view after);

/// Floats came out, and not one of them was a number, in any case.
bool has_no_number(std::span<const OutputSeen> outputs);

/// "4.77e-07 of 3.81e-06 allowed (2 of 16 ulp)", ulp of `element` at the expected value.
std::string text_of(const ElementError& error, Element element);

/// [{"name", "element", "error_class", "num_different", "worst": {"expected", "error", "allowed",
/// "error_ulp"}}]; worst where floats differ, error_ulp unless the expected value is 0
nlohmann::json to_json(const std::vector<OutputSeen>& outputs);

}  // namespace ambidex
