// SPDX-License-Identifier: Apache-2.0
// make_float4 and its kin.
#pragma once
#pragma GCC system_header

#include "vector_types.h"

#define AMBIDEX_MAKERS(name, element)                                                              \
  AMBIDEX_HD name##1 make_##name##1(element x) { return name##1 {x}; }                             \
  AMBIDEX_HD name##2 make_##name##2(element x, element y) { return name##2 {x, y}; }               \
  AMBIDEX_HD name##3 make_##name##3(element x, element y, element z) { return name##3 {x, y, z}; } \
  AMBIDEX_HD name##4 make_##name##4(element x, element y, element z, element w) {                  \
    return name##4 {x, y, z, w};                                                                   \
  }
AMBIDEX_MAKERS(char, signed char)
AMBIDEX_MAKERS(uchar, unsigned char)
AMBIDEX_MAKERS(short, short)
AMBIDEX_MAKERS(ushort, unsigned short)
AMBIDEX_MAKERS(int, int)
AMBIDEX_MAKERS(uint, unsigned int)
AMBIDEX_MAKERS(long, long)
AMBIDEX_MAKERS(ulong, unsigned long)
AMBIDEX_MAKERS(longlong, long long)
AMBIDEX_MAKERS(ulonglong, unsigned long long)
AMBIDEX_MAKERS(float, float)
AMBIDEX_MAKERS(double, double)
#undef AMBIDEX_MAKERS

#define AMBIDEX_WIDE_MAKER(name, element)                                   \
  AMBIDEX_HD name make_##name(element x, element y, element z, element w) { \
    return name{x, y, z, w};                                                \
  }
AMBIDEX_WIDE_MAKER(long4_16a, long)
AMBIDEX_WIDE_MAKER(long4_32a, long)
AMBIDEX_WIDE_MAKER(ulong4_16a, unsigned long)
AMBIDEX_WIDE_MAKER(ulong4_32a, unsigned long)
AMBIDEX_WIDE_MAKER(longlong4_16a, long long)
AMBIDEX_WIDE_MAKER(longlong4_32a, long long)
AMBIDEX_WIDE_MAKER(ulonglong4_16a, unsigned long long)
AMBIDEX_WIDE_MAKER(ulonglong4_32a, unsigned long long)
AMBIDEX_WIDE_MAKER(double4_16a, double)
AMBIDEX_WIDE_MAKER(double4_32a, double)
#undef AMBIDEX_WIDE_MAKER
