// SPDX-License-Identifier: Apache-2.0
// S05: barriers of a warp.
#include <cuda_runtime.h>

#define WARP_SYNC() __syncwarp()  // expect: S05 S0
#define SYNC_OF __syncwarp

__global__ void exchanged(const float* in, float* out) {
  __shared__ float tile[256];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncwarp();  // expect: S05 S0
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
  WARP_SYNC();
  SYNC_OF(0xffffffffu);  // expect: S05 S0
}

template <typename T>
__device__ void stored(volatile T* tile, T value) {
  tile[threadIdx.x] = value;
#if defined(USE_PTX)
  asm volatile("bar.warp.sync 0xffffffff;");  // expect: S05 S0
#else
  __syncwarp(__activemask());  // expect: S05 S0
#endif
  auto again = [&] { __syncwarp(); };  // expect: S05 S0
  again();
}
