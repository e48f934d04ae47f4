// SPDX-License-Identifier: Apache-2.0
// PTX's f16, bf16 and pairs of them, as the bits that its registers hold. Results are rounded once,
// to nearest even; a NaN is 0x7fff [N01 N09].
#ifndef AMBIDEX_PORT_PTX_HALVES_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_PTX_HALVES_H

#include "ambidex_port/floats.h"
#include "ambidex_port/fp8.h"
#include "ambidex_port/platform.h"
#include "ambidex_port/ptx_floats.h"

namespace ambidex_port {

AMBIDEX_PORT_BOTH float f16_value(unsigned short x) {
  return static_cast<float>(bits_as<_Float16>(x));
}
AMBIDEX_PORT_BOTH float bf16_value(unsigned short x) {
  return bits_as<float>(static_cast<unsigned>(x) << 16);
}

// A double as a float that still tells on which side of it the double lies: its last bit is set if
// it is not exact.
AMBIDEX_PORT_BOTH float odd_float(double x) {
  const auto near = static_cast<float>(x);
  const double wide = near;
  if (!is_finite(x) || wide == x) return near;
  unsigned raw = bits_as<unsigned>(near);
  if ((wide < 0.0 ? -wide : wide) > (x < 0.0 ? -x : x)) --raw;
  return bits_as<float>(raw | 1u);
}

AMBIDEX_PORT_BOTH unsigned short f16_of(double x) {
  return x != x ? 0x7fff : bits_as<unsigned short>(static_cast<_Float16>(x));
}
AMBIDEX_PORT_BOTH unsigned short f16_of(float x) {
  return x != x ? 0x7fff : bits_as<unsigned short>(static_cast<_Float16>(x));
}
AMBIDEX_PORT_BOTH unsigned short bf16_of(float x) {
  const unsigned raw = bits_as<unsigned>(x);
  return static_cast<unsigned short>(x != x ? 0x7fffu : (raw + 0x7fffu + (raw >> 16 & 1u)) >> 16);
}
AMBIDEX_PORT_BOTH unsigned short bf16_of(double x) { return bf16_of(odd_float(x)); }
// Towards zero.
AMBIDEX_PORT_BOTH unsigned short f16_rz(float x) {
  const unsigned short near = f16_of(x);
  const float wide = f16_value(near);
  const bool grew = (wide < 0.0f ? -wide : wide) > (x < 0.0f ? -x : x);
  return static_cast<unsigned short>(grew ? near - 1 : near);
}
AMBIDEX_PORT_BOTH unsigned short bf16_rz(float x) {
  return static_cast<unsigned short>(x != x ? 0x7fffu : bits_as<unsigned>(x) >> 16);
}

AMBIDEX_PORT_BOTH unsigned short fma_f16(unsigned short a, unsigned short b, unsigned short c) {
#if defined(AMBIDEX_PORT_GFX)
  const _Float16 sum =
      __builtin_elementwise_fma(bits_as<_Float16>(a), bits_as<_Float16>(b), bits_as<_Float16>(c));
  return sum != sum ? 0x7fff : bits_as<unsigned short>(sum);
#else  // of doubles: the product is exact, and the sum too where a tie could be
  const double x = f16_value(a), y = f16_value(b), z = f16_value(c);
  return f16_of(x * y + z);
#endif
}
AMBIDEX_PORT_BOTH unsigned short fma_bf16(unsigned short a, unsigned short b, unsigned short c) {
#pragma clang fp reassociate(off) contract(off)
  const double product = static_cast<double>(bf16_value(a)) * bf16_value(b);  // exact
  double error = 0;
  const double sum = rounding::two_sum(product, bf16_value(c), &error);
  if (!is_finite(sum) || error == 0.0) return bf16_of(sum);
  unsigned long long raw = bits_as<unsigned long long>(sum);  // to odd
  if ((error > 0.0) != (sum > 0.0)) --raw;
  return bf16_of(bits_as<double>(raw | 1ull));
}

#define AMBIDEX_PORT_HALF_UNARY(where, type, name, expression)                               \
  where unsigned short name##_##type(unsigned short raw) {                                   \
    const float x = type##_value(raw);                                                       \
    return expression;                                                                       \
  }                                                                                          \
  where unsigned name##_##type##x2(unsigned a) {                                             \
    return name##_##type(static_cast<unsigned short>(a)) |                                   \
           static_cast<unsigned>(name##_##type(static_cast<unsigned short>(a >> 16))) << 16; \
  }
#define AMBIDEX_PORT_HALF_PAIR(type, name)                                                 \
  AMBIDEX_PORT_BOTH unsigned name##_##type##x2(unsigned a, unsigned b) {                   \
    return name##_##type(static_cast<unsigned short>(a), static_cast<unsigned short>(b)) | \
           static_cast<unsigned>(name##_##type(static_cast<unsigned short>(a >> 16),       \
                                               static_cast<unsigned short>(b >> 16)))      \
               << 16;                                                                      \
  }
#define AMBIDEX_PORT_HALF_BINARY(type, name, expression)                                    \
  AMBIDEX_PORT_BOTH unsigned short name##_##type(unsigned short raw, unsigned short raw2) { \
    const float x = type##_value(raw), y = type##_value(raw2);                              \
    return type##_of(expression);                                                           \
  }                                                                                         \
  AMBIDEX_PORT_HALF_PAIR(type, name)
// set: 1.0 or 0; mask: all ones or 0.
#define AMBIDEX_PORT_HALF_COMPARED(type, one, name, expression)                               \
  AMBIDEX_PORT_BOTH bool name##_##type(unsigned short raw, unsigned short raw2) {             \
    const float x = type##_value(raw), y = type##_value(raw2);                                \
    return expression;                                                                        \
  }                                                                                           \
  AMBIDEX_PORT_BOTH unsigned short set_##name##_##type(unsigned short a, unsigned short b) {  \
    return name##_##type(a, b) ? one : 0;                                                     \
  }                                                                                           \
  AMBIDEX_PORT_BOTH unsigned short mask_##name##_##type(unsigned short a, unsigned short b) { \
    return name##_##type(a, b) ? 0xffff : 0;                                                  \
  }                                                                                           \
  AMBIDEX_PORT_HALF_PAIR(type, set_##name)                                                    \
  AMBIDEX_PORT_HALF_PAIR(type, mask_##name)
#define AMBIDEX_PORT_HALF(type, one, smallest)                                                     \
  AMBIDEX_PORT_HALF_BINARY(type, add, x + y)                                                       \
  AMBIDEX_PORT_HALF_BINARY(type, sub, x - y)                                                       \
  AMBIDEX_PORT_HALF_BINARY(type, mul, x* y)                                                        \
  AMBIDEX_PORT_HALF_BINARY(type, min, min_number(x, y))                                            \
  AMBIDEX_PORT_HALF_BINARY(type, max, max_number(x, y))                                            \
  AMBIDEX_PORT_HALF_BINARY(type, min_nan, min_nan(x, y))                                           \
  AMBIDEX_PORT_HALF_BINARY(type, max_nan, max_nan(x, y))                                           \
  AMBIDEX_PORT_HALF_UNARY(AMBIDEX_PORT_BOTH, type, neg,                                            \
                          static_cast<unsigned short>(x != x ? 0x7fff : raw ^ 0x8000))             \
  AMBIDEX_PORT_HALF_UNARY(AMBIDEX_PORT_BOTH, type, abs,                                            \
                          static_cast<unsigned short>(x != x ? 0x7fff : raw & 0x7fff))             \
  AMBIDEX_PORT_HALF_UNARY(AMBIDEX_PORT_BOTH, type, relu,                                           \
                          static_cast<unsigned short>(x != x     ? 0x7fff                          \
                                                      : x > 0.0f ? raw                             \
                                                                 : 0))                             \
  AMBIDEX_PORT_HALF_UNARY(AMBIDEX_PORT_BOTH, type, sat, type##_of(saturate(x)))                    \
  AMBIDEX_PORT_HALF_UNARY(                                                                         \
      AMBIDEX_PORT_BOTH, type, ftz,                                                                \
      static_cast<unsigned short>((x < 0.0f ? -x : x) < smallest ? raw & 0x8000 : raw))            \
  AMBIDEX_PORT_HALF_COMPARED(type, one, eq, x == y)                                                \
  AMBIDEX_PORT_HALF_COMPARED(type, one, ne, ordered_unequal(x, y))                                 \
  AMBIDEX_PORT_HALF_COMPARED(type, one, lt, x < y)                                                 \
  AMBIDEX_PORT_HALF_COMPARED(type, one, le, x <= y)                                                \
  AMBIDEX_PORT_HALF_COMPARED(type, one, gt, x > y)                                                 \
  AMBIDEX_PORT_HALF_COMPARED(type, one, ge, x >= y)                                                \
  AMBIDEX_PORT_HALF_COMPARED(type, one, equ, !ordered_unequal(x, y))                               \
  AMBIDEX_PORT_HALF_COMPARED(type, one, neu, x != y)                                               \
  AMBIDEX_PORT_HALF_COMPARED(type, one, ltu, !(x >= y))                                            \
  AMBIDEX_PORT_HALF_COMPARED(type, one, leu, !(x > y))                                             \
  AMBIDEX_PORT_HALF_COMPARED(type, one, gtu, !(x <= y))                                            \
  AMBIDEX_PORT_HALF_COMPARED(type, one, geu, !(x < y))                                             \
  AMBIDEX_PORT_HALF_COMPARED(type, one, num, ordered(x, y))                                        \
  AMBIDEX_PORT_HALF_COMPARED(type, one, nan, !ordered(x, y))                                       \
  AMBIDEX_PORT_BOTH unsigned fma_##type##x2(unsigned a, unsigned b, unsigned c) {                  \
    const unsigned high =                                                                          \
        fma_##type(static_cast<unsigned short>(a >> 16), static_cast<unsigned short>(b >> 16),     \
                   static_cast<unsigned short>(c >> 16));                                          \
    return high << 16 | fma_##type(static_cast<unsigned short>(a), static_cast<unsigned short>(b), \
                                   static_cast<unsigned short>(c));                                \
  }
AMBIDEX_PORT_HALF(f16, 0x3c00, 0x1p-14f)
AMBIDEX_PORT_HALF(bf16, 0x3f80, 0x1p-126f)
#undef AMBIDEX_PORT_HALF
#undef AMBIDEX_PORT_HALF_COMPARED
#undef AMBIDEX_PORT_HALF_BINARY
#undef AMBIDEX_PORT_HALF_PAIR

// .approx: as exact or better here [N13]. Of the device, whose functions they call.
AMBIDEX_PORT_HALF_UNARY(AMBIDEX_PORT_DEVICE, f16, ex2, f16_of(exp2f(x)))
AMBIDEX_PORT_HALF_UNARY(AMBIDEX_PORT_DEVICE, f16, tanh, f16_of(tanhf(x)))
AMBIDEX_PORT_HALF_UNARY(AMBIDEX_PORT_DEVICE, bf16, ex2, bf16_of(exp2f(x)))
AMBIDEX_PORT_HALF_UNARY(AMBIDEX_PORT_DEVICE, bf16, tanh, bf16_of(tanhf(x)))
#undef AMBIDEX_PORT_HALF_UNARY

// Pairs of 8-bit floats, the first into the upper byte; relu makes what is below zero zero [N07].
template <fp8_kind kind>
AMBIDEX_PORT_INLINE unsigned short fp8x2_of(float high, float low, bool relu) {
  if (relu && high <= 0.0f) high = 0.0f;
  if (relu && low <= 0.0f) low = 0.0f;
  return static_cast<unsigned short>(cvt_float_to_fp8(high, satfinite, kind) << 8 |
                                     cvt_float_to_fp8(low, satfinite, kind));
}
template <fp8_kind kind>
AMBIDEX_PORT_INLINE unsigned short fp8x2_of(unsigned pair, bool relu) {
  return fp8x2_of<kind>(f16_value(static_cast<unsigned short>(pair >> 16)),
                        f16_value(static_cast<unsigned short>(pair)), relu);
}
template <fp8_kind kind>
AMBIDEX_PORT_INLINE unsigned f16x2_of_fp8x2(unsigned short pair, bool relu) {
  const unsigned low = f16_of(cvt_fp8_to_float(static_cast<unsigned char>(pair), kind));
  const unsigned high = f16_of(cvt_fp8_to_float(static_cast<unsigned char>(pair >> 8), kind));
  return relu ? relu_f16x2(high << 16 | low) : high << 16 | low;
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_PTX_HALVES_H
