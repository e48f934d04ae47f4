// SPDX-License-Identifier: Apache-2.0
// Cooperative groups, reductions and scans of tiles, copies, atomics and ordered accesses.
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

#include "ambidex_port.h"
#include "check.h"

namespace cg = cooperative_groups;
namespace port = ambidex_port;

namespace {

constexpr int kThreads = 128;

__global__ void tiles(const int* in, int* out) {
  const int t = static_cast<int>(threadIdx.x), v = in[t];
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const auto warp = cg::tiled_partition<32>(block);
  int* const mine = out + 10 * t;
  mine[0] = port::reduce(tile, v, port::plus<int>());
  mine[1] = port::reduce(warp, v, port::greater<int>());
  mine[2] = port::inclusive_scan(tile, v);
  mine[3] = port::exclusive_scan(warp, v);
  mine[4] = static_cast<int>(tile.ballot(v % 2 == 0));
  mine[5] = static_cast<int>(tile.meta_group_rank() + 100 * port::meta_group_rank32() +
                             1000 * port::meta_group_size32() + 10000 * block.thread_rank());
  mine[6] = tile.shfl(v, 3) + warp.shfl_down(v, 4) + tile.any(v == 37);
  if (v % 3 == 0) {
    const cg::coalesced_group some = cg::coalesced_threads();
    mine[7] = port::reduce(some, 1, port::plus<int>()) == static_cast<int>(some.size());
    mine[8] = some.shfl(v, 0) == some.shfl(v, static_cast<int>(some.size()));
    mine[9] = port::inclusive_scan(some, 1) == static_cast<int>(some.thread_rank()) + 1;
  } else {
    mine[7] = mine[8] = mine[9] = 1;
  }
}
void check_tiles(Array<int>& in) {
  Array<int> out(10 * kThreads);
  tiles<<<1, kThreads>>>(in.device, out.device);
  out.down();
  for (int t = 0; t < kThreads; ++t) {
    const int tile = t / 16 * 16, warp = t / 32 * 32;
    int w[10] = {};
    bool any = false;
    for (int i = tile; i < tile + 16; ++i) {
      w[0] += in[i];
      if (i <= t) w[2] += in[i];
      if (in[i] % 2 == 0) w[4] |= 1 << (i - tile);
      any = any || in[i] == 37;
    }
    for (int i = warp; i < warp + 32; ++i) {
      w[1] = in[i] > w[1] ? in[i] : w[1];
      if (i < t) w[3] += in[i];
    }
    w[5] = t / 16 + 100 * (t / 32) + 4000 + 10000 * t;
    w[6] = in[tile + 3] + (t % 32 + 4 < 32 ? in[t + 4] : in[t]) + any;
    w[7] = w[8] = w[9] = 1;
    for (int i = 0; i < 10; ++i) expect("tile", 10 * t + i, out[10 * t + i], w[i]);
  }
}

struct Sums {
  float least, most, sum;
  double wide;
  __half half[2];
  __half2 pair;
  __hip_bfloat16 small[2];
  unsigned short word[2];
  unsigned wrapped;
};
__global__ void atomics(const int* in, Sums* sums) {
  const int t = static_cast<int>(threadIdx.x);
  const float v = static_cast<float>(in[t]) - 40.5f;
  port::atomic_min(&sums->least, v);
  port::atomic_max(&sums->most, v);
  atomicAdd(&sums->sum, v);
  atomicAdd(&sums->wide, static_cast<double>(v));
  port::atomic_add(&sums->half[t % 2], __float2half(1.0f));
  port::atomic_add(&sums->pair, __floats2half2_rn(1.0f, 2.0f));
  port::atomic_add(&sums->small[1], __float2bfloat16(1.0f));
  port::atomic_cas(&sums->word[1], static_cast<unsigned short>(7), static_cast<unsigned short>(9));
  atomicInc(&sums->wrapped, 9u);
}
void check_atomics(Array<int>& in) {
  Array<Sums> sums(1);
  sums[0] = Sums{1e9f, -1e9f, 0.0f, 0.0, {0.0f, 0.0f}, {0.0f, 0.0f}, {0.0f, 0.0f}, {7, 7}, 0};
  sums.up();
  atomics<<<1, kThreads>>>(in.device, sums.device);
  sums.down();
  float least = 1e9f, most = -1e9f, sum = 0;
  for (int t = 0; t < kThreads; ++t) {
    const float v = static_cast<float>(in[t]) - 40.5f;
    least = std::fmin(least, v);
    most = std::fmax(most, v);
    sum += v;  // halves: exact in any order
  }
  const Sums& got = sums[0];
  expect("least", 0, got.least, least);
  expect("most", 0, got.most, most);
  expect("sum", 0, got.sum, sum);
  expect("wide", 0, got.wide, sum);
  expect("half", 0, float(got.half[0]) * 1000 + float(got.half[1]), 64064);
  expect("pair", 0, float(got.pair.x) * 1000 + float(got.pair.y), 128256);
  expect("bfloat16", 0, float(got.small[1]) + float(got.small[0]), 128);
  expect("word", 0, got.word[0] * 100 + got.word[1], 709);
  expect("wrapped", 0, got.wrapped, kThreads % 10);
}

__global__ void copies(const float4* from, float4* to) {
  __shared__ float4 row[kThreads];
  const int t = static_cast<int>(threadIdx.x);
  port::pipeline_memcpy_async(&row[t], from + t, 16, t % 4 * 4);
  port::pipeline_commit();
  port::pipeline_wait_prior(0);
  __syncthreads();
  port::stcs(to + t, row[kThreads - 1 - t]);
  __syncthreads();
  port::memcpy_async(cg::this_thread_block(), row, from, sizeof(row));
  port::wait(cg::this_thread_block());
  const float4 kept = port::ldcs(row + t);
  to[t].w += kept.w;
}
// Parts of tiles and of lanes that happen to be together.
__global__ void parts(const int* in, int* out) {
  const int t = static_cast<int>(threadIdx.x), v = in[t];
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const port::coalesced_group label = port::labeled_partition(warp, v % 3);
  const port::coalesced_group small = port::labeled_partition(tile, static_cast<char>(v % 2));
  const port::coalesced_group halves = port::binary_partition(warp, v > 50);
  int* const mine = out + 6 * t;
  mine[0] = static_cast<int>(label.size() + 100 * label.thread_rank() +
                             10000 * label.meta_group_rank() + 100000 * label.meta_group_size());
  mine[1] = port::reduce(label, v, port::plus<int>());
  mine[2] = static_cast<int>(small.size() + 10 * small.thread_rank());
  mine[3] = static_cast<int>(halves.size() + 100 * halves.meta_group_rank());
  mine[4] = halves.shfl(v, static_cast<int>(halves.size()) - 1);
  mine[5] = 0;
  if (v % 5 != 0) {
    const port::coalesced_group some = port::binary_partition(port::coalesced_threads(), v > 20);
    mine[5] = static_cast<int>(some.size());
  }
}
void check_parts(Array<int>& in) {
  Array<int> out(6 * kThreads);
  parts<<<1, kThreads>>>(in.device, out.device);
  out.down();
  for (int t = 0; t < kThreads; ++t) {
    const int warp = t / 32 * 32, tile = t / 8 * 8;
    int size = 0, rank = 0, sum = 0, small = 0, small_rank = 0, half = 0, last = t, some = 0;
    int first[3] = {kThreads, kThreads, kThreads};
    for (int i = warp + 31; i >= warp; --i) first[in[i] % 3] = i;
    for (int i = warp; i < warp + 32; ++i) {
      if (in[i] % 3 == in[t] % 3) {
        ++size;
        rank += i < t;
        sum += in[i];
      }
      if ((in[i] > 50) == (in[t] > 50)) {
        ++half;
        last = i;
      }
      some += in[i] % 5 != 0 && (in[i] > 20) == (in[t] > 20);
    }
    for (int i = tile; i < tile + 8; ++i) {
      if (in[i] % 2 != in[t] % 2) continue;
      ++small;
      small_rank += i < t;
    }
    int meta = 0, groups = 0;
    for (const int f : first) {
      groups += f < kThreads;
      meta += f < first[in[t] % 3];
    }
    const int w[6] = {size + 100 * rank + 10000 * meta + 100000 * groups,
                      sum,
                      small + 10 * small_rank,
                      half + (in[t] > 50 ? 100 : 0),
                      in[last],
                      in[t] % 5 != 0 ? some : 0};
    for (int i = 0; i < 6; ++i) expect("part", 6 * t + i, out[6 * t + i], w[i]);
  }
}

void check_copies() {
  Array<float4> from(kThreads), to(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    from[t] = make_float4(1.0f + t, 2.0f + t, 3.0f + t, 4.0f + t);
  }
  from.up();
  copies<<<1, kThreads>>>(from.device, to.device);
  to.down();
  for (int t = 0; t < kThreads; ++t) {
    const int s = kThreads - 1 - t, zeros = s % 4;
    expect("copied x", t, to[t].x, 1 + s);
    expect("copied z", t, to[t].z, zeros >= 2 ? 0 : 3 + s);
    expect("copied w", t, to[t].w, (zeros >= 1 ? 0 : 4 + s) + 4 + t);
  }
}

void check_launches() {
  expect("grid", 0, port::capped_grid(1ull << 33, 256), 0xffffffffull / 256);
  expect("grid", 1, port::capped_grid(1000, 256), 1000);
  expect("grid", 2, port::capped_grid(1ull << 40, 1), 0x7fffffff);
  expect("wave", 0, port::wave_size_host() == 64 || port::wave_size_host() == 32, true);
  expect("lds", 0, port::fits_lds(60000, 5536) && !port::fits_lds(1 << 20, 0), true);
}

}  // namespace

int main() {
  Array<int> in(kThreads);
  for (int t = 0; t < kThreads; ++t) in[t] = t * 37 % 101;
  in.up();
  check_tiles(in);
  check_parts(in);
  check_atomics(in);
  check_copies();
  check_launches();
  return finish();
}
