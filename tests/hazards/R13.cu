// SPDX-License-Identifier: Apache-2.0
// R13: Launches inside macros.
#include <cuda_runtime.h>

template <typename T, int N>
__global__ void scale(T* x) {
  x[threadIdx.x] *= N;
}

#define LAUNCH(T, N, x) scale<T, N><<<1, 64>>>(x)  // expect: R13 S2

#define DISPATCH(type, x)                     \
  switch (type) {                             \
    case 0:                                   \
      scale<float, 2><<<1, 64>>>((float*)(x)); /* expect: R13 S2 */ \
      break;                                  \
    default:                                  \
      scale<int, 2><<<1, 64>>>((int*)(x)); /* expect: R13 S2 */ \
  }

#define RUN(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)  // expect: R13 S2

#ifdef NEVER
#define OLD(k, x) k<<<1, 1>>>(x)  // expect: R13 S2
#endif

void launch(float* x, int type) {
  LAUNCH(float, 2, x);
  DISPATCH(type, x);
  RUN((scale<float, 3>), 1, 64, x);
  scale<float, 4><<<1, 64>>>(x);
}
