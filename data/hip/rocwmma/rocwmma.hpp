// SPDX-License-Identifier: Apache-2.0
// rocWMMA's fragments of a whole wave of 64, in the shape 16 x 16 x 16 of half precision and
// bfloat16 with float accumulators: one matrix instruction of CDNA. In the executor the same
// layout, by exchanges. Layout: A's row and B's column are lane % 16, their k 4 (lane / 16) + i; of
// accumulators the column is lane % 16, the row 4 (lane / 16) + i.
#pragma once

#include "hip/hip_bf16.h"
#include "hip/hip_fp16.h"

namespace rocwmma {

using float16_t = _Float16;
using float32_t = float;
using bfloat16_t = __hip_bfloat16;

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };

template <class Use, unsigned m, unsigned n, unsigned k, class T, class Layout = void>
class fragment {
  static_assert(m == 16 && n == 16 && k == 16, "these headers have the shape 16 x 16 x 16 only");

 public:
  using element_type = T;
  enum { num_elements = 4 };
  T x[4];
};

AMBIDEX_HIP_DEVICE unsigned ambidex_line() { return __lane_id() % 16; }
AMBIDEX_HIP_DEVICE unsigned ambidex_step(unsigned i) { return __lane_id() / 16 * 4 + i; }

template <class Use, unsigned m, unsigned n, unsigned k, class T, class Layout, class Value>
AMBIDEX_HIP_DEVICE void fill_fragment(fragment<Use, m, n, k, T, Layout>& a, Value value) {
  for (T& element : a.x) element = static_cast<T>(value);
}
template <class Use, unsigned m, unsigned n, unsigned k, class T, class Layout>
AMBIDEX_HIP_DEVICE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& a, const T* from,
                                         unsigned ldm) {
  // Along a line (a row of A, a column of B) k is contiguous if A is by rows, or B by columns.
  constexpr bool kByLines = std::is_same_v<Use, matrix_a> == std::is_same_v<Layout, row_major>;
  for (unsigned i = 0; i < 4; ++i) {
    a.x[i] = from[kByLines ? ambidex_line() * ldm + ambidex_step(i)
                           : ambidex_step(i) * ldm + ambidex_line()];
  }
}
template <unsigned m, unsigned n, unsigned k, class T>
AMBIDEX_HIP_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T>& a, const T* from,
                                         unsigned ldm, layout_t layout) {
  for (unsigned i = 0; i < 4; ++i) {
    a.x[i] = from[layout == mem_row_major ? ambidex_step(i) * ldm + ambidex_line()
                                          : ambidex_line() * ldm + ambidex_step(i)];
  }
}
template <unsigned m, unsigned n, unsigned k, class T>
AMBIDEX_HIP_DEVICE void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& a,
                                          unsigned ldm, layout_t layout) {
  for (unsigned i = 0; i < 4; ++i) {
    to[layout == mem_row_major ? ambidex_step(i) * ldm + ambidex_line()
                               : ambidex_line() * ldm + ambidex_step(i)] = a.x[i];
  }
}

#if defined(AMBIDEX_HIP_GFX)
typedef float ambidex_sums __attribute__((ext_vector_type(4)));
template <class T>
AMBIDEX_HIP_DEVICE ambidex_sums ambidex_product(const T (&a)[4], const T (&b)[4], ambidex_sums c) {
  if constexpr (std::is_same_v<T, __hip_bfloat16>) {
    typedef short Four __attribute__((ext_vector_type(4)));
    return __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(__builtin_bit_cast(Four, a),
                                                     __builtin_bit_cast(Four, b), c, 0, 0, 0);
  } else {
    typedef _Float16 Four __attribute__((ext_vector_type(4)));
    return __builtin_amdgcn_mfma_f32_16x16x16f16(__builtin_bit_cast(Four, a),
                                                 __builtin_bit_cast(Four, b), c, 0, 0, 0);
  }
}
#endif

template <unsigned m, unsigned n, unsigned k, class T, class LayoutA, class LayoutB>
AMBIDEX_HIP_DEVICE void mma_sync(fragment<accumulator, m, n, k, float>& d,
                                 const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                                 const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                                 const fragment<accumulator, m, n, k, float>& c) {
#if defined(AMBIDEX_HIP_GFX)
  const ambidex_sums sums = ambidex_product(a.x, b.x, ambidex_sums{c.x[0], c.x[1], c.x[2], c.x[3]});
  for (int i = 0; i < 4; ++i) d.x[i] = sums[i];
#else
  float sums[4] = {c.x[0], c.x[1], c.x[2], c.x[3]};
  for (int step = 0; step < 16; ++step) {
    const int lanes = step / 4 * 16;  // that hold this k
    const float column =
        __shfl(static_cast<float>(b.x[step % 4]), lanes + static_cast<int>(ambidex_line()), 64);
    for (unsigned i = 0; i < 4; ++i) {
      const float row =
          __shfl(static_cast<float>(a.x[step % 4]), lanes + static_cast<int>(ambidex_step(i)), 64);
      sums[i] = __builtin_fmaf(row, column, sums[i]);
    }
  }
  for (int i = 0; i < 4; ++i) d.x[i] = sums[i];
#endif
}
AMBIDEX_HIP_DEVICE void synchronize_workgroup() { __syncthreads(); }

}  // namespace rocwmma
