// SPDX-License-Identifier: Apache-2.0
#include "kernels/interaction.h"

#include <algorithm>
#include <vector>

#include "kernels/vectors.h"

namespace ambidex {
namespace {

constexpr int64_t kTaskProducts = 262144;  // some 20 us

int64_t round_up(int64_t value) { return (value + kLanes - 1) / kLanes * kLanes; }

int64_t samples_of_task(int64_t products) {
  return std::max<int64_t>(1, kTaskProducts / std::max<int64_t>(1, products));
}

/// [num_vectors, dim] to [dim, width], zeros after column num_vectors.
AMBIDEX_INLINE_FUNCTION void transpose(const float* __restrict z, int64_t num_vectors, int64_t dim,
                                       int64_t width, float* __restrict to) {
  for (int64_t j = 0; j < num_vectors; ++j) {
    for (int64_t d = 0; d < dim; ++d) to[d * width + j] = z[j * dim + d];
  }
}

/// products[r][j] = <z_r, column j> of kCount vectors and of the columns before `end`, and a few
/// more; rows of `products` are `width` floats apart.
template <int kCount>
AMBIDEX_INLINE_FUNCTION void multiply_rows(const float* z, int64_t dim, const float* columns,
                                           int64_t width, int64_t end, float* products) {
  for (int64_t j = 0; j < end; j += kLanes) {
    Lanes sums[kCount] = {};  // enough of them to hide the latency of an addition
    for (int64_t d = 0; d < dim; ++d) {
      Lanes lanes;
      load(columns + d * width + j, lanes);
      for (int r = 0; r < kCount; ++r) sums[r] += lanes * z[r * dim + d];
    }
    for (int r = 0; r < kCount; ++r) store(sums[r], products + r * width + j);
  }
}

/// Writes 16 lanes to `to` [0, 16), of which only those before `end` may be touched.
AMBIDEX_INLINE_FUNCTION void store_before(const Lanes& lanes, float* to, const float* end) {
  if (end - to >= kLanes) return store(lanes, to);
  float values[kLanes];
  store(lanes, values);
  for (int64_t i = 0; i < end - to; ++i) to[i] = values[i];
}

/// Row i of the triangle from its products. Rows follow each other, so that what one writes beyond
/// its end is written again by the next.
AMBIDEX_INLINE_FUNCTION float* store_row(const float* products, int64_t i, float* to,
                                         const float* end) {
  for (int64_t j = 0; j < i; j += kLanes) {
    Lanes lanes;
    load(products + j, lanes);
    store_before(lanes, to + j, end);
  }
  return to + i;
}

constexpr int kRows = 8;  // vectors that are multiplied at once

/// The products of one sample. `room` [dim + kRows, width]
AMBIDEX_INLINE_FUNCTION void dot_sample(const float* z, int64_t num_vectors, int64_t dim,
                                        int64_t width, float* __restrict room, float* out) {
  float* products = room + dim * width;
  transpose(z, num_vectors, dim, width, room);
  for (int64_t d = 0; d < dim; ++d) out[d] = z[d];
  float* to = out + dim;
  const float* end = to + num_vectors * (num_vectors - 1) / 2;
  if (num_vectors < kRows) {
    for (int64_t i = 0; i < num_vectors; ++i) {
      multiply_rows<1>(z + i * dim, dim, room, width, i, products);
      to = store_row(products, i, to, end);
    }
    return;
  }
  for (int64_t i = 0; i < num_vectors;) {
    const int64_t first = std::min(i, num_vectors - kRows);  // the last group overlaps another
    multiply_rows<kRows>(z + first * dim, dim, room, width, first + kRows - 1, products);
    for (; i < first + kRows; ++i) to = store_row(products + (i - first) * width, i, to, end);
  }
}

/// The gradients of the products as a symmetric matrix with zeros in its diagonal.
AMBIDEX_INLINE_FUNCTION void unpack(const float* triangle, int64_t num_vectors, float* matrix) {
  for (int64_t i = 0; i < num_vectors; ++i) {
    matrix[i * num_vectors + i] = 0;
    for (int64_t j = 0; j < i; ++j, ++triangle) {
      matrix[i * num_vectors + j] = *triangle;
      matrix[j * num_vectors + i] = *triangle;
    }
  }
}

/// kCount rows of dz = matrix z, 16 columns.
template <int kCount>
AMBIDEX_INLINE_FUNCTION void mix_rows(const float* matrix, int64_t num_vectors, const float* z,
                                      int64_t width, Lanes (&sums)[kCount]) {
  for (Lanes& sum : sums) sum = Lanes{};
  for (int64_t j = 0; j < num_vectors; ++j) {
    Lanes lanes;
    load(z + j * width, lanes);
    for (int r = 0; r < kCount; ++r) sums[r] += lanes * matrix[r * num_vectors + j];
  }
}

template <int kCount>
AMBIDEX_INLINE_FUNCTION void mix_all_columns(const float* matrix, int64_t num_vectors,
                                             const float* z, int64_t width, int64_t dim,
                                             float* dz) {
  for (int64_t d = 0; d < dim; d += kLanes) {
    Lanes sums[kCount];
    mix_rows<kCount>(matrix, num_vectors, z + d, width, sums);
    for (int64_t r = 0; r < kCount; ++r)
      store_before(sums[r], dz + r * dim + d, dz + (r + 1) * dim);
  }
}

/// z [num_vectors, width] is padded to full vectors; dz [num_vectors, dim] is not.
AMBIDEX_INLINE_FUNCTION void dot_sample_backward(const float* z, int64_t width, const float* matrix,
                                                 int64_t num_vectors, int64_t dim, float* dz) {
  if (num_vectors < kRows) {
    for (int64_t i = 0; i < num_vectors; ++i) {
      mix_all_columns<1>(matrix + i * num_vectors, num_vectors, z, width, dim, dz + i * dim);
    }
    return;
  }
  for (int64_t i = 0; i < num_vectors; i += kRows) {
    const int64_t first = std::min(i, num_vectors - kRows);  // the last group overlaps another
    mix_all_columns<kRows>(matrix + first * num_vectors, num_vectors, z, width, dim,
                           dz + first * dim);
  }
}

}  // namespace

void dot_forward(Workers& workers, const float* z, int64_t z_stride, float* out, int64_t out_stride,
                 int64_t batch, int64_t num_vectors, int64_t dim) {
  const int64_t width = round_up(num_vectors);
  const int64_t samples = samples_of_task(num_vectors * num_vectors * dim);
  for_blocks(workers, batch, samples, [=](int64_t begin, int64_t end) {
    std::vector<float> room(static_cast<size_t>((dim + kRows) * width));
    float* columns = room.data();
    with_isa([=]() AMBIDEX_INLINE {
      for (int64_t s = begin; s < end; ++s) {
        dot_sample(z + s * z_stride, num_vectors, dim, width, columns, out + s * out_stride);
      }
    });
  });
}

void dot_backward(Workers& workers, const float* z, int64_t z_stride, const float* dout,
                  int64_t dout_stride, float* dz, int64_t dz_stride, int64_t batch,
                  int64_t num_vectors, int64_t dim) {
  const int64_t width = round_up(dim);
  const int64_t samples = samples_of_task(num_vectors * num_vectors * dim);
  for_blocks(workers, batch, samples, [=](int64_t begin, int64_t end) {
    std::vector<float> room(static_cast<size_t>(num_vectors * (num_vectors + width)));
    float* matrix = room.data();
    float* padded = matrix + num_vectors * num_vectors;
    with_isa([=]() AMBIDEX_INLINE {
      for (int64_t s = begin; s < end; ++s) {
        const float* from = z + s * z_stride;
        if (width != dim) {
          for (int64_t j = 0; j < num_vectors; ++j) {
            std::memcpy(padded + j * width, from + j * dim, static_cast<size_t>(dim) * 4);
          }
          from = padded;
        }
        const float* gradient = dout + s * dout_stride;
        float* to = dz + s * dz_stride;
        unpack(gradient + dim, num_vectors, matrix);
        dot_sample_backward(from, width, matrix, num_vectors, dim, to);
        for (int64_t d = 0; d < dim; ++d) to[d] += gradient[d];
      }
    });
  });
}

void fm_forward(Workers& workers, const float* z, int64_t z_stride, float* logit, int64_t batch,
                int64_t num_vectors, int64_t dim) {
  for_blocks(workers, batch, samples_of_task(num_vectors * dim), [=](int64_t begin, int64_t end) {
    std::vector<float> room(static_cast<size_t>(2 * dim));
    float* __restrict sum = room.data();
    float* __restrict squares = sum + dim;
    with_isa([=]() AMBIDEX_INLINE {
      for (int64_t s = begin; s < end; ++s) {
        for (int64_t d = 0; d < dim; ++d) sum[d] = squares[d] = 0;
        for (int64_t j = 0; j < num_vectors; ++j) {
          const float* __restrict vector = z + s * z_stride + j * dim;
          for (int64_t d = 0; d < dim; ++d) {
            sum[d] += vector[d];
            squares[d] += vector[d] * vector[d];
          }
        }
        float total = 0;
        for (int64_t d = 0; d < dim; ++d) total += sum[d] * sum[d] - squares[d];
        logit[s] += total * 0.5f;
      }
    });
  });
}

void fm_backward(Workers& workers, const float* z, int64_t z_stride, const float* dlogit, float* dz,
                 int64_t dz_stride, int64_t batch, int64_t num_vectors, int64_t dim) {
  for_blocks(workers, batch, samples_of_task(num_vectors * dim), [=](int64_t begin, int64_t end) {
    std::vector<float> room(static_cast<size_t>(dim));
    float* __restrict sum = room.data();
    with_isa([=]() AMBIDEX_INLINE {
      for (int64_t s = begin; s < end; ++s) {
        for (int64_t d = 0; d < dim; ++d) sum[d] = 0;
        for (int64_t j = 0; j < num_vectors; ++j) {
          const float* __restrict vector = z + s * z_stride + j * dim;
          for (int64_t d = 0; d < dim; ++d) sum[d] += vector[d];
        }
        for (int64_t j = 0; j < num_vectors; ++j) {
          const float* __restrict vector = z + s * z_stride + j * dim;
          float* __restrict to = dz + s * dz_stride + j * dim;
          for (int64_t d = 0; d < dim; ++d) to[d] += dlogit[s] * (sum[d] - vector[d]);
        }
      }
    });
  });
}

void cross_backward(Workers& workers, const float* x0, const float* u, const float* dnext,
                    float* du, float* dx0, int64_t batch, int64_t dim, CrossPlace place) {
  for_blocks(workers, batch * dim, kBlock, [=](int64_t begin, int64_t end) {
    const float* __restrict a = x0;
    const float* __restrict b = u;
    const float* __restrict g = dnext;
    float* __restrict to_u = du;
    float* __restrict to_x0 = dx0;
    with_isa([=]() AMBIDEX_INLINE {
      for (int64_t i = begin; i < end; ++i) to_u[i] = g[i] * a[i];
      if (place.is_last) {
        for (int64_t i = begin; i < end; ++i) to_x0[i] = g[i] * b[i];
      } else {
        for (int64_t i = begin; i < end; ++i) to_x0[i] += g[i] * b[i];
      }
      if (place.is_first) {
        for (int64_t i = begin; i < end; ++i) to_x0[i] += g[i];
      }
    });
  });
}

}  // namespace ambidex
