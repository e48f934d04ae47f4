// SPDX-License-Identifier: Apache-2.0
// Right on 64 lanes as written: tiles of cooperative groups keep their 32 lanes.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

template <int kSize>
__device__ float sum(const cg::thread_block_tile<kSize>& tile, float v) {
  for (int o = tile.size() / 2; o > 0; o /= 2) v += tile.shfl_down(v, o);
  return tile.shfl(v, 0);
}

__global__ void rows(const float* in, float* out, int n) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  if (n <= 0) return;
  float v = 0;
  for (int i = tile.thread_rank(); i < n; i += tile.size()) v += in[blockIdx.x * n + i];
  v = sum<32>(tile, v);
  if (tile.any(v > 1.0f)) v += 1.0f;
  if (tile.thread_rank() == 0) atomicAdd(out, v);
  if (tile.ballot(v > 2.0f) != 0) tile.sync();
  block.sync();
}
