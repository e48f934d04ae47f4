// SPDX-License-Identifier: Apache-2.0
// N07: fp8 formats: types, conversions, limits.
#include <cuda_fp8.h>  // expect: N07 S2

constexpr float kMax = 448.0f;  // expect: N07 S0
#define FP8_E4M3_MAX 448  // expect: N07 S0
#define FP8_E5M2_MAX 57344.f  // expect: N07 S0

__global__ void quantise(const float* x, __nv_fp8_e4m3* y, float scale) {  // expect: N07 S0
  float v = fminf(fmaxf(x[threadIdx.x] * scale, -448.f), 448.f);  // expect: N07 S0
  y[threadIdx.x] = __nv_fp8_e4m3(v);  // expect: N07 S0
}

template <typename T>
__device__ unsigned char to_fp8(T x) {
  return __nv_cvt_float_to_fp8(float(x), __NV_SATFINITE, __NV_E5M2);  // expect: N07 S0
}

#define LIMIT(x) fminf(x, 448.0)  // expect: N07 S0

__device__ unsigned short by_ptx(float a, float b) {
  unsigned short r;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(a), "f"(b));  // expect: N07 S2
  return r;
}

#ifdef NEVER
at::ScalarType type() { return at::kFloat8_e4m3fn; }  // expect: N07 S0
cudaDataType_t cublas_type() { return CUDA_R_8F_E4M3; }  // expect: N07 S0
__device__ int hip(float x) { return __builtin_amdgcn_cvt_pk_fp8_f32(x, x, 0, false); }  // expect: N07 S0
#endif

// Not these: other numbers with these digits.
constexpr int kRows = 448;
constexpr float kOther = 4480.0f;
