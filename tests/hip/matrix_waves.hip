// SPDX-License-Identifier: Apache-2.0
// rocWMMA's fragments of whole waves against three loops.
#include <rocwmma/rocwmma.hpp>

#include "check.h"

namespace {

template <class T, class LayoutA, class LayoutB>
__global__ void multiply(const T* a, const T* b, float* c) {
  const int wave = static_cast<int>(threadIdx.x) / 64 * 256;
  rocwmma::fragment<rocwmma::matrix_a, 16, 16, 16, T, LayoutA> fa;
  rocwmma::fragment<rocwmma::matrix_b, 16, 16, 16, T, LayoutB> fb;
  rocwmma::fragment<rocwmma::accumulator, 16, 16, 16, float> fc;
  rocwmma::fill_fragment(fc, 2.0f);
  rocwmma::load_matrix_sync(fa, a + wave, 16);
  rocwmma::load_matrix_sync(fb, b + wave, 16);
  rocwmma::mma_sync(fc, fa, fb, fc);
  rocwmma::store_matrix_sync(c + wave, fc, 16, rocwmma::mem_row_major);
}

template <class T, class LayoutA, class LayoutB>
void check(const char* what) {
  Array<T> a(512), b(512);
  Array<float> c(512);
  for (int i = 0; i < 512; ++i) {
    a[i] = static_cast<T>(static_cast<float>(i * 7 % 13 - 6));
    b[i] = static_cast<T>(static_cast<float>(i * 5 % 11 - 5));
  }
  a.up();
  b.up();
  multiply<T, LayoutA, LayoutB><<<1, 128>>>(a.device, b.device, c.device);
  c.down();
  const bool a_by_rows = std::is_same_v<LayoutA, rocwmma::row_major>;
  const bool b_by_rows = std::is_same_v<LayoutB, rocwmma::row_major>;
  for (int at = 0; at < 512; ++at) {
    const int wave = at / 256 * 256, row = at / 16 % 16, column = at % 16;
    float sum = 2;
    for (int k = 0; k < 16; ++k) {
      sum += static_cast<float>(a[wave + (a_by_rows ? row * 16 + k : k * 16 + row)]) *
             static_cast<float>(b[wave + (b_by_rows ? k * 16 + column : column * 16 + k)]);
    }
    expect(what, at, c[at], sum);
  }
}

}  // namespace

int main() {
  int width = 0;
  (void)hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, 0);
  if (width != 64) return finish();
  check<_Float16, rocwmma::row_major, rocwmma::col_major>("half");
  check<_Float16, rocwmma::col_major, rocwmma::row_major>("half, turned");
  check<__hip_bfloat16, rocwmma::row_major, rocwmma::row_major>("bfloat16");
  return finish();
}
