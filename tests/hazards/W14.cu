// SPDX-License-Identifier: Apache-2.0
// W14: functions of cooperative groups that came late to HIP.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>  // expect: W14 S2
#include <cooperative_groups/reduce.h>        // expect: W14 S2
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void sums(const int* in, int* out) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());  // expect: W14 S2
  if (tile.thread_rank() == 0) atomicAdd(out, sum);
}

template <typename T>
__global__ void copies(const T* in, T* out) {
  __shared__ T buffer[256];
  cg::thread_block block = cg::this_thread_block();
  cooperative_groups::memcpy_async(block, buffer, in, sizeof(T) * 256);  // expect: W14 S2
  cg::wait(block);
  out[threadIdx.x] = buffer[threadIdx.x];
}

using namespace cooperative_groups;

__device__ int largest(thread_block_tile<32> tile, int value) {
  return reduce(tile, value, greater<int>());  // expect: W14 S2
}
