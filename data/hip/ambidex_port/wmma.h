// SPDX-License-Identifier: Apache-2.0
// CUDA's nvcuda::wmma on logical warps of 32 lanes, two in a wave [N02]. Products are made of
// exchanges and multiply-adds: right, with every element where CUDA has it, and slow. AMD's matrix
// instructions work on whole waves, so their use is another distribution of the work.
#ifndef AMBIDEX_PORT_WMMA_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_WMMA_H

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

#include <type_traits>

#include "ambidex_port/warp.h"
#include "ambidex_port/wmma_layout.h"

namespace ambidex_port {
namespace wmma {

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
 public:
  using Shape = layout::Shape<Use, m, n, k, T>;
  using element_type = T;
  using storage_element_type = typename layout::Stored<T>::type;
  enum { num_elements = Shape::kNum, num_storage_elements = Shape::kNum };
  storage_element_type x[Shape::kNum];
};

template <class Use, int m, int n, int k, class T, class Layout, class Value>
AMBIDEX_PORT_DEVICE void fill_fragment(fragment<Use, m, n, k, T, Layout>& a, const Value& value) {
  for (int i = 0; i < static_cast<int>(a.num_elements); ++i) a.x[i] = value;
}

template <class Fragment, class T>
AMBIDEX_PORT_DEVICE void load_elements(Fragment& a, const T* from, unsigned ldm, bool by_rows) {
  using Shape = typename Fragment::Shape;
  const int lane = static_cast<int>(lane_id());
#pragma unroll
  for (int i = 0; i < Shape::kNum; ++i) {
    const size_t row = static_cast<size_t>(Shape::row(lane, i));
    const size_t column = static_cast<size_t>(Shape::column(lane, i));
    a.x[i] = from[by_rows ? row * ldm + column : column * ldm + row];
  }
}
template <class Use, int m, int n, int k, class T, class Layout, class S>
AMBIDEX_PORT_DEVICE void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& a, const S* from,
                                          unsigned ldm) {
  static_assert(!std::is_same<Use, accumulator>::value, "an accumulator needs a layout");
  load_elements(a, from, ldm, std::is_same<Layout, row_major>::value);
}
template <int m, int n, int k, class T, class S>
AMBIDEX_PORT_DEVICE void load_matrix_sync(fragment<accumulator, m, n, k, T>& a, const S* from,
                                          unsigned ldm, layout_t order) {
  load_elements(a, from, ldm, order == mem_row_major);
}
template <int m, int n, int k, class T, class S>
AMBIDEX_PORT_DEVICE void store_matrix_sync(S* to, const fragment<accumulator, m, n, k, T>& a,
                                           unsigned ldm, layout_t order) {
  using Shape = layout::Shape<accumulator, m, n, k, T>;
  const int lane = static_cast<int>(lane_id());
#pragma unroll
  for (int i = 0; i < Shape::kNum; ++i) {
    const size_t row = static_cast<size_t>(Shape::row(lane, i));
    const size_t column = static_cast<size_t>(Shape::column(lane, i));
    to[order == mem_row_major ? row * ldm + column : column * ldm + row] = a.x[i];
  }
}

// Round to nearest, ties away from zero, at 10 bits of fraction.
AMBIDEX_PORT_DEVICE float __float_to_tf32(float x) {
  const unsigned bits = bits_as<unsigned>(x);
  if ((bits & 0x7f800000u) == 0x7f800000u) return x;
  return bits_as<float>((bits + 0x1000u) & ~0x1fffu);
}

namespace product {

// What the tensor cores see of an element; of tf32 they do not read the 13 low bits.
AMBIDEX_PORT_DEVICE float operand(__half x) { return __half2float(x); }
AMBIDEX_PORT_DEVICE float operand(__hip_bfloat16 x) { return __bfloat162float(x); }
AMBIDEX_PORT_DEVICE float operand(float x) {
  return bits_as<float>(bits_as<unsigned>(x) & ~0x1fffu);
}
AMBIDEX_PORT_DEVICE double operand(double x) { return x; }
AMBIDEX_PORT_DEVICE int operand(signed char x) { return x; }
AMBIDEX_PORT_DEVICE int operand(unsigned char x) { return x; }

// Sums are wider than accumulators and rounded once, at the end: no tensor core's order of
// additions errs less. Those of int can saturate.
AMBIDEX_PORT_DEVICE double start_of(__half x) { return __half2float(x); }
AMBIDEX_PORT_DEVICE double start_of(float x) { return x; }
AMBIDEX_PORT_DEVICE double start_of(double x) { return x; }
AMBIDEX_PORT_DEVICE long long start_of(int x) { return x; }
AMBIDEX_PORT_DEVICE double add_product(double sum, double a, double b) {
  return __builtin_fma(a, b, sum);
}
AMBIDEX_PORT_DEVICE long long add_product(long long sum, int a, int b) { return sum + a * b; }
AMBIDEX_PORT_DEVICE void finish(double sum, bool, __half* out) {
  *out = static_cast<_Float16>(sum);
}
AMBIDEX_PORT_DEVICE void finish(double sum, bool, float* out) { *out = static_cast<float>(sum); }
AMBIDEX_PORT_DEVICE void finish(double sum, bool, double* out) { *out = sum; }
AMBIDEX_PORT_DEVICE void finish(long long sum, bool saturate, int* out) {
  const long long most = 0x7fffffffll;
  if (saturate) sum = sum > most ? most : sum < -most - 1 ? -most - 1 : sum;
  *out = static_cast<int>(sum);
}

}  // namespace product

// Element (outer, inner) of an operand, for this lane's own outer. Its number in the lanes that
// hold it is the same for all lanes: known when compiled.
template <class Fragment>
AMBIDEX_PORT_DEVICE auto operand_at(const Fragment& a, int outer, int element_outer, int inner) {
  constexpr layout::Steps steps = Fragment::Shape::kSteps;
  const auto wide = product::operand(a.x[layout::element_at(steps, element_outer, inner)]);
  return __shfl(wide, layout::lane_at(steps, outer, inner), 32);
}

// d = a b + c; all lanes of the logical warp must take part. `d` may be `c`.
template <int m, int n, int k, class T, class LayoutA, class LayoutB, class TC, class TD>
AMBIDEX_PORT_DEVICE void mma_sync(fragment<accumulator, m, n, k, TD>& d,
                                  const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                                  const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                                  const fragment<accumulator, m, n, k, TC>& c,
                                  bool saturate = false) {
  using Shape = layout::Shape<accumulator, m, n, k, TC>;
  constexpr int kNum = Shape::kNum;
  // A lane's elements are in one row of every 8 and two columns of every 8, or the other way round.
  constexpr int kRows = m / 8 * (Shape::kTurned ? 2 : 1);
  constexpr int kColumns = n / 8 * (Shape::kTurned ? 1 : 2);
  const int high = static_cast<int>(lane_id()) / 4, low = static_cast<int>(lane_id()) % 4 * 2;
  decltype(product::start_of(TC())) sums[kNum];
#pragma unroll
  for (int i = 0; i < kNum; ++i) sums[i] = product::start_of(c.x[i]);
#pragma unroll
  for (int step = 0; step < k; ++step) {
    decltype(operand_at(a, 0, 0, 0)) rows[kRows], columns[kColumns];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int row = Shape::kTurned ? i / 2 * 8 + i % 2 : i * 8;
      rows[i] = operand_at(a, row + (Shape::kTurned ? low : high), row, step);
    }
#pragma unroll
    for (int i = 0; i < kColumns; ++i) {
      const int column = Shape::kTurned ? i * 8 : i / 2 * 8 + i % 2;
      columns[i] = operand_at(b, column + (Shape::kTurned ? high : low), column, step);
    }
#pragma unroll
    for (int i = 0; i < kNum; ++i) {
      const int row = Shape::row(0, i), column = Shape::column(0, i);
      sums[i] =
          product::add_product(sums[i], rows[Shape::kTurned ? row / 8 * 2 + row % 2 : row / 8],
                               columns[Shape::kTurned ? column / 8 : column / 8 * 2 + column % 2]);
    }
  }
#pragma unroll
  for (int i = 0; i < kNum; ++i) product::finish(sums[i], saturate, &d.x[i]);
}

}  // namespace wmma
}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_WMMA_H
