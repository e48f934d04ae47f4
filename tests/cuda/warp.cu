// SPDX-License-Identifier: Apache-2.0
// Shuffles of every type and width, votes, matches and reductions of a warp.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "check.h"

template <class T>
__device__ T value_of(int lane) {
  return T(float(lane * 3 - 40));
}
template <>
__device__ long long value_of(int lane) {
  return 0x123456789ll * (lane - 7);
}
template <>
__device__ unsigned long long value_of(int lane) {
  return 0x9123456789abcdefull + lane;
}
template <>
__device__ double value_of(int lane) {
  return 1.0 / (lane + 3);
}
template <>
__device__ __half2 value_of(int lane) {
  return __floats2half2_rn(float(lane), float(-lane));
}
template <>
__device__ __nv_bfloat162 value_of(int lane) {
  return __floats2bfloat162_rn(float(lane), float(-lane));
}

// out [4 kinds][32 lanes][32 amounts]; in [32] the values.
template <class T>
__global__ void shuffles(T* in, T* out, int width) {
  const int lane = threadIdx.x;
  const T mine = value_of<T>(lane);
  in[lane] = mine;
  for (int amount = 0; amount < 32; ++amount) {
    T* const at = out + lane * 32 + amount;
    at[0] = __shfl_sync(0xffffffffu, mine, amount, width);
    at[1024] = __shfl_up_sync(0xffffffffu, mine, amount, width);
    at[2048] = __shfl_down_sync(0xffffffffu, mine, amount, width);
    at[3072] = __shfl_xor_sync(0xffffffffu, mine, amount, width);
  }
}

int source(int kind, int lane, int amount, int width) {
  const int first = lane / width * width;
  if (kind == 0) return first + amount % width;
  if (kind == 1) return lane - amount >= first ? lane - amount : lane;
  if (kind == 2) return lane + amount < first + width ? lane + amount : lane;
  return (lane ^ amount) < first + width ? lane ^ amount : lane;
}

template <class T>
void check_shuffles(const char* name) {
  for (int width = 1; width <= 32; width *= 2) {
    Array<T> in(32), out(4 * 1024);
    shuffles<T><<<1, 32>>>(in.device, out.device, width);
    const std::vector<T> values = in.values(), got = out.values();
    for (int i = 0; i < 4096; ++i) {
      const int lane = i / 32 % 32;
      check(same(got[i], values[source(i / 1024, lane, i % 32, width)]), name, width * 10000 + i);
    }
  }
}

__global__ void votes(const unsigned* in, unsigned* out) {
  const unsigned mine = in[threadIdx.x];
  unsigned* const at = out + threadIdx.x * 16;
  at[0] = __ballot_sync(0xffffffffu, mine & 1);
  at[1] = __any_sync(0xffffffffu, mine & 1);
  at[2] = __all_sync(0xffffffffu, mine & 1);
  at[3] = __match_any_sync(0xffffffffu, mine & 3);
  int all = 5;
  at[4] = __match_all_sync(0xffffffffu, mine & 3, &all);
  at[5] = all;
  at[6] = __reduce_add_sync(0xffffffffu, mine);
  at[7] = __reduce_min_sync(0xffffffffu, mine);
  at[8] = __reduce_max_sync(0xffffffffu, int(mine));
  at[9] = __reduce_and_sync(0xffffffffu, mine | 0xff);
  at[10] = __reduce_or_sync(0xffffffffu, mine & 0xff);
  at[11] = __reduce_xor_sync(0xffffffffu, mine);
  at[12] = __uni_sync(0xffffffffu, mine & 1);
  // Half of the warp by itself, with its own mask.
  if (threadIdx.x % 2 == 0) {
    at[13] = __ballot_sync(0x55555555u, mine & 2);
    at[14] = __shfl_sync(0x55555555u, mine, 6);
    at[15] = __reduce_add_sync(0x55555555u, mine);
  }
}

void check_votes(int kind) {
  unsigned state = 5u + kind;
  std::vector<unsigned> in(32);
  for (unsigned& x : in) x = kind == 0 ? next_random(state) : kind == 1 ? 7u : 2u;
  Array<unsigned> device_in(in), device_out(32 * 16);
  votes<<<1, 32>>>(device_in.device, device_out.device);
  const std::vector<unsigned> got = device_out.values();
  unsigned ballot = 0, sum = 0, least = ~0u, both = ~0u, any = 0, xors = 0, even = 0, even_sum = 0;
  int most = -0x7fffffff - 1;
  for (int i = 0; i < 32; ++i) {
    ballot |= (in[i] & 1u) << i;
    sum += in[i];
    least = in[i] < least ? in[i] : least;
    most = int(in[i]) > most ? int(in[i]) : most;
    both &= in[i] | 0xff;
    any |= in[i] & 0xff;
    xors ^= in[i];
    if (i % 2 == 0) even |= (in[i] >> 1 & 1u) << i;
    if (i % 2 == 0) even_sum += in[i];
  }
  for (int i = 0; i < 32; ++i) {
    unsigned like = 0;
    for (int k = 0; k < 32; ++k) like |= unsigned((in[k] & 3) == (in[i] & 3)) << k;
    const unsigned all_like = like == ~0u ? ~0u : 0u;
    const unsigned expected[16] = {ballot,
                                   ballot != 0,
                                   ballot == ~0u,
                                   like,
                                   all_like,
                                   all_like & 1u,
                                   sum,
                                   least,
                                   unsigned(most),
                                   both,
                                   any,
                                   xors,
                                   ballot == 0 || ballot == ~0u,
                                   i % 2 ? 0 : even,
                                   i % 2 ? 0 : in[6],
                                   i % 2 ? 0 : even_sum};
    for (int k = 0; k < 16; ++k) {
      CHECK_EQUAL("a vote", kind * 1000 + i * 16 + k, got[i * 16 + k], expected[k]);
    }
  }
}

int main() {
  check_shuffles<int>("int");
  check_shuffles<unsigned>("unsigned");
  check_shuffles<long>("long");
  check_shuffles<unsigned long>("unsigned long");
  check_shuffles<long long>("long long");
  check_shuffles<unsigned long long>("unsigned long long");
  check_shuffles<float>("float");
  check_shuffles<double>("double");
  check_shuffles<__half>("half");
  check_shuffles<__half2>("half2");
  check_shuffles<__nv_bfloat16>("bfloat16");
  check_shuffles<__nv_bfloat162>("bfloat162");
  for (int kind = 0; kind < 3; ++kind) check_votes(kind);
  return finish();
}
