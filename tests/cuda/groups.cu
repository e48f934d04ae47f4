// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: tiles, coalesced threads, partitions, reductions and scans, the grid.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include "check.h"

namespace cg = cooperative_groups;
constexpr int kThreads = 96;

// out [8][kThreads]
template <int kSize>
__global__ void tiles(const int* in, int* out) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<kSize>(block);
  const int i = int(block.thread_rank()), x = in[i];
  out[0 * kThreads + i] = cg::reduce(tile, x, cg::plus<int>());
  out[1 * kThreads + i] = cg::inclusive_scan(tile, x, cg::plus<int>());
  out[2 * kThreads + i] = tile.shfl(x, 1 % kSize);
  out[3 * kThreads + i] = tile.shfl_down(x, 1);
  out[4 * kThreads + i] = int(tile.ballot(x & 1));
  out[5 * kThreads + i] = int(tile.meta_group_rank() * 100 + tile.thread_rank());
  out[6 * kThreads + i] = int(tile.match_any(x & 3));
  out[7 * kThreads + i] = cg::reduce(tile, x, cg::greater<int>());
}
template <int kSize>
void check_tiles(const std::vector<int>& in) {
  Array<int> device_in(in), device_out(8 * kThreads);
  tiles<kSize><<<1, kThreads>>>(device_in.device, device_out.device);
  const std::vector<int> got = device_out.values();
  for (int i = 0; i < kThreads; ++i) {
    const int first = i / kSize * kSize;
    int sum = 0, below = 0, most = in[first];
    unsigned ballot = 0, like = 0;
    for (int k = first; k < first + kSize; ++k) {
      sum += in[k];
      below += k <= i ? in[k] : 0;
      most = in[k] > most ? in[k] : most;
      ballot |= unsigned(in[k] & 1) << (k - first);
      like |= unsigned((in[k] & 3) == (in[i] & 3)) << (k - first);
    }
    const int expected[8] = {sum,
                             below,
                             in[first + 1 % kSize],
                             i + 1 < first + kSize ? in[i + 1] : in[i],
                             int(ballot),
                             i / kSize * 100 + i % kSize,
                             int(like),
                             most};
    for (int k = 0; k < 8; ++k) {
      CHECK_EQUAL("a tile", kSize * 10000 + k * 1000 + i, got[k * kThreads + i], expected[k]);
    }
  }
}

// Threads with odd values form a group of their own.
__global__ void coalesced(const int* in, int* out) {
  const int i = int(threadIdx.x), x = in[i];
  if (x & 1) {
    const cg::coalesced_group group = cg::coalesced_threads();
    out[i] = int(group.thread_rank()) + 100 * int(group.num_threads());
    out[kThreads + i] = cg::reduce(group, x, cg::plus<int>());
    out[2 * kThreads + i] = group.shfl(x, 0);
    out[3 * kThreads + i] = int(group.ballot(x & 2));
  }
  __syncwarp();
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const cg::coalesced_group labelled = cg::labeled_partition(warp, x & 3);
  out[4 * kThreads + i] = cg::reduce(labelled, x, cg::plus<int>());
  const cg::coalesced_group halves = cg::binary_partition(warp, x > 0);
  out[5 * kThreads + i] = int(halves.num_threads());
}
void check_coalesced(const std::vector<int>& in) {
  Array<int> device_in(in), device_out(6 * kThreads);
  coalesced<<<1, kThreads>>>(device_in.device, device_out.device);
  const std::vector<int> got = device_out.values();
  for (int i = 0; i < kThreads; ++i) {
    int rank = 0, count = 0, sum = 0, lead = 0, ballot = 0, labelled = 0, halves = 0;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) {
      if ((in[k] & 3) == (in[i] & 3)) labelled += in[k];
      if ((in[k] > 0) == (in[i] > 0)) ++halves;
      if (!(in[k] & 1)) continue;
      if (count == 0) lead = in[k];
      ballot |= (in[k] >> 1 & 1) << count;
      ++count;
      sum += in[k];
      rank += k < i ? 1 : 0;
    }
    const int expected[6] = {rank + 100 * count, sum, lead, ballot, labelled, halves};
    for (int k = in[i] & 1 ? 0 : 4; k < 6; ++k) {
      CHECK_EQUAL("a coalesced group", k * 1000 + i, got[k * kThreads + i], expected[k]);
    }
  }
}

// Every block adds up what all blocks wrote before the barrier of the grid.
__global__ void across_grid(int* partial, int* out) {
  const cg::grid_group grid = cg::this_grid();
  if (threadIdx.x == 0) partial[blockIdx.x] = int(blockIdx.x) + 1;
  grid.sync();
  int sum = 0;
  for (int i = 0; i < int(gridDim.x); ++i) sum += partial[i];
  out[grid.thread_rank()] = sum;
}
void check_grid() {
  Array<int> partial(4), out(4 * 64);
  void* arguments[] = {&partial.device, &out.device};
  cudaLaunchCooperativeKernel((void*)across_grid, dim3(4), dim3(64), arguments, 0, 0);
  for (int x : out.values()) check(x == 10, "the grid", x);
}

int main() {
  unsigned state = 21;
  std::vector<int> in;
  for (int i = 0; i < kThreads; ++i) in.push_back(int(next_random(state) % 1000) - 400);
  check_tiles<1>(in);
  check_tiles<2>(in);
  check_tiles<4>(in);
  check_tiles<8>(in);
  check_tiles<16>(in);
  check_tiles<32>(in);
  check_coalesced(in);
  check_grid();
  return finish();
}
