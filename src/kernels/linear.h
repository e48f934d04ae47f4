// SPDX-License-Identifier: Apache-2.0
// Fully connected layers in f32 on the CPU: oneDNN's matrix product on tiles whose number and sizes
// depend on the shape alone, one thread to a tile, no sum split between tiles. So the bits of a
// result do not depend on the number of threads.
//
// All matrices row-major: x [batch, in], w [out, in], bias [out], y [batch, out].
#pragma once

#include <cstdint>

#include "base/parallel.h"

namespace ambidex {

enum class Activation : uint8_t { none, relu };

/// y = activation(x w^T + bias). bias may be null.
///   x_stride, y_stride   floats from row to row, >= in and >= out
void linear_forward(Workers& workers, const float* x, int64_t x_stride, const float* w,
                    const float* bias, float* y, int64_t y_stride, int64_t batch, int64_t in,
                    int64_t out, Activation activation);

/// Second half of a layer of the cross network: u = vx w^T + bias, next = x0 * u + x.
///   vx [batch, rank]   w [dim, rank]   bias [dim]   all others [batch, dim]; u and next written
void cross_forward(Workers& workers, const float* vx, const float* w, const float* bias,
                   const float* x0, const float* x, float* u, float* next, int64_t batch,
                   int64_t rank, int64_t dim);

/// dx = dy w, then, if `x_mask` is given, zero where x_mask <= 0: the gradient through the ReLU
/// that made x.
///   dy [batch, out]   w [out, in]   x_mask [batch, in] or null
///   dx [batch, in], written; added to (and masked after that) if `accumulate`
void linear_backward_input(Workers& workers, const float* dy, int64_t dy_stride, const float* w,
                           float* dx, int64_t dx_stride, const float* x_mask, int64_t mask_stride,
                           int64_t batch, int64_t in, int64_t out, bool accumulate = false);

/// dw = dy^T x and dbias = column sums of dy, in row order. dbias may be null.
///   dw [out, in] written   dbias [out] written
void linear_backward_weight(Workers& workers, const float* x, int64_t x_stride, const float* dy,
                            int64_t dy_stride, float* dw, float* dbias, int64_t batch, int64_t in,
                            int64_t out);

/// Plain loops, sums in double: what the above are tested against.
namespace twin {
void linear_forward(const float* x, int64_t x_stride, const float* w, const float* bias, float* y,
                    int64_t y_stride, int64_t batch, int64_t in, int64_t out,
                    Activation activation);
void cross_forward(const float* vx, const float* w, const float* bias, const float* x0,
                   const float* x, float* u, float* next, int64_t batch, int64_t rank, int64_t dim);
void linear_backward_input(const float* dy, int64_t dy_stride, const float* w, float* dx,
                           int64_t dx_stride, const float* x_mask, int64_t mask_stride,
                           int64_t batch, int64_t in, int64_t out, bool accumulate = false);
void linear_backward_weight(const float* x, int64_t x_stride, const float* dy, int64_t dy_stride,
                            float* dw, float* dbias, int64_t batch, int64_t in, int64_t out);
}  // namespace twin

}  // namespace ambidex
