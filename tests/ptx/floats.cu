// SPDX-License-Identifier: Apache-2.0
// Floating point of PTX against plain C++: NaNs, signed zeros, denormals, ties, rounding.
#include <cfenv>

#include "check.h"

constexpr int kNum = 1024, kSlots = 140;

__host__ __device__ uint32_t edge(int i) {
  const uint32_t all[32] = {
      0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x00000001,
      0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0x3fc00000, 0x40200000, 0xc0200000,
      0x4f000000, 0xcf000000, 0x4f800000, 0x477fe000, 0x477ff000, 0x33800000, 0x38800000, 0xb8000001,
      0x3f801000, 0x3f808000, 0x3f818000, 0x42f6e979, 0xc2f6e979, 0x3eaaaaab, 0x43800000, 0x3c23d70a};
  return all[i % 32];
}
__host__ __device__ uint32_t half_edge(int i) {
  const uint32_t all[32] = {0x0000, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x0001,
                            0x83ff, 0x0400, 0x7bff, 0xfbff, 0x3555, 0x3c01, 0x4248, 0xc248,
                            0x2e66, 0x5640, 0xd640, 0x0200, 0x3800, 0x3bff, 0x6400, 0xe400,
                            0x1400, 0x9401, 0x4900, 0x3f80, 0xbf81, 0x7f7f, 0x0080, 0x4049};
  return all[i % 32];
}
__host__ __device__ uint32_t a_of(int i) { return edge(i); }
__host__ __device__ uint32_t b_of(int i) { return edge(i / 32); }
__host__ __device__ uint32_t c_of(int i) { return edge(i * 11 + i / 32 * 7 + 5); }
__host__ __device__ uint32_t p_of(int i) { return half_edge(i) | half_edge(i / 32 + 3) << 16; }
__host__ __device__ uint32_t q_of(int i) { return half_edge(i / 32) | half_edge(i * 5 + 1) << 16; }
__host__ __device__ uint32_t r_of(int i) { return half_edge(i * 3 + i / 32 * 5) | half_edge(i + 9) << 16; }

__global__ void singles(uint64_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float a = same_bits<float>(a_of(i)), b = same_bits<float>(b_of(i)), c = same_bits<float>(c_of(i));
  const double x = a * 1.0000001, y = b;
  float d;
  double w;
  uint32_t u;
  uint64_t l;
  int slot = 0;
#define PUTF(value) PUT((value) != (value) ? 0x7fffffffu : same_bits<uint32_t>(value))
#define PUTD(value) PUT((value) != (value) ? ~0ull : same_bits<uint64_t>(value))
  asm("min.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("max.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("max.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("add.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c)); PUTF(d);
  asm("fma.rn.ftz.sat.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c)); PUTF(d);
  asm("add.rz.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("mul.rp.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("sub.rm.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(c)); PUTF(d);
  asm("div.rn.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("sqrt.rn.f32 %0, %1;" : "=f"(d) : "f"(a)); PUTF(d);
  asm("rcp.rn.f32 %0, %1;" : "=f"(d) : "f"(a)); PUTF(d);
  asm("neg.f32 %0, %1;" : "=f"(d) : "f"(a)); PUTF(d);
  asm("abs.ftz.f32 %0, %1;" : "=f"(d) : "f"(a)); PUTF(d);
  asm("copysign.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("add.sat.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("slct.f32.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(a), "f"(b), "f"(c)); PUTF(d);
  asm("set.ltu.u32.f32 %0, %1, %2;" : "=r"(u) : "f"(a), "f"(b)); PUT(u);
  asm("set.ge.f32.f32 %0, %1, %2;" : "=f"(d) : "f"(a), "f"(b)); PUTF(d);
  asm("{ .reg .pred p; setp.ne.f32 p, %1, %2; selp.u32 %0, 1, 0, p; }" : "=r"(u) : "f"(a), "f"(b)); PUT(u);
  asm("{ .reg .pred p, q; setp.nan.f32 p, %1, %2; setp.geu.or.f32 p|q, %1, %2, p;\n"
      "selp.u32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }" : "=r"(u) : "f"(a), "f"(b)); PUT(u);
  asm("{ .reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p;\n"
      "testp.finite.f32 p, %1; @p add.u32 %0, %0, 2; testp.notanumber.f32 p, %1; @p add.u32 %0, %0, 4; }"
      : "=r"(u) : "f"(a)); PUT(u);
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(u) : "f"(a)); PUT(u);
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(u) : "f"(a)); PUT(u);
  asm("cvt.rmi.s8.f32 %0, %1;" : "=r"(u) : "f"(a)); PUT(u);
  asm("cvt.rpi.u8.f32 %0, %1;" : "=r"(u) : "f"(a)); PUT(u);
  asm("cvt.rzi.s64.f32 %0, %1;" : "=l"(l) : "f"(a)); PUT(l);
  asm("cvt.rzi.s32.f64 %0, %1;" : "=r"(u) : "d"(x)); PUT(u);
  asm("cvt.rni.f32.f32 %0, %1;" : "=f"(d) : "f"(a)); PUTF(d);
  asm("cvt.sat.f32.f32 %0, %1;" : "=f"(d) : "f"(a)); PUTF(d);
  asm("cvt.rn.f32.f64 %0, %1;" : "=f"(d) : "d"(x)); PUTF(d);
  asm("cvt.rz.f32.f64 %0, %1;" : "=f"(d) : "d"(x)); PUTF(d);
  asm("cvt.rp.f32.f64 %0, %1;" : "=f"(d) : "d"(x)); PUTF(d);
  asm("cvt.f64.f32 %0, %1;" : "=d"(w) : "f"(a)); PUTD(w);
  asm("cvt.rn.f32.s32 %0, %1;" : "=f"(d) : "r"(a_of(i))); PUTF(d);
  asm("cvt.rm.f32.u32 %0, %1;" : "=f"(d) : "r"(a_of(i))); PUTF(d);
  asm("cvt.rn.f64.u64 %0, %1;" : "=d"(w) : "l"((uint64_t)a_of(i) << 32 | b_of(i))); PUTD(w);
  asm("add.rn.f64 %0, %1, %2;" : "=d"(w) : "d"(x), "d"(y)); PUTD(w);
  asm("fma.rz.f64 %0, %1, %2, %2;" : "=d"(w) : "d"(x), "d"(y)); PUTD(w);
  asm("max.f64 %0, %1, %2;" : "=d"(w) : "d"(x), "d"(y)); PUTD(w);
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(u) : "f"(a)); PUT(u);
  asm("mov.b32 %0, %1;" : "=r"(u) : "f"(a)); PUT(u);
  asm("{ .reg .f32 t; .reg .b32 s; mov.f32 t, %1; mov.b32 s, t; shr.u32 %0, s, 1; }" : "=r"(u) : "f"(a)); PUT(u);
  asm("mul.f32 %0, %1, 0fBF800000;" : "=f"(d) : "f"(c)); PUTF(d);
  asm("add.f32 %0, %1, -1.5;" : "=f"(d) : "f"(c)); PUTF(d);
  // Approximate ones: 1 if near.
  const float t = 0.37f * (float)(i % 61) - 11.f;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(t)); PUT(fabsf(d - exp2f(t)) <= 1e-6f * exp2f(t));
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(-130.f)); PUT(same_bits<uint32_t>(d));
  asm("lg2.approx.f32 %0, %1;" : "=f"(d) : "f"(t * t + 1)); PUT(fabsf(d - log2f(t * t + 1)) <= 1e-6f * (1 + log2f(t * t + 1)));
  asm("rsqrt.approx.f32 %0, %1;" : "=f"(d) : "f"(t * t + 1)); PUT(fabsf(d * d * (t * t + 1) - 1) <= 1e-6f);
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(t * t)); PUT(fabsf(d - fabsf(t)) <= 1e-6f * fabsf(t));
  asm("tanh.approx.f32 %0, %1;" : "=f"(d) : "f"(t)); PUT(fabsf(d - tanhf(t)) <= 1e-3f);
  asm("sin.approx.f32 %0, %1;" : "=f"(d) : "f"(t)); PUT(fabsf(d - sinf(t)) <= 1e-5f);
  asm("div.full.f32 %0, %1, %2;" : "=f"(d) : "f"(t), "f"(3.f)); PUT(fabsf(d - t / 3) <= 1e-6f * fabsf(t));
}

__global__ void halves(uint64_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t p = p_of(i), q = q_of(i), r = r_of(i);
  const float a = same_bits<float>(a_of(i)), b = same_bits<float>(b_of(i));
  uint32_t d;
  uint16_t h;
  float f;
  int slot = 0;
  asm("add.f16x2 %0, %1, %2;" : "=r"(d) : "r"(p), "r"(q)); PUT(d);
  asm("sub.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(p), "r"(q)); PUT(d);
  asm("mul.f16x2 %0, %1, %2;" : "=r"(d) : "r"(p), "r"(q)); PUT(d);
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(p), "r"(q), "r"(r)); PUT(d);
  asm("fma.rn.relu.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(p), "r"(q), "r"(r)); PUT(d);
  asm("fma.rn.sat.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(p), "r"(q), "r"(r)); PUT(d);
  asm("min.f16x2 %0, %1, %2;" : "=r"(d) : "r"(p), "r"(q)); PUT(d);
  asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(d) : "r"(p), "r"(q)); PUT(d);
  asm("neg.f16x2 %0, %1;" : "=r"(d) : "r"(p)); PUT(d);
  asm("abs.f16x2 %0, %1;" : "=r"(d) : "r"(p)); PUT(d);
  asm("add.ftz.f16x2 %0, %1, %2;" : "=r"(d) : "r"(p), "r"(q)); PUT(d);
  asm("set.gtu.f16x2.f16x2 %0, %1, %2;" : "=r"(d) : "r"(p), "r"(q)); PUT(d);
  asm("set.ne.u32.f16x2 %0, %1, %2;" : "=r"(d) : "r"(p), "r"(q)); PUT(d);
  asm("{ .reg .pred s, t; setp.le.f16x2 s|t, %1, %2; selp.u32 %0, 1, 0, s; @t add.u32 %0, %0, 2; }"
      : "=r"(d) : "r"(p), "r"(q)); PUT(d);
  asm("mul.f16 %0, %1, %2;" : "=h"(h) : "h"((uint16_t)p), "h"((uint16_t)q)); PUT(h);
  asm("max.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(p), "r"(q)); PUT(d);
  asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(p), "r"(q), "r"(r)); PUT(d);
  asm("add.rn.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(p), "r"(q)); PUT(d);
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(a)); PUT(h);
  asm("cvt.rz.f16.f32 %0, %1;" : "=h"(h) : "f"(a)); PUT(h);
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h) : "f"(a)); PUT(h);
  asm("cvt.rz.bf16.f32 %0, %1;" : "=h"(h) : "f"(a)); PUT(h);
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"((uint16_t)p)); PUTF(f);
  asm("cvt.f32.bf16 %0, %1;" : "=f"(f) : "h"((uint16_t)p)); PUTF(f);
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(a), "f"(b)); PUT(d);
  asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(d) : "f"(a), "f"(b)); PUT(d);
  asm("cvt.rni.s32.f16 %0, %1;" : "=r"(d) : "h"((uint16_t)p)); PUT(d);
  asm("cvt.rn.f16.s32 %0, %1;" : "=h"(h) : "r"((int)(p % 70000))); PUT(h);
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b)); PUT(h);
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(h) : "f"(a), "f"(b)); PUT(h);
  asm("cvt.rn.satfinite.e4m3x2.f16x2 %0, %1;" : "=h"(h) : "r"(p)); PUT(h);
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(d) : "h"((uint16_t)i)); PUT(d);
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(d) : "h"((uint16_t)i)); PUT(d);
}

// Values of small formats, as doubles, by their definition.
double value(uint32_t code, int exponent_bits, int fraction, bool has_infinity = true) {
  const int top = (1 << exponent_bits) - 1, bias = top / 2;
  const int exponent = (int)(code >> fraction) & top;
  const int part = (int)code & ((1 << fraction) - 1);
  const double sign = code >> (exponent_bits + fraction) & 1 ? -1 : 1;
  if (exponent == top && (has_infinity || part == (1 << fraction) - 1)) {
    return part == 0 && has_infinity ? sign * INFINITY : NAN;
  }
  if (exponent == 0) return sign * std::ldexp((double)part, 1 - bias - fraction);
  return sign * std::ldexp((double)(part + (1 << fraction)), exponent - bias - fraction);
}
double f16(uint32_t code) { return value(code & 0xffff, 5, 10); }
double bf16(uint32_t code) { return value(code & 0xffff, 8, 7); }
// The nearest code to x of a format of 16 bits: the one before and after in size, ties to even.
uint32_t nearest(long double x, int exponent_bits, int fraction) {
  if (x != x) return 0x7fff;
  const uint32_t sign = std::signbit(x) ? 0x8000 : 0;
  const long double size = std::fabs(x);
  const uint32_t infinity = ((1u << exponent_bits) - 1) << fraction;
  uint32_t low = 0, high = infinity;  // value(low) <= size, by bisection
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    (value(middle, exponent_bits, fraction) <= size ? low : high) = middle;
  }
  const long double below = value(low, exponent_bits, fraction);
  // Infinity counts as the next power of two.
  const long double above = high == infinity ? std::ldexp(1.0L, 1 << (exponent_bits - 1))
                                             : (long double)value(high, exponent_bits, fraction);
  if (std::isinf(size)) return sign | infinity;
  if (size - below > above - size) return sign | high;
  if (size - below < above - size) return sign | low;
  return sign | (low % 2 == 0 ? low : high);
}
uint32_t to_f16(long double x) { return nearest(x, 5, 10); }
uint32_t to_bf16(long double x) { return nearest(x, 8, 7); }
uint32_t to_fp8(float x, int fraction) {
  if (x != x) return 0x7f;
  const uint32_t largest = fraction == 3 ? 0x7e : 0x7b;
  uint32_t best = 0;
  const auto at = [&](uint32_t code) { return value(code, 7 - fraction, fraction, fraction == 2); };
  for (uint32_t code = 0; code <= largest; ++code) {
    const double size = std::fmin(std::fabs((double)x), at(largest));
    const double now = std::fabs(at(code) - size), before = std::fabs(at(best) - size);
    if (now < before || (now == before && code % 2 == 0)) best = code;
  }
  return best | (std::signbit(x) ? 0x80 : 0);
}

uint32_t bits(float x) { return x != x ? 0x7fffffff : same_bits<uint32_t>(x); }
uint64_t bits(double x) { return x != x ? ~0ull : same_bits<uint64_t>(x); }
float flush(float x) { return std::fabs(x) < 0x1p-126f ? std::copysign(0.f, x) : x; }
template <class T>
T least(T a, T b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == 0 && b == 0) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T most(T a, T b) {
  return -least(-a, -b);
}
float saturated(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
template <class Op>
auto rounded(int mode, Op op) {
  std::fesetround(mode);
  auto out = op();
  std::fesetround(FE_TONEAREST);
  return out;
}
__int128 clamp(double x, __int128 least, __int128 most, __int128 of_nan) {
  if (x != x) return of_nan;
  return x <= (double)least ? least : x >= (double)most ? most : (__int128)x;
}

void want_singles(Checker& checker, int i) {
  const uint32_t ua = a_of(i);
  const volatile float a = same_bits<float>(ua), b = same_bits<float>(b_of(i)), c = same_bits<float>(c_of(i));
  const volatile double x = a * 1.0000001, y = b;
  const float fa = a, fb = b, fc = c;
  const bool none = fa != fa || fb != fb;
  int slot = 0;
  WANT("min.f32", bits(least(fa, fb)));
  WANT("max.f32", bits(most(fa, fb)));
  WANT("min.NaN.f32", none ? 0x7fffffff : bits(least(fa, fb)));
  WANT("max.ftz.f32", bits(most(flush(fa), flush(fb))));
  WANT("add.ftz.f32", bits(flush(flush(fa) + flush(fb))));
  WANT("mul.rn.ftz.f32", bits(flush(flush(fa) * flush(fb))));
  WANT("fma.rn.f32", bits(std::fma(fa, fb, fc)));
  WANT("fma.ftz.sat", bits(saturated(flush(std::fma(flush(fa), flush(fb), flush(fc))))));
  WANT("add.rz.f32", bits(rounded(FE_TOWARDZERO, [&] { volatile float s = a + b; return (float)s; })));
  WANT("mul.rp.f32", bits(rounded(FE_UPWARD, [&] { volatile float s = a * b; return (float)s; })));
  WANT("sub.rm.f32", bits(rounded(FE_DOWNWARD, [&] { volatile float s = a - c; return (float)s; })));
  WANT("div.rn.f32", bits(fa / fb));
  WANT("sqrt.rn.f32", bits(std::sqrt(fa)));
  WANT("rcp.rn.f32", bits(1 / fa));
  WANT("neg.f32", bits(-fa));
  WANT("abs.ftz.f32", bits(std::fabs(flush(fa))));
  WANT("copysign.f32", bits(std::copysign(fb, fa)));
  WANT("add.sat.f32", bits(saturated(fa + fb)));
  WANT("slct.f32.f32", bits(fc >= 0 ? fa : fb));
  WANT("set.ltu.u32", none || fa < fb ? 0xffffffff : 0);
  WANT("set.ge.f32", fa >= fb ? 0x3f800000 : 0);
  WANT("setp.ne", !none && fa != fb);
  const bool geu = none || fa >= fb;
  WANT("setp.geu.or", (geu || none) + 2 * (!geu || none));
  WANT("testp", (fa != 0 && std::fabs(fa) < 0x1p-126f) + 2 * (fa - fa == 0) + 4 * (fa != fa));
  WANT("cvt.rni.s32", (uint32_t)clamp(std::nearbyint(fa), INT32_MIN, INT32_MAX, 0));
  WANT("cvt.rzi.u32", (uint32_t)clamp(std::trunc(fa), 0, UINT32_MAX, 0));
  WANT("cvt.rmi.s8", (uint32_t)clamp(std::floor(fa), -128, 127, 0));
  WANT("cvt.rpi.u8", (uint32_t)clamp(std::ceil(fa), 0, 255, 0));
  WANT("cvt.rzi.s64", (uint64_t)clamp(std::trunc(fa), INT64_MIN, INT64_MAX, INT64_MIN));
  WANT("cvt.rzi.s32.f64", (uint32_t)clamp(std::trunc((double)x), INT32_MIN, INT32_MAX, INT32_MIN));
  WANT("cvt.rni.f32", bits(std::nearbyint(fa)));
  WANT("cvt.sat.f32", bits(saturated(fa)));
  WANT("cvt.rn.f32.f64", bits((float)x));
  WANT("cvt.rz.f32.f64", bits(rounded(FE_TOWARDZERO, [&] { volatile float s = (float)x; return (float)s; })));
  WANT("cvt.rp.f32.f64", bits(rounded(FE_UPWARD, [&] { volatile float s = (float)x; return (float)s; })));
  WANT("cvt.f64.f32", bits((double)fa));
  WANT("cvt.rn.f32.s32", bits((float)(int32_t)ua));
  const volatile uint32_t whole = ua;
  WANT("cvt.rm.f32.u32", bits(rounded(FE_DOWNWARD, [&] { volatile float s = (float)(double)whole; return (float)s; })));
  WANT("cvt.rn.f64.u64", bits((double)((uint64_t)ua << 32 | b_of(i))));
  WANT("add.rn.f64", bits((double)(x + y)));
  WANT("fma.rz.f64", bits(rounded(FE_TOWARDZERO, [&] { volatile double s = std::fma(x, y, y); return (double)s; })));
  WANT("max.f64", bits(most((double)x, (double)y)));
  const bool special = (ua & 0x7f800000) == 0x7f800000;
  WANT("cvt.rna.tf32", special ? ua : (ua & 0x1fff) >= 0x1000 ? (ua & ~0x1fffu) + 0x2000 : ua & ~0x1fffu);
  WANT("mov.b32 of a float", ua);
  WANT("a float register as bits", ua >> 1);
  WANT("mul.f32 by bits", bits(-fc));
  WANT("add.f32 of a decimal", bits(fc - 1.5f));
  WANT("ex2", 1);
  WANT("ex2.ftz", 0);
  WANT("lg2", 1);
  WANT("rsqrt", 1);
  WANT("sqrt", 1);
  WANT("tanh", 1);
  WANT("sin", 1);
  WANT("div.full", 1);
}

template <class Op>
uint32_t both(Op op) {
  return (op(0) & 0xffff) | (op(16) & 0xffff) << 16;
}

void want_halves(Checker& checker, int i) {
  const uint32_t p = p_of(i), q = q_of(i), r = r_of(i);
  const float a = same_bits<float>(a_of(i)), b = same_bits<float>(b_of(i));
  const auto sum = [&](int at) { return (long double)f16(p >> at) * f16(q >> at) + f16(r >> at); };
  const auto small = [](double x) { return std::fabs(x) < 0x1p-14 ? std::copysign(0.0, x) : x; };
  int slot = 0;
  WANT("add.f16x2", both([&](int at) { return to_f16(f16(p >> at) + f16(q >> at)); }));
  WANT("sub.f16x2", both([&](int at) { return to_f16(f16(p >> at) - f16(q >> at)); }));
  WANT("mul.f16x2", both([&](int at) { return to_f16(f16(p >> at) * f16(q >> at)); }));
  WANT("fma.f16x2", both([&](int at) { return to_f16(sum(at)); }));
  WANT("fma.relu.f16x2", both([&](int at) { return sum(at) <= 0 ? 0 : to_f16(sum(at)); }));
  WANT("fma.sat.f16x2", both([&](int at) {
         return sum(at) > 0 ? to_f16(sum(at) < 1 ? sum(at) : 1) : 0;
       }));
  WANT("min.f16x2", both([&](int at) { return to_f16(least(f16(p >> at), f16(q >> at))); }));
  const auto any = [&](int at) { return f16(p >> at) != f16(p >> at) || f16(q >> at) != f16(q >> at); };
  WANT("max.NaN.f16x2", both([&](int at) {
         return any(at) ? 0x7fff : to_f16(most(f16(p >> at), f16(q >> at)));
       }));
  WANT("neg.f16x2", both([&](int at) { return to_f16(-f16(p >> at)); }));
  WANT("abs.f16x2", both([&](int at) { return to_f16(std::fabs(f16(p >> at))); }));
  WANT("add.ftz.f16x2", both([&](int at) {
         return to_f16(small(value(to_f16(small(f16(p >> at)) + small(f16(q >> at))), 5, 10)));
       }));
  WANT("set.gtu.f16x2", both([&](int at) { return any(at) || f16(p >> at) > f16(q >> at) ? 0x3c00 : 0; }));
  WANT("set.ne.u32.f16x2", both([&](int at) { return !any(at) && f16(p >> at) != f16(q >> at) ? 0xffff : 0; }));
  WANT("setp.le.f16x2", (f16(p) <= f16(q)) + 2 * (f16(p >> 16) <= f16(q >> 16)));
  WANT("mul.f16", to_f16(f16(p) * f16(q)));
  WANT("max.bf16x2", both([&](int at) { return to_bf16(most(bf16(p >> at), bf16(q >> at))); }));
  WANT("fma.bf16x2", both([&](int at) {  // in 113 bits, and of what is below those only the sign counts
         const __float128 product = (__float128)bf16(p >> at) * bf16(q >> at), term = bf16(r >> at);
         const __float128 all = product + term, part = all - product;
         const long double cut = (long double)all;
         const __float128 lost = (product - (all - part)) + (term - part);
         const __float128 rest = (all - (__float128)cut) + lost;
         if (!(rest == rest) || rest == 0) return to_bf16(cut);
         return to_bf16(std::nextafter(cut, rest > 0 ? INFINITY : -INFINITY));
       }));
  WANT("add.bf16x2", both([&](int at) { return to_bf16((long double)bf16(p >> at) + bf16(q >> at)); }));
  WANT("cvt.rn.f16.f32", to_f16(a));
  const uint32_t near = to_f16(a);
  WANT("cvt.rz.f16.f32", a == a && std::fabs(f16(near)) > std::fabs(a) ? near - 1 : near);
  WANT("cvt.rn.bf16.f32", to_bf16(a));
  const uint32_t near_b = to_bf16(a);
  WANT("cvt.rz.bf16.f32", a == a && std::fabs(bf16(near_b)) > std::fabs(a) ? near_b - 1 : near_b);
  WANT("cvt.f32.f16", bits((float)f16(p)));
  WANT("cvt.f32.bf16", bits((float)bf16(p)));
  WANT("cvt.f16x2.f32", to_f16(a) << 16 | to_f16(b));
  WANT("cvt.relu.bf16x2.f32", (a <= 0 ? 0 : to_bf16(a)) << 16 | (b <= 0 ? 0 : to_bf16(b)));
  WANT("cvt.rni.s32.f16", (uint32_t)clamp(std::nearbyint(f16(p)), INT32_MIN, INT32_MAX, 0));
  WANT("cvt.rn.f16.s32", to_f16((int)(p % 70000)));
  WANT("cvt.e4m3x2.f32", to_fp8(a, 3) << 8 | to_fp8(b, 3));
  WANT("cvt.e5m2x2.f32", to_fp8(a, 2) << 8 | to_fp8(b, 2));
  WANT("cvt.e4m3x2.f16x2", to_fp8((float)f16(p >> 16), 3) << 8 | to_fp8((float)f16(p), 3));
  WANT("cvt.f16x2.e4m3x2", to_f16(value(i >> 8 & 255, 4, 3, false)) << 16 | to_f16(value(i & 255, 4, 3, false)));
  WANT("cvt.f16x2.e5m2x2", to_f16(value(i >> 8 & 255, 5, 2)) << 16 | to_f16(value(i & 255, 5, 2)));
}

int main() {
  const auto first = [](uint64_t* out) { singles<<<kNum / 64, 64>>>(out, kNum); };
  const auto second = [](uint64_t* out) { halves<<<kNum / 64, 64>>>(out, kNum); };
  return checked(kNum, kSlots, first, want_singles) | checked(kNum, kSlots, second, want_halves);
}
