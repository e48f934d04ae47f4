// SPDX-License-Identifier: Apache-2.0
// PTX instructions of one thread that the host's instructions do not have, as functions that
// lowered PTX calls. Values are bits.
#pragma once

#include <cstdint>

extern "C" {
/// op: 0 add, 1 sub, 2 mul, 3 fma, 4 div, 5 square root of a, 6 reciprocal of a; mode: 0 to
/// nearest, 1 towards zero, 2 down, 3 up. Of floats, and of doubles.
uint32_t ambidex_simt_ptx_rounded32(uint32_t op, uint32_t mode, uint32_t a, uint32_t b, uint32_t c);
uint64_t ambidex_simt_ptx_rounded64(uint32_t op, uint32_t mode, uint64_t a, uint64_t b, uint64_t c);
/// A double as a float; modes as above.
uint32_t ambidex_simt_ptx_narrowed(uint64_t value, uint32_t mode);
/// a * b + c of bfloat16, rounded once.
uint32_t ambidex_simt_ptx_fma_bf16(uint32_t a, uint32_t b, uint32_t c);
/// A float as OCP's 8-bit float with `fraction` bits, 3 (e4m3) or 2 (e5m2), to nearest, at most the
/// largest finite number; and such a float as a float.
uint32_t ambidex_simt_ptx_to_fp8(uint32_t value, uint32_t fraction);
uint32_t ambidex_simt_ptx_from_fp8(uint32_t code, uint32_t fraction);
}
