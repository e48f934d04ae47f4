// SPDX-License-Identifier: Apache-2.0
// PTX instructions of a whole warp, as functions that lowered PTX calls. Each lane of a warp of 32
// calls with its own registers. Layouts of fragments: PTX ISA 8.7, 9.7.14.5.
#pragma once

#include <cstdint>

#include "base/ptx_product.h"

extern "C" {
/// d = a * b + c; words as PTX's registers, of `product` as packed() writes it. Sums are exact
/// before one rounding to the type of d; hardware keeps fewer bits.
void ambidex_simt_ptx_mma(uint32_t product, const uint32_t* a, const uint32_t* b, const uint32_t* c,
                          uint32_t* d);
/// `row` is the 16 bytes at the lane's address, of lanes below 8 * count; out [count].
void ambidex_simt_ptx_ldmatrix(uint32_t count, uint32_t transposed, const uint32_t* row,
                               uint32_t* out);
/// op: 0 add, 1 min, 2 max, 3 and, 4 or, 5 xor, over the lanes of the mask.
uint32_t ambidex_simt_ptx_redux(uint64_t lanes, uint32_t value, uint32_t op, uint32_t is_signed);
/// The lanes of the mask that have the caller's value.
uint64_t ambidex_simt_ptx_match(uint64_t lanes, uint64_t value);
}
