// SPDX-License-Identifier: Apache-2.0
// Copies between blocks of columns of row-major matrices: the seams of a concatenation.
#pragma once

#include <cstdint>

#include "base/parallel.h"

namespace ambidex {

/// to = from. Both [rows, columns]; rows from_stride and to_stride floats apart.
void copy_columns(Workers& workers, const float* from, int64_t from_stride, float* to,
                  int64_t to_stride, int64_t rows, int64_t columns);

/// to = from where mask > 0, else 0: a gradient through the ReLU that made `mask`.
///   all [rows, columns]
void copy_columns_masked(Workers& workers, const float* from, int64_t from_stride,
                         const float* mask, int64_t mask_stride, float* to, int64_t to_stride,
                         int64_t rows, int64_t columns);

/// out[r] += sum of the columns of row r, in column order.
///   from [rows, columns], out [rows]
void add_row_sums(Workers& workers, const float* from, int64_t from_stride, float* out,
                  int64_t rows, int64_t columns);

}  // namespace ambidex
