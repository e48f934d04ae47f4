// SPDX-License-Identifier: Apache-2.0
// Launches that are timed on a GPU (-DTIMED) and made once in the executor, where
// `ambidex port estimate` predicts them.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                        \
  do {                                                                     \
    const cudaError_t status = (call);                                     \
    if (status != cudaSuccess) {                                           \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
      std::exit(1);                                                        \
    }                                                                      \
  } while (0)

inline float pseudo_random(unsigned i) {  // in [0, 1), the same everywhere
  i = (i ^ 61u) ^ (i >> 16);
  i *= 9u;
  i ^= i >> 4;
  i *= 0x27d4eb2du;
  i ^= i >> 15;
  return static_cast<float>(i >> 8) / 16777216.0f;
}

template <typename T>
T* device_copy(const std::vector<T>& host) {
  T* device = nullptr;
  CHECK(cudaMalloc(&device, host.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

inline float* device_floats(size_t count) {
  std::vector<float> host(count);
  for (size_t i = 0; i < count; ++i) host[i] = pseudo_random(static_cast<unsigned>(i)) - 0.5f;
  return device_copy(host);
}

// Ids below `range`, `count` of them.
inline int* device_ids(size_t count, unsigned range) {
  std::vector<int> host(count);
  for (size_t i = 0; i < count; ++i) {
    host[i] = static_cast<int>(pseudo_random(static_cast<unsigned>(i) * 7u + 3u) * range);
  }
  return device_copy(host);
}

#ifdef TIMED
// Fills every cache with other bytes, and leaves none that would have to be written back.
static __global__ void read_other(const uint4* other, size_t count, unsigned* out) {
  unsigned sum = 0;
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
    sum += other[i].x ^ other[i].y ^ other[i].z ^ other[i].w;
  }
  if (sum == 1) *out = sum;
}

// The median of 21 launches in microseconds and their second smallest and largest, in cold caches,
// at the clock of a busy GPU. An event's own cost is that of an empty kernel, which is in the list.
template <typename Launch>
void timed(const char* name, Launch launch) {
  constexpr size_t kOther = size_t{1} << 28;  // bytes, more than any L2
  static uint4* other = nullptr;
  if (other == nullptr) {
    CHECK(cudaMalloc(&other, kOther));
    CHECK(cudaMemset(other, 0, kOther));
  }
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<float> microseconds;
  for (int i = 0; i < 41; ++i) {
    read_other<<<1056, 256>>>(other, kOther / sizeof(uint4), reinterpret_cast<unsigned*>(other));
    CHECK(cudaEventRecord(begin));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    if (i >= 20) microseconds.push_back(milliseconds * 1000);
  }
  std::sort(microseconds.begin(), microseconds.end());
  std::printf("%s,%.3f,%.3f,%.3f\n", name, microseconds[10], microseconds[1], microseconds[19]);
}
#else
template <typename Launch>
void timed(const char*, Launch launch) {
  launch();
  CHECK(cudaDeviceSynchronize());
}
#endif
