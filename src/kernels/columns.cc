// SPDX-License-Identifier: Apache-2.0
#include "kernels/columns.h"

#include <algorithm>
#include <cstring>

namespace ambidex {
namespace {

constexpr int64_t kTaskFloats = 16384;  // of one task: 64 KiB, some 10 us

template <class Row>
void for_rows(Workers& workers, int64_t rows, int64_t columns, const Row& row) {
  const int64_t per_task = std::max<int64_t>(1, kTaskFloats / std::max<int64_t>(columns, 1));
  workers.run((rows + per_task - 1) / per_task, [&](int64_t task) {
    const int64_t end = std::min(rows, (task + 1) * per_task);
    for (int64_t r = task * per_task; r < end; ++r) row(r);
  });
}

}  // namespace

void copy_columns(Workers& workers, const float* from, int64_t from_stride, float* to,
                  int64_t to_stride, int64_t rows, int64_t columns) {
  for_rows(workers, rows, columns, [=](int64_t r) {
    std::memcpy(to + r * to_stride, from + r * from_stride,
                static_cast<size_t>(columns) * sizeof(float));
  });
}

void copy_columns_masked(Workers& workers, const float* from, int64_t from_stride,
                         const float* mask, int64_t mask_stride, float* to, int64_t to_stride,
                         int64_t rows, int64_t columns) {
  for_rows(workers, rows, columns, [=](int64_t r) {
    const float* gradient = from + r * from_stride;
    const float* kept = mask + r * mask_stride;
    float* out = to + r * to_stride;
    for (int64_t c = 0; c < columns; ++c) out[c] = kept[c] > 0 ? gradient[c] : 0.0F;
  });
}

void add_row_sums(Workers& workers, const float* from, int64_t from_stride, float* out,
                  int64_t rows, int64_t columns) {
  for_rows(workers, rows, columns, [=](int64_t r) {
    float sum = 0;
    for (int64_t c = 0; c < columns; ++c) sum += from[r * from_stride + c];
    out[r] += sum;
  });
}

}  // namespace ambidex
