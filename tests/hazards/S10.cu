// SPDX-License-Identifier: Apache-2.0
// S10: clocks.
#include <cuda_runtime.h>

#define NOW() clock64()  // expect: S10 S0
#define SLEEP __nanosleep

__global__ void times_out(volatile int* flag, int* out, long long limit) {
  const long long start = clock64();  // expect: S10 S0
  while (*flag == 0) {
    if (clock64() - start > limit) break;  // expect: S10 S0
    SLEEP(100);                            // expect: S10 S0
  }
  out[0] = static_cast<int>(clock() - start);  // expect: S10 S0
}

template <typename T>
__device__ T global_time() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));  // expect: S10 S0
  auto since = [&](long long then) { return NOW() - then; };
  return static_cast<T>(since(static_cast<long long>(t)));
}

long long cycles_of(int milliseconds) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  return static_cast<long long>(properties.clockRate) * milliseconds;  // expect: S10 S0
}
