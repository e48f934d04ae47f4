// SPDX-License-Identifier: Apache-2.0
// HIP's own words: shuffles, ballots, votes and matches of whole waves, and blocks' barriers.
#include "check.h"

namespace {

constexpr int kThreads = 192;

__global__ void exchange(const int* in, int* out) {
  const int t = static_cast<int>(threadIdx.x), v = in[t];
  int* const mine = out + 8 * t;
  mine[0] = __shfl(v, 5);
  mine[1] = __shfl(v, t + 3, 16);
  mine[2] = __shfl_up(v, 3);
  mine[3] = __shfl_up(v, 3, 32);
  mine[4] = __shfl_down(v, 7);
  mine[5] = __shfl_down(v, 7, 8);
  mine[6] = __shfl_xor(v, 33 % warpSize);
  mine[7] = __shfl_down_sync(0xffffffffffffffffull >> (64 - warpSize), v, 1, 4);
}
__global__ void vote(const int* in, unsigned long long* out, int* words) {
  const int t = static_cast<int>(threadIdx.x), v = in[t];
  unsigned long long* const mine = out + 6 * t;
  mine[0] = __ballot(v % 3 == 0);
  mine[1] = __match_any(v % 5);
  mine[2] = __match_any(static_cast<double>(v % 2));
  if (v % 2 == 0) {
    mine[3] = __ballot(v % 3 == 0);
    mine[4] = __activemask();
  } else {
    mine[3] = __ballot(1);
    mine[4] = 0;
  }
  int same = 0;
  mine[5] = __match_all(t / warpSize, &same) + (same ? 0 : 1);
  words[4 * t] = __any(v == in[7]) + 2 * __all(v < 1000);
  words[4 * t + 1] = __syncthreads_count(v % 3 == 0);
  words[4 * t + 2] = __syncthreads_and(t < 191) + 2 * __syncthreads_or(t == 191);
  words[4 * t + 3] = static_cast<int>(__lane_id());
}

void check_exchange(int width) {
  Array<int> in(kThreads), out(8 * kThreads);
  for (int t = 0; t < kThreads; ++t) in[t] = t * 37 % 101;
  in.up();
  exchange<<<1, kThreads>>>(in.device, out.device);
  out.down();
  for (int t = 0; t < kThreads; ++t) {
    const int lane = t % width, first = t - lane;
    const auto at = [&](int i) { return in[first + i]; };
    const int wanted[8] = {
        at(5),
        at(lane / 16 * 16 + (t + 3) % 16),
        lane < 3 ? in[t] : in[t - 3],
        lane % 32 < 3 ? in[t] : in[t - 3],
        lane + 7 < width ? in[t + 7] : in[t],
        lane % 8 + 7 < 8 ? in[t + 7] : in[t],
        at(lane ^ (33 % width)),
        lane % 4 + 1 < 4 ? in[t + 1] : in[t],
    };
    for (int i = 0; i < 8; ++i) expect("exchange", 8 * t + i, out[8 * t + i], wanted[i]);
  }
}

void check_vote(int width) {
  Array<int> in(kThreads), words(4 * kThreads);
  Array<unsigned long long> out(6 * kThreads);
  int threes = 0;
  for (int t = 0; t < kThreads; ++t) threes += (in[t] = t * 37 % 101) % 3 == 0;
  in.up();
  vote<<<1, kThreads>>>(in.device, out.device, words.device);
  out.down();
  words.down();
  for (int t = 0; t < kThreads; ++t) {
    const int first = t - t % width;
    unsigned long long wanted[6] = {};
    bool any = false;
    for (int i = 0; i < width; ++i) {
      const int v = in[first + i];
      const unsigned long long bit = 1ull << i;
      if (v % 3 == 0) wanted[0] |= bit;
      if (v % 5 == in[t] % 5) wanted[1] |= bit;
      if (v % 2 == in[t] % 2) wanted[2] |= bit;
      if (v % 2 == in[t] % 2 && (v % 2 != 0 || v % 3 == 0)) wanted[3] |= bit;
      if (v % 2 == 0 && in[t] % 2 == 0) wanted[4] |= bit;
      wanted[5] |= bit;
      any = any || v == in[7];
    }
    for (int i = 0; i < 6; ++i) expect("vote", 6 * t + i, out[6 * t + i], wanted[i]);
    expect("any, all", t, words[4 * t], any + 2);
    expect("count", t, words[4 * t + 1], threes);
    expect("and, or", t, words[4 * t + 2], 2);
    expect("lane", t, words[4 * t + 3], t % width);
  }
}

}  // namespace

int main() {
  int width = 0;
  (void)hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, 0);
  check_exchange(width);
  check_vote(width);
  return finish();
}
