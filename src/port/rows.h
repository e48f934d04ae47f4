// SPDX-License-Identifier: Apache-2.0
// What a kernel writes together belongs together: where the order of threads decides on the place
// (keys[p], values[p] with p of an atomic counter), buffers are compared by rows, whatever the
// order of these.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "port/element.h"
#include "port/judge.h"

namespace ambidex {

/// One buffer of a launch whose order is nobody's. Contents are those of whole elements.
struct UnorderedBuffer {
  std::string name;
  Element element = Element::bytes;
  ErrorClass error_class = ErrorClass::exact;
  int64_t row_bytes = 1;  // of what its pointer points to: a structure, a vector, an element
  std::string_view original, port;
  std::vector<std::string_view> orders;  // the original's in other orders
};

struct RowsAgreement {
  std::string difference;  // "" if the port has the original's rows
  std::vector<std::string>
      unbound;  // pairs whose rows the original itself does not keep: "a and b"
};

/// Rows bind if the original has the same ones, as a multiset, in every order: those of all buffers
/// together, where their lengths allow it, else of those with the same number of elements, else of
/// each two of them. Numbers may differ by rounding.
RowsAgreement compare_rows(const std::vector<UnorderedBuffer>& buffers);

}  // namespace ambidex
