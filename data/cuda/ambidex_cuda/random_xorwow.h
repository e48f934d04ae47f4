// SPDX-License-Identifier: Apache-2.0
// XORWOW of Marsaglia, "Xorshift RNGs" (2003). Its 160 bits of state step by a linear map, so that
// n steps are a polynomial in that map of degree below 160: x^n modulo the map's characteristic
// polynomial. Subsequences are 2^67 numbers apart.
#pragma once
#pragma GCC system_header

#include "../cuda_runtime.h"

struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

namespace ambidex_cuda {

// A polynomial over one bit, of degree below 160.
struct Polynomial160 {
  unsigned int word[5];
};
AMBIDEX_HD bool coefficient(const Polynomial160& p, int i) { return p.word[i / 32] >> i % 32 & 1u; }

// p * x modulo the characteristic polynomial (found by Berlekamp and Massey's algorithm).
AMBIDEX_HD void times_x(Polynomial160& p) {
  const unsigned int top = p.word[4] >> 31;
  for (int i = 4; i > 0; --i) p.word[i] = p.word[i] << 1 | p.word[i - 1] >> 31;
  p.word[0] <<= 1;
  if (top == 0) return;
  p.word[0] ^= 0x00060001u;
  p.word[1] ^= 0x08610030u;
  p.word[2] ^= 0x00062121u;
  p.word[3] ^= 0x0f3c0035u;
  p.word[4] ^= 0x00000f0eu;
}
AMBIDEX_HD Polynomial160 product(const Polynomial160& a, const Polynomial160& b) {
  Polynomial160 result{};
  for (int i = 159; i >= 0; --i) {
    times_x(result);
    if (!coefficient(b, i)) continue;
    for (int k = 0; k < 5; ++k) result.word[k] ^= a.word[k];
  }
  return result;
}
AMBIDEX_HD Polynomial160 power(Polynomial160 base, unsigned long long exponent) {
  Polynomial160 result{{1, 0, 0, 0, 0}};
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = product(result, base);
    base = product(base, base);
  }
  return result;
}

AMBIDEX_HD void xorwow_step(unsigned int* v) {
  const unsigned int t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}
AMBIDEX_HD void apply(const Polynomial160& p, unsigned int* v) {
  unsigned int sum[5] = {};
  for (int i = 0; i < 160; ++i) {
    for (int k = 0; coefficient(p, i) && k < 5; ++k) sum[k] ^= v[k];
    xorwow_step(v);
  }
  for (int k = 0; k < 5; ++k) v[k] = sum[k];
}

}  // namespace ambidex_cuda

AMBIDEX_HD void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
  if (n == 0) return;
  ambidex_cuda::apply(ambidex_cuda::power({{2, 0, 0, 0, 0}}, n), state->v);
  state->d += 362437u * unsigned(n);
}
AMBIDEX_HD void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
  if (n == 0) return;
  const ambidex_cuda::Polynomial160 of_2_to_67{
      {0x26294934u, 0x77bbc248u, 0x1a87dad0u, 0x930052d4u, 0x947e6dd2u}};
  ambidex_cuda::apply(ambidex_cuda::power(of_2_to_67, n), state->v);
}
// How the seed enters Marsaglia's initial state is cuRAND's own, as its results show.
AMBIDEX_HD void curand_init(unsigned long long seed, unsigned long long subsequence,
                            unsigned long long offset, curandStateXORWOW_t* state) {
  *state = curandStateXORWOW_t{};
  const unsigned int low = 1099087573u * (unsigned(seed) ^ 0xaad26b49u);
  const unsigned int high = 2591861531u * (unsigned(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + low + high;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
AMBIDEX_HD unsigned int curand(curandStateXORWOW_t* state) {
  ambidex_cuda::xorwow_step(state->v);
  state->d += 362437u;
  return state->v[4] + state->d;
}
