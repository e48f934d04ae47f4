// SPDX-License-Identifier: Apache-2.0
// wmma of ambidex_port: small whole numbers, so that every product is exact, against three loops;
// each logical warp has its own matrices.
#include "ambidex_port/wmma.h"
#include "check.h"

namespace wmma = ambidex_port::wmma;

namespace {

constexpr int kWarps = 3;  // the last wave of 64 is half there

template <class LayoutA, class LayoutB, int m, int n, int k, class T, class TC>
__global__ void multiply(const T* a, const T* b, TC* c, bool c_by_rows) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  wmma::fragment<wmma::matrix_a, m, n, k, T, LayoutA> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, T, LayoutB> fb;
  wmma::fragment<wmma::accumulator, m, n, k, TC> fc;
  const bool a_by_rows = std::is_same_v<LayoutA, wmma::row_major>;
  const bool b_by_rows = std::is_same_v<LayoutB, wmma::row_major>;
  wmma::fill_fragment(fc, static_cast<TC>(3));
  wmma::load_matrix_sync(fa, a + warp * m * k, a_by_rows ? k : m);
  wmma::load_matrix_sync(fb, b + warp * k * n, b_by_rows ? n : k);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < static_cast<int>(fc.num_elements); ++i) fc.x[i] = fc.x[i] + fc.x[i];
  wmma::store_matrix_sync(c + warp * m * n, fc, c_by_rows ? n : m,
                          c_by_rows ? wmma::mem_row_major : wmma::mem_col_major);
}

template <class LayoutA, class LayoutB, int m, int n, int k, class T, class TC>
void check(const char* what, bool c_by_rows) {
  Array<T> a(kWarps * m * k), b(kWarps * k * n);
  Array<TC> c(kWarps * m * n);
  for (size_t i = 0; i < a.host.size(); ++i) a[i] = static_cast<T>(static_cast<int>(i * 7 % 13));
  for (size_t i = 0; i < b.host.size(); ++i) b[i] = static_cast<T>(static_cast<int>(i * 5 % 11));
  a.up();
  b.up();
  multiply<LayoutA, LayoutB, m, n, k, T, TC>
      <<<1, 32 * kWarps>>>(a.device, b.device, c.device, c_by_rows);
  c.down();
  const bool a_by_rows = std::is_same_v<LayoutA, wmma::row_major>;
  const bool b_by_rows = std::is_same_v<LayoutB, wmma::row_major>;
  for (int warp = 0; warp < kWarps; ++warp) {
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 3;
        for (int q = 0; q < k; ++q) {
          sum += static_cast<double>(a[warp * m * k + (a_by_rows ? i * k + q : q * m + i)]) *
                 static_cast<double>(b[warp * k * n + (b_by_rows ? q * n + j : j * k + q)]);
        }
        const int at = warp * m * n + (c_by_rows ? i * n + j : j * m + i);
        expect(what, at, static_cast<double>(c[at]), 2 * sum);
      }
    }
  }
}

// Where an H200 has some elements of a 16 x 16 accumulator, which CUDA programs may rely on.
__global__ void place(const float* from, float* out) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::load_matrix_sync(c, from, 16, wmma::mem_row_major);
  for (int i = 0; i < 8; ++i) out[8 * threadIdx.x + i] = c.x[i];
}
void check_places() {
  Array<float> from(256), out(512);
  for (int i = 0; i < 256; ++i) from[i] = static_cast<float>(i);
  from.up();
  place<<<1, 64>>>(from.device, out.device);
  out.down();
  for (int t = 0; t < 64; ++t) {
    for (int i = 0; i < 8; ++i) {
      const int row = t % 32 / 4 + (i >> 1 & 1) * 8, column = t % 4 * 2 + (i & 1) + (i >> 2) * 8;
      expect("place", 8 * t + i, out[8 * t + i], row * 16 + column);
    }
  }
}

}  // namespace

int main() {
  using R = wmma::row_major;
  using C = wmma::col_major;
  check<R, C, 16, 16, 16, __half, float>("half", true);
  check<C, R, 32, 8, 16, __half, float>("half 32 x 8", false);
  check<R, R, 8, 32, 16, __half, __half>("half 8 x 32", true);
  check<C, C, 16, 16, 16, __hip_bfloat16, float>("bfloat16", false);
  check<R, C, 8, 32, 16, __hip_bfloat16, float>("bfloat16 8 x 32", true);
  check<R, C, 16, 16, 16, signed char, int>("signed char", true);
  check<C, R, 32, 8, 16, unsigned char, int>("unsigned char", true);
  check<R, C, 8, 8, 4, double, double>("double", true);
  check_places();
  return finish();
}
