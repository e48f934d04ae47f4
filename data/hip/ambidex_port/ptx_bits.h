// SPDX-License-Identifier: Apache-2.0
// PTX's integer instructions that C++ has no operator for, or leaves open: results wrap, shifts
// take any amount [N01 N15].
#ifndef AMBIDEX_PORT_PTX_BITS_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_PTX_BITS_H

#include "ambidex_port/integer.h"
#include "ambidex_port/platform.h"

namespace ambidex_port {
namespace bits {

template <class T>
struct Unsigned;
#define AMBIDEX_PORT_UNSIGNED(T, U) \
  template <>                       \
  struct Unsigned<T> {              \
    using type = U;                 \
  };
AMBIDEX_PORT_UNSIGNED(short, unsigned short)
AMBIDEX_PORT_UNSIGNED(unsigned short, unsigned short)
AMBIDEX_PORT_UNSIGNED(int, unsigned)
AMBIDEX_PORT_UNSIGNED(unsigned, unsigned)
AMBIDEX_PORT_UNSIGNED(long long, unsigned long long)
AMBIDEX_PORT_UNSIGNED(unsigned long long, unsigned long long)
#undef AMBIDEX_PORT_UNSIGNED
template <class T>
using Raw = typename Unsigned<T>::type;
template <class T>
constexpr unsigned width = sizeof(T) * 8;

}  // namespace bits

template <class T>
AMBIDEX_PORT_INLINE T negative(T x) {
  return static_cast<T>(bits::Raw<T>(0) - static_cast<bits::Raw<T>>(x));
}
template <class T>
AMBIDEX_PORT_INLINE T absolute(T x) {
  return x < 0 ? negative(x) : x;
}
template <class T>
AMBIDEX_PORT_INLINE T shl(T x, unsigned amount) {
  return amount >= bits::width<T> ? T(0) : static_cast<T>(x << amount);
}
template <class T>
AMBIDEX_PORT_INLINE T shr(T x, unsigned amount) {
  const unsigned last = bits::width<T> - 1u;
  if (static_cast<T>(-1) > T(0)) return amount > last ? T(0) : static_cast<T>(x >> amount);
  return static_cast<T>(x >> (amount > last ? last : amount));
}
template <class T>
AMBIDEX_PORT_INLINE T sad_of(T a, T b, T sum) {
  using Raw = bits::Raw<T>;
  const Raw distance = a < b ? Raw(b) - Raw(a) : Raw(a) - Raw(b);
  return static_cast<T>(static_cast<Raw>(distance + Raw(sum)));
}

// Clamped to the range of To: cvt.sat, add.sat.s32, sub.sat.s32.
template <class To, class From>
AMBIDEX_PORT_INLINE To clamped(From x) {
  constexpr bool is_signed = static_cast<To>(-1) < To(0);
  constexpr bool from_signed = static_cast<From>(-1) < From(0);
  constexpr unsigned long long most = ~0ull >> (64u - bits::width<To> + (is_signed ? 1u : 0u));
  const auto wide = static_cast<unsigned long long>(x);
  if (from_signed && x < From(0)) {
    if (!is_signed) return To(0);
    const auto least = static_cast<long long>(~most);
    return static_cast<long long>(x) < least ? static_cast<To>(least) : static_cast<To>(x);
  }
  return wide > most ? static_cast<To>(most) : static_cast<To>(x);
}
AMBIDEX_PORT_BOTH int add_sat(int a, int b) { return clamped<int>(static_cast<long long>(a) + b); }
AMBIDEX_PORT_BOTH int sub_sat(int a, int b) { return clamped<int>(static_cast<long long>(a) - b); }

// Products of the low 24 bits: the low, or the upper 32 of 48.
AMBIDEX_PORT_BOTH unsigned long long product24(unsigned a, unsigned b) {
  return static_cast<unsigned long long>(a & 0xffffffu) * (b & 0xffffffu);
}
AMBIDEX_PORT_BOTH long long product24(int a, int b) {
  const int x = static_cast<int>(static_cast<unsigned>(a) << 8) >> 8;
  const int y = static_cast<int>(static_cast<unsigned>(b) << 8) >> 8;
  return static_cast<long long>(x) * y;
}
template <class T>
AMBIDEX_PORT_INLINE T mul24_lo(T a, T b) {
  return static_cast<T>(static_cast<unsigned>(product24(a, b)));
}
template <class T>
AMBIDEX_PORT_INLINE T mul24_hi(T a, T b) {
  return static_cast<T>(product24(a, b) >> 16);
}

// The highest bit that differs from the sign; ~0 if none does. shiftamt: how far to shift it up.
template <class T>
AMBIDEX_PORT_INLINE unsigned bfind(T x) {
  using Raw = bits::Raw<T>;
  const auto raw = static_cast<unsigned long long>(static_cast<Raw>(x < T(0) ? ~x : x));
  return raw == 0ull ? ~0u : 63u - static_cast<unsigned>(__builtin_clzll(raw));
}
template <class T>
AMBIDEX_PORT_INLINE unsigned bfind_shiftamt(T x) {
  const unsigned at = bfind(x);
  return at == ~0u ? at : bits::width<T> - 1u - at;
}

AMBIDEX_PORT_BOTH unsigned long long bfe_u64(unsigned long long x, unsigned position,
                                             unsigned length) {
  position &= 255u;
  length &= 255u;
  if (position >= 64u || length == 0u) return 0;
  const unsigned long long field = x >> position;
  return length >= 64u ? field : field & ((1ull << length) - 1ull);
}
AMBIDEX_PORT_BOTH long long bfe_s64(long long x, unsigned position, unsigned length) {
  position &= 255u;
  length &= 255u;
  if (length == 0u) return 0;
  if (position > 63u) return x >> 63;
  const unsigned last = position + length - 1u < 63u ? position + length - 1u : 63u;
  return static_cast<long long>(static_cast<unsigned long long>(x) << (63u - last)) >>
         (63u - last + position);
}
AMBIDEX_PORT_BOTH unsigned long long bfi_b64(unsigned long long field, unsigned long long into,
                                             unsigned position, unsigned length) {
  position &= 255u;
  length &= 255u;
  if (position >= 64u || length == 0u) return into;
  const unsigned long long ones = length >= 64u ? ~0ull : (1ull << length) - 1ull;
  return (into & ~(ones << position)) | (field & ones) << position;
}
// `length` ones from `position` on; wrap takes both modulo 32.
AMBIDEX_PORT_BOTH unsigned bmsk_clamp(unsigned position, unsigned length) {
  return shl(shl(1u, length) - 1u, position);
}
AMBIDEX_PORT_BOTH unsigned bmsk_wrap(unsigned position, unsigned length) {
  return bmsk_clamp(position & 31u, length & 31u);
}
// The low `length` bits, extended: clamp takes 32 and more as all, wrap takes them modulo 32.
AMBIDEX_PORT_BOTH unsigned szext_clamp(unsigned x, unsigned length) {
  return x & (shl(1u, length) - 1u);
}
AMBIDEX_PORT_BOTH int szext_clamp(int x, unsigned length) {
  if (length == 0u || length >= 32u) return length == 0u ? 0 : x;
  return static_cast<int>(static_cast<unsigned>(x) << (32u - length)) >> (32u - length);
}
template <class T>
AMBIDEX_PORT_INLINE T szext_wrap(T x, unsigned length) {
  return szext_clamp(x, length & 31u);
}

// prmt with a mode; `n` is the low two bits of its selector.
AMBIDEX_PORT_BOTH unsigned prmt_f4e(unsigned x, unsigned y, unsigned n) {
  return prmt_b32(x, y, 0x3210u + 0x1111u * (n & 3u));
}
AMBIDEX_PORT_BOTH unsigned prmt_b4e(unsigned x, unsigned y, unsigned n) {
  unsigned selector = 0;
  for (unsigned i = 0; i < 4; ++i) selector |= ((n & 3u) - i & 7u) << 4 * i;
  return prmt_b32(x, y, selector);
}
AMBIDEX_PORT_BOTH unsigned prmt_rc8(unsigned x, unsigned y, unsigned n) {
  return prmt_b32(x, y, 0x1111u * (n & 3u));
}
AMBIDEX_PORT_BOTH unsigned prmt_ecl(unsigned x, unsigned y, unsigned n) {
  unsigned selector = 0;
  for (unsigned i = 0; i < 4; ++i) selector |= (i < (n & 3u) ? n & 3u : i) << 4 * i;
  return prmt_b32(x, y, selector);
}
AMBIDEX_PORT_BOTH unsigned prmt_ecr(unsigned x, unsigned y, unsigned n) {
  unsigned selector = 0;
  for (unsigned i = 0; i < 4; ++i) selector |= (i > (n & 3u) ? n & 3u : i) << 4 * i;
  return prmt_b32(x, y, selector);
}
AMBIDEX_PORT_BOTH unsigned prmt_rc16(unsigned x, unsigned y, unsigned n) {
  return prmt_b32(x, y, n & 1u ? 0x3232u : 0x1010u);
}

// Dot products whose sides differ in sign; A and B are the types of the bytes.
template <class A, class B>
AMBIDEX_PORT_INLINE unsigned dot4(unsigned a, unsigned b, unsigned sum) {
  for (unsigned i = 0; i < 32; i += 8) {
    sum += static_cast<unsigned>(static_cast<int>(static_cast<A>(a >> i)) *
                                 static_cast<int>(static_cast<B>(b >> i)));
  }
  return sum;
}
// A is the type of a half word, B of a byte; bytes `first` and `first` + 1.
template <class A, class B>
AMBIDEX_PORT_INLINE unsigned dot2(unsigned a, unsigned b, unsigned sum, unsigned first) {
  for (unsigned i = 0; i < 2; ++i) {
    sum += static_cast<unsigned>(static_cast<int>(static_cast<A>(a >> 16 * i)) *
                                 static_cast<int>(static_cast<B>(b >> 8 * (first + i))));
  }
  return sum;
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_PTX_BITS_H
