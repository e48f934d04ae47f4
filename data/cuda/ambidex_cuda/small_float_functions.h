// SPDX-License-Identifier: Apache-2.0
// The functions that __half and __nv_bfloat16 share by name; included once for each, with the
// macros of small_float_type.h.

#define AMBIDEX_ROUND(x) AMBIDEX_T(AMBIDEX_RAW{ambidex_cuda::encode<AMBIDEX_FORMAT>(double(x))})
#define AMBIDEX_VALUE(a) double(ambidex_cuda::value_of(a))
#define AMBIDEX_1 AMBIDEX_HD AMBIDEX_T
#define AMBIDEX_2 AMBIDEX_HD AMBIDEX_T2

// An operation of one, two or three numbers, and the same on both of a vector.
#define AMBIDEX_UNARY(name, name2, expression)       \
  AMBIDEX_1 name(AMBIDEX_T a) { return expression; } \
  AMBIDEX_2 name2(AMBIDEX_T2 v) { return AMBIDEX_T2(name(v.x), name(v.y)); }
#define AMBIDEX_BINARY(name, name2, expression)                   \
  AMBIDEX_1 name(AMBIDEX_T a, AMBIDEX_T b) { return expression; } \
  AMBIDEX_2 name2(AMBIDEX_T2 v, AMBIDEX_T2 w) { return AMBIDEX_T2(name(v.x, w.x), name(v.y, w.y)); }
#define AMBIDEX_TERNARY(name, name2, expression)                               \
  AMBIDEX_1 name(AMBIDEX_T a, AMBIDEX_T b, AMBIDEX_T c) { return expression; } \
  AMBIDEX_2 name2(AMBIDEX_T2 v, AMBIDEX_T2 w, AMBIDEX_T2 u) {                  \
    return AMBIDEX_T2(name(v.x, w.x, u.x), name(v.y, w.y, u.y));               \
  }

AMBIDEX_BINARY(__hadd, __hadd2, AMBIDEX_ROUND(AMBIDEX_VALUE(a) + AMBIDEX_VALUE(b)))
AMBIDEX_BINARY(__hsub, __hsub2, AMBIDEX_ROUND(AMBIDEX_VALUE(a) - AMBIDEX_VALUE(b)))
AMBIDEX_BINARY(__hmul, __hmul2, AMBIDEX_ROUND(AMBIDEX_VALUE(a) * AMBIDEX_VALUE(b)))
AMBIDEX_BINARY(__hadd_rn, __hadd2_rn, __hadd(a, b))
AMBIDEX_BINARY(__hsub_rn, __hsub2_rn, __hsub(a, b))
AMBIDEX_BINARY(__hmul_rn, __hmul2_rn, __hmul(a, b))
AMBIDEX_BINARY(__hdiv, __h2div, AMBIDEX_ROUND(AMBIDEX_VALUE(a) / AMBIDEX_VALUE(b)))
AMBIDEX_BINARY(__hadd_sat, __hadd2_sat,
               AMBIDEX_ROUND(ambidex_cuda::saturated(AMBIDEX_VALUE(a) + AMBIDEX_VALUE(b))))
AMBIDEX_BINARY(__hsub_sat, __hsub2_sat,
               AMBIDEX_ROUND(ambidex_cuda::saturated(AMBIDEX_VALUE(a) - AMBIDEX_VALUE(b))))
AMBIDEX_BINARY(__hmul_sat, __hmul2_sat,
               AMBIDEX_ROUND(ambidex_cuda::saturated(AMBIDEX_VALUE(a) * AMBIDEX_VALUE(b))))
AMBIDEX_TERNARY(__hfma, __hfma2,
                AMBIDEX_ROUND(ambidex_cuda::fused(AMBIDEX_VALUE(a), AMBIDEX_VALUE(b),
                                                  AMBIDEX_VALUE(c))))
AMBIDEX_TERNARY(__hfma_sat, __hfma2_sat,
                AMBIDEX_ROUND(ambidex_cuda::saturated(
                    ambidex_cuda::fused(AMBIDEX_VALUE(a), AMBIDEX_VALUE(b), AMBIDEX_VALUE(c)))))
// A NaN becomes the canonical one, as an H200 was seen to do it.
AMBIDEX_UNARY(__hneg, __hneg2,
              AMBIDEX_VALUE(a) != AMBIDEX_VALUE(a)
                  ? AMBIDEX_ROUND(AMBIDEX_VALUE(a))
                  : AMBIDEX_T(AMBIDEX_RAW{(unsigned short)(ambidex_cuda::bits_of(a) ^ 0x8000u)}))
AMBIDEX_UNARY(__habs, __habs2,
              AMBIDEX_T(AMBIDEX_RAW{(unsigned short)(ambidex_cuda::bits_of(a) & 0x7fffu)}))
// Below zero becomes +0; NaN stays.
AMBIDEX_UNARY(ambidex_hrelu_of, ambidex_hrelu2_of, AMBIDEX_VALUE(a) < 0.0 ? AMBIDEX_ROUND(0.0) : a)
AMBIDEX_TERNARY(__hfma_relu, __hfma2_relu, ambidex_hrelu_of(__hfma(a, b, c)))

#define AMBIDEX_IS_NAN(a) (AMBIDEX_VALUE(a) != AMBIDEX_VALUE(a))
AMBIDEX_HD bool __hisnan(AMBIDEX_T a) { return AMBIDEX_IS_NAN(a); }
AMBIDEX_BINARY(__hmax, __hmax2,
               AMBIDEX_IS_NAN(a)   ? (AMBIDEX_IS_NAN(b) ? AMBIDEX_ROUND(AMBIDEX_VALUE(b)) : b)
               : AMBIDEX_IS_NAN(b) ? a
               : ambidex_cuda::is_below(ambidex_cuda::value_of(a), ambidex_cuda::value_of(b)) ? b
                                                                                              : a)
AMBIDEX_BINARY(__hmin, __hmin2,
               AMBIDEX_IS_NAN(a)   ? (AMBIDEX_IS_NAN(b) ? AMBIDEX_ROUND(AMBIDEX_VALUE(b)) : b)
               : AMBIDEX_IS_NAN(b) ? a
               : ambidex_cuda::is_below(ambidex_cuda::value_of(b), ambidex_cuda::value_of(a)) ? b
                                                                                              : a)
AMBIDEX_BINARY(__hmax_nan, __hmax2_nan,
               AMBIDEX_IS_NAN(a) || AMBIDEX_IS_NAN(b) ? AMBIDEX_ROUND(__builtin_nan(""))
                                                      : __hmax(a, b))
AMBIDEX_BINARY(__hmin_nan, __hmin2_nan,
               AMBIDEX_IS_NAN(a) || AMBIDEX_IS_NAN(b) ? AMBIDEX_ROUND(__builtin_nan(""))
                                                      : __hmin(a, b))
AMBIDEX_HD int __hisinf(AMBIDEX_T a) {
  const double x = AMBIDEX_VALUE(a);
  return x == __builtin_inf() ? 1 : x == -__builtin_inf() ? -1 : 0;
}
AMBIDEX_2 __hisnan2(AMBIDEX_T2 v) {
  return AMBIDEX_T2(AMBIDEX_ROUND(__hisnan(v.x)), AMBIDEX_ROUND(__hisnan(v.y)));
}

// Ordered and unordered (...u) comparisons: of numbers; of vectors as 1.0 or 0.0, as all, as masks.
#define AMBIDEX_COMPARE_AS(name, op, suffix, or_nan)                                         \
  AMBIDEX_HD bool __h##name##suffix(AMBIDEX_T a, AMBIDEX_T b) {                              \
    return AMBIDEX_VALUE(a) op AMBIDEX_VALUE(b) || (or_nan && (__hisnan(a) || __hisnan(b))); \
  }                                                                                          \
  AMBIDEX_2 __h##name##suffix##2(AMBIDEX_T2 v, AMBIDEX_T2 w) {                               \
    return AMBIDEX_T2(AMBIDEX_ROUND(__h##name##suffix(v.x, w.x)),                            \
                      AMBIDEX_ROUND(__h##name##suffix(v.y, w.y)));                           \
  }                                                                                          \
  AMBIDEX_HD bool __hb##name##suffix##2(AMBIDEX_T2 v, AMBIDEX_T2 w) {                        \
    return __h##name##suffix(v.x, w.x) && __h##name##suffix(v.y, w.y);                       \
  }                                                                                          \
  AMBIDEX_HD unsigned int __h##name##suffix##2_mask(AMBIDEX_T2 v, AMBIDEX_T2 w) {            \
    return (__h##name##suffix(v.x, w.x) ? 0xffffu : 0u) |                                    \
           (__h##name##suffix(v.y, w.y) ? 0xffff0000u : 0u);                                 \
  }
#define AMBIDEX_COMPARE(name, op)       \
  AMBIDEX_COMPARE_AS(name, op, , false) \
  AMBIDEX_COMPARE_AS(name, op, u, true)
AMBIDEX_COMPARE(eq, ==)
AMBIDEX_COMPARE(lt, <)
AMBIDEX_COMPARE(le, <=)
AMBIDEX_COMPARE(gt, >)
AMBIDEX_COMPARE(ge, >=)
// Not equal is false for a NaN in the ordered form, unlike C's.
AMBIDEX_HD bool __hneu(AMBIDEX_T a, AMBIDEX_T b) { return AMBIDEX_VALUE(a) != AMBIDEX_VALUE(b); }
AMBIDEX_HD bool __hne(AMBIDEX_T a, AMBIDEX_T b) {
  return AMBIDEX_VALUE(a) < AMBIDEX_VALUE(b) || AMBIDEX_VALUE(a) > AMBIDEX_VALUE(b);
}
#define AMBIDEX_UNEQUAL(suffix)                                               \
  AMBIDEX_2 __hne##suffix##2(AMBIDEX_T2 v, AMBIDEX_T2 w) {                    \
    return AMBIDEX_T2(AMBIDEX_ROUND(__hne##suffix(v.x, w.x)),                 \
                      AMBIDEX_ROUND(__hne##suffix(v.y, w.y)));                \
  }                                                                           \
  AMBIDEX_HD bool __hbne##suffix##2(AMBIDEX_T2 v, AMBIDEX_T2 w) {             \
    return __hne##suffix(v.x, w.x) && __hne##suffix(v.y, w.y);                \
  }                                                                           \
  AMBIDEX_HD unsigned int __hne##suffix##2_mask(AMBIDEX_T2 v, AMBIDEX_T2 w) { \
    return (__hne##suffix(v.x, w.x) ? 0xffffu : 0u) |                         \
           (__hne##suffix(v.y, w.y) ? 0xffff0000u : 0u);                      \
  }
AMBIDEX_UNEQUAL()
AMBIDEX_UNEQUAL(u)

#define AMBIDEX_MATH(name, expression)        \
  AMBIDEX_HD AMBIDEX_T h##name(AMBIDEX_T a) { \
    const double x = AMBIDEX_VALUE(a);        \
    return AMBIDEX_ROUND(expression);         \
  }                                           \
  AMBIDEX_2 h2##name(AMBIDEX_T2 v) { return AMBIDEX_T2(h##name(v.x), h##name(v.y)); }
AMBIDEX_MATH(sqrt, __builtin_sqrt(x))
AMBIDEX_MATH(rsqrt, 1.0 / __builtin_sqrt(x))
AMBIDEX_MATH(rcp, 1.0 / x)
AMBIDEX_MATH(exp, __builtin_exp(x))
AMBIDEX_MATH(exp2, __builtin_exp2(x))
AMBIDEX_MATH(exp10, ::exp10(x))
AMBIDEX_MATH(log, __builtin_log(x))
AMBIDEX_MATH(log2, __builtin_log2(x))
AMBIDEX_MATH(log10, __builtin_log10(x))
AMBIDEX_MATH(sin, __builtin_sin(x))
AMBIDEX_MATH(cos, __builtin_cos(x))
AMBIDEX_MATH(tanh, __builtin_tanh(x))
AMBIDEX_MATH(tanh_approx, __builtin_tanh(x))
AMBIDEX_MATH(floor, __builtin_floor(x))
AMBIDEX_MATH(ceil, __builtin_ceil(x))
AMBIDEX_MATH(trunc, __builtin_trunc(x))
AMBIDEX_MATH(rint, __builtin_rint(x))

// Complex multiply-add of (real, imaginary) pairs.
AMBIDEX_2 __hcmadd(AMBIDEX_T2 v, AMBIDEX_T2 w, AMBIDEX_T2 u) {
  const AMBIDEX_T real = __hfma(__hneg(v.y), w.y, __hfma(v.x, w.x, u.x));
  return AMBIDEX_T2(real, __hfma(v.y, w.x, __hfma(v.x, w.y, u.y)));
}

AMBIDEX_SHUFFLES(AMBIDEX_T)
AMBIDEX_SHUFFLES(AMBIDEX_T2)
AMBIDEX_CACHED(AMBIDEX_T)
AMBIDEX_CACHED(AMBIDEX_T2)
AMBIDEX_D AMBIDEX_T atomicAdd(AMBIDEX_T* address, AMBIDEX_T val) {
  return ambidex_cuda::atomic_update_bits<unsigned short>(
      address, [val](AMBIDEX_T old) { return __hadd(old, val); });
}
// Each half is atomic of its own.
AMBIDEX_D AMBIDEX_T2 atomicAdd(AMBIDEX_T2* address, AMBIDEX_T2 val) {
  return AMBIDEX_T2(atomicAdd(&address->x, val.x), atomicAdd(&address->y, val.y));
}

#if AMBIDEX_OPERATORS
#define AMBIDEX_OPERATOR(op, function)                                                     \
  AMBIDEX_1 operator op(const AMBIDEX_T& a, const AMBIDEX_T& b) { return function(a, b); } \
  AMBIDEX_HD AMBIDEX_T& operator op##=(AMBIDEX_T& a, const AMBIDEX_T& b) {                 \
    return a = function(a, b);                                                             \
  }
#define AMBIDEX_OPERATOR2(op, function2)                                                      \
  AMBIDEX_2 operator op(const AMBIDEX_T2& a, const AMBIDEX_T2& b) { return function2(a, b); } \
  AMBIDEX_HD AMBIDEX_T2& operator op##=(AMBIDEX_T2& a, const AMBIDEX_T2& b) {                 \
    return a = function2(a, b);                                                               \
  }
#define AMBIDEX_RELATION(op, function, function2)                                                \
  AMBIDEX_HD bool operator op(const AMBIDEX_T& a, const AMBIDEX_T& b) { return function(a, b); } \
  AMBIDEX_HD bool operator op(const AMBIDEX_T2& a, const AMBIDEX_T2& b) { return function2(a, b); }
AMBIDEX_OPERATOR(+, __hadd)
AMBIDEX_OPERATOR(-, __hsub)
AMBIDEX_OPERATOR(*, __hmul)
AMBIDEX_OPERATOR(/, __hdiv)
AMBIDEX_OPERATOR2(+, __hadd2)
AMBIDEX_OPERATOR2(-, __hsub2)
AMBIDEX_OPERATOR2(*, __hmul2)
AMBIDEX_OPERATOR2(/, __h2div)
AMBIDEX_RELATION(==, __heq, __hbeq2)
AMBIDEX_RELATION(!=, __hneu, __hbneu2)
AMBIDEX_RELATION(<, __hlt, __hblt2)
AMBIDEX_RELATION(<=, __hle, __hble2)
AMBIDEX_RELATION(>, __hgt, __hbgt2)
AMBIDEX_RELATION(>=, __hge, __hbge2)
AMBIDEX_1 operator+(const AMBIDEX_T& a) { return a; }
AMBIDEX_1 operator-(const AMBIDEX_T& a) { return __hneg(a); }
AMBIDEX_2 operator+(const AMBIDEX_T2& a) { return a; }
AMBIDEX_2 operator-(const AMBIDEX_T2& a) { return __hneg2(a); }
AMBIDEX_HD AMBIDEX_T& operator++(AMBIDEX_T& a) { return a = __hadd(a, AMBIDEX_ROUND(1.0)); }
AMBIDEX_HD AMBIDEX_T& operator--(AMBIDEX_T& a) { return a = __hsub(a, AMBIDEX_ROUND(1.0)); }
AMBIDEX_1 operator++(AMBIDEX_T& a, int) {
  const AMBIDEX_T old = a;
  a = __hadd(a, AMBIDEX_ROUND(1.0));
  return old;
}
AMBIDEX_1 operator--(AMBIDEX_T& a, int) {
  const AMBIDEX_T old = a;
  a = __hsub(a, AMBIDEX_ROUND(1.0));
  return old;
}
#undef AMBIDEX_OPERATOR
#undef AMBIDEX_OPERATOR2
#undef AMBIDEX_RELATION
#endif

#undef AMBIDEX_UNARY
#undef AMBIDEX_BINARY
#undef AMBIDEX_TERNARY
#undef AMBIDEX_IS_NAN
#undef AMBIDEX_COMPARE
#undef AMBIDEX_COMPARE_AS
#undef AMBIDEX_UNEQUAL
#undef AMBIDEX_MATH
