// SPDX-License-Identifier: Apache-2.0
// What the programs of this folder share. Each is a whole CUDA program that judges kernels by
// plain loops on the host, prints what differs and returns the number of differences, so that it
// says the same under nvcc on a GPU and in the executor.
#pragma once

#include <cstdio>
#include <cstring>
#include <vector>

inline int& failures() {
  static int count = 0;
  return count;
}
template <class T>
inline bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
inline void check(bool good, const char* what, long long where) {
  if (good) return;
  if (++failures() <= 20) std::printf("%s differs at %lld\n", what, where);
}
#define CHECK_EQUAL(what, where, got, expected) check(same((got), (expected)), what, where)

inline unsigned next_random(unsigned& state) {
  state = state * 1664525u + 1013904223u;
  return state ^ state >> 15;
}

// An array that kernels and the host see.
template <class T>
struct Array {
  explicit Array(size_t count) : num(count) {
    if (cudaMalloc(&device, count * sizeof(T)) != cudaSuccess) std::abort();
    cudaMemset(device, 0, count * sizeof(T));
  }
  explicit Array(const std::vector<T>& values) : Array(values.size()) {
    cudaMemcpy(device, values.data(), num * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Array() { cudaFree(device); }
  Array(const Array&) = delete;
  std::vector<T> values() const {
    std::vector<T> result(num);
    if (cudaMemcpy(result.data(), device, num * sizeof(T), cudaMemcpyDeviceToHost) != cudaSuccess) {
      check(false, cudaGetErrorString(cudaGetLastError()), 0);
    }
    return result;
  }
  T* device = nullptr;
  size_t num;
};

inline int finish() {
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) check(false, cudaGetErrorString(error), 0);
  std::printf("%d differences\n", failures());
  return failures() == 0 ? 0 : 1;
}
