// SPDX-License-Identifier: Apache-2.0
// Names that a patch may bring into device code: the language's, and functions of HIP and of
// ambidex_port.h that compute, exchange or order. Nothing of the host, no fast or narrow
// arithmetic.
#pragma once

#include <string_view>

namespace ambidex::repair {

/// May a patch use `name` although the source did not?
bool is_allowed_name(std::string_view name);

/// May a native body use it, too? Lanes of a wave of 64, matrix instructions and loads into LDS
/// that the executor has, types of their operands.
bool is_native_name(std::string_view name);

/// Matrix instructions with operands of 16 or 8 bits.
bool is_narrow_product(std::string_view name);

/// Words of the language that start no declaration: return, else, case ...
bool is_statement_word(std::string_view name);

/// Words that change what lies outside of a function, keep state, or leave the language: asm,
/// static, __device__, __attribute__, new ...
bool is_forbidden_word(std::string_view name);

}  // namespace ambidex::repair
