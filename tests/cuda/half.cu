// SPDX-License-Identifier: Apache-2.0
// binary16, bfloat16 and fp8: every bit pattern, and what is rounded to them, by search in the
// sorted list of all their values.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cmath>

#include "check.h"

constexpr int kNum = 20000;

// The value of a pattern by its definition; NaN and infinity are asked for apart.
double decoded(int bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double size =
      exponent == 0 ? std::ldexp(fraction, 1 - bias - fraction_bits)
                    : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
  return bits >> (exponent_bits + fraction_bits) & 1 ? -size : size;
}

// The pattern nearest to x, the even one of two; `end` is the first pattern that is no number,
// whose value stands for what is too large.
int nearest(double x, int exponent_bits, int fraction_bits, int end) {
  const double size = std::fabs(x);
  int low = 0, high = end;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    (decoded(middle, exponent_bits, fraction_bits) <= size ? low : high) = middle;
  }
  const double below = size - decoded(low, exponent_bits, fraction_bits);
  const double above = decoded(high, exponent_bits, fraction_bits) - size;
  const int best = below < above || (below == above && low % 2 == 0) ? low : high;
  return best | (std::signbit(x) ? 1 << (exponent_bits + fraction_bits) : 0);
}

// out [8][kNum]
template <class T, class Raw>
__global__ void operations(const unsigned short* in, unsigned short* out) {
  for (int i = threadIdx.x; i < kNum; i += blockDim.x) {
    T v[3];
    for (int k = 0; k < 3; ++k) {
      Raw raw;
      raw.x = in[k * kNum + i];
      v[k] = T(raw);
    }
    const T results[8] = {
        __hadd(v[0], v[1]),       __hsub(v[0], v[1]), __hmul(v[0], v[1]), __hdiv(v[0], v[1]),
        __hfma(v[0], v[1], v[2]), v[0] + v[1] * v[2], __hmax(v[0], v[1]), __hneg(v[0])};
    for (int k = 0; k < 8; ++k) out[k * kNum + i] = Raw(results[k]).x;
  }
}

template <class T, class Raw>
void check_type(const char* name, int exponent_bits, int fraction_bits) {
  const int end = ((1 << exponent_bits) - 1) << fraction_bits;
  unsigned state = 11;
  std::vector<unsigned short> in;
  while (int(in.size()) < 3 * kNum) {
    const int bits = int(next_random(state) & 0xffff);
    if ((bits & 0x7fff) < end) in.push_back((unsigned short)bits);
  }
  // Sums that nearly cancel, and products near a tie.
  for (int i = 0; i < kNum; i += 3) in[kNum + i] = (unsigned short)(in[i] ^ 0x8000 ^ (i % 2));
  Array<unsigned short> device_in(in), out(8 * kNum);
  operations<T, Raw><<<1, 64>>>(device_in.device, out.device);
  const std::vector<unsigned short> got = out.values();
  const auto round = [&](double x) { return nearest(x, exponent_bits, fraction_bits, end); };
  for (int i = 0; i < kNum; ++i) {
    const double a = decoded(in[i], exponent_bits, fraction_bits);
    const double b = decoded(in[kNum + i], exponent_bits, fraction_bits);
    const double c = decoded(in[2 * kNum + i], exponent_bits, fraction_bits);
    const long double exact_sum =
        (long double)(a * b) + c;  // 64 bits; equal to a tie only if it is
    double fused = double(exact_sum);
    if (exact_sum == (long double)(a * b) && c != 0.0) {
      fused = std::nextafter(a * b, c > 0.0 ? HUGE_VAL : -HUGE_VAL);  // c is below 64 bits
    } else if ((long double)fused != exact_sum) {
      // Not a tie of the narrow type: a step towards the exact value keeps it on its side.
      fused = std::nextafter(fused, exact_sum > (long double)fused ? HUGE_VAL : -HUGE_VAL);
    }
    const int product = round(b * c);
    const double of_product = (product & 0x7fff) == end
                                  ? (product & 0x8000 ? -HUGE_VAL : HUGE_VAL)
                                  : decoded(product, exponent_bits, fraction_bits);
    const double values[5] = {a + b, a - b, a * b, a / b, fused};
    for (int k = 0; k < 5; ++k) {
      const double x = values[k];
      if (x != x) continue;
      const int expected = std::isinf(x) ? end | (x < 0 ? 0x8000 : 0) : round(x);
      check(got[k * kNum + i] == expected, name, k * kNum + i);
    }
    if (!std::isinf(of_product))
      check(got[5 * kNum + i] == round(a + of_product), name, 5 * kNum + i);
    const bool second = b > a || (a == b && std::signbit(a) && !std::signbit(b));
    check(got[6 * kNum + i] == in[(second ? kNum : 0) + i], name, 6 * kNum + i);
    check(got[7 * kNum + i] == (in[i] ^ 0x8000), name, 7 * kNum + i);
  }
}

// Host conversions: every pattern there and back, and numbers in between.
void check_conversions() {
  for (int bits = 0; bits < 0x7c00; ++bits) {
    __half_raw raw;
    raw.x = (unsigned short)bits;
    const float value = __half2float(__half(raw));
    check(value == decoded(bits, 5, 10), "__half2float", bits);
    const float next = float(decoded(bits + 1, 5, 10));
    const float middle = (value + next) / 2;
    const float close[3] = {middle, std::nextafter(middle, 0.0f), std::nextafter(middle, next)};
    for (float x : close) {
      check(__half_raw(__float2half(x)).x == nearest(x, 5, 10, 0x7c00), "__float2half", bits);
      check(__half_raw(__float2half_rz(x)).x == bits, "__float2half_rz", bits);
      check(__half_raw(__float2half_ru(x)).x == bits + 1, "__float2half_ru", bits);
    }
  }
  for (int bits = 0; bits < 0x7f80; ++bits) {
    const float value = float(decoded(bits, 8, 7));
    const double middle = (decoded(bits, 8, 7) + decoded(bits + 1, 8, 7)) / 2;
    __nv_bfloat16_raw raw;
    raw.x = (unsigned short)bits;
    check(__bfloat162float(__nv_bfloat16(raw)) == value, "__bfloat162float", bits);
    check(__nv_bfloat16_raw(__double2bfloat16(middle)).x == nearest(middle, 8, 7, 0x7f80),
          "__double2bfloat16", bits);
    const double above = std::nextafter(middle, HUGE_VAL);
    check(__nv_bfloat16_raw(__double2bfloat16(above)).x == nearest(above, 8, 7, 0x7f80),
          "__double2bfloat16", bits);
  }
}

void check_fp8() {
  for (int kind = 0; kind < 2; ++kind) {
    const __nv_fp8_interpretation_t type = kind == 0 ? __NV_E4M3 : __NV_E5M2;
    const int exponent_bits = 4 + kind, fraction_bits = 3 - kind;
    const int end = kind == 0 ? 0x7f : 0x7c;  // first pattern that is no number
    for (int bits = 0; bits < end; ++bits) {
      const double value = decoded(bits, exponent_bits, fraction_bits);
      check(__half2float(__half(__nv_cvt_fp8_to_halfraw((unsigned char)bits, type))) == value,
            "fp8 to half", bits);
      const double middle = (value + decoded(bits + 1, exponent_bits, fraction_bits)) / 2;
      for (double x : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e9), -middle}) {
        const int best = nearest(x, exponent_bits, fraction_bits, end);
        const bool over = (best & 0x7f) == end;
        const int sign = best & 0x80;
        check(__nv_cvt_double_to_fp8(x, __NV_SATFINITE, type) == (over ? sign | (end - 1) : best),
              "double to fp8", bits);
        check(__nv_cvt_double_to_fp8(x, __NV_NOSAT, type) == best, "double to fp8 unsaturated",
              bits);
      }
    }
    check(__nv_cvt_float_to_fp8(HUGE_VALF, __NV_SATFINITE, type) == end - 1, "infinity to fp8",
          kind);
    check(__nv_cvt_float_to_fp8(NAN, __NV_SATFINITE, type) == 0x7f, "NaN to fp8", kind);
  }
  check(float(__nv_fp8_e4m3(1000.0f)) == 448.0f, "the largest e4m3", 0);
  check(float(__nv_fp8_e5m2(1e6f)) == 57344.0f, "the largest e5m2", 0);
}

int main() {
  check_type<__half, __half_raw>("__half", 5, 10);
  check_type<__nv_bfloat16, __nv_bfloat16_raw>("__nv_bfloat16", 8, 7);
  check_conversions();
  check_fp8();
  return finish();
}
