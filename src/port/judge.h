// SPDX-License-Identifier: Apache-2.0
// Is what a port computed right? Compares its output with the original's and with an fp64 oracle,
// by error class; docs/verify.md has the reasons.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "port/element.h"

namespace ambidex {

/// How close a port's output has to be.
enum class ErrorClass : uint8_t {
  exact,        // integers, permutations, bit operations: the same bits
  elementwise,  // floats, the same operations in the same order: contraction and rounding
  reorder,      // sums and products in another order
  approximate,  // fast math functions, whose error differs between devices
};
std::string_view name_of(ErrorClass error_class);
/// throws Error(bad_input)
ErrorClass error_class_from_name(std::string_view name);

/// One buffer after a kernel has run. All spans have the same number of elements.
struct Output {
  Element element = Element::f32;
  std::span<const std::byte> original;  // of the original at wave width 32
  std::span<const std::byte> port;
  std::span<const double> oracle;  // of the original in fp64; empty if there is none
  // What the original computes when it rounds in other directions or comes in another order.
  std::vector<std::span<const std::byte>> others;
  ErrorClass error_class = ErrorClass::exact;
  Element computed = Element::bytes;  // in which arithmetic is done; bytes: as it is stored
  int64_t num_terms = 1;              // that meet in one element, at most; of class reorder
};

/// Of an element that is a number in both.
struct ElementError {
  double expected = 0;
  double error = 0, allowed = 0;  // absolute; allowed > 0
  double ratio() const { return error / allowed; }
};

struct Judgement {
  int64_t num_elements = 0;
  int64_t num_different_bits = 0;
  int64_t num_wrong = 0;
  int64_t num_undetermined = 0;       // the original itself gives a number and NaN or infinity
  int64_t first_wrong = -1;           // element; -1 if none
  double got = 0, wanted = 0;         // of the first wrong one
  double allowed = 0;                 // absolute error there
  double worst_ratio = 0;             // largest error over what is allowed, of all elements
  std::optional<ElementError> worst;  // of numbers that are right
  double mean_error = 0;  // with its sign, in eps of the stored type; where it is looked at
  bool leans = false;     // no element is wrong by itself, all of them together are
  bool right() const { return num_wrong == 0 && !leans; }
};

/// NaN is right only where the reference has NaN, infinity only where it has the same. The port's
/// absolute error may be
///   exact        0, and the bits are compared
///   elementwise  4 eps max(|reference|, smallest normal)
///   reorder      4 log2(num_terms) eps |reference|
///   approximate  64 eps max(|reference|, root mean square of the reference)
/// where eps is that of the type in which is computed, and 2 eps of the stored type more if that is
/// smaller, plus the original's own error: with `others` 4 times (16
/// times if approximate) the largest distance that one of them has at that element, with an oracle
/// 4 times the original's largest error. With neither, `reorder` has the root mean square as
/// `approximate` has it. An element at which `others` disagree whether it is a number is not
/// judged. Where the stored type is smaller, errors are those of one rounding to the nearest: of 64
/// elements or more they must not lean one way by more than 0.2 eps in the mean, plus twice what
/// one of `others` leans.
Judgement judge(const Output& output);

}  // namespace ambidex
