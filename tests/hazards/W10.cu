// SPDX-License-Identifier: Apache-2.0
// W10: a width that only device passes decide, read on the host.
#include <cuda_runtime.h>

#if defined(__GFX9__)  // expect: W10 S0
#define WAVE 64
#else
#define WAVE 32
#endif

#ifdef __gfx942__  // expect: W10 S0
constexpr int kWave = 64;
#else
constexpr int kWave = 32;
#endif

__host__ __device__ constexpr int wave_size() {
#ifdef __GFX9__  // expect: W10 S0
  return 64;
#else
  return 32;
#endif
}

__global__ void kernel(float* out) { out[threadIdx.x / WAVE] = threadIdx.x; }

int rows_per_block(int threads) {
  return threads / WAVE;  // expect: W10 S0
}

template <typename T>
void launch(T* out, int rows) {
  const int threads = rows * kWave;  // expect: W10 S0
  auto grid = [&](int per) { return rows / per / wave_size(); };  // expect: W10 S0
  kernel<<<grid(4), threads>>>(out);
}

#ifdef __HIP_DEVICE_COMPILE__
#if defined(__GFX9__)  // expect: W10 S0
static constexpr int kLanes = 64;
#else
static constexpr int kLanes = 32;
#endif
#else
static constexpr int kLanes = 32;
#endif
size_t scratch_bytes(int threads) {
  return threads / kLanes * sizeof(float);  // expect: W10 S0
}

// Device code alone: there the macro is right.
#ifdef __GFX9__
#define ONLY_ON_DEVICE 1
#else
#define ONLY_ON_DEVICE 0
#endif
__device__ int fast_path() { return ONLY_ON_DEVICE; }
