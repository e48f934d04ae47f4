// SPDX-License-Identifier: Apache-2.0
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3"
// (SC 2011). The seed is the key, the subsequence the upper half of the counter, the offset counts
// numbers, of which one counter gives four.
#pragma once
#pragma GCC system_header

#include "../cuda_runtime.h"

struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;
  uint2 key;
  unsigned int STATE;  // of output, the next to give
  int boxmuller_flag;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace ambidex_cuda {

AMBIDEX_HD uint4 philox_round(uint4 counter, uint2 key) {
  const unsigned long long p = 0xD2511F53ull * counter.x;
  const unsigned long long q = 0xCD9E8D57ull * counter.z;
  return uint4{unsigned(q >> 32) ^ counter.y ^ key.x, unsigned(q),
               unsigned(p >> 32) ^ counter.w ^ key.y, unsigned(p)};
}
AMBIDEX_HD uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    counter = philox_round(counter, key);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}
AMBIDEX_HD void add_to_counter(uint4& counter, unsigned long long low, unsigned long long high) {
  const unsigned long long old = (unsigned long long)counter.y << 32 | counter.x;
  const unsigned long long sum = old + low;
  const unsigned long long upper =
      ((unsigned long long)counter.w << 32 | counter.z) + high + (sum < old ? 1 : 0);
  counter = uint4{unsigned(sum), unsigned(sum >> 32), unsigned(upper), unsigned(upper >> 32)};
}
AMBIDEX_HD unsigned int element_of(uint4 v, unsigned int i) {
  return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

}  // namespace ambidex_cuda

AMBIDEX_HD uint4 curand_Philox4x32_10(uint4 c, uint2 k) { return ambidex_cuda::philox(c, k); }
AMBIDEX_HD void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  state->STATE += unsigned(n & 3);
  const unsigned long long carry = state->STATE / 4;
  state->STATE %= 4;
  ambidex_cuda::add_to_counter(state->ctr, n / 4 + carry, 0);
  state->output = ambidex_cuda::philox(state->ctr, state->key);
}
AMBIDEX_HD void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
  ambidex_cuda::add_to_counter(state->ctr, 0, n);
  state->output = ambidex_cuda::philox(state->ctr, state->key);
}
AMBIDEX_HD void curand_init(unsigned long long seed, unsigned long long subsequence,
                            unsigned long long offset, curandStatePhilox4_32_10_t* state) {
  *state = curandStatePhilox4_32_10_t{};
  state->key = uint2{unsigned(seed), unsigned(seed >> 32)};
  skipahead_sequence(subsequence, state);
  skipahead(offset, state);
}
AMBIDEX_HD unsigned int curand(curandStatePhilox4_32_10_t* state) {
  const unsigned int result = ambidex_cuda::element_of(state->output, state->STATE++);
  if (state->STATE == 4) {
    state->STATE = 0;
    ambidex_cuda::add_to_counter(state->ctr, 1, 0);
    state->output = ambidex_cuda::philox(state->ctr, state->key);
  }
  return result;
}
AMBIDEX_HD uint4 curand4(curandStatePhilox4_32_10_t* state) {
  const uint4 old = state->output;
  ambidex_cuda::add_to_counter(state->ctr, 1, 0);
  state->output = ambidex_cuda::philox(state->ctr, state->key);
  const uint4 next = state->output;
  switch (state->STATE) {
    case 0:
      return old;
    case 1:
      return uint4{old.y, old.z, old.w, next.x};
    case 2:
      return uint4{old.z, old.w, next.x, next.y};
    default:
      return uint4{old.w, next.x, next.y, next.z};
  }
}
