// SPDX-License-Identifier: Apache-2.0
// Arithmetic with a named rounding (__fadd_ru). The result to nearest is corrected by the sign of
// its exact error, which error-free transformations give (Dekker; Boldo and Muller for fma): no
// rounding mode is touched.
#pragma once
#pragma GCC system_header

#include "conversions.h"

#define AMBIDEX_EXACT _Pragma("clang fp contract(off) reassociate(off)")

namespace ambidex_cuda {

// Error of a + b rounded to `sum`; an overflow counts as an error towards zero.
template <class F>
AMBIDEX_MEMBER_HD F error_of_sum(F a, F b, F sum) {
  AMBIDEX_EXACT
  if (sum - sum != sum - sum) return a - a == b - b ? -sum : F(0);
  const F a_part = sum - b;
  const F b_part = sum - a_part;
  return (a - a_part) + (b - b_part);
}
template <Rounding R, class F>
AMBIDEX_MEMBER_HD F add(F a, F b) {
  AMBIDEX_EXACT
  const F sum = a + b;
  if (R == Rounding::nearest) return sum;
  // An exact zero of two numbers of opposite sign is -0 when rounding down.
  if (sum == F(0) && R == Rounding::down && a == -b &&
      (a != F(0) || __builtin_signbit(a) != __builtin_signbit(b))) {
    return -F(0);
  }
  return redirect<R>(sum, error_of_sum(a, b, sum));
}
template <Rounding R>
AMBIDEX_MEMBER_HD float multiply(float a, float b) {
  return to_float<R>(double(a) * double(b));
}
template <Rounding R>
AMBIDEX_MEMBER_HD double multiply(double a, double b) {
  AMBIDEX_EXACT
  const double product = a * b;
  if (R == Rounding::nearest) return product;
  if (product - product != product - product) {
    return a - a == b - b ? redirect<R>(product, -product) : product;
  }
  if (product == 0.0) {
    return a == 0.0 || b == 0.0 ? product : redirect<R>(product, (a < 0.0) == (b < 0.0) ? 1 : -1);
  }
  // Near the smallest numbers the error itself would underflow: the smaller factor is scaled.
  const double scale = __builtin_fabs(product) < 0x1p-900 ? 0x1p1000 : 1.0;
  const bool a_is_less = __builtin_fabs(a) < __builtin_fabs(b);
  const double less = (a_is_less ? a : b) * scale;
  return redirect<R>(product, __builtin_fma(less, a_is_less ? b : a, -(product * scale)));
}
template <Rounding R>
AMBIDEX_MEMBER_HD float divide(float a, float b) {
  AMBIDEX_EXACT
  const float quotient = a / b;
  if (R == Rounding::nearest || b == 0.0f || a - a != b - b) return quotient;
  if (quotient - quotient != quotient - quotient) return redirect<R>(quotient, -quotient);
  const double rest = double(a) - double(quotient) * double(b);
  return redirect<R>(quotient, b < 0.0f ? -rest : rest);
}
template <Rounding R>
AMBIDEX_MEMBER_HD double divide(double a, double b) {
  AMBIDEX_EXACT
  const double quotient = a / b;
  if (R == Rounding::nearest || b == 0.0 || a - a != b - b) return quotient;
  if (quotient - quotient != quotient - quotient) return redirect<R>(quotient, -quotient);
  if (quotient == 0.0)
    return redirect<R>(quotient, (a < 0.0) == (b < 0.0) ? __builtin_fabs(a) : -__builtin_fabs(a));
  const double scale = __builtin_fabs(a) < 0x1p-900 ? 0x1p108 : 1.0;
  const double rest = __builtin_fma(-quotient, b * scale, a * scale);
  return redirect<R>(quotient, b < 0.0 ? -rest : rest);
}
template <Rounding R>
AMBIDEX_MEMBER_HD float square_root(float a) {
  AMBIDEX_EXACT
  const float root = __builtin_sqrtf(a);
  if (R == Rounding::nearest || !(a > 0.0f) || a - a != 0.0f) return root;
  return redirect<R>(root, double(a) - double(root) * double(root));
}
template <Rounding R>
AMBIDEX_MEMBER_HD double square_root(double a) {
  AMBIDEX_EXACT
  const double root = __builtin_sqrt(a);
  if (R == Rounding::nearest || !(a > 0.0) || a - a != 0.0) return root;
  const double scale = a < 0x1p-900 ? 0x1p108 : 1.0;
  return redirect<R>(root, __builtin_fma(-root, root * scale, a * scale));
}
template <Rounding R>
AMBIDEX_MEMBER_HD float multiply_add(float a, float b, float c) {
  AMBIDEX_EXACT
  const float nearest = __builtin_fmaf(a, b, c);
  if (R == Rounding::nearest) return nearest;
  const double product = double(a) * double(b);
  if (product - product != product - product || c - c != c - c) return nearest;
  const double sum = product + double(c);
  if (sum == 0.0) return float(add<R>(product, double(c)));
  const double high = sum - double(nearest);  // exact, or an infinity of the right sign
  return redirect<R>(nearest, high != 0.0 ? high : error_of_sum(product, double(c), sum));
}
template <Rounding R>
AMBIDEX_MEMBER_HD double multiply_add(double a, double b, double c) {
  AMBIDEX_EXACT
  const double nearest = __builtin_fma(a, b, c);
  if (R == Rounding::nearest) return nearest;
  if (nearest - nearest != nearest - nearest) {
    const bool finite = a - a == 0.0 && b - b == 0.0 && c - c == 0.0;
    return finite ? redirect<R>(nearest, -nearest) : nearest;
  }
  if (c == 0.0 && a != 0.0 && b != 0.0) return multiply<R>(a, b);
  const bool small = __builtin_fabs(a * b) < 0x1p-800 && __builtin_fabs(c) < 0x1p-800;
  const double scale = small ? 0x1p200 : 1.0;
  const double scaled_c = c * scale;
  const double scaled_nearest = nearest * scale;
  const double product = a * scale * b;
  if (__builtin_fabs(product) < 0x1p-1000 && a != 0.0 && b != 0.0 && c != 0.0) {
    return redirect<R>(nearest, (a < 0.0) == (b < 0.0) ? 1 : -1);  // nearest is c, whatever a * b
  }
  const double product_error = __builtin_fma(a * scale, b, -product);
  if (product + scaled_c == 0.0 && product_error == 0.0) return add<R>(product, scaled_c);
  const double low = scaled_c + product_error;
  const double low_error = error_of_sum(scaled_c, product_error, low);
  const double sum = product + low;
  const double sum_error = error_of_sum(product, low, sum);
  return redirect<R>(nearest, ((sum - scaled_nearest) + sum_error) + low_error);
}
// Correctly rounded: the root in 64-bit precision decides all but ties, which cannot occur.
AMBIDEX_HD float reciprocal_root(float a) {
  return float(1.0L / __builtin_sqrtl(static_cast<long double>(a)));
}

}  // namespace ambidex_cuda

#define AMBIDEX_ROUNDED(suffix, rounding, p, F, fma_name)                                      \
  AMBIDEX_D F __##p##add_##suffix(F a, F b) { return ambidex_cuda::add<rounding>(a, b); }      \
  AMBIDEX_D F __##p##sub_##suffix(F a, F b) { return ambidex_cuda::add<rounding>(a, -b); }     \
  AMBIDEX_D F __##p##mul_##suffix(F a, F b) { return ambidex_cuda::multiply<rounding>(a, b); } \
  AMBIDEX_D F __##p##div_##suffix(F a, F b) { return ambidex_cuda::divide<rounding>(a, b); }   \
  AMBIDEX_D F __##p##rcp_##suffix(F a) { return ambidex_cuda::divide<rounding>(F(1), a); }     \
  AMBIDEX_D F __##p##sqrt_##suffix(F a) { return ambidex_cuda::square_root<rounding>(a); }     \
  AMBIDEX_D F fma_name##_##suffix(F a, F b, F c) {                                             \
    return ambidex_cuda::multiply_add<rounding>(a, b, c);                                      \
  }
AMBIDEX_EACH_ROUNDING(AMBIDEX_ROUNDED, f, float, __fmaf)
AMBIDEX_EACH_ROUNDING(AMBIDEX_ROUNDED, d, double, __fma)
AMBIDEX_D float __frsqrt_rn(float a) { return ambidex_cuda::reciprocal_root(a); }
AMBIDEX_D float __fmaf_ieee_rn(float a, float b, float c) { return __fmaf_rn(a, b, c); }
AMBIDEX_D float __fmaf_ieee_rz(float a, float b, float c) { return __fmaf_rz(a, b, c); }
AMBIDEX_D float __fmaf_ieee_ru(float a, float b, float c) { return __fmaf_ru(a, b, c); }
AMBIDEX_D float __fmaf_ieee_rd(float a, float b, float c) { return __fmaf_rd(a, b, c); }
