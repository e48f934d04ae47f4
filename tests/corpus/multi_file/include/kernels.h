// SPDX-License-Identifier: Apache-2.0
// Launchers of the example network.
#pragma once

#include <cuda_runtime.h>

#define WARP 32

#define LAUNCH_CHECK()                    \
  do {                                    \
    cudaError_t err = cudaGetLastError(); \
    if (err != cudaSuccess) return err;   \
  } while (0)

// out [rows] = mean of in [rows, cols] over columns.
cudaError_t mean_pool(const float* in, float* out, int rows, int cols, cudaStream_t stream);

// x [n], in place.
cudaError_t swish(float* x, int n, cudaStream_t stream);
