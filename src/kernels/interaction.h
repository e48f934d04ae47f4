// SPDX-License-Identifier: Apache-2.0
// How embeddings and the bottom tower's output meet, forward and backward, f32 on the CPU. Rows of
// samples are independent, so any division among threads gives the same bits.
#pragma once

#include <cstdint>

#include "base/parallel.h"

namespace ambidex {

/// out = [first vector, products of all pairs i > j, pair (1,0), (2,0), (2,1), (3,0), ...].
///   z    [batch, num_vectors, dim], rows of samples z_stride floats apart; vector 0 is the bottom
///        tower's output
///   out  [batch, dim + num_vectors (num_vectors - 1) / 2], rows out_stride floats apart, written
void dot_forward(Workers& workers, const float* z, int64_t z_stride, float* out, int64_t out_stride,
                 int64_t batch, int64_t num_vectors, int64_t dim);

/// dz [batch, num_vectors, dim] written, from dout, laid out as out.
void dot_backward(Workers& workers, const float* z, int64_t z_stride, const float* dout,
                  int64_t dout_stride, float* dz, int64_t dz_stride, int64_t batch,
                  int64_t num_vectors, int64_t dim);

/// Second-order term of a factorisation machine: logit[s] += sum over pairs i < j of <z_i, z_j>,
/// by (|sum z|^2 - sum |z|^2) / 2.
///   logit [batch], added to
void fm_forward(Workers& workers, const float* z, int64_t z_stride, float* logit, int64_t batch,
                int64_t num_vectors, int64_t dim);

/// dz[s, i] += dlogit[s] * (sum_j z_j - z_i); dz [batch, num_vectors, dim] is added to.
void fm_backward(Workers& workers, const float* z, int64_t z_stride, const float* dlogit, float* dz,
                 int64_t dz_stride, int64_t batch, int64_t num_vectors, int64_t dim);

/// Where a layer is in a cross network. The last is the first that backward meets: it writes dx0
/// where the others add to it. Of the first, x is x0 and dx0 also gets dx' = dnext.
struct CrossPlace {
  bool is_first = false;
  bool is_last = false;
};

/// Elementwise part of a cross layer's backward, next = x0 * u + x: du = dnext * x0 written,
/// dx0 += dnext * u. (dx = dnext + what comes back through w and v; the caller adds that.)
///   all [batch, dim] contiguous
void cross_backward(Workers& workers, const float* x0, const float* u, const float* dnext,
                    float* du, float* dx0, int64_t batch, int64_t dim, CrossPlace place);

namespace twin {
void dot_forward(const float* z, int64_t z_stride, float* out, int64_t out_stride, int64_t batch,
                 int64_t num_vectors, int64_t dim);
void dot_backward(const float* z, int64_t z_stride, const float* dout, int64_t dout_stride,
                  float* dz, int64_t dz_stride, int64_t batch, int64_t num_vectors, int64_t dim);
void fm_forward(const float* z, int64_t z_stride, float* logit, int64_t batch, int64_t num_vectors,
                int64_t dim);
void fm_backward(const float* z, int64_t z_stride, const float* dlogit, float* dz,
                 int64_t dz_stride, int64_t batch, int64_t num_vectors, int64_t dim);
void cross_backward(const float* x0, const float* u, const float* dnext, float* du, float* dx0,
                    int64_t batch, int64_t dim, CrossPlace place);
}  // namespace twin

}  // namespace ambidex
