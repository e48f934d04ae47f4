// SPDX-License-Identifier: Apache-2.0
// N16: Textures and surfaces.
#include <cuda_runtime.h>

texture<float, 2, cudaReadModeElementType> image;  // expect: N16 S2

__global__ void sample(cudaTextureObject_t tex, float* out, int w) {  // expect: N16 S1
  out[threadIdx.x] = tex2D<float>(tex, threadIdx.x + 0.5f, 0.5f);     // expect: N16 S2
}

template <typename T>
__device__ T fetch(cudaTextureObject_t tex, int i) {  // expect: N16 S1
  return tex1Dfetch<T>(tex, i);                       // expect: N16 S2
}

#define VOLUME(tex, x, y, z) tex3D<float>(tex, x, y, z)  // expect: N16 S2

void host(cudaTextureObject_t* tex, cudaResourceDesc* resource) {  // expect: N16 S1
  cudaTextureDesc desc = {};
  desc.filterMode = cudaFilterModeLinear;                          // expect: N16 S1
  cudaCreateTextureObject(tex, resource, &desc, nullptr);          // expect: N16 S1
}

#ifdef NEVER
__global__ void write(cudaSurfaceObject_t surf, float v) {  // expect: N16 S1
  surf2Dwrite(v, surf, threadIdx.x * 4, blockIdx.x);        // expect: N16 S2
}
#endif
