// SPDX-License-Identifier: Apache-2.0
// Integer and conversion intrinsics that HIP shares with CUDA.
#pragma once

#include "ambidex_hip/atomics.h"

AMBIDEX_HIP_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
AMBIDEX_HIP_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
AMBIDEX_HIP_DEVICE int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
AMBIDEX_HIP_DEVICE int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
AMBIDEX_HIP_DEVICE int __ffs(int x) { return __builtin_ffs(x); }
AMBIDEX_HIP_DEVICE int __ffs(unsigned x) { return __builtin_ffs(static_cast<int>(x)); }
AMBIDEX_HIP_DEVICE int __ffsll(long long x) { return __builtin_ffsll(x); }
AMBIDEX_HIP_DEVICE int __ffsll(long x) { return __builtin_ffsll(x); }
AMBIDEX_HIP_DEVICE int __ffsll(unsigned long x) {
  return __builtin_ffsll(static_cast<long long>(x));
}
AMBIDEX_HIP_DEVICE int __ffsll(unsigned long long x) {
  return __builtin_ffsll(static_cast<long long>(x));
}
AMBIDEX_HIP_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
AMBIDEX_HIP_DEVICE unsigned long long __brevll(unsigned long long x) {
  return __builtin_bitreverse64(x);
}

// Byte i of the result is byte (selector >> 4i) & 7 of y:x.
AMBIDEX_HIP_DEVICE unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned from = selector >> 4 * i & 7;
    result |= static_cast<unsigned>(bytes >> 8 * from & 0xff) << 8 * i;
  }
  return result;
}
AMBIDEX_HIP_DEVICE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>(
      ((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
AMBIDEX_HIP_DEVICE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return static_cast<unsigned>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
AMBIDEX_HIP_DEVICE unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
AMBIDEX_HIP_DEVICE unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
}
AMBIDEX_HIP_DEVICE unsigned __bitextract_u32(unsigned x, unsigned offset, unsigned width) {
  offset &= 31;
  width &= 31;
  return width == 0 ? 0 : x << (32 - offset - width < 32 ? 32 - offset - width : 0) >> (32 - width);
}

AMBIDEX_HIP_DEVICE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
AMBIDEX_HIP_DEVICE unsigned __umul24(unsigned a, unsigned b) {
  return (a & 0xffffff) * (b & 0xffffff);
}
AMBIDEX_HIP_DEVICE int __mulhi(int a, int b) {
  return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
AMBIDEX_HIP_DEVICE unsigned __umulhi(unsigned a, unsigned b) {
  return static_cast<unsigned>(static_cast<unsigned long long>(a) * b >> 32);
}
AMBIDEX_HIP_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
AMBIDEX_HIP_DEVICE long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
AMBIDEX_HIP_DEVICE int __hadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b) >> 1);
}
AMBIDEX_HIP_DEVICE int __rhadd(int a, int b) {
  return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1);
}
AMBIDEX_HIP_DEVICE unsigned __uhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b) >> 1);
}
AMBIDEX_HIP_DEVICE unsigned __urhadd(unsigned a, unsigned b) {
  return static_cast<unsigned>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}
AMBIDEX_HIP_DEVICE unsigned __sad(int a, int b, unsigned c) {
  return (a < b ? static_cast<unsigned>(b) - static_cast<unsigned>(a)
                : static_cast<unsigned>(a) - static_cast<unsigned>(b)) +
         c;
}
AMBIDEX_HIP_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c) {
  return (a < b ? b - a : a - b) + c;
}

AMBIDEX_HIP_DEVICE int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
AMBIDEX_HIP_DEVICE unsigned __float_as_uint(float x) { return __builtin_bit_cast(unsigned, x); }
AMBIDEX_HIP_DEVICE float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
AMBIDEX_HIP_DEVICE float __uint_as_float(unsigned x) { return __builtin_bit_cast(float, x); }
AMBIDEX_HIP_DEVICE long long __double_as_longlong(double x) {
  return __builtin_bit_cast(long long, x);
}
AMBIDEX_HIP_DEVICE double __longlong_as_double(long long x) {
  return __builtin_bit_cast(double, x);
}
AMBIDEX_HIP_DEVICE int __double2loint(double x) {
  return static_cast<int>(__builtin_bit_cast(unsigned long long, x));
}
AMBIDEX_HIP_DEVICE int __double2hiint(double x) {
  return static_cast<int>(__builtin_bit_cast(unsigned long long, x) >> 32);
}
AMBIDEX_HIP_DEVICE double __hiloint2double(int high, int low) {
  return __builtin_bit_cast(double, static_cast<unsigned long long>(static_cast<unsigned>(high))
                                            << 32 |
                                        static_cast<unsigned>(low));
}

// To integers, which saturate; NaN gives 0.
template <class To, class From>
AMBIDEX_HIP_DEVICE To __ambidex_to_integer(From x) {
  constexpr From kBeyond =
      sizeof(To) == 4 ? (To(-1) < To(0) ? 0x1p31 : 0x1p32) : (To(-1) < To(0) ? 0x1p63 : 0x1p64);
  constexpr To kMost = To(-1) < To(0) ? To(~(1ull << (8 * sizeof(To) - 1))) : To(-1);
  constexpr To kLeast = To(-1) < To(0) ? To(1ull << (8 * sizeof(To) - 1)) : To(0);
  if (!(x == x)) return 0;
  if (x >= kBeyond) return kMost;
  if (x <= (To(-1) < To(0) ? -kBeyond : From(0))) return kLeast;
  return static_cast<To>(x);
}
#define AMBIDEX_HIP_TO_INTEGER(from, From, to, To, f)                                        \
  AMBIDEX_HIP_DEVICE To __##from##2##to##_rn(From x) {                                       \
    return __ambidex_to_integer<To>(__builtin_rint##f(x));                                   \
  }                                                                                          \
  AMBIDEX_HIP_DEVICE To __##from##2##to##_rz(From x) { return __ambidex_to_integer<To>(x); } \
  AMBIDEX_HIP_DEVICE To __##from##2##to##_rd(From x) {                                       \
    return __ambidex_to_integer<To>(__builtin_floor##f(x));                                  \
  }                                                                                          \
  AMBIDEX_HIP_DEVICE To __##from##2##to##_ru(From x) {                                       \
    return __ambidex_to_integer<To>(__builtin_ceil##f(x));                                   \
  }
AMBIDEX_HIP_TO_INTEGER(float, float, int, int, f)
AMBIDEX_HIP_TO_INTEGER(float, float, uint, unsigned, f)
AMBIDEX_HIP_TO_INTEGER(float, float, ll, long long, f)
AMBIDEX_HIP_TO_INTEGER(float, float, ull, unsigned long long, f)
AMBIDEX_HIP_TO_INTEGER(double, double, int, int, )
AMBIDEX_HIP_TO_INTEGER(double, double, uint, unsigned, )
AMBIDEX_HIP_TO_INTEGER(double, double, ll, long long, )
AMBIDEX_HIP_TO_INTEGER(double, double, ull, unsigned long long, )
#undef AMBIDEX_HIP_TO_INTEGER
AMBIDEX_HIP_DEVICE float __int2float_rn(int x) { return static_cast<float>(x); }
AMBIDEX_HIP_DEVICE float __uint2float_rn(unsigned x) { return static_cast<float>(x); }
AMBIDEX_HIP_DEVICE float __ll2float_rn(long long x) { return static_cast<float>(x); }
AMBIDEX_HIP_DEVICE float __ull2float_rn(unsigned long long x) { return static_cast<float>(x); }
AMBIDEX_HIP_DEVICE float __double2float_rn(double x) { return static_cast<float>(x); }
AMBIDEX_HIP_DEVICE double __int2double_rn(int x) { return x; }
AMBIDEX_HIP_DEVICE double __uint2double_rn(unsigned x) { return x; }
AMBIDEX_HIP_DEVICE double __ll2double_rn(long long x) { return static_cast<double>(x); }
AMBIDEX_HIP_DEVICE double __ull2double_rn(unsigned long long x) { return static_cast<double>(x); }

template <class T>
AMBIDEX_HIP_DEVICE T __ldg(const T* address) {
  return *address;
}
