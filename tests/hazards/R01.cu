// SPDX-License-Identifier: Apache-2.0
// R01: More than 64 KiB of shared memory: static, dynamic, by opt-in, in a config struct.
#include <cuda_runtime.h>

constexpr int kTile = 128;
#define STAGES 3

__global__ void static_array(float* out) {
  __shared__ float tile[kTile][kTile + 8];  // expect: R01 S2
  tile[threadIdx.x][0] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[0][threadIdx.x];
}

__global__ void sum_of_arrays(double* out) {
  __shared__ double a[64 * 64];
  __shared__ double b[64 * 65];  // expect: R01 S2
  a[threadIdx.x] = b[threadIdx.x] = out[threadIdx.x];
}

__global__ void dynamic(float* out) {
  extern __shared__ float buffer[];
  out[threadIdx.x] = buffer[threadIdx.x];
}

template <int kStages>
__global__ void staged(float* out) {
  extern __shared__ char bytes[];
  __shared__ float fixed[1024];
  out[threadIdx.x] = bytes[threadIdx.x] + fixed[0];
}

void launch(float* out, cudaStream_t stream) {
  dynamic<<<64, 256, 96 * 1024>>>(out);  // expect: R01 S0
  const size_t bytes = STAGES * (kTile * 32 + 32 * kTile) * sizeof(float);
  dynamic<<<dim3(64), dim3(256), bytes, stream>>>(out);       // expect: R01 S0
  staged<STAGES><<<64, 256, 62 * 1024, stream>>>(out);        // expect: R01 S0
  cudaFuncSetAttribute(dynamic, cudaFuncAttributeMaxDynamicSharedMemorySize, 98304);  // expect: R01 S1
  dynamic<<<64, 256, 48 * 1024>>>(out);
}

#define BIG_LAUNCH(k, p) k<<<1, 256, 131072>>>(p)  // expect: R01 S0

#ifdef NOT_DEFINED
void other(float* out) {
  dynamic<<<1, 32, 227 * 1024>>>(out);  // expect: R01 S0
}
#endif
