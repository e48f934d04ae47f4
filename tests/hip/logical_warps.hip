// SPDX-License-Identifier: Apache-2.0
// ambidex_port.h: 32-lane warps on any wave give what CUDA's words give, written here as loops.
#include "ambidex_port.h"
#include "check.h"

namespace port = ambidex_port;

namespace {

constexpr int kThreads = 160;  // the last wave of 64 is half there
constexpr int kVotes = 20;

__global__ void votes(const int* in, unsigned* out) {
  const int t = static_cast<int>(threadIdx.x), v = in[t];
  unsigned* const mine = out + kVotes * t;
  const unsigned all = 0xffffffffu;
  int same = 0;
  mine[0] = port::ballot_sync(all, v % 3 == 0);
  mine[1] = port::match_any_sync(all, v % 5);
  mine[2] = port::match_any_sync(all, static_cast<long long>(v % 4) << 40);
  mine[3] = port::match_all_sync(all, t / 32, &same) + (same ? 0u : 1u);
  mine[4] = port::match_all_sync(all, t / 8, &same) + (same ? 1u : 0u);
  mine[5] = static_cast<unsigned>(port::any_sync(all, v == 4) + 2 * port::all_sync(all, v < 90) +
                                  4 * port::uni_sync(all, v < 90));
  mine[6] = port::reduce_add_sync(all, static_cast<unsigned>(v));
  mine[7] = static_cast<unsigned>(port::reduce_min_sync(all, v - 50));
  mine[8] = port::reduce_xor_sync(all, static_cast<unsigned>(v));
  mine[9] = port::lanemask_lt() ^ port::lanemask_ge();
  mine[10] = port::lanemask_le();
  mine[11] = port::lane_id() + 100u * port::warp_id_in_block();
  if (v % 2 == 0) {
    const unsigned here = port::activemask();
    mine[12] = here;
    mine[13] = port::reduce_max_sync(here, static_cast<unsigned>(v));
    mine[14] = port::ballot_sync(here, v % 3 == 0);
    mine[15] = port::elect_sync(here);
  } else {
    mine[12] = port::ballot(1);
    mine[13] = port::match_any_sync(mine[12], v);
    mine[14] = port::reduce_add_sync(mine[12], 1u);
    mine[15] = 7u;
  }
  mine[16] = port::fns(mine[0], 0, 2);
  mine[17] = static_cast<unsigned>(port::lane_mask(0x0000ffffu) >> port::half_shift());
  mine[18] =
      static_cast<unsigned>(port::shfl_sync(all, v, t + 1) + port::shfl_up_sync(all, v, 2) +
                            port::shfl_down_sync(all, v, 5, 8) + port::shfl_xor_sync(all, v, 9));
  mine[19] = static_cast<unsigned>(__shfl_down_sync(port::lane_mask(all), v, 16, 32));
}

unsigned wanted_fns(unsigned mask, int nth) {
  for (unsigned i = 0; i < 32; ++i) {
    if (mask >> i & 1u && --nth == 0) return i;
  }
  return ~0u;
}

void wanted_of(const int* warp, int lane, int t, unsigned (&w)[kVotes]) {
  const int v = warp[lane];
  int least = 1 << 30, most = 0;
  bool any = false, all = true, none = true;
  for (int i = 0; i < 32; ++i) {
    const int u = warp[i];
    const unsigned bit = 1u << i, three = u % 3 == 0 ? bit : 0u;
    w[0] |= three;
    if (u % 5 == v % 5) w[1] |= bit;
    if (u % 4 == v % 4) w[2] |= bit;
    any = any || u == 4;
    all = all && u < 90;
    none = none && u >= 90;
    w[6] += static_cast<unsigned>(u);
    least = u - 50 < least ? u - 50 : least;
    w[8] ^= static_cast<unsigned>(u);
    if (i <= lane) w[10] |= bit;
    if (u % 2 != v % 2) continue;
    w[12] |= bit;
    most = u > most ? u : most;
    if (v % 2 == 0) w[14] |= three;
    if (v % 2 != 0) {
      ++w[14];
      if (u == v) w[13] |= bit;
    }
  }
  w[3] = 0xffffffffu;
  w[5] = static_cast<unsigned>(any + 2 * all + 4 * (all || none));
  w[7] = static_cast<unsigned>(least);
  w[9] = 0xffffffffu;
  w[11] = static_cast<unsigned>(lane + 100 * (t / 32));
  if (v % 2 == 0) w[13] = static_cast<unsigned>(most);
  w[15] = v % 2 == 0 ? static_cast<unsigned>(__builtin_ctz(w[12]) == lane) : 7u;
  w[16] = wanted_fns(w[0], 2);
  w[17] = 0xffffu;
  w[18] = static_cast<unsigned>(warp[(t + 1) % 32] + warp[lane < 2 ? lane : lane - 2] +
                                warp[lane % 8 + 5 < 8 ? lane + 5 : lane] + warp[lane ^ 9]);
  w[19] = static_cast<unsigned>(warp[lane < 16 ? lane + 16 : lane]);
}

__global__ void exits_early(const int* in, int* out, int n) {
  const int t = static_cast<int>(threadIdx.x);
  if (t >= n) return;  // CUDA lets others go on with a mask that names these
  out[t] = static_cast<int>(port::reduce_add_sync(0xffffffffu, static_cast<unsigned>(in[t])));
}

__global__ void through_lds(const int* in, int* out) {
  __shared__ int shared[kThreads];
  const int t = static_cast<int>(threadIdx.x), lane = static_cast<int>(port::lane_id());
  shared[t] = in[t];
  port::syncwarp();
  for (int d = 16; d > 0; d /= 2) {
    if (lane < d) shared[t] += shared[t + d];
    port::syncwarp();
  }
  out[t] = shared[t - lane];
}

void check_votes(Array<int>& in) {
  Array<unsigned> out(kVotes * kThreads);
  votes<<<1, kThreads>>>(in.device, out.device);
  out.down();
  for (int t = 0; t < kThreads; ++t) {
    unsigned wanted[kVotes] = {};
    wanted_of(&in.host[static_cast<size_t>(t / 32 * 32)], t % 32, t, wanted);
    for (int i = 0; i < kVotes; ++i)
      expect("votes", kVotes * t + i, out[kVotes * t + i], wanted[i]);
  }
}

void check_sums(Array<int>& in) {
  Array<int> early(kThreads), shared(kThreads);
  exits_early<<<1, kThreads>>>(in.device, early.device, 75);
  through_lds<<<1, kThreads>>>(in.device, shared.device);
  early.down();
  shared.down();
  for (int t = 0; t < kThreads; ++t) {
    int sum = 0, rest = 0;
    for (int i = t / 32 * 32; i < t / 32 * 32 + 32; ++i) {
      sum += in[i];
      if (i < 75) rest += in[i];
    }
    expect("syncwarp", t, shared[t], sum);
    expect("early", t, early[t], t < 75 ? rest : 0);
  }
}

}  // namespace

int main() {
  Array<int> in(kThreads);
  for (int t = 0; t < kThreads; ++t) in[t] = t * 37 % 101;
  in.up();
  check_votes(in);
  check_sums(in);
  return finish();
}
