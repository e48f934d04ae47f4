// SPDX-License-Identifier: Apache-2.0
// Shuffles and votes within a warp of 32. The lanes a shuffle reads follow PTX's definition of
// shfl.sync: an offset counts modulo 32, a segment of `width` lanes bounds the source.
#pragma once
#pragma GCC system_header

#include "../device_launch_parameters.h"

namespace ambidex_cuda {

AMBIDEX_D unsigned int lane() { return AMBIDEX_SELF->lane; }

// The lanes of a mask as the executor takes them, where 0 would mean "those that are here".
AMBIDEX_D ambidex_simt_u64 lanes_of(unsigned int mask) {
  if (mask == 0) ambidex_simt_trap("a warp function was called with an empty mask");
  return mask;
}

// The bits of a lane that tell its segment of `width` lanes. CUDA defines no other width, and an
// original that asks for one is no measure of a port.
AMBIDEX_D unsigned int segment_bits(int width) {
  if (width < 1 || width > 32 || (width & (width - 1)) != 0) {
    ambidex_simt_trap(
        "the width of a shuffle is none of 1, 2, 4, 8, 16, 32: CUDA leaves undefined "
        "what it gives");
  }
  return 32u - unsigned(width);
}

// Lane to read from in a segment of `width`.
AMBIDEX_D unsigned int source_of_index(int index, int width) {
  const unsigned int segment = segment_bits(width);
  return (lane() & segment) | (unsigned(index) & 31u & ~segment);
}
AMBIDEX_D unsigned int source_of_up(unsigned int delta, int width) {
  const int source = int(lane()) - int(delta & 31u);
  return source >= int(lane() & segment_bits(width)) ? unsigned(source) : lane();
}
AMBIDEX_D unsigned int last_of_segment(int width) {
  const unsigned int segment = segment_bits(width);
  return (lane() & segment) | (31u & ~segment);
}
AMBIDEX_D unsigned int source_of_down(unsigned int delta, int width) {
  const unsigned int source = lane() + (delta & 31u);
  return source <= last_of_segment(width) ? source : lane();
}
AMBIDEX_D unsigned int source_of_xor(int mask, int width) {
  const unsigned int source = lane() ^ (unsigned(mask) & 31u);
  return source <= last_of_segment(width) ? source : lane();
}

template <class T>
AMBIDEX_MEMBER_D T shuffle(ambidex_simt_u64 lanes, T value, unsigned int source) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  ambidex_simt_u64 word = 0;
  __builtin_memcpy(&word, &value, sizeof(T));
  word = ambidex_simt_shuffle(lanes, word, source);
  __builtin_memcpy(&value, &word, sizeof(T));
  return value;
}

}  // namespace ambidex_cuda

// The four shuffles of one type, and the forms before Volta that name no mask.
#define AMBIDEX_SHUFFLES(T)                                                                    \
  AMBIDEX_D T __shfl_sync(unsigned int mask, T var, int srcLane, int width = 32) {             \
    return ambidex_cuda::shuffle(ambidex_cuda::lanes_of(mask), var,                            \
                                 ambidex_cuda::source_of_index(srcLane, width));               \
  }                                                                                            \
  AMBIDEX_D T __shfl_up_sync(unsigned int mask, T var, unsigned int delta, int width = 32) {   \
    return ambidex_cuda::shuffle(ambidex_cuda::lanes_of(mask), var,                            \
                                 ambidex_cuda::source_of_up(delta, width));                    \
  }                                                                                            \
  AMBIDEX_D T __shfl_down_sync(unsigned int mask, T var, unsigned int delta, int width = 32) { \
    return ambidex_cuda::shuffle(ambidex_cuda::lanes_of(mask), var,                            \
                                 ambidex_cuda::source_of_down(delta, width));                  \
  }                                                                                            \
  AMBIDEX_D T __shfl_xor_sync(unsigned int mask, T var, int laneMask, int width = 32) {        \
    return ambidex_cuda::shuffle(ambidex_cuda::lanes_of(mask), var,                            \
                                 ambidex_cuda::source_of_xor(laneMask, width));                \
  }                                                                                            \
  AMBIDEX_D T __shfl(T var, int srcLane, int width = 32) {                                     \
    return ambidex_cuda::shuffle(AMBIDEX_SIMT_CONVERGED, var,                                  \
                                 ambidex_cuda::source_of_index(srcLane, width));               \
  }                                                                                            \
  AMBIDEX_D T __shfl_up(T var, unsigned int delta, int width = 32) {                           \
    return ambidex_cuda::shuffle(AMBIDEX_SIMT_CONVERGED, var,                                  \
                                 ambidex_cuda::source_of_up(delta, width));                    \
  }                                                                                            \
  AMBIDEX_D T __shfl_down(T var, unsigned int delta, int width = 32) {                         \
    return ambidex_cuda::shuffle(AMBIDEX_SIMT_CONVERGED, var,                                  \
                                 ambidex_cuda::source_of_down(delta, width));                  \
  }                                                                                            \
  AMBIDEX_D T __shfl_xor(T var, int laneMask, int width = 32) {                                \
    return ambidex_cuda::shuffle(AMBIDEX_SIMT_CONVERGED, var,                                  \
                                 ambidex_cuda::source_of_xor(laneMask, width));                \
  }
AMBIDEX_SHUFFLES(int)
AMBIDEX_SHUFFLES(unsigned int)
AMBIDEX_SHUFFLES(long)
AMBIDEX_SHUFFLES(unsigned long)
AMBIDEX_SHUFFLES(long long)
AMBIDEX_SHUFFLES(unsigned long long)
AMBIDEX_SHUFFLES(float)
AMBIDEX_SHUFFLES(double)

AMBIDEX_D unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return unsigned(ambidex_simt_ballot(ambidex_cuda::lanes_of(mask), predicate != 0));
}
AMBIDEX_D int __any_sync(unsigned int mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
AMBIDEX_D int __all_sync(unsigned int mask, int predicate) {
  return __ballot_sync(mask, predicate == 0) == 0;
}
// True if all lanes agree: those with a predicate are all lanes that vote, or none.
AMBIDEX_D int __uni_sync(unsigned int mask, int predicate) {
  const unsigned int for_it = __ballot_sync(mask, predicate);
  return for_it == 0 || __ballot_sync(mask, predicate == 0) == 0;
}
AMBIDEX_D unsigned int __ballot(int predicate) {
  return unsigned(ambidex_simt_ballot(AMBIDEX_SIMT_CONVERGED, predicate != 0));
}
AMBIDEX_D int __any(int predicate) { return __ballot(predicate) != 0; }
AMBIDEX_D int __all(int predicate) { return __ballot(predicate == 0) == 0; }
AMBIDEX_D unsigned int __activemask() { return unsigned(ambidex_simt_active_lanes()); }
AMBIDEX_D void __syncwarp(unsigned int mask = 0xffffffffu) {
  ambidex_simt_wave_barrier(ambidex_cuda::lanes_of(mask));
}
