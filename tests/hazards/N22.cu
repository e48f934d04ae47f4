// SPDX-License-Identifier: Apache-2.0
// N22: Random streams of cuRAND.
#include <curand.h>  // expect: N22 S0
#include <curand_kernel.h>  // expect: N22 S0

__global__ void init(curandState* states, unsigned long long seed) {  // expect: N22 S0
  curand_init(seed, threadIdx.x, 0, &states[threadIdx.x]);            // expect: N22 S0
}

template <typename State>
__device__ float draw(State* state) {
  return curand_uniform(state);  // expect: N22 S0
}

#define NORMAL(s) curand_normal(&s)  // expect: N22 S0

__global__ void dropout(float* x, unsigned long long seed, float p) {
  curandStatePhilox4_32_10_t state;  // expect: N22 S0
  curand_init(seed, threadIdx.x, 0, &state);  // expect: N22 S0
  if (curand_uniform(&state) < p) x[threadIdx.x] = 0;  // expect: N22 S0
}

#ifdef NEVER
void host(float* x, size_t n) {
  curandGenerator_t generator;                                    // expect: N22 S0
  curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT);   // expect: N22 S0
  curandGenerateUniform(generator, x, n);                         // expect: N22 S0
}
#endif
