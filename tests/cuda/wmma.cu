// SPDX-License-Identifier: Apache-2.0
// wmma: products of every shape and type, and where a lane's elements lie (PTX's mma.sync: groups
// of four lanes hold a row).
#include <mma.h>

#include "check.h"

using namespace nvcuda;

template <int m, int n, int k, class T, class Acc, class LayoutA, class LayoutB>
__global__ void product(const T* a, const T* b, const Acc* c, Acc* d, int lda, int ldb) {
  wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, m, n, k, Acc> fc;
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(fc, c, n, wmma::mem_row_major);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, m, wmma::mem_col_major);
}

template <class T>
double number(T x) {
  return double(float(x));
}

// Small whole numbers, so that sums are exact in every type.
template <int m, int n, int k, class T, class Acc, class LayoutA, class LayoutB>
void check_product(const char* name) {
  constexpr bool a_rows = std::is_same<LayoutA, wmma::row_major>::value;
  constexpr bool b_rows = std::is_same<LayoutB, wmma::row_major>::value;
  unsigned state = 9;
  std::vector<T> a, b;
  std::vector<Acc> c;
  for (int i = 0; i < m * k; ++i) a.push_back(T(float(next_random(state) % 7)));
  for (int i = 0; i < k * n; ++i) b.push_back(T(float(next_random(state) % 5)));
  for (int i = 0; i < m * n; ++i) c.push_back(Acc(float(next_random(state) % 100)));
  Array<T> da(a), db(b);
  Array<Acc> dc(c), dd(m * n);
  product<m, n, k, T, Acc, LayoutA, LayoutB>
      <<<1, 32>>>(da.device, db.device, dc.device, dd.device, a_rows ? k : m, b_rows ? n : k);
  const std::vector<Acc> got = dd.values();
  for (int row = 0; row < m; ++row) {
    for (int column = 0; column < n; ++column) {
      double sum = number(c[row * n + column]);
      for (int i = 0; i < k; ++i) {
        sum += number(a[a_rows ? row * k + i : i * m + row]) *
               number(b[b_rows ? i * n + column : column * k + i]);
      }
      check(number(got[column * m + row]) == sum, name, row * 100 + column);
    }
  }
}
template <int m, int n, int k, class T, class Acc>
void check_products(const char* name) {
  check_product<m, n, k, T, Acc, wmma::row_major, wmma::row_major>(name);
  check_product<m, n, k, T, Acc, wmma::row_major, wmma::col_major>(name);
  check_product<m, n, k, T, Acc, wmma::col_major, wmma::row_major>(name);
  check_product<m, n, k, T, Acc, wmma::col_major, wmma::col_major>(name);
}

// tf32's memory is float, which the hardware rounds off.
__global__ void product_tf32(const float* a, const float* b, float* d) {
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> fc;
  wmma::load_matrix_sync(fa, a, 8);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::fill_fragment(fc, 0.0f);
  for (int i = 0; i < int(fa.num_elements); ++i) fa.x[i] = wmma::__float_to_tf32(fa.x[i]);
  for (int i = 0; i < int(fb.num_elements); ++i) fb.x[i] = wmma::__float_to_tf32(fb.x[i]);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(d, fc, 16, wmma::mem_row_major);
}
void check_tf32() {
  std::vector<float> a, b;
  for (int i = 0; i < 128; ++i) a.push_back(float(i % 11) + 0x1p-14f);  // lost in tf32
  for (int i = 0; i < 128; ++i) b.push_back(float(i % 5));
  Array<float> da(a), db(b), dd(256);
  product_tf32<<<1, 32>>>(da.device, db.device, dd.device);
  const std::vector<float> got = dd.values();
  for (int i = 0; i < 256; ++i) {
    float sum = 0;
    for (int k = 0; k < 8; ++k)
      sum += float((i / 16 * 8 + k) % 11 ? (i / 16 * 8 + k) % 11 : 0) * b[k * 16 + i % 16];
    // Where a is 0 + 2^-14 nothing is lost: that much more is allowed.
    check(got[i] >= sum && got[i] <= sum + 40 * 0x1p-14f, "tf32", i);
  }
}

__global__ void layouts(const __half* in, int* out) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, __half> c;
  wmma::load_matrix_sync(a, in, 16);
  wmma::load_matrix_sync(b, in, 16);
  wmma::load_matrix_sync(c, in, 16, wmma::mem_row_major);
  for (int i = 0; i < 16; ++i) {
    out[threadIdx.x * 16 + i] = int(float(a.x[i]));
    out[512 + threadIdx.x * 16 + i] = int(float(b.x[i]));
    if (i < 8) out[1024 + threadIdx.x * 16 + i] = int(float(c.x[i]));
  }
}
void check_layouts() {
  std::vector<__half> in;
  for (int i = 0; i < 256; ++i) in.push_back(__half(float(i)));
  Array<__half> device_in(in);
  Array<int> out(3 * 512);
  layouts<<<1, 32>>>(device_in.device, out.device);
  const std::vector<int> got = out.values();
  for (int lane = 0; lane < 32; ++lane) {
    const int group = lane / 4, pair = lane % 4 * 2;
    for (int i = 0; i < 16; ++i) {
      const int at = lane * 16 + i, e = i % 8;
      const int a_row = group + (e / 2 % 2) * 8, a_column = pair + e % 2 + e / 4 * 8;
      const int b_row = pair + e % 2 + (e / 2 % 2) * 8, b_column = group + e / 4 * 8;
      check(got[at] == a_row * 16 + a_column, "the layout of A", at);
      check(got[512 + at] == b_column * 16 + b_row, "the layout of B", at);
      if (i < 8) check(got[1024 + at] == a_row * 16 + a_column, "the layout of C", at);
    }
  }
}

int main() {
  check_products<16, 16, 16, __half, float>("half 16 16");
  check_products<32, 8, 16, __half, float>("half 32 8");
  check_products<8, 32, 16, __half, float>("half 8 32");
  check_products<16, 16, 16, __half, __half>("half in half");
  check_products<16, 16, 16, __nv_bfloat16, float>("bfloat16 16 16");
  check_products<32, 8, 16, __nv_bfloat16, float>("bfloat16 32 8");
  check_products<8, 32, 16, __nv_bfloat16, float>("bfloat16 8 32");
  check_products<16, 16, 16, signed char, int>("int8 16 16");
  check_products<32, 8, 16, signed char, int>("int8 32 8");
  check_products<8, 32, 16, unsigned char, int>("uint8 8 32");
  check_products<8, 8, 4, double, double>("double");
  check_tf32();
  check_layouts();
  return finish();
}
