// SPDX-License-Identifier: Apache-2.0
// The host's half: what a launch must respect on AMD.
#ifndef AMBIDEX_PORT_LAUNCH_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_LAUNCH_H

#include <cstdio>
#include <cstdlib>

#include "ambidex_port/platform.h"

namespace ambidex_port {

// Blocks for a kernel whose loop strides over the grid: at most as many as keep blocks * threads
// below 2^32, which is all that a launch packet holds [R05].
inline unsigned capped_grid(unsigned long long num_blocks, unsigned threads_per_block) {
  const unsigned long long most = 0xffffffffull / (threads_per_block > 0u ? threads_per_block : 1u);
  const unsigned long long capped = num_blocks < most ? num_blocks : most;
  return static_cast<unsigned>(capped > 0x7fffffffull ? 0x7fffffffull : capped);
}

// Lanes of a wave of the device, 64 on CDNA; -1 for the current one; 0 if it cannot be asked
// [W09 W10].
inline int wave_size_host(int device = -1) {
  int size = 0;
  if (device < 0 && hipGetDevice(&device) != hipSuccess) return 0;
  return hipDeviceGetAttribute(&size, hipDeviceAttributeWarpSize, device) == hipSuccess ? size : 0;
}

// Bytes of LDS that a block of the current device can have: 65,536 on gfx942, 163,840 on gfx950.
inline size_t lds_limit_bytes() {
  int device = 0, bytes = 0;
  if (hipGetDevice(&device) != hipSuccess) return 0;
  if (hipDeviceGetAttribute(&bytes, hipDeviceAttributeMaxSharedMemoryPerBlock, device) !=
      hipSuccess) {
    return 0;
  }
  return static_cast<size_t>(bytes);
}
// Whether a launch with so much static and dynamic LDS can run; one that cannot may fail without
// a word [R01].
inline bool fits_lds(size_t static_bytes, size_t dynamic_bytes) {
  return static_bytes + dynamic_bytes <= lds_limit_bytes();
}
// What cudaFuncSetAttribute(MaxDynamicSharedMemorySize) is for: nothing to opt in to on AMD, but a
// size that cannot be had is an error [R02].
inline hipError_t max_dynamic_lds(size_t dynamic_bytes) {
  return fits_lds(0, dynamic_bytes) ? hipSuccess : hipErrorInvalidValue;
}

// cudaFuncSetAttribute, with the kernel's static LDS counted [R02].
inline hipError_t set_function_attribute(const void* kernel, hipFuncAttribute attribute,
                                         int value) {
  if (attribute == hipFuncAttributeMaxDynamicSharedMemorySize) {
    hipFuncAttributes own = {};
    const hipError_t result = hipFuncGetAttributes(&own, kernel);
    if (result != hipSuccess) return result;
    if (value < 0 || !fits_lds(own.sharedSizeBytes, static_cast<size_t>(value))) {
      return hipErrorInvalidValue;
    }
  }
  return hipFuncSetAttribute(kernel, attribute, value);
}

// Ends the program with a word if a call has failed of which the source does not look at the
// result, and which may fail on AMD where it could not on the device it was written for.
inline void must(hipError_t result, const char* call) {
  if (result == hipSuccess) return;
  std::fprintf(stderr, "%s: %s; this device has other limits than the program was written for\n",
               call, hipGetErrorString(result));
  std::abort();
}

// The grid; ends the program with a word if its threads are 2^32 or more, which a launch packet
// does not hold: some versions of ROCm leave out the rest silently [R05].
inline dim3 checked_grid(dim3 grid, dim3 block) {
  const double threads =
      static_cast<double>(grid.x) * grid.y * grid.z * block.x * block.y * block.z;
  if (threads < 4294967296.0) return grid;
  std::fprintf(stderr, "a launch of %.0f threads: a launch packet holds less than 2^32\n", threads);
  std::abort();
}

// Blocks that a cooperative launch may have: all must be resident at once [S06]. 0 on an error.
template <class Kernel>
inline int cooperative_blocks(Kernel kernel, int threads, size_t dynamic_bytes) {
  int device = 0, units = 0, blocks = 0;
  if (hipGetDevice(&device) != hipSuccess) return 0;
  if (hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device) != hipSuccess) {
    return 0;
  }
  if (hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, dynamic_bytes) !=
      hipSuccess) {
    return 0;
  }
  return units * blocks;
}

// cudaOccupancyMaxPotentialBlockSizeVariableSMem: the block that keeps most threads on a unit, with
// `dynamic_bytes(block_size)` bytes of LDS; of equal ones the largest.
template <class Kernel, class Bytes>
inline hipError_t max_potential_block_size(int* grid_size, int* block_size, Kernel kernel,
                                           Bytes dynamic_bytes, int limit = 0, unsigned = 0) {
  hipFuncAttributes own = {};
  int device = 0, units = 0, most_threads = 0;
  hipError_t result = hipFuncGetAttributes(&own, reinterpret_cast<const void*>(kernel));
  if (result == hipSuccess) result = hipGetDevice(&device);
  if (result == hipSuccess) {
    result = hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device);
  }
  if (result != hipSuccess) return result;
  const bool is_limited = limit > 0 && limit < own.maxThreadsPerBlock;
  for (int size = is_limited ? limit : own.maxThreadsPerBlock; size > 0;
       size = (size - 1) / 32 * 32) {
    int blocks = 0;
    result = hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, size,
                                                          static_cast<size_t>(dynamic_bytes(size)));
    if (result != hipSuccess || blocks * size <= most_threads) continue;
    most_threads = blocks * size;
    *block_size = size;
    *grid_size = blocks * units;
  }
  return most_threads > 0 ? hipSuccess : hipErrorInvalidConfiguration;
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_LAUNCH_H
