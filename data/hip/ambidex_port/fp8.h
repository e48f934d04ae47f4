// SPDX-License-Identifier: Apache-2.0
// 8-bit floats by name. CUDA's e4m3 and e5m2 are OCP's; gfx942's hardware has other ones (FNUZ:
// exponent bias one higher, no infinity, no -0, NaN is 0x80). These conversions are in software,
// so a byte means the same on every GPU [N07].
#ifndef AMBIDEX_PORT_FP8_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_FP8_H

#include "ambidex_port/platform.h"

namespace ambidex_port {

enum fp8_kind { e4m3, e5m2, e4m3_fnuz, e5m2_fnuz };
enum saturation { nosat, satfinite };  // beyond the largest number: NaN or infinity, or the largest

namespace fp8 {

AMBIDEX_PORT_BOTH constexpr int mantissa_bits(fp8_kind kind) {
  return kind == e4m3 || kind == e4m3_fnuz ? 3 : 2;
}
AMBIDEX_PORT_BOTH constexpr bool is_fnuz(fp8_kind kind) {
  return kind == e4m3_fnuz || kind == e5m2_fnuz;
}
AMBIDEX_PORT_BOTH constexpr int bias(fp8_kind kind) {
  return (mantissa_bits(kind) == 3 ? 7 : 15) + (is_fnuz(kind) ? 1 : 0);
}
AMBIDEX_PORT_BOTH constexpr unsigned largest(fp8_kind kind) {
  return kind == e4m3 ? 0x7eu : kind == e5m2 ? 0x7bu : 0x7fu;
}
AMBIDEX_PORT_BOTH constexpr unsigned beyond(fp8_kind kind) {  // what an overflow gives
  return kind == e4m3 ? 0x7fu : kind == e5m2 ? 0x7cu : 0x80u;
}
AMBIDEX_PORT_BOTH constexpr unsigned nan(fp8_kind kind) { return is_fnuz(kind) ? 0x80u : 0x7fu; }

}  // namespace fp8

// To nearest, ties to even.
AMBIDEX_PORT_BOTH unsigned char cvt_float_to_fp8(float x, saturation saturate, fp8_kind kind) {
  const unsigned bits = bits_as<unsigned>(x);
  const unsigned magnitude = bits & 0x7fffffffu;
  unsigned sign = bits >> 24 & 0x80u;
  if (magnitude > 0x7f800000u) return static_cast<unsigned char>(fp8::nan(kind));
  const int mantissa = fp8::mantissa_bits(kind);
  const int exponent = static_cast<int>(magnitude >> 23) - 127 + fp8::bias(kind);
  // How many bits of the float's 24-bit mantissa are dropped; more below the normal numbers.
  const int dropped = 23 - mantissa + (exponent < 1 ? 1 - exponent : 0);
  unsigned code = 0;
  if (magnitude >= 0x00800000u && dropped <= 24) {
    const unsigned whole = (magnitude & 0x7fffffu) | 0x800000u;
    const unsigned half = 1u << (dropped - 1);
    unsigned kept = dropped == 24 ? 0u : whole >> dropped;
    const unsigned rest = whole & (half * 2u - 1u);
    if (rest > half || (rest == half && (kept & 1u))) ++kept;
    code = exponent < 1 ? kept : kept + (static_cast<unsigned>(exponent - 1) << mantissa);
  }
  if (magnitude == 0x7f800000u || exponent > 40) code = 0x1000u;
  if (code > fp8::largest(kind)) {
    code = saturate == satfinite ? fp8::largest(kind) : fp8::beyond(kind);
  }
  if (fp8::is_fnuz(kind) && (code == 0u || code == 0x80u)) sign = 0;
  return static_cast<unsigned char>(sign | code);
}

AMBIDEX_PORT_BOTH float cvt_fp8_to_float(unsigned char code, fp8_kind kind) {
  const int mantissa = fp8::mantissa_bits(kind);
  const unsigned magnitude = code & 0x7fu;
  const unsigned sign = (code & 0x80u) << 24;
  if (fp8::is_fnuz(kind) ? code == 0x80u : magnitude > (kind == e4m3 ? 0x7eu : 0x7cu)) {
    return bits_as<float>(0x7fffffffu);
  }
  if (kind == e5m2 && magnitude == 0x7cu) return bits_as<float>(sign | 0x7f800000u);
  const unsigned fraction = magnitude & ((1u << mantissa) - 1u);
  const int exponent = static_cast<int>(magnitude >> mantissa);
  const int power = (exponent == 0 ? 1 : exponent) - fp8::bias(kind) - mantissa;
  const unsigned whole = exponent == 0 ? fraction : fraction | 1u << mantissa;
  const float scale = bits_as<float>(static_cast<unsigned>(power + 127) << 23);
  return bits_as<float>(bits_as<unsigned>(static_cast<float>(whole) * scale) | sign);
}

AMBIDEX_PORT_BOTH unsigned short cvt_float2_to_fp8x2(float2 x, saturation saturate, fp8_kind kind) {
  return static_cast<unsigned short>(cvt_float_to_fp8(x.x, saturate, kind) |
                                     cvt_float_to_fp8(x.y, saturate, kind) << 8);
}
AMBIDEX_PORT_BOTH float2 cvt_fp8x2_to_float2(unsigned short codes, fp8_kind kind) {
  return make_float2(cvt_fp8_to_float(static_cast<unsigned char>(codes & 0xff), kind),
                     cvt_fp8_to_float(static_cast<unsigned char>(codes >> 8), kind));
}

// By a float with the same place between two bytes: what a double has below it is gathered in its
// last bit. A double's NaN keeps its sign, as in CUDA.
AMBIDEX_PORT_BOTH unsigned char cvt_double_to_fp8(double x, saturation saturate, fp8_kind kind) {
  if (!(x == x) && !fp8::is_fnuz(kind)) return __builtin_signbit(x) ? 0xff : 0x7f;
  float near = static_cast<float>(x);
  const double back = near;
  if (back - back == 0.0 && back != x) {
    const unsigned bits = bits_as<unsigned>(near);
    const bool is_beyond = (back > 0.0 && back > x) || (back < 0.0 && back < x);
    near = bits_as<float>((is_beyond ? bits - 1u : bits) | 1u);
  }
  return cvt_float_to_fp8(near, saturate, kind);
}
AMBIDEX_PORT_BOTH unsigned short cvt_double2_to_fp8x2(double2 x, saturation saturate,
                                                      fp8_kind kind) {
  return static_cast<unsigned short>(cvt_double_to_fp8(x.x, saturate, kind) |
                                     cvt_double_to_fp8(x.y, saturate, kind) << 8);
}

// CUDA's __nv_fp8_e4m3 and its like: one byte, __x, conversions that saturate.
template <fp8_kind kind>
struct fp8_number {
  unsigned char __x;
  fp8_number() = default;
  AMBIDEX_PORT_INLINE explicit fp8_number(float x) : __x(cvt_float_to_fp8(x, satfinite, kind)) {}
  AMBIDEX_PORT_INLINE explicit fp8_number(double x) : __x(cvt_double_to_fp8(x, satfinite, kind)) {}
  AMBIDEX_PORT_INLINE explicit fp8_number(int x) : fp8_number(static_cast<float>(x)) {}
  AMBIDEX_PORT_INLINE explicit operator float() const { return cvt_fp8_to_float(__x, kind); }
  AMBIDEX_PORT_INLINE explicit operator double() const { return float(*this); }
  AMBIDEX_PORT_INLINE explicit operator bool() const { return float(*this) != 0.0f; }
};
using fp8_e4m3 = fp8_number<e4m3>;
using fp8_e5m2 = fp8_number<e5m2>;
using fp8_e4m3_fnuz = fp8_number<e4m3_fnuz>;
using fp8_e5m2_fnuz = fp8_number<e5m2_fnuz>;

template <fp8_kind kind>
struct fp8_pair {
  unsigned short __x;
  fp8_pair() = default;
  AMBIDEX_PORT_INLINE explicit fp8_pair(float2 x) : __x(cvt_float2_to_fp8x2(x, satfinite, kind)) {}
  AMBIDEX_PORT_INLINE explicit operator float2() const { return cvt_fp8x2_to_float2(__x, kind); }
};
using fp8x2_e4m3 = fp8_pair<e4m3>;
using fp8x2_e5m2 = fp8_pair<e5m2>;

template <fp8_kind kind>
struct fp8_four {
  unsigned __x;
  fp8_four() = default;
  AMBIDEX_PORT_INLINE explicit fp8_four(float4 x)
      : __x(cvt_float2_to_fp8x2(make_float2(x.x, x.y), satfinite, kind) |
            static_cast<unsigned>(cvt_float2_to_fp8x2(make_float2(x.z, x.w), satfinite, kind))
                << 16) {}
  AMBIDEX_PORT_INLINE explicit operator float4() const {
    const float2 low = cvt_fp8x2_to_float2(static_cast<unsigned short>(__x & 0xffffu), kind);
    const float2 high = cvt_fp8x2_to_float2(static_cast<unsigned short>(__x >> 16), kind);
    return make_float4(low.x, low.y, high.x, high.y);
  }
};
using fp8x4_e4m3 = fp8_four<e4m3>;
using fp8x4_e5m2 = fp8_four<e5m2>;

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_FP8_H
