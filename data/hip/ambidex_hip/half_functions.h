// SPDX-License-Identifier: Apache-2.0
// What half precision and bfloat16 have alike, by float: AMBIDEX_HIP_NUMBER, _PAIR, _WRAP (a float
// to a number) and _WIDE (a number to a float) are defined by the header that includes this.

#define AMBIDEX_HIP_N AMBIDEX_HIP_NUMBER
#define AMBIDEX_HIP_P AMBIDEX_HIP_PAIR

#define AMBIDEX_HIP_OPERATOR(op, name)                                                \
  AMBIDEX_HIP_BOTH AMBIDEX_HIP_N name(AMBIDEX_HIP_N a, AMBIDEX_HIP_N b) {             \
    return AMBIDEX_HIP_WRAP(AMBIDEX_HIP_WIDE(a) op AMBIDEX_HIP_WIDE(b));              \
  }                                                                                   \
  AMBIDEX_HIP_BOTH AMBIDEX_HIP_N name##_rn(AMBIDEX_HIP_N a, AMBIDEX_HIP_N b) {        \
    return name(a, b);                                                                \
  }                                                                                   \
  AMBIDEX_HIP_BOTH AMBIDEX_HIP_P name##2(AMBIDEX_HIP_P a, AMBIDEX_HIP_P b) {          \
    return {name(a.x, b.x), name(a.y, b.y)};                                          \
  }                                                                                   \
  AMBIDEX_HIP_BOTH AMBIDEX_HIP_N operator op(AMBIDEX_HIP_N a, AMBIDEX_HIP_N b) {      \
    return name(a, b);                                                                \
  }                                                                                   \
  AMBIDEX_HIP_BOTH AMBIDEX_HIP_N& operator op##=(AMBIDEX_HIP_N& a, AMBIDEX_HIP_N b) { \
    return a = name(a, b);                                                            \
  }                                                                                   \
  AMBIDEX_HIP_BOTH AMBIDEX_HIP_P operator op(AMBIDEX_HIP_P a, AMBIDEX_HIP_P b) {      \
    return name##2(a, b);                                                             \
  }                                                                                   \
  AMBIDEX_HIP_BOTH AMBIDEX_HIP_P& operator op##=(AMBIDEX_HIP_P& a, AMBIDEX_HIP_P b) { \
    return a = name##2(a, b);                                                         \
  }
AMBIDEX_HIP_OPERATOR(+, __hadd)
AMBIDEX_HIP_OPERATOR(-, __hsub)
AMBIDEX_HIP_OPERATOR(*, __hmul)
AMBIDEX_HIP_OPERATOR(/, __hdiv)
#undef AMBIDEX_HIP_OPERATOR

// A product of two numbers is exact in float, so that only the sum is rounded before the end.
AMBIDEX_HIP_BOTH AMBIDEX_HIP_N __hfma(AMBIDEX_HIP_N a, AMBIDEX_HIP_N b, AMBIDEX_HIP_N c) {
  return AMBIDEX_HIP_WRAP(
      __builtin_fmaf(AMBIDEX_HIP_WIDE(a), AMBIDEX_HIP_WIDE(b), AMBIDEX_HIP_WIDE(c)));
}
AMBIDEX_HIP_BOTH AMBIDEX_HIP_P __hfma2(AMBIDEX_HIP_P a, AMBIDEX_HIP_P b, AMBIDEX_HIP_P c) {
  return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
AMBIDEX_HIP_BOTH AMBIDEX_HIP_N __hadd_sat(AMBIDEX_HIP_N a, AMBIDEX_HIP_N b) {
  const float sum = AMBIDEX_HIP_WIDE(a) + AMBIDEX_HIP_WIDE(b);
  return AMBIDEX_HIP_WRAP(sum > 0.0f ? (sum < 1.0f ? sum : 1.0f) : 0.0f);
}
AMBIDEX_HIP_BOTH AMBIDEX_HIP_N __hmul_sat(AMBIDEX_HIP_N a, AMBIDEX_HIP_N b) {
  const float product = AMBIDEX_HIP_WIDE(a) * AMBIDEX_HIP_WIDE(b);
  return AMBIDEX_HIP_WRAP(product > 0.0f ? (product < 1.0f ? product : 1.0f) : 0.0f);
}

#define AMBIDEX_HIP_COMPARISON(op, name)                                                          \
  AMBIDEX_HIP_BOTH bool __h##name(AMBIDEX_HIP_N a, AMBIDEX_HIP_N b) {                             \
    return AMBIDEX_HIP_WIDE(a) op AMBIDEX_HIP_WIDE(b);                                            \
  }                                                                                               \
  AMBIDEX_HIP_BOTH bool __hb##name##2(AMBIDEX_HIP_P a, AMBIDEX_HIP_P b) {                         \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                            \
  }                                                                                               \
  AMBIDEX_HIP_BOTH AMBIDEX_HIP_P __h##name##2(AMBIDEX_HIP_P a, AMBIDEX_HIP_P b) {                 \
    return {AMBIDEX_HIP_WRAP(__h##name(a.x, b.x) ? 1.0f : 0.0f),                                  \
            AMBIDEX_HIP_WRAP(__h##name(a.y, b.y) ? 1.0f : 0.0f)};                                 \
  }                                                                                               \
  AMBIDEX_HIP_BOTH bool operator op(AMBIDEX_HIP_N a, AMBIDEX_HIP_N b) { return __h##name(a, b); } \
  AMBIDEX_HIP_BOTH bool operator op(AMBIDEX_HIP_P a, AMBIDEX_HIP_P b) {                           \
    return __hb##name##2(a, b);                                                                   \
  }
AMBIDEX_HIP_COMPARISON(==, eq)
AMBIDEX_HIP_COMPARISON(!=, ne)
AMBIDEX_HIP_COMPARISON(<, lt)
AMBIDEX_HIP_COMPARISON(<=, le)
AMBIDEX_HIP_COMPARISON(>, gt)
AMBIDEX_HIP_COMPARISON(>=, ge)
#undef AMBIDEX_HIP_COMPARISON

AMBIDEX_HIP_BOTH bool __hisnan(AMBIDEX_HIP_N x) {
  return !(AMBIDEX_HIP_WIDE(x) == AMBIDEX_HIP_WIDE(x));
}
AMBIDEX_HIP_BOTH int __hisinf(AMBIDEX_HIP_N x) {
  const float wide = AMBIDEX_HIP_WIDE(x);
  return __builtin_isinf(wide) ? (wide > 0.0f ? 1 : -1) : 0;
}
AMBIDEX_HIP_BOTH AMBIDEX_HIP_N __hmin(AMBIDEX_HIP_N a, AMBIDEX_HIP_N b) {
  return AMBIDEX_HIP_WRAP(__builtin_fminf(AMBIDEX_HIP_WIDE(a), AMBIDEX_HIP_WIDE(b)));
}
AMBIDEX_HIP_BOTH AMBIDEX_HIP_N __hmax(AMBIDEX_HIP_N a, AMBIDEX_HIP_N b) {
  return AMBIDEX_HIP_WRAP(__builtin_fmaxf(AMBIDEX_HIP_WIDE(a), AMBIDEX_HIP_WIDE(b)));
}
AMBIDEX_HIP_BOTH AMBIDEX_HIP_P __hmin2(AMBIDEX_HIP_P a, AMBIDEX_HIP_P b) {
  return {__hmin(a.x, b.x), __hmin(a.y, b.y)};
}
AMBIDEX_HIP_BOTH AMBIDEX_HIP_P __hmax2(AMBIDEX_HIP_P a, AMBIDEX_HIP_P b) {
  return {__hmax(a.x, b.x), __hmax(a.y, b.y)};
}
AMBIDEX_HIP_BOTH AMBIDEX_HIP_P __lowhigh2highlow(AMBIDEX_HIP_P x) { return {x.y, x.x}; }

#define AMBIDEX_HIP_UNARY(target, name, name2, expression) \
  target AMBIDEX_HIP_N name(AMBIDEX_HIP_N number) {        \
    const float x = AMBIDEX_HIP_WIDE(number);              \
    return AMBIDEX_HIP_WRAP(expression);                   \
  }                                                        \
  target AMBIDEX_HIP_P name2(AMBIDEX_HIP_P a) { return {name(a.x), name(a.y)}; }
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_BOTH, __hneg, __hneg2, -x)
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_BOTH, __habs, __habs2, __builtin_fabsf(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hexp, h2exp, expf(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hexp2, h2exp2, exp2f(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hexp10, h2exp10, exp10f(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hlog, h2log, logf(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hlog2, h2log2, log2f(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hlog10, h2log10, log10f(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hsin, h2sin, sinf(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hcos, h2cos, cosf(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hsqrt, h2sqrt, sqrtf(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hrsqrt, h2rsqrt, 1.0f / sqrtf(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hrcp, h2rcp, 1.0f / x)
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hceil, h2ceil, ceilf(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hfloor, h2floor, floorf(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, htrunc, h2trunc, truncf(x))
AMBIDEX_HIP_UNARY(AMBIDEX_HIP_DEVICE, hrint, h2rint, rintf(x))
#undef AMBIDEX_HIP_UNARY
AMBIDEX_HIP_BOTH AMBIDEX_HIP_N operator-(AMBIDEX_HIP_N x) { return __hneg(x); }
AMBIDEX_HIP_BOTH AMBIDEX_HIP_P operator-(AMBIDEX_HIP_P x) { return __hneg2(x); }

// By the word around it, or of it.
AMBIDEX_HIP_DEVICE AMBIDEX_HIP_P unsafeAtomicAdd(AMBIDEX_HIP_P* address, AMBIDEX_HIP_P value) {
  return __ambidex_update<__HIP_MEMORY_SCOPE_AGENT>(
      address, [=](AMBIDEX_HIP_P old) { return __hadd2(old, value); });
}

#undef AMBIDEX_HIP_N
#undef AMBIDEX_HIP_P
#undef AMBIDEX_HIP_NUMBER
#undef AMBIDEX_HIP_PAIR
#undef AMBIDEX_HIP_WRAP
#undef AMBIDEX_HIP_WIDE
