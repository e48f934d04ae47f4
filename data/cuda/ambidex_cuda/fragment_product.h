// SPDX-License-Identifier: Apache-2.0
// mma_sync: the fragments of all lanes are put together, multiplied and handed out again.
#pragma once
#pragma GCC system_header

#include "fragments.h"

namespace ambidex_cuda {

// What the tensor cores see of an element; tf32 is a float whose 13 low bits they do not read.
AMBIDEX_HD double operand(__half x) { return value_of(x); }
AMBIDEX_HD double operand(__nv_bfloat16 x) { return value_of(x); }
AMBIDEX_HD double operand(double x) { return x; }
AMBIDEX_HD long long operand(signed char x) { return x; }
AMBIDEX_HD long long operand(unsigned char x) { return x; }
AMBIDEX_HD double operand(float x) {
  return __builtin_bit_cast(float, __builtin_bit_cast(unsigned int, x) & ~0x1fffu);
}
AMBIDEX_HD double start_of(__half x) { return value_of(x); }
AMBIDEX_HD double start_of(float x) { return x; }
AMBIDEX_HD double start_of(double x) { return x; }
AMBIDEX_HD long long start_of(int x) { return x; }
AMBIDEX_HD void finish(double sum, bool, __half* out) { *out = __half(sum); }
AMBIDEX_HD void finish(double sum, bool, float* out) { *out = float(sum); }
AMBIDEX_HD void finish(double sum, bool, double* out) { *out = sum; }
AMBIDEX_HD void finish(long long sum, bool saturate, int* out) {
  if (saturate && sum > 0x7fffffffll) sum = 0x7fffffffll;
  if (saturate && sum < -0x80000000ll) sum = -0x80000000ll;
  *out = int((unsigned int)sum);
}

// For counts: the operands' type as ambidex_simt_matrix_product() takes it.
AMBIDEX_HD int product_type(__half) { return 2; }
AMBIDEX_HD int product_type(__nv_bfloat16) { return 3; }
AMBIDEX_HD int product_type(float) { return 1; }
AMBIDEX_HD int product_type(double) { return 255; }
AMBIDEX_HD int product_type(signed char) { return 8; }
AMBIDEX_HD int product_type(unsigned char) { return 8; }

// Whether floats are rounded up or down here: then the original's own error is asked for.
AMBIDEX_HD bool rounds_to_a_side() {
  volatile float one = 1, little = 0x1p-30f;
  return one + little != one || -one - little != -one;
}
// One more term. Sums in float may round after each, in any order (PTX ISA 9.7.14); what is
// computed is the exact sum rounded once, which would have almost no error of its own.
AMBIDEX_HD void add_term(double& sum, double term, bool in_float) {
  sum += term;
  if (in_float) sum = float(sum);
}
AMBIDEX_HD void add_term(long long& sum, long long term, bool) { sum += term; }

template <class A, class B, class C, class D>
struct ProductPayload {
  const A* a;
  const B* b;
  const C* c;
  D* d;
  bool saturate;
  bool complete;  // all 32 lanes took part
};

template <class FragmentA, class FragmentB, class FragmentC, class FragmentD, int m, int n, int k>
inline AMBIDEX_COMBINE void combine_product(void** payloads, ambidex_simt_u32 wave_width) {
  using Payload = ProductPayload<FragmentA, FragmentB, FragmentC, FragmentD>;
  using Sum = decltype(start_of(FragmentC().x[0]));
  Sum a[m][k], b[k][n], c[m][n];
  bool complete = wave_width == 32;
  for (ambidex_simt_u32 lane = 0; lane < 32; ++lane) {
    const Payload* const p = static_cast<const Payload*>(payloads[lane]);
    complete = complete && p != nullptr;
    if (p == nullptr) continue;
    using ShapeA = typename FragmentA::ambidex_shape;
    using ShapeB = typename FragmentB::ambidex_shape;
    using ShapeC = typename FragmentC::ambidex_shape;
    for (int i = 0; i < ShapeA::kNum; ++i) {
      a[ShapeA::row(int(lane), i)][ShapeA::column(int(lane), i)] = operand(p->a->x[i]);
    }
    for (int i = 0; i < ShapeB::kNum; ++i) {
      b[ShapeB::row(int(lane), i)][ShapeB::column(int(lane), i)] = operand(p->b->x[i]);
    }
    for (int i = 0; i < ShapeC::kNum; ++i) {
      c[ShapeC::row(int(lane), i)][ShapeC::column(int(lane), i)] = start_of(p->c->x[i]);
    }
  }
  const bool in_float = sizeof(FragmentD().x[0]) < sizeof(double) && rounds_to_a_side();
  for (int row = 0; complete && row < m; ++row) {
    for (int i = 0; i < k; ++i) {
      for (int column = 0; column < n; ++column) {
        add_term(c[row][column], a[row][i] * b[i][column], in_float);
      }
    }
  }
  using ShapeD = typename FragmentD::ambidex_shape;
  for (ambidex_simt_u32 lane = 0; lane < wave_width; ++lane) {
    Payload* const p = static_cast<Payload*>(payloads[lane]);
    if (p == nullptr) continue;
    p->complete = complete;
    for (int i = 0; complete && i < ShapeD::kNum; ++i) {
      finish(c[ShapeD::row(int(lane), i)][ShapeD::column(int(lane), i)], p->saturate, &p->d->x[i]);
    }
  }
}

}  // namespace ambidex_cuda

namespace nvcuda {
namespace wmma {

template <int m, int n, int k, class T, class LayoutA, class LayoutB, class TC, class TD>
AMBIDEX_MEMBER_D void mma_sync(fragment<accumulator, m, n, k, TD>& d,
                               const fragment<matrix_a, m, n, k, T, LayoutA>& a,
                               const fragment<matrix_b, m, n, k, T, LayoutB>& b,
                               const fragment<accumulator, m, n, k, TC>& c, bool satf = false) {
  using A = fragment<matrix_a, m, n, k, T, LayoutA>;
  using B = fragment<matrix_b, m, n, k, T, LayoutB>;
  using C = fragment<accumulator, m, n, k, TC>;
  using D = fragment<accumulator, m, n, k, TD>;
  ambidex_cuda::ProductPayload<A, B, C, D> payload{&a, &b, &c, &d, satf, false};
  ambidex_simt_matrix_product(ambidex_cuda::product_type(a.x[0]), 2ul * m * n * k / 32);
  ambidex_simt_collective(0xfffffffful, &payload,
                          ambidex_cuda::combine_product<A, B, C, D, m, n, k>);
  if (!payload.complete) ambidex_simt_trap("mma_sync needs all 32 lanes of the warp");
}

}  // namespace wmma
}  // namespace nvcuda
