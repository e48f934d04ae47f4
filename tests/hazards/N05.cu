// SPDX-License-Identifier: Apache-2.0
// N05: Asynchronous copies to shared memory.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>  // expect: N05 S2
#include <cuda/pipeline>  // expect: N05 S2

namespace cg = cooperative_groups;

__global__ void by_primitives(const float4* x, float4* y) {
  __shared__ float4 tile[2][128];
  __pipeline_memcpy_async(&tile[0][threadIdx.x], &x[threadIdx.x], sizeof(float4));  // expect: N05 S2
  __pipeline_commit();        // expect: N05 S2
  __pipeline_wait_prior(0);   // expect: N05 S2
  __syncthreads();
  y[threadIdx.x] = tile[0][127 - threadIdx.x];
}

template <int kBytes>
__device__ void cp_async(void* to, const void* from) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], %2;\n" ::"r"(address), "l"(from), "n"(kBytes));  // expect: N05 S2
}

#define COMMIT() asm volatile("cp.async.commit_group;\n" ::)  // expect: N05 S2
#define WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))  // expect: N05 S2

__global__ void by_group(const float* x, float* y) {
  __shared__ float tile[256];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, x, sizeof(float) * 256);  // expect: N05 S3
  cg::wait(block);
  y[threadIdx.x] = tile[255 - threadIdx.x];
}

#ifdef NEVER
__global__ void by_pipeline(const float* x, float* y) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;  // expect: N05 S2
  auto pipe = cuda::make_pipeline(block, &state);  // expect: N05 S2
  pipe.producer_acquire();  // expect: N05 S2
  cuda::memcpy_async(block, tile, x, 16, pipe);  // expect: N05 S2
  pipe.producer_commit();  // expect: N05 S2
  pipe.consumer_wait();    // expect: N05 S2
}
#endif
