// SPDX-License-Identifier: Apache-2.0
// Buffers of two runs against each other.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "port/judge.h"
#include "port/outputs.h"
#include "port/rows.h"
#include "port/trace.h"

namespace ambidex {

/// Bytes that hold nothing, in each of the structures behind a pointer.
struct Padding {
  int64_t stride = 0;                               // bytes of a structure
  std::vector<std::pair<int64_t, int64_t>> ranges;  // [begin, end) in it
};

/// How the buffers behind a kernel's parameters are to be read, from `ambidex-clang facts`.
struct KernelView {
  std::vector<std::string> names;  // of parameters
  std::vector<Element> elements;   // of parameters; bytes where none is known
  std::vector<Element> behind;     // of the rows behind parameters that point to pointers
  ErrorClass error_class = ErrorClass::elementwise;
  bool small_arithmetic = false;       // in half or bfloat16, not only stored so
  std::vector<int64_t> pointee_bytes;  // of parameters; 0 where that is not known
  std::vector<Padding> paddings;       // of parameters, if any has some
  std::set<int64_t> compared;          // constants that the code compares with
  /// Of integer parameters that are told apart by value, as modes and flags are: the values.
  std::map<std::string, std::set<int64_t>> choices;
};

/// By the kernel's base name.
using KernelViews = std::map<std::string, KernelView>;
KernelViews views_of(const nlohmann::json& facts);

/// What one buffer of a launch looked like after the two runs.
struct BufferPair {
  const TracedLaunch* launch = nullptr;  // of the original: who points where
  int64_t buffer = 0;
  std::string_view original, port;
  std::vector<std::string_view> orders;     // the original's in other orders
  std::vector<std::string_view> roundings;  // and rounded otherwise
};

/// The first element that is wrong.
struct Divergence {
  std::string name;  // of the parameter or buffer
  int64_t buffer = 0;
  int64_t index = 0;  // of the element in the buffer
  int64_t offset = 0, num_bytes = 0;
  double expected = 0, actual = 0;
};

struct Difference {
  bool same_bits = true;
  bool right = true;
  bool unordered = false;           // compared whatever the order of its elements
  bool contradicted = false;        // wrong, as is what the original itself leaves in another order
  std::string message;              // "out[17] is 3.5, the original has 4.25 (allowed error 1e-6)"
  std::optional<Divergence> first;  // of what is wrong, where it is one element
  ErrorClass error_class = ErrorClass::exact;  // by which it was judged, where bits differ
  int64_t num_different = 0;                   // elements, there
  std::optional<ElementError> worst;           // of floats that are right
};

/// Element types of what the parameters that point to a buffer say it holds; bytes if none does.
Element element_of_buffer(const KernelView& view, const TracedLaunch& launch, int64_t buffer);

/// The parameter's name, or the buffer's own.
std::string name_of_buffer(const KernelView& view, const TracedLaunch& launch, int64_t buffer);

Difference compare_buffer(const KernelView& view, const BufferPair& pair);

/// The buffer as one of rows, if the original leaves it in an order that is nobody's; what
/// structures do not hold is 0 in `kept`, which owns the contents then.
std::optional<UnorderedBuffer> unordered_buffer(const KernelView& view, const BufferPair& pair,
                                                std::vector<std::string>& kept);

}  // namespace ambidex
