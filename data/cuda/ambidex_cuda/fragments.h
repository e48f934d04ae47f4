// SPDX-License-Identifier: Apache-2.0
// Fragments, where their elements lie in the matrix, and loading, storing and filling them.
//
// An operand is a matrix of `outer` rows (m of A and of most accumulators, n of B) along `inner`
// (k; n of accumulators). Lanes: two low bits along inner, three high bits along outer. Each bit
// of an element's number is a step along one of them.
#pragma once
#pragma GCC system_header

#include "../cuda_bf16.h"
#include "../cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct matrix_a {};
struct matrix_b {};
struct accumulator {};
struct row_major {};
struct col_major {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
struct u4 {};
struct s4 {};
struct b1 {};
}  // namespace precision
namespace experimental {
namespace precision = ::nvcuda::wmma::precision;
}

// Round to nearest, ties away from zero, at 10 bits of fraction.
AMBIDEX_D float __float_to_tf32(float in) {
  const unsigned int bits = __builtin_bit_cast(unsigned int, in);
  if ((bits & 0x7f800000u) == 0x7f800000u) return in;
  return __builtin_bit_cast(float, (bits + 0x1000u) & ~0x1fffu);
}

}  // namespace wmma
}  // namespace nvcuda

namespace ambidex_cuda {

template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<nvcuda::wmma::precision::tf32> {
  using type = float;
};

struct Place {
  int outer, inner;
};
// Steps of the bits of an element's number: > 0 along inner, < 0 along outer, 0 repeats.
struct Steps {
  int lane;  // along inner, of the lowest bit of the lane
  int bit[4];
};
AMBIDEX_MEMBER_HD constexpr Steps steps_of_operand(int bytes, bool is_a, int outer) {
  if (bytes == 8) return {1, {0, 0, 0, 0}};
  if (bytes == 4) return is_a ? Steps{1, {-8, 4, 0, 0}} : Steps{1, {4, -8, 0, 0}};
  if (bytes == 1) return {4, {1, 2, -8, -16}};
  if (outer == 8) return {2, {1, 8, 0, 0}};
  if (outer == 16 && !is_a) return {2, {1, 8, -8, 0}};
  return {2, {1, -8, 8, outer == 32 ? -16 : 0}};
}
AMBIDEX_MEMBER_HD constexpr Steps steps_of_accumulator(int outer) {
  return {2, {1, -8, outer == 32 ? -16 : 8, 0}};
}
AMBIDEX_MEMBER_HD constexpr Place place_of(const Steps& steps, int lane, int element) {
  Place place{lane / 4, lane % 4 * steps.lane};
  for (int i = 0; i < 4; ++i) {
    if (!(element >> i & 1)) continue;
    if (steps.bit[i] > 0) place.inner += steps.bit[i];
    if (steps.bit[i] < 0) place.outer -= steps.bit[i];
  }
  return place;
}

// Number of elements a lane holds: of __half always 16, in part twice.
template <class T>
constexpr int elements_of_operand(int outer, int k) {
  return std::is_same<T, __half>::value ? 16 : outer * k / 32;
}

template <class Use, int m, int n, int k, class T>
struct Shape;
template <int m, int n, int k, class T>
struct Shape<nvcuda::wmma::matrix_a, m, n, k, T> {
  static constexpr int kBytes = sizeof(typename Stored<T>::type);
  static constexpr int kNum = elements_of_operand<T>(m, k);
  AMBIDEX_MEMBER_HD static constexpr int row(int lane, int i) {
    return place_of(steps_of_operand(kBytes, true, m), lane, i).outer;
  }
  AMBIDEX_MEMBER_HD static constexpr int column(int lane, int i) {
    return place_of(steps_of_operand(kBytes, true, m), lane, i).inner;
  }
};
template <int m, int n, int k, class T>
struct Shape<nvcuda::wmma::matrix_b, m, n, k, T> {
  static constexpr int kBytes = sizeof(typename Stored<T>::type);
  static constexpr int kNum = elements_of_operand<T>(n, k);
  AMBIDEX_MEMBER_HD static constexpr int row(int lane, int i) {
    return place_of(steps_of_operand(kBytes, false, n), lane, i).inner;
  }
  AMBIDEX_MEMBER_HD static constexpr int column(int lane, int i) {
    return place_of(steps_of_operand(kBytes, false, n), lane, i).outer;
  }
};
// An accumulator of 8 x 32 is laid out as the transpose of one of 32 x 8.
template <int m, int n, int k, class T>
struct Shape<nvcuda::wmma::accumulator, m, n, k, T> {
  static constexpr int kNum = m * n / 32;
  static constexpr bool kTurned = n == 32;
  AMBIDEX_MEMBER_HD static constexpr Place place(int lane, int i) {
    return place_of(steps_of_accumulator(kTurned ? n : m), lane, i);
  }
  AMBIDEX_MEMBER_HD static constexpr int row(int lane, int i) {
    return kTurned ? place(lane, i).inner : place(lane, i).outer;
  }
  AMBIDEX_MEMBER_HD static constexpr int column(int lane, int i) {
    return kTurned ? place(lane, i).outer : place(lane, i).inner;
  }
};

}  // namespace ambidex_cuda

namespace nvcuda {
namespace wmma {

template <class Use, int m, int n, int k, class T, class Layout = void>
class fragment {
 public:
  using element_type = T;
  using storage_element_type = typename ambidex_cuda::Stored<T>::type;
  using ambidex_shape = ambidex_cuda::Shape<Use, m, n, k, T>;
  enum { num_elements = ambidex_shape::kNum, num_storage_elements = ambidex_shape::kNum };
  storage_element_type x[ambidex_shape::kNum];
};

template <class Use, int m, int n, int k, class T, class Layout, class Value>
AMBIDEX_MEMBER_D void fill_fragment(fragment<Use, m, n, k, T, Layout>& a, const Value& value) {
  for (int i = 0; i < int(a.num_elements); ++i) a.x[i] = value;
}

template <class Fragment, class T>
AMBIDEX_MEMBER_D void ambidex_load(Fragment& a, const T* from, unsigned ldm, bool by_rows) {
  using Shape = typename Fragment::ambidex_shape;
  const int lane = int(ambidex_cuda::lane());
  for (int i = 0; i < Shape::kNum; ++i) {
    const unsigned row = unsigned(Shape::row(lane, i));
    const unsigned column = unsigned(Shape::column(lane, i));
    a.x[i] = from[by_rows ? size_t(row) * ldm + column : size_t(column) * ldm + row];
  }
}
template <int m, int n, int k, class T, class S>
AMBIDEX_MEMBER_D void load_matrix_sync(fragment<matrix_a, m, n, k, T, row_major>& a, const S* from,
                                       unsigned ldm) {
  ambidex_load(a, from, ldm, true);
}
template <int m, int n, int k, class T, class S>
AMBIDEX_MEMBER_D void load_matrix_sync(fragment<matrix_a, m, n, k, T, col_major>& a, const S* from,
                                       unsigned ldm) {
  ambidex_load(a, from, ldm, false);
}
template <int m, int n, int k, class T, class S>
AMBIDEX_MEMBER_D void load_matrix_sync(fragment<matrix_b, m, n, k, T, row_major>& a, const S* from,
                                       unsigned ldm) {
  ambidex_load(a, from, ldm, true);
}
template <int m, int n, int k, class T, class S>
AMBIDEX_MEMBER_D void load_matrix_sync(fragment<matrix_b, m, n, k, T, col_major>& a, const S* from,
                                       unsigned ldm) {
  ambidex_load(a, from, ldm, false);
}
template <int m, int n, int k, class T, class S>
AMBIDEX_MEMBER_D void load_matrix_sync(fragment<accumulator, m, n, k, T>& a, const S* from,
                                       unsigned ldm, layout_t layout) {
  ambidex_load(a, from, ldm, layout == mem_row_major);
}
template <int m, int n, int k, class T, class S>
AMBIDEX_MEMBER_D void store_matrix_sync(S* to, const fragment<accumulator, m, n, k, T>& a,
                                        unsigned ldm, layout_t layout) {
  using Shape = ambidex_cuda::Shape<accumulator, m, n, k, T>;
  const int lane = int(ambidex_cuda::lane());
  for (int i = 0; i < Shape::kNum; ++i) {
    const unsigned row = unsigned(Shape::row(lane, i));
    const unsigned column = unsigned(Shape::column(lane, i));
    to[layout == mem_row_major ? size_t(row) * ldm + column : size_t(column) * ldm + row] = a.x[i];
  }
}

}  // namespace wmma
}  // namespace nvcuda
