// SPDX-License-Identifier: Apache-2.0
// R07: Decisions by device properties.
#include <cstdio>

#include <cuda_runtime.h>

bool has_bf16(int device) {
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, device);
  return prop.major >= 8;  // expect: R07 S0
}

int arch_of(const cudaDeviceProp* p) {
  return p->major * 10 + p->minor;  // expect: R07 S0
}

size_t shared_bytes() {
  static cudaDeviceProp properties;
  return properties.sharedMemPerBlockOptin;  // expect: R07 S0
}

template <class Kernel>
int blocks_for(Kernel) {
  cudaDeviceProp prop{};
  const int blocks = prop.multiProcessorCount * 4;  // expect: R07 S3
  return blocks;
}

int by_attribute(int device) {
  int major = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);  // expect: R07 S0
  return major;
}

void show(const cudaDeviceProp& prop) {
  std::printf("%d.%d\n", prop.major, prop.minor);  // expect: R07 S3
}

#define IS_HOPPER(prop) ((prop).major == 9)
#define IS_AMPERE(prop) (prop.major == 8)  // expect: R07 S0

#ifdef TORCH
bool torch_gate() {
  return at::cuda::getCurrentDeviceProperties()->major >= 9;  // expect: R07 S0
}
#endif

struct Version {
  int major;
};
bool unrelated(Version version) { return version.major > 2; }
