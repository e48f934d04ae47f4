// SPDX-License-Identifier: Apache-2.0
// Uniform in (0, 1], normal by Box and Muller's method, log-normal, Poisson.
#pragma once
#pragma GCC system_header

#include "random_philox.h"
#include "random_xorwow.h"

namespace ambidex_cuda {

AMBIDEX_HD float uniform_of(unsigned int x) { return float(x) * 0x1p-32f + 0x1p-33f; }
// 53 bits of two numbers.
AMBIDEX_HD double uniform_of(unsigned int x, unsigned int y) {
  const unsigned long long bits = (unsigned long long)x ^ (unsigned long long)y << 21;
  return double(bits) * 0x1p-53 + 0x1p-54;
}
AMBIDEX_HD float2 normals_of(unsigned int x, unsigned int y) {
  const float u = uniform_of(x);
  const float angle = float(y) * float(0x1p-32 * 2 * AMBIDEX_PI) + float(0x1p-32 * AMBIDEX_PI);
  const float radius = __builtin_sqrtf(-2.0f * __builtin_logf(u));
  return float2{radius * __builtin_sinf(angle), radius * __builtin_cosf(angle)};
}
AMBIDEX_HD double2 normals_of(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1) {
  const double u = uniform_of(x0, x1);
  const double angle = 2.0 * uniform_of(y0, y1);
  const double radius = __builtin_sqrt(-2.0 * __builtin_log(u));
  return double2{radius * sinpi(angle), radius * cospi(angle)};
}
AMBIDEX_HD int& double_flag(curandStateXORWOW_t* state) { return state->boxmuller_flag_double; }
AMBIDEX_HD int& double_flag(curandStatePhilox4_32_10_t* state) { return state->boxmuller_flag; }

}  // namespace ambidex_cuda

#define AMBIDEX_RANDOM(State)                                                                      \
  AMBIDEX_HD float curand_uniform(State* state) {                                                  \
    return ambidex_cuda::uniform_of(curand(state));                                                \
  }                                                                                                \
  AMBIDEX_HD float2 curand_normal2(State* state) {                                                 \
    const unsigned int x = curand(state);                                                          \
    return ambidex_cuda::normals_of(x, curand(state));                                             \
  }                                                                                                \
  AMBIDEX_HD float curand_normal(State* state) {                                                   \
    if (state->boxmuller_flag == 1) {                                                              \
      state->boxmuller_flag = 0;                                                                   \
      return state->boxmuller_extra;                                                               \
    }                                                                                              \
    const float2 both = curand_normal2(state);                                                     \
    state->boxmuller_extra = both.y;                                                               \
    state->boxmuller_flag = 1;                                                                     \
    return both.x;                                                                                 \
  }                                                                                                \
  AMBIDEX_HD double2 curand_normal2_double(State* state) {                                         \
    const unsigned int x0 = curand(state);                                                         \
    const unsigned int x1 = curand(state);                                                         \
    const unsigned int y0 = curand(state);                                                         \
    return ambidex_cuda::normals_of(x0, x1, y0, curand(state));                                    \
  }                                                                                                \
  AMBIDEX_HD double curand_normal_double(State* state) {                                           \
    if (ambidex_cuda::double_flag(state) == 2) {                                                   \
      ambidex_cuda::double_flag(state) = 0;                                                        \
      return state->boxmuller_extra_double;                                                        \
    }                                                                                              \
    const double2 both = curand_normal2_double(state);                                             \
    state->boxmuller_extra_double = both.y;                                                        \
    ambidex_cuda::double_flag(state) = 2;                                                          \
    return both.x;                                                                                 \
  }                                                                                                \
  AMBIDEX_HD float curand_log_normal(State* state, float mean, float stddev) {                     \
    return __builtin_expf(mean + stddev * curand_normal(state));                                   \
  }                                                                                                \
  AMBIDEX_HD float2 curand_log_normal2(State* state, float mean, float stddev) {                   \
    const float2 both = curand_normal2(state);                                                     \
    return float2{__builtin_expf(mean + stddev * both.x), __builtin_expf(mean + stddev * both.y)}; \
  }                                                                                                \
  AMBIDEX_HD double curand_log_normal_double(State* state, double mean, double stddev) {           \
    return __builtin_exp(mean + stddev * curand_normal_double(state));                             \
  }                                                                                                \
  __attribute__((device)) unsigned int curand_poisson(State* state, double lambda);
AMBIDEX_RANDOM(curandStateXORWOW_t)
AMBIDEX_RANDOM(curandStatePhilox4_32_10_t)

AMBIDEX_HD double curand_uniform_double(curandStateXORWOW_t* state) {
  const unsigned int x = curand(state);
  return ambidex_cuda::uniform_of(x, curand(state));
}
// One number only: 32 bits.
AMBIDEX_HD double curand_uniform_double(curandStatePhilox4_32_10_t* state) {
  return double(curand(state)) * 0x1p-32 + 0x1p-33;
}
AMBIDEX_HD float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return float4{ambidex_cuda::uniform_of(x.x), ambidex_cuda::uniform_of(x.y),
                ambidex_cuda::uniform_of(x.z), ambidex_cuda::uniform_of(x.w)};
}
AMBIDEX_HD double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return double2{ambidex_cuda::uniform_of(x.x, x.y), ambidex_cuda::uniform_of(x.z, x.w)};
}
AMBIDEX_HD float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  const float2 first = ambidex_cuda::normals_of(x.x, x.y);
  const float2 second = ambidex_cuda::normals_of(x.z, x.w);
  return float4{first.x, first.y, second.x, second.y};
}
AMBIDEX_HD float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float stddev) {
  const float4 x = curand_normal4(state);
  return float4{__builtin_expf(mean + stddev * x.x), __builtin_expf(mean + stddev * x.y),
                __builtin_expf(mean + stddev * x.z), __builtin_expf(mean + stddev * x.w)};
}
