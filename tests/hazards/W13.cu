// SPDX-License-Identifier: Apache-2.0
// W13: tiles of 32, and code that takes their number for that of waves.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void by_rank(const float* in, float* out) {
  __shared__ float partial[16];
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);  // expect: W13 S0
  if (tile.thread_rank() == 0) {
    partial[tile.meta_group_rank()] = in[threadIdx.x];  // expect: W13 S0
  }
  block.sync();
  out[threadIdx.x] = partial[threadIdx.x / warpSize];
}

template <typename Group>
__device__ int number_of(const Group& tile) {
  return tile.meta_group_size();  // expect: W13 S0
}

constexpr int kTile = 32;

__global__ void plain(const float* in, float* out) {
  const auto tile = cg::tiled_partition<kTile>(cg::this_thread_block());  // expect: W13 S3
  float v = in[threadIdx.x];
  for (int o = tile.size() / 2; o > 0; o /= 2) v += tile.shfl_down(v, o);
  if (tile.thread_rank() == 0) atomicAdd(out, v);
}

__global__ void active_lanes(int* counter) {
  cg::coalesced_group active = cg::coalesced_threads();  // expect: W13 S0
  if (active.thread_rank() == 0) atomicAdd(counter, static_cast<int>(active.size()));
}
