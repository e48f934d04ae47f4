// SPDX-License-Identifier: Apache-2.0
// Integer intrinsics.
#pragma once
#pragma GCC system_header

#include "../vector_types.h"

AMBIDEX_D int __popc(unsigned int x) { return __builtin_popcount(x); }
AMBIDEX_D int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
AMBIDEX_D int __ffs(int x) { return __builtin_ffs(x); }
AMBIDEX_D int __ffsll(long long x) { return __builtin_ffsll(x); }
AMBIDEX_D int __clz(int x) { return x == 0 ? 32 : __builtin_clz(unsigned(x)); }
AMBIDEX_D int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
AMBIDEX_D unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
AMBIDEX_D unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }

// Bytes of y:x picked by the nibbles of `selector`; bit 3 of a nibble has no effect here.
AMBIDEX_D unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int from = selector >> (4 * i) & 7u;
    result |= unsigned(bytes >> (8 * from) & 0xffu) << (8 * i);
  }
  return result;
}

// Funnel shifts of high:low; l and r take the amount modulo 32, lc and rc clamp it to 32.
AMBIDEX_D unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return unsigned(both << (shift & 31u) >> 32);
}
AMBIDEX_D unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return shift >= 32u ? low : unsigned(both << shift >> 32);
}
AMBIDEX_D unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return unsigned(both >> (shift & 31u));
}
AMBIDEX_D unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return shift >= 32u ? high : unsigned(both >> shift);
}

AMBIDEX_D int __mulhi(int x, int y) { return int(static_cast<long long>(x) * y >> 32); }
AMBIDEX_D unsigned int __umulhi(unsigned int x, unsigned int y) {
  return unsigned(static_cast<unsigned long long>(x) * y >> 32);
}
AMBIDEX_D long long __mul64hi(long long x, long long y) {
  return static_cast<long long>(static_cast<__int128>(x) * y >> 64);
}
AMBIDEX_D unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(x) * y >> 64);
}
AMBIDEX_D int __mul24(int x, int y) {
  const long long low_x = int(unsigned(x) << 8) >> 8;
  const long long low_y = int(unsigned(y) << 8) >> 8;
  return int(low_x * low_y);
}
AMBIDEX_D unsigned int __umul24(unsigned int x, unsigned int y) {
  return (x & 0xffffffu) * (y & 0xffffffu);
}
AMBIDEX_D unsigned int __sad(int x, int y, unsigned int z) {
  const long long difference = static_cast<long long>(x) - y;
  return unsigned(difference < 0 ? -difference : difference) + z;
}
AMBIDEX_D unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) {
  return (x > y ? x - y : y - x) + z;
}
// Averages, rounded down and up.
AMBIDEX_D int __hadd(int x, int y) { return int((static_cast<long long>(x) + y) >> 1); }
AMBIDEX_D int __rhadd(int x, int y) { return int((static_cast<long long>(x) + y + 1) >> 1); }
AMBIDEX_D unsigned int __uhadd(unsigned int x, unsigned int y) {
  return unsigned((static_cast<unsigned long long>(x) + y) >> 1);
}
AMBIDEX_D unsigned int __urhadd(unsigned int x, unsigned int y) {
  return unsigned((static_cast<unsigned long long>(x) + y + 1) >> 1);
}

// Position of the offset-th set bit from `base` on, upwards or (offset < 0) downwards; ~0 if none.
AMBIDEX_D unsigned int __fns(unsigned int mask, unsigned int base, int offset) {
  if (offset == 0) return mask >> base & 1u ? base : ~0u;
  const int step = offset > 0 ? 1 : -1;
  int left = offset * step;
  for (int i = int(base); i >= 0 && i < 32; i += step) {
    if (mask >> i & 1u && --left == 0) return unsigned(i);
  }
  return ~0u;
}

namespace ambidex_cuda {
// Sum of products of `num` elements of the words, each read as a vector of E.
template <class A, class B, class Sum>
AMBIDEX_MEMBER_D Sum dot4(unsigned int a, unsigned int b, Sum c) {
  unsigned int sum = unsigned(c);
  for (int i = 0; i < 4; ++i) sum += unsigned(int(A(a >> (8 * i))) * int(B(b >> (8 * i))));
  return Sum(sum);
}
// Two 16-bit elements of a times bytes `first` and first + 1 of b.
template <class A, class B, class Sum>
AMBIDEX_MEMBER_D Sum dot2(unsigned int a, unsigned int b, Sum c, int first) {
  unsigned int sum = unsigned(c);
  for (int i = 0; i < 2; ++i) {
    sum += unsigned(int(A(a >> (16 * i))) * int(B(b >> (8 * (first + i)))));
  }
  return Sum(sum);
}
template <class T>
AMBIDEX_MEMBER_D unsigned int word_of(T vector) {
  static_assert(sizeof(T) == 4, "one register");
  unsigned int word;
  __builtin_memcpy(&word, &vector, 4);
  return word;
}
}  // namespace ambidex_cuda

AMBIDEX_D int __dp4a(int a, int b, int c) {
  return ambidex_cuda::dot4<signed char, signed char>(unsigned(a), unsigned(b), c);
}
AMBIDEX_D unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  return ambidex_cuda::dot4<unsigned char, unsigned char>(a, b, c);
}
AMBIDEX_D int __dp4a(char4 a, char4 b, int c) {
  return __dp4a(int(ambidex_cuda::word_of(a)), int(ambidex_cuda::word_of(b)), c);
}
AMBIDEX_D unsigned int __dp4a(uchar4 a, uchar4 b, unsigned int c) {
  return __dp4a(ambidex_cuda::word_of(a), ambidex_cuda::word_of(b), c);
}
#define AMBIDEX_DP2A(name, first)                                                      \
  AMBIDEX_D int name(int a, int b, int c) {                                            \
    return ambidex_cuda::dot2<short, signed char>(unsigned(a), unsigned(b), c, first); \
  }                                                                                    \
  AMBIDEX_D unsigned int name(unsigned int a, unsigned int b, unsigned int c) {        \
    return ambidex_cuda::dot2<unsigned short, unsigned char>(a, b, c, first);          \
  }                                                                                    \
  AMBIDEX_D int name(short2 a, char4 b, int c) {                                       \
    return name(int(ambidex_cuda::word_of(a)), int(ambidex_cuda::word_of(b)), c);      \
  }                                                                                    \
  AMBIDEX_D unsigned int name(ushort2 a, uchar4 b, unsigned int c) {                   \
    return name(ambidex_cuda::word_of(a), ambidex_cuda::word_of(b), c);                \
  }
AMBIDEX_DP2A(__dp2a_lo, 0)
AMBIDEX_DP2A(__dp2a_hi, 2)

// Minimum and maximum of every pair of arithmetic types that CUDA overloads at global scope.
#define AMBIDEX_MIN_MAX(T, A, B)                                             \
  AMBIDEX_HD constexpr T min(A a, B b) { return (T)b < (T)a ? (T)b : (T)a; } \
  AMBIDEX_HD constexpr T max(A a, B b) { return (T)a < (T)b ? (T)b : (T)a; }
AMBIDEX_MIN_MAX(int, int, int)
AMBIDEX_MIN_MAX(unsigned int, unsigned int, unsigned int)
AMBIDEX_MIN_MAX(unsigned int, int, unsigned int)
AMBIDEX_MIN_MAX(unsigned int, unsigned int, int)
AMBIDEX_MIN_MAX(long, long, long)
AMBIDEX_MIN_MAX(unsigned long, unsigned long, unsigned long)
AMBIDEX_MIN_MAX(unsigned long, long, unsigned long)
AMBIDEX_MIN_MAX(unsigned long, unsigned long, long)
AMBIDEX_MIN_MAX(long long, long long, long long)
AMBIDEX_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
AMBIDEX_MIN_MAX(unsigned long long, long long, unsigned long long)
AMBIDEX_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef AMBIDEX_MIN_MAX
AMBIDEX_HD unsigned int umin(unsigned int a, unsigned int b) { return b < a ? b : a; }
AMBIDEX_HD unsigned int umax(unsigned int a, unsigned int b) { return a < b ? b : a; }
AMBIDEX_HD long long llmin(long long a, long long b) { return b < a ? b : a; }
AMBIDEX_HD long long llmax(long long a, long long b) { return a < b ? b : a; }
AMBIDEX_HD unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return b < a ? b : a;
}
AMBIDEX_HD unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return a < b ? b : a;
}
