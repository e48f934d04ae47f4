// SPDX-License-Identifier: Apache-2.0
#include "runner/ptx_scalar.h"

#include <bit>
#include <cfenv>
#include <cmath>

namespace {

/// Rounds as asked for while it lives. Values go through volatile variables, so that nothing is
/// computed before or after.
class Rounding {
 public:
  explicit Rounding(uint32_t mode) {
    constexpr int kModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    std::fesetround(kModes[mode & 3]);
  }
  ~Rounding() { std::fesetround(before_); }
  Rounding(const Rounding&) = delete;
  Rounding& operator=(const Rounding&) = delete;

 private:
  int before_ = std::fegetround();
};

template <class T>
T computed(uint32_t op, uint32_t mode, T a_value, T b_value, T c_value) {
  volatile T a = a_value, b = b_value, c = c_value, out = 0;
  const Rounding rounding(mode);
  if (op == 0) out = a + b;
  if (op == 1) out = a - b;
  if (op == 2) out = a * b;
  if (op == 3) out = std::fma(a, b, c);
  if (op == 4) out = a / b;
  if (op == 5) out = std::sqrt(a);
  if (op == 6) out = T(1) / a;
  return out;
}

float bfloat(uint32_t bits) { return std::bit_cast<float>(bits << 16); }

double small_float(uint32_t code, uint32_t fraction) {
  const int exponent_bits = 7 - static_cast<int>(fraction);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = static_cast<int>(code >> fraction) & ((1 << exponent_bits) - 1);
  const double part = static_cast<double>(code & ((1u << fraction) - 1)) / (1 << fraction);
  const double size =
      exponent == 0 ? std::ldexp(part, 1 - bias) : std::ldexp(1 + part, exponent - bias);
  return (code & 0x80) != 0 ? -size : size;
}

constexpr uint32_t largest(uint32_t fraction) { return fraction == 3 ? 0x7e : 0x7b; }

}  // namespace

uint32_t ambidex_simt_ptx_rounded32(uint32_t op, uint32_t mode, uint32_t a, uint32_t b,
                                    uint32_t c) {
  return std::bit_cast<uint32_t>(computed(op, mode, std::bit_cast<float>(a),
                                          std::bit_cast<float>(b), std::bit_cast<float>(c)));
}

uint64_t ambidex_simt_ptx_rounded64(uint32_t op, uint32_t mode, uint64_t a, uint64_t b,
                                    uint64_t c) {
  return std::bit_cast<uint64_t>(computed(op, mode, std::bit_cast<double>(a),
                                          std::bit_cast<double>(b), std::bit_cast<double>(c)));
}

uint32_t ambidex_simt_ptx_narrowed(uint64_t value, uint32_t mode) {
  volatile double wide = std::bit_cast<double>(value);
  const Rounding rounding(mode);
  volatile auto narrow = static_cast<float>(wide);
  return std::bit_cast<uint32_t>(static_cast<float>(narrow));
}

uint32_t ambidex_simt_ptx_fma_bf16(uint32_t a, uint32_t b, uint32_t c) {
  volatile double x = bfloat(a), y = bfloat(b), z = bfloat(c);
  uint64_t wide_bits = 0;
  uint32_t bits = 0;
  {  // towards zero, with a last bit that tells of what is lost: then a last rounding is the only
    const Rounding rounding(1);
    std::feclearexcept(FE_INEXACT);
    volatile double wide = std::fma(x, y, z);
    wide_bits = std::bit_cast<uint64_t>(static_cast<double>(wide));
    if (std::fetestexcept(FE_INEXACT) != 0) wide_bits |= 1;
    volatile double odd = std::bit_cast<double>(wide_bits);
    std::feclearexcept(FE_INEXACT);
    volatile auto narrow = static_cast<float>(odd);
    bits = std::bit_cast<uint32_t>(static_cast<float>(narrow));
    if (std::fetestexcept(FE_INEXACT) != 0) bits |= 1;
  }
  if (std::isnan(std::bit_cast<float>(bits))) return 0x7fff;
  // Overflow of the float towards zero stays above the largest bfloat's tie, and becomes infinite.
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

uint32_t ambidex_simt_ptx_to_fp8(uint32_t value, uint32_t fraction) {
  const auto x = static_cast<double>(std::bit_cast<float>(value));
  if (std::isnan(x)) return 0x7f;
  const double size = std::fmin(std::fabs(x), small_float(largest(fraction), fraction));
  uint32_t best = 0;
  for (uint32_t code = 1; code <= largest(fraction); ++code) {
    const double near = std::fabs(small_float(best, fraction) - size);
    const double here = std::fabs(small_float(code, fraction) - size);
    if (here < near || (here == near && code % 2 == 0)) best = code;
  }
  return best | (std::signbit(x) ? 0x80 : 0);
}

uint32_t ambidex_simt_ptx_from_fp8(uint32_t code, uint32_t fraction) {
  const uint32_t size = code & 0x7f;
  const bool has_infinity = fraction == 2;
  if (size > largest(fraction)) {
    if (has_infinity && size == 0x7c) return (code & 0x80) << 24 | 0x7f800000;
    return 0x7fffffff;
  }
  return std::bit_cast<uint32_t>(static_cast<float>(small_float(code & 0xff, fraction)));
}
