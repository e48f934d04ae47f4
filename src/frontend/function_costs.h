// SPDX-License-Identifier: Apache-2.0
// What GPUs execute for functions and divisions that they have no instruction for.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ambidex {

/// Instructions of the type's own unit and of the special one.
struct FunctionCost {
  uint32_t num = 0, num_special = 0;
};

// Integers: a division of 32 bits, one of 64, and the products that are among them.
inline constexpr uint32_t kIntegerDivision = 14;
inline constexpr uint32_t kIntegerDivisionProducts = 7;
inline constexpr uint32_t kLongDivision = 70;
inline constexpr uint32_t kConstantDivisionProducts = 1;

/// Of a function of C's library ("expf", "exp", "llvm.exp" without its ends; "div").
FunctionCost cost_of_function(std::string_view name, bool is_double);

/// Of CUDA's functions of floats that our headers make of others: __expf, rsqrtf, ...
std::optional<FunctionCost> cost_of_intrinsic(std::string_view base_name);

}  // namespace ambidex
