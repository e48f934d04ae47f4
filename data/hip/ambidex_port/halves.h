// SPDX-License-Identifier: Apache-2.0
// Functions of half and bfloat16 that CUDA has and HIP lacks or, for NaN, gives another meaning.
// What is said of `half` below holds for __hip_bfloat16 too.
#ifndef AMBIDEX_PORT_HALVES_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_HALVES_H

#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

#include "ambidex_port/conversions.h"

namespace ambidex_port {
namespace halves {

template <class T>
struct format;
template <>
struct format<__half> {
  using pair = __half2;
  static constexpr int kDigits = 11;
  static constexpr unsigned short kInfinity = 0x7c00;
  AMBIDEX_PORT_INLINE static float wide(__half x) { return __half2float(x); }
  AMBIDEX_PORT_INLINE static __half near(float x) { return __float2half(x); }
  AMBIDEX_PORT_INLINE static __half low(__half2 x) { return __low2half(x); }
  AMBIDEX_PORT_INLINE static __half high(__half2 x) { return __high2half(x); }
  AMBIDEX_PORT_INLINE static __half2 both(__half x, __half y) { return __halves2half2(x, y); }
};
template <>
struct format<__hip_bfloat16> {
  using pair = __hip_bfloat162;
  static constexpr int kDigits = 8;
  static constexpr unsigned short kInfinity = 0x7f80;
  AMBIDEX_PORT_INLINE static float wide(__hip_bfloat16 x) { return __bfloat162float(x); }
  AMBIDEX_PORT_INLINE static __hip_bfloat16 near(float x) { return __float2bfloat16(x); }
  AMBIDEX_PORT_INLINE static __hip_bfloat16 low(__hip_bfloat162 x) { return __low2bfloat16(x); }
  AMBIDEX_PORT_INLINE static __hip_bfloat16 high(__hip_bfloat162 x) { return __high2bfloat16(x); }
  AMBIDEX_PORT_INLINE static __hip_bfloat162 both(__hip_bfloat16 x, __hip_bfloat16 y) {
    return __halves2bfloat162(x, y);
  }
};

template <class T>
AMBIDEX_PORT_INLINE float wide(T x) {
  return format<T>::wide(x);
}
template <class T>
AMBIDEX_PORT_INLINE bool is_nan(T x) {
  return !(wide(x) == wide(x));
}
template <class T>
AMBIDEX_PORT_INLINE T canonical_nan() {
  return bits_as<T>(static_cast<unsigned short>(0x7fff));
}
// To 0..1; NaN gives 0. Both ends are numbers of the format, so that it may come after rounding.
template <class T>
AMBIDEX_PORT_INLINE T saturated(T x) {
  const float value = wide(x);
  if (!(value > 0.0f)) return format<T>::near(0.0f);
  return value < 1.0f ? x : format<T>::near(1.0f);
}
template <class T>
AMBIDEX_PORT_INLINE T relu(T x) {
  return wide(x) < 0.0f ? format<T>::near(0.0f) : (is_nan(x) ? canonical_nan<T>() : x);
}
// Of a float that has no more digits than T: only its size may be too large.
template <class T, rounding::Direction direction>
AMBIDEX_PORT_INLINE T in_range(float x) {
  const float most = wide(bits_as<T>(static_cast<unsigned short>(format<T>::kInfinity - 1)));
  const bool is_negative = x < 0.0f;
  if (__builtin_fabsf(x) <= most) return format<T>::near(x);
  const bool is_infinite =
      direction == rounding::nearest || direction == (is_negative ? rounding::down : rounding::up);
  const unsigned bits = format<T>::kInfinity - (is_infinite ? 0u : 1u);
  return bits_as<T>(static_cast<unsigned short>(bits | (is_negative ? 0x8000u : 0u)));
}
template <class T, rounding::Direction direction, class I>
AMBIDEX_PORT_INLINE T from_integer(I x) {
  return in_range<T, direction>(rounding::from_integer<float, format<T>::kDigits, direction>(x));
}
// A bfloat16 is the upper half of a float.
template <rounding::Direction direction>
AMBIDEX_PORT_INLINE __hip_bfloat16 bfloat16_of(float x) {
  if (!(x == x)) return canonical_nan<__hip_bfloat16>();
  const unsigned bits = bits_as<unsigned>(x);
  const bool is_negative = bits >> 31 != 0;
  const bool is_away = direction == (is_negative ? rounding::down : rounding::up);
  const unsigned kept = (bits >> 16) + (is_away && (bits & 0xffffu) != 0 ? 1u : 0u);
  return bits_as<__hip_bfloat16>(static_cast<unsigned short>(kept));
}

}  // namespace halves

// One number, and the same of both of a pair.
#define AMBIDEX_PORT_HALF_1(T, name, name2, expression)                        \
  AMBIDEX_PORT_BOTH T name(T a) { return expression; }                         \
  AMBIDEX_PORT_BOTH halves::format<T>::pair name2(halves::format<T>::pair v) { \
    using F = halves::format<T>;                                               \
    return F::both(name(F::low(v)), name(F::high(v)));                         \
  }
#define AMBIDEX_PORT_HALF_2(T, name, name2, expression)                        \
  AMBIDEX_PORT_BOTH T name(T a, T b) { return expression; }                    \
  AMBIDEX_PORT_BOTH halves::format<T>::pair name2(halves::format<T>::pair v,   \
                                                  halves::format<T>::pair w) { \
    using F = halves::format<T>;                                               \
    return F::both(name(F::low(v), F::low(w)), name(F::high(v), F::high(w)));  \
  }
#define AMBIDEX_PORT_HALF_3(T, name, name2, expression)                                  \
  AMBIDEX_PORT_BOTH T name(T a, T b, T c) { return expression; }                         \
  AMBIDEX_PORT_BOTH halves::format<T>::pair name2(                                       \
      halves::format<T>::pair v, halves::format<T>::pair w, halves::format<T>::pair u) { \
    using F = halves::format<T>;                                                         \
    return F::both(name(F::low(v), F::low(w), F::low(u)),                                \
                   name(F::high(v), F::high(w), F::high(u)));                            \
  }
// A comparison: of numbers; of pairs as 1.0 or 0.0, as all, as masks.
#define AMBIDEX_PORT_HALF_COMPARED(T, name, test)                                            \
  AMBIDEX_PORT_BOTH bool h##name(T first, T second) {                                        \
    const float a = halves::wide(first), b = halves::wide(second);                           \
    return test;                                                                             \
  }                                                                                          \
  AMBIDEX_PORT_BOTH unsigned h##name##2_mask(halves::format<T>::pair v,                      \
                                             halves::format<T>::pair w) {                    \
    using F = halves::format<T>;                                                             \
    return (h##name(F::low(v), F::low(w)) ? 0xffffu : 0u) |                                  \
           (h##name(F::high(v), F::high(w)) ? 0xffff0000u : 0u);                             \
  }                                                                                          \
  AMBIDEX_PORT_BOTH bool hb##name##2(halves::format<T>::pair v, halves::format<T>::pair w) { \
    return h##name##2_mask(v, w) == 0xffffffffu;                                             \
  }                                                                                          \
  AMBIDEX_PORT_BOTH halves::format<T>::pair h##name##2(halves::format<T>::pair v,            \
                                                       halves::format<T>::pair w) {          \
    using F = halves::format<T>;                                                             \
    const unsigned mask = h##name##2_mask(v, w);                                             \
    return F::both(F::near(mask & 1u ? 1.0f : 0.0f), F::near(mask >> 31 ? 1.0f : 0.0f));     \
  }
#define AMBIDEX_PORT_HALF_FUNCTIONS(T)                                                    \
  AMBIDEX_PORT_HALF_2(T, hadd_rn, hadd2_rn, __hadd(a, b))                                 \
  AMBIDEX_PORT_HALF_2(T, hsub_rn, hsub2_rn, __hsub(a, b))                                 \
  AMBIDEX_PORT_HALF_2(T, hmul_rn, hmul2_rn, __hmul(a, b))                                 \
  AMBIDEX_PORT_HALF_2(T, hdiv, h2div, __hdiv(a, b))                                       \
  AMBIDEX_PORT_HALF_2(T, hadd_sat, hadd2_sat, halves::saturated(__hadd(a, b)))            \
  AMBIDEX_PORT_HALF_2(T, hsub_sat, hsub2_sat, halves::saturated(__hsub(a, b)))            \
  AMBIDEX_PORT_HALF_2(T, hmul_sat, hmul2_sat, halves::saturated(__hmul(a, b)))            \
  AMBIDEX_PORT_HALF_3(T, hfma_sat, hfma2_sat, halves::saturated(__hfma(a, b, c)))         \
  AMBIDEX_PORT_HALF_3(T, hfma_relu, hfma2_relu, halves::relu(__hfma(a, b, c)))            \
  AMBIDEX_PORT_HALF_2(                                                                    \
      T, hmax_nan, hmax2_nan,                                                             \
      halves::is_nan(a) || halves::is_nan(b) ? halves::canonical_nan<T>() : __hmax(a, b)) \
  AMBIDEX_PORT_HALF_2(                                                                    \
      T, hmin_nan, hmin2_nan,                                                             \
      halves::is_nan(a) || halves::is_nan(b) ? halves::canonical_nan<T>() : __hmin(a, b)) \
  AMBIDEX_PORT_HALF_1(T, htanh, h2tanh, halves::format<T>::near(tanhf(halves::wide(a))))  \
  AMBIDEX_PORT_BOTH halves::format<T>::pair hisnan2(halves::format<T>::pair v) {          \
    using F = halves::format<T>;                                                          \
    return F::both(F::near(halves::is_nan(F::low(v)) ? 1.0f : 0.0f),                      \
                   F::near(halves::is_nan(F::high(v)) ? 1.0f : 0.0f));                    \
  }                                                                                       \
  /* Complex multiply-add of (real, imaginary). */                                        \
  AMBIDEX_PORT_BOTH halves::format<T>::pair hcmadd(                                       \
      halves::format<T>::pair v, halves::format<T>::pair w, halves::format<T>::pair u) {  \
    using F = halves::format<T>;                                                          \
    const T a = F::low(v), b = F::high(v), c = F::low(w), d = F::high(w);                 \
    return F::both(__hfma(__hneg(b), d, __hfma(a, c, F::low(u))),                         \
                   __hfma(b, c, __hfma(a, d, F::high(u))));                               \
  }                                                                                       \
  AMBIDEX_PORT_HALF_COMPARED(T, eq, a == b)                                               \
  AMBIDEX_PORT_HALF_COMPARED(T, ne, a<b || a> b) /* false for a NaN, true in HIP */       \
  AMBIDEX_PORT_HALF_COMPARED(T, lt, a < b)                                                \
  AMBIDEX_PORT_HALF_COMPARED(T, le, a <= b)                                               \
  AMBIDEX_PORT_HALF_COMPARED(T, gt, a > b)                                                \
  AMBIDEX_PORT_HALF_COMPARED(T, ge, a >= b)                                               \
  AMBIDEX_PORT_HALF_COMPARED(T, equ, !(a < b || a > b))                                   \
  AMBIDEX_PORT_HALF_COMPARED(T, neu, !(a == b))                                           \
  AMBIDEX_PORT_HALF_COMPARED(T, ltu, !(a >= b))                                           \
  AMBIDEX_PORT_HALF_COMPARED(T, leu, !(a > b))                                            \
  AMBIDEX_PORT_HALF_COMPARED(T, gtu, !(a <= b))                                           \
  AMBIDEX_PORT_HALF_COMPARED(T, geu, !(a < b))
AMBIDEX_PORT_HALF_FUNCTIONS(__half)
AMBIDEX_PORT_HALF_FUNCTIONS(__hip_bfloat16)

#define AMBIDEX_PORT_TO_HALF(I, i, T, t, rule, way) \
  AMBIDEX_PORT_BOTH T i##2##t##_##rule(I x) { return halves::from_integer<T, rounding::way>(x); }
#define AMBIDEX_PORT_FROM_HALF(I, i, T, t, rule, way)               \
  AMBIDEX_PORT_BOTH I t##2##i##_##rule(T x) {                       \
    return rounding::to_integer<I, rounding::way>(halves::wide(x)); \
  }
#define AMBIDEX_PORT_HALF_INTEGER(I, i)                                       \
  AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_TO_HALF, I, i, __half, half)             \
  AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_FROM_HALF, I, i, __half, half)           \
  AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_TO_HALF, I, i, __hip_bfloat16, bfloat16) \
  AMBIDEX_PORT_EACH_WAY(AMBIDEX_PORT_FROM_HALF, I, i, __hip_bfloat16, bfloat16)
AMBIDEX_PORT_HALF_INTEGER(short, short)
AMBIDEX_PORT_HALF_INTEGER(unsigned short, ushort)
AMBIDEX_PORT_HALF_INTEGER(int, int)
AMBIDEX_PORT_HALF_INTEGER(unsigned, uint)
AMBIDEX_PORT_HALF_INTEGER(long long, ll)
AMBIDEX_PORT_HALF_INTEGER(unsigned long long, ull)
AMBIDEX_PORT_FROM_HALF(signed char, char, __half, half, rz, to_zero)
AMBIDEX_PORT_FROM_HALF(unsigned char, uchar, __half, half, rz, to_zero)
AMBIDEX_PORT_FROM_HALF(signed char, char, __hip_bfloat16, bfloat16, rz, to_zero)
AMBIDEX_PORT_FROM_HALF(unsigned char, uchar, __hip_bfloat16, bfloat16, rz, to_zero)
AMBIDEX_PORT_BOTH __hip_bfloat16 float2bfloat16_rz(float x) {
  return halves::bfloat16_of<rounding::to_zero>(x);
}
AMBIDEX_PORT_BOTH __hip_bfloat16 float2bfloat16_ru(float x) {
  return halves::bfloat16_of<rounding::up>(x);
}
AMBIDEX_PORT_BOTH __hip_bfloat16 float2bfloat16_rd(float x) {
  return halves::bfloat16_of<rounding::down>(x);
}
AMBIDEX_PORT_BOTH __hip_bfloat162 lows2bfloat162(__hip_bfloat162 v, __hip_bfloat162 w) {
  return __halves2bfloat162(__low2bfloat16(v), __low2bfloat16(w));
}
AMBIDEX_PORT_BOTH __hip_bfloat162 highs2bfloat162(__hip_bfloat162 v, __hip_bfloat162 w) {
  return __halves2bfloat162(__high2bfloat16(v), __high2bfloat16(w));
}
// Constants: half_bits(0x7c00) is CUDART_INF_FP16.
AMBIDEX_PORT_BOTH __half half_bits(unsigned bits) {
  return bits_as<__half>(static_cast<unsigned short>(bits));
}
AMBIDEX_PORT_BOTH __hip_bfloat16 bfloat16_bits(unsigned bits) {
  return bits_as<__hip_bfloat16>(static_cast<unsigned short>(bits));
}
#undef AMBIDEX_PORT_HALF_1
#undef AMBIDEX_PORT_HALF_2
#undef AMBIDEX_PORT_HALF_3
#undef AMBIDEX_PORT_HALF_COMPARED
#undef AMBIDEX_PORT_HALF_FUNCTIONS
#undef AMBIDEX_PORT_TO_HALF
#undef AMBIDEX_PORT_FROM_HALF
#undef AMBIDEX_PORT_HALF_INTEGER
#undef AMBIDEX_PORT_EACH_WAY

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_HALVES_H
