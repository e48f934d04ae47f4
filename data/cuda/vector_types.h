// SPDX-License-Identifier: Apache-2.0
// CUDA's short vectors with the alignments of the programming guide's table, and dim3.
#pragma once
#pragma GCC system_header

#include "ambidex_cuda/keywords.h"

// AMBIDEX_VECTORS(name, element, alignment of 2, alignment of 4)
#define AMBIDEX_VECTORS(name, element, align2, align4) \
  struct name##1 {                                     \
    element x;                                         \
  };                                                   \
  struct __attribute__((aligned(align2))) name##2 {    \
    element x, y;                                      \
  };                                                   \
  struct name##3 {                                     \
    element x, y, z;                                   \
  };                                                   \
  struct __attribute__((aligned(align4))) name##4 {    \
    element x, y, z, w;                                \
  }

AMBIDEX_VECTORS(char, signed char, 2, 4);
AMBIDEX_VECTORS(uchar, unsigned char, 2, 4);
AMBIDEX_VECTORS(short, short, 4, 8);
AMBIDEX_VECTORS(ushort, unsigned short, 4, 8);
AMBIDEX_VECTORS(int, int, 8, 16);
AMBIDEX_VECTORS(uint, unsigned int, 8, 16);
AMBIDEX_VECTORS(long, long, 16, 16);
AMBIDEX_VECTORS(ulong, unsigned long, 16, 16);
AMBIDEX_VECTORS(longlong, long long, 16, 16);
AMBIDEX_VECTORS(ulonglong, unsigned long long, 16, 16);
AMBIDEX_VECTORS(float, float, 8, 16);
AMBIDEX_VECTORS(double, double, 16, 16);
#undef AMBIDEX_VECTORS

// CUDA 13's names for vectors of four 8-byte elements: aligned to 16 and to 32 bytes.
#define AMBIDEX_WIDE_VECTORS(name, element)         \
  struct __attribute__((aligned(16))) name##4_16a { \
    element x, y, z, w;                             \
  };                                                \
  struct __attribute__((aligned(32))) name##4_32a { \
    element x, y, z, w;                             \
  }
AMBIDEX_WIDE_VECTORS(long, long);
AMBIDEX_WIDE_VECTORS(ulong, unsigned long);
AMBIDEX_WIDE_VECTORS(longlong, long long);
AMBIDEX_WIDE_VECTORS(ulonglong, unsigned long long);
AMBIDEX_WIDE_VECTORS(double, double);
#undef AMBIDEX_WIDE_VECTORS

struct dim3 {
  unsigned int x, y, z;
  __attribute__((host, device)) constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1,
                                               unsigned int z_ = 1)
      : x(x_), y(y_), z(z_) {}
  __attribute__((host, device)) constexpr dim3(uint3 from) : x(from.x), y(from.y), z(from.z) {}
  __attribute__((host, device)) constexpr operator uint3() const { return uint3{x, y, z}; }
};
