// SPDX-License-Identifier: Apache-2.0
// Uniform in (0, 1], normal by Box and Muller's method, log-normal.
#ifndef AMBIDEX_PORT_RANDOM_DISTRIBUTIONS_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_RANDOM_DISTRIBUTIONS_H

#include "ambidex_port/random_philox.h"
#include "ambidex_port/random_xorwow.h"

namespace ambidex_port {

namespace random {

AMBIDEX_PORT_DEVICE float uniform_of(unsigned int x) { return float(x) * 0x1p-32f + 0x1p-33f; }
// 53 bits of two numbers.
AMBIDEX_PORT_DEVICE double uniform_of(unsigned int x, unsigned int y) {
  const unsigned long long bits = (unsigned long long)x ^ (unsigned long long)y << 21;
  return double(bits) * 0x1p-53 + 0x1p-54;
}
AMBIDEX_PORT_DEVICE float2 normals_of(unsigned int x, unsigned int y) {
  const float u = uniform_of(x);
  const float angle =
      float(y) * float(0x1p-32 * 2 * 3.141592653589793) + float(0x1p-32 * 3.141592653589793);
  const float radius = sqrtf(-2.0f * logf(u));
  return float2{radius * sinf(angle), radius * cosf(angle)};
}
AMBIDEX_PORT_DEVICE double2 normals_of(unsigned int x0, unsigned int x1, unsigned int y0,
                                       unsigned int y1) {
  const double u = uniform_of(x0, x1);
  const double angle = 2.0 * uniform_of(y0, y1);
  const double radius = sqrt(-2.0 * log(u));
  return double2{radius * sinpi(angle), radius * cospi(angle)};
}
AMBIDEX_PORT_DEVICE int& double_flag(curandStateXORWOW_t* state) {
  return state->boxmuller_flag_double;
}
AMBIDEX_PORT_DEVICE int& double_flag(curandStatePhilox4_32_10_t* state) {
  return state->boxmuller_flag;
}

}  // namespace random

#define AMBIDEX_PORT_RANDOM(State)                                                                \
  AMBIDEX_PORT_DEVICE float curand_uniform(State* state) {                                        \
    return random::uniform_of(curand(state));                                                     \
  }                                                                                               \
  AMBIDEX_PORT_DEVICE float2 curand_normal2(State* state) {                                       \
    const unsigned int x = curand(state);                                                         \
    return random::normals_of(x, curand(state));                                                  \
  }                                                                                               \
  AMBIDEX_PORT_DEVICE float curand_normal(State* state) {                                         \
    if (state->boxmuller_flag == 1) {                                                             \
      state->boxmuller_flag = 0;                                                                  \
      return state->boxmuller_extra;                                                              \
    }                                                                                             \
    const float2 both = curand_normal2(state);                                                    \
    state->boxmuller_extra = both.y;                                                              \
    state->boxmuller_flag = 1;                                                                    \
    return both.x;                                                                                \
  }                                                                                               \
  AMBIDEX_PORT_DEVICE double2 curand_normal2_double(State* state) {                               \
    const unsigned int x0 = curand(state);                                                        \
    const unsigned int x1 = curand(state);                                                        \
    const unsigned int y0 = curand(state);                                                        \
    return random::normals_of(x0, x1, y0, curand(state));                                         \
  }                                                                                               \
  AMBIDEX_PORT_DEVICE double curand_normal_double(State* state) {                                 \
    if (random::double_flag(state) == 2) {                                                        \
      random::double_flag(state) = 0;                                                             \
      return state->boxmuller_extra_double;                                                       \
    }                                                                                             \
    const double2 both = curand_normal2_double(state);                                            \
    state->boxmuller_extra_double = both.y;                                                       \
    random::double_flag(state) = 2;                                                               \
    return both.x;                                                                                \
  }                                                                                               \
  AMBIDEX_PORT_DEVICE float curand_log_normal(State* state, float mean, float stddev) {           \
    return expf(mean + stddev * curand_normal(state));                                            \
  }                                                                                               \
  AMBIDEX_PORT_DEVICE float2 curand_log_normal2(State* state, float mean, float stddev) {         \
    const float2 both = curand_normal2(state);                                                    \
    return float2{expf(mean + stddev * both.x), expf(mean + stddev * both.y)};                    \
  }                                                                                               \
  AMBIDEX_PORT_DEVICE double curand_log_normal_double(State* state, double mean, double stddev) { \
    return exp(mean + stddev * curand_normal_double(state));                                      \
  }
AMBIDEX_PORT_RANDOM(curandStateXORWOW_t)
AMBIDEX_PORT_RANDOM(curandStatePhilox4_32_10_t)

AMBIDEX_PORT_DEVICE double curand_uniform_double(curandStateXORWOW_t* state) {
  const unsigned int x = curand(state);
  return random::uniform_of(x, curand(state));
}
// One number only: 32 bits.
AMBIDEX_PORT_DEVICE double curand_uniform_double(curandStatePhilox4_32_10_t* state) {
  return double(curand(state)) * 0x1p-32 + 0x1p-33;
}
AMBIDEX_PORT_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return float4{random::uniform_of(x.x), random::uniform_of(x.y), random::uniform_of(x.z),
                random::uniform_of(x.w)};
}
AMBIDEX_PORT_DEVICE double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  return double2{random::uniform_of(x.x, x.y), random::uniform_of(x.z, x.w)};
}
AMBIDEX_PORT_DEVICE float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
  const uint4 x = curand4(state);
  const float2 first = random::normals_of(x.x, x.y);
  const float2 second = random::normals_of(x.z, x.w);
  return float4{first.x, first.y, second.x, second.y};
}
AMBIDEX_PORT_DEVICE float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean,
                                              float stddev) {
  const float4 x = curand_normal4(state);
  return float4{expf(mean + stddev * x.x), expf(mean + stddev * x.y), expf(mean + stddev * x.z),
                expf(mean + stddev * x.w)};
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_RANDOM_DISTRIBUTIONS_H
