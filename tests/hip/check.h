// SPDX-License-Identifier: Apache-2.0
// What the programs of this folder share: they launch kernels, compare with plain loops, print what
// differs, and end with the number of differences (at most 99).
#pragma once

#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <vector>

template <class T>
struct Array {  // on the device, with a copy on the host
  std::vector<T> host;
  T* device = nullptr;
  explicit Array(size_t n, T value = T()) : host(n, value) {
    if (hipMalloc(&device, n * sizeof(T)) != hipSuccess) std::printf("no memory\n");
    up();
  }
  void up() {
    (void)hipMemcpy(device, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice);
  }
  void down() {
    (void)hipMemcpy(host.data(), device, host.size() * sizeof(T), hipMemcpyDeviceToHost);
  }
  T& operator[](size_t i) { return host[i]; }
};

inline int num_different = 0;
template <class T, class U>
void expect(const char* what, size_t at, T got, U wanted) {
  if (got == static_cast<T>(wanted)) return;
  if (++num_different > 20) return;
  std::printf("%s[%d]: got %.17g, wanted %.17g\n", what, static_cast<int>(at),
              static_cast<double>(got), static_cast<double>(wanted));
}
inline int finish() {
  std::printf("%d differences\n", num_different);
  return num_different > 99 ? 99 : num_different;
}
