// SPDX-License-Identifier: Apache-2.0
// Where the elements of CUDA's fragments lie, as an H200 has them: programs may go by it.
//
// An operand is a matrix of `outer` rows (m of A and of most accumulators, n of B) along `inner`
// (k; n of accumulators). Of a lane's number, two low bits count along inner and three high bits
// along outer. Each bit of an element's number is a step along one of them.
#ifndef AMBIDEX_PORT_WMMA_LAYOUT_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_WMMA_LAYOUT_H

#include <hip/hip_fp16.h>

#include <type_traits>

#include "ambidex_port/platform.h"

namespace ambidex_port {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
}  // namespace precision

namespace layout {

template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<precision::tf32> {
  using type = float;
};

struct Place {
  int outer, inner;
};
struct Steps {
  int lane;    // along inner, of the lowest bit of the lane
  int bit[4];  // > 0 along inner, < 0 along outer, 0 repeats
};
AMBIDEX_PORT_INLINE constexpr Steps steps_of_operand(int bytes, bool is_a, int outer) {
  if (bytes == 8) return {1, {0, 0, 0, 0}};
  if (bytes == 4) return is_a ? Steps{1, {-8, 4, 0, 0}} : Steps{1, {4, -8, 0, 0}};
  if (bytes == 1) return {4, {1, 2, -8, -16}};
  if (outer == 8) return {2, {1, 8, 0, 0}};
  if (outer == 16 && !is_a) return {2, {1, 8, -8, 0}};
  return {2, {1, -8, 8, outer == 32 ? -16 : 0}};
}
AMBIDEX_PORT_INLINE constexpr Steps steps_of_accumulator(int outer) {
  return {2, {1, -8, outer == 32 ? -16 : 8, 0}};
}
AMBIDEX_PORT_INLINE constexpr Place place_of(const Steps& steps, int lane, int element) {
  Place place{lane / 4, lane % 4 * steps.lane};
  for (int i = 0; i < 4; ++i) {
    if (!(element >> i & 1)) continue;
    if (steps.bit[i] > 0) place.inner += steps.bit[i];
    if (steps.bit[i] < 0) place.outer -= steps.bit[i];
  }
  return place;
}
// The other way: which element of which lane. The element does not depend on outer's low bits.
AMBIDEX_PORT_INLINE constexpr int element_at(const Steps& steps, int outer, int inner) {
  int element = 0;
  for (int i = 0; i < 4; ++i) {
    const int step = steps.bit[i];
    if (step > 0 && (inner & step) != 0) element |= 1 << i;
    if (step < 0 && (outer & -step) != 0) element |= 1 << i;
  }
  return element;
}
AMBIDEX_PORT_INLINE constexpr int lane_at(const Steps& steps, int outer, int inner) {
  return (outer & 7) * 4 + inner / steps.lane % 4;
}

// Of half precision a lane always holds 16 elements, in part twice.
template <class T>
constexpr int elements_of_operand(int outer, int k) {
  return std::is_same<T, __half>::value ? 16 : outer * k / 32;
}

template <class Use, int m, int n, int k, class T>
struct Shape;
template <int m, int n, int k, class T>
struct Shape<matrix_a, m, n, k, T> {
  static constexpr int kNum = elements_of_operand<T>(m, k);
  static constexpr Steps kSteps = steps_of_operand(sizeof(typename Stored<T>::type), true, m);
  AMBIDEX_PORT_INLINE static constexpr int row(int lane, int i) {
    return place_of(kSteps, lane, i).outer;
  }
  AMBIDEX_PORT_INLINE static constexpr int column(int lane, int i) {
    return place_of(kSteps, lane, i).inner;
  }
};
template <int m, int n, int k, class T>
struct Shape<matrix_b, m, n, k, T> {
  static constexpr int kNum = elements_of_operand<T>(n, k);
  static constexpr Steps kSteps = steps_of_operand(sizeof(typename Stored<T>::type), false, n);
  AMBIDEX_PORT_INLINE static constexpr int row(int lane, int i) {
    return place_of(kSteps, lane, i).inner;
  }
  AMBIDEX_PORT_INLINE static constexpr int column(int lane, int i) {
    return place_of(kSteps, lane, i).outer;
  }
};
// An accumulator of 8 x 32 is laid out as the transpose of one of 32 x 8.
template <int m, int n, int k, class T>
struct Shape<accumulator, m, n, k, T> {
  static constexpr int kNum = m * n / 32;
  static constexpr bool kTurned = n == 32;
  AMBIDEX_PORT_INLINE static constexpr Place place(int lane, int i) {
    return place_of(steps_of_accumulator(kTurned ? n : m), lane, i);
  }
  AMBIDEX_PORT_INLINE static constexpr int row(int lane, int i) {
    return kTurned ? place(lane, i).inner : place(lane, i).outer;
  }
  AMBIDEX_PORT_INLINE static constexpr int column(int lane, int i) {
    return kTurned ? place(lane, i).outer : place(lane, i).inner;
  }
};

}  // namespace layout
}  // namespace wmma
}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_WMMA_LAYOUT_H
