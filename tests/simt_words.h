// SPDX-License-Identifier: Apache-2.0
// Kernels of tests are lambdas: run(launch, options, [&] { ... this_thread().lane ... }). And the
// words of CUDA and HIP that they use, as data/cuda and data/hip define them.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

#include "ambidex/simt.h"
#include "ambidex/simt_device.h"

namespace ambidex::words {

// All inlined: the return address of the call into the executor must be that of its place in the
// kernel.
#define AMBIDEX_WORD [[gnu::always_inline]] inline

AMBIDEX_WORD const AmbidexSimtThread& this_thread() { return *ambidex_simt_self(); }
AMBIDEX_WORD uint32_t global_thread() {
  const AmbidexSimtThread& self = this_thread();
  return self.block[0] * self.block_size[0] + self.linear_thread;
}

template <class T>
AMBIDEX_WORD T shuffle(uint64_t lanes, T value, uint32_t source) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8);
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  const uint64_t result = ambidex_simt_shuffle(lanes, std::bit_cast<Bits>(value), source);
  return std::bit_cast<T>(static_cast<Bits>(result));
}

// As CUDA and HIP define them, for groups of `width` lanes, a power of two.
template <class T>
AMBIDEX_WORD T shuffle_xor(uint64_t lanes, T value, uint32_t mask, uint32_t width) {
  const uint32_t lane = this_thread().lane;
  const uint32_t source = lane ^ mask;
  return shuffle(lanes, value, source >= (lane & ~(width - 1)) + width ? lane : source);
}
template <class T>
AMBIDEX_WORD T shuffle_down(uint64_t lanes, T value, uint32_t delta, uint32_t width) {
  const uint32_t lane = this_thread().lane;
  return shuffle(lanes, value, (lane & (width - 1)) + delta >= width ? lane : lane + delta);
}
template <class T>
AMBIDEX_WORD T shuffle_up(uint64_t lanes, T value, uint32_t delta, uint32_t width) {
  const uint32_t lane = this_thread().lane;
  return shuffle(lanes, value, (lane & (width - 1)) < delta ? lane : lane - delta);
}
template <class T>
AMBIDEX_WORD T shuffle_from(uint64_t lanes, T value, uint32_t source, uint32_t width) {
  const uint32_t lane = this_thread().lane;
  return shuffle(lanes, value, (lane & ~(width - 1)) + (source & (width - 1)));
}

template <class Kernel>
SimtReport run(const SimtLaunch& launch, const SimtOptions& options, Kernel kernel) {
  void* argument = &kernel;
  void* arguments[] = {&argument};
  return simt_run(
      launch, options, [](void** values) { (**static_cast<Kernel**>(values[0]))(); }, arguments);
}

}  // namespace ambidex::words
