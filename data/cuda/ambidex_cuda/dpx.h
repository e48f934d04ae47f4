// SPDX-License-Identifier: Apache-2.0
// CUDA's functions for dynamic programming (DPX): an addition, which wraps, and a minimum or
// maximum; minima and maxima of three; the bound of two with the comparison that chose it. Of words
// and, in pairs, of the halves of words.
#pragma once
#pragma GCC system_header

#include "keywords.h"

#define AMBIDEX_DPX_LOW(E, word) ((E)(unsigned short)(word))
#define AMBIDEX_DPX_HIGH(E, word) ((E)(unsigned short)((word) >> 16))

// Three operands, the words' form and the halves'.
#define AMBIDEX_DPX_THREE(name, W, w, E, e, operation)                                        \
  AMBIDEX_HD W __##name##_##w(W a, W b, W c) { return operation(W, a, b, c); }                \
  AMBIDEX_HD unsigned int __##name##_##e(unsigned int x, unsigned int y, unsigned int z) {    \
    const E low =                                                                             \
        operation(E, AMBIDEX_DPX_LOW(E, x), AMBIDEX_DPX_LOW(E, y), AMBIDEX_DPX_LOW(E, z));    \
    const E high =                                                                            \
        operation(E, AMBIDEX_DPX_HIGH(E, x), AMBIDEX_DPX_HIGH(E, y), AMBIDEX_DPX_HIGH(E, z)); \
    return (unsigned short)low | (unsigned int)(unsigned short)high << 16;                    \
  }
#define AMBIDEX_DPX_MAX(T, a, b) ((T)(a) > (T)(b) ? (T)(a) : (T)(b))
#define AMBIDEX_DPX_MIN(T, a, b) ((T)(a) < (T)(b) ? (T)(a) : (T)(b))
#define AMBIDEX_DPX_SUM(T, a, b) ((T)((unsigned int)(a) + (unsigned int)(b)))
#define AMBIDEX_DPX_ADD_MAX(T, a, b, c) AMBIDEX_DPX_MAX(T, AMBIDEX_DPX_SUM(T, a, b), c)
#define AMBIDEX_DPX_ADD_MIN(T, a, b, c) AMBIDEX_DPX_MIN(T, AMBIDEX_DPX_SUM(T, a, b), c)
#define AMBIDEX_DPX_MAX_3(T, a, b, c) AMBIDEX_DPX_MAX(T, AMBIDEX_DPX_MAX(T, a, b), c)
#define AMBIDEX_DPX_MIN_3(T, a, b, c) AMBIDEX_DPX_MIN(T, AMBIDEX_DPX_MIN(T, a, b), c)
#define AMBIDEX_DPX_TYPES(name, operation)                                                        \
  AMBIDEX_DPX_THREE(name, int, s32, short, s16x2, operation)                                      \
  AMBIDEX_DPX_THREE(name, unsigned int, u32, unsigned short, u16x2, operation)                    \
  AMBIDEX_HD int __##name##_s32_relu(int a, int b, int c) {                                       \
    return AMBIDEX_DPX_MAX(int, __##name##_s32(a, b, c), 0);                                      \
  }                                                                                               \
  AMBIDEX_HD unsigned int __##name##_s16x2_relu(unsigned int x, unsigned int y, unsigned int z) { \
    const unsigned int both = __##name##_s16x2(x, y, z);                                          \
    return (both & 0x8000u ? 0u : both & 0xffffu) |                                               \
           (both & 0x80000000u ? 0u : both & 0xffff0000u);                                        \
  }
AMBIDEX_DPX_TYPES(viaddmax, AMBIDEX_DPX_ADD_MAX)
AMBIDEX_DPX_TYPES(viaddmin, AMBIDEX_DPX_ADD_MIN)
AMBIDEX_DPX_TYPES(vimax3, AMBIDEX_DPX_MAX_3)
AMBIDEX_DPX_TYPES(vimin3, AMBIDEX_DPX_MIN_3)
AMBIDEX_HD int __vimax_s32_relu(int a, int b) { return __vimax3_s32_relu(a, b, b); }
AMBIDEX_HD int __vimin_s32_relu(int a, int b) { return __vimin3_s32_relu(a, b, b); }
AMBIDEX_HD unsigned int __vimax_s16x2_relu(unsigned int x, unsigned int y) {
  return __vimax3_s16x2_relu(x, y, y);
}
AMBIDEX_HD unsigned int __vimin_s16x2_relu(unsigned int x, unsigned int y) {
  return __vimin3_s16x2_relu(x, y, y);
}

// The comparison is true where the first operand was taken, equal ones included.
#define AMBIDEX_DPX_CHOICE(name, op, W, w, E, e)                                        \
  AMBIDEX_HD W __##name##_##w(W a, W b, bool* pred) {                                   \
    *pred = a op b;                                                                     \
    return *pred ? a : b;                                                               \
  }                                                                                     \
  AMBIDEX_HD unsigned int __##name##_##e(unsigned int x, unsigned int y, bool* pred_hi, \
                                         bool* pred_lo) {                               \
    *pred_hi = AMBIDEX_DPX_HIGH(E, x) op AMBIDEX_DPX_HIGH(E, y);                        \
    *pred_lo = AMBIDEX_DPX_LOW(E, x) op AMBIDEX_DPX_LOW(E, y);                          \
    return ((*pred_hi ? x : y) & 0xffff0000u) | ((*pred_lo ? x : y) & 0xffffu);         \
  }
AMBIDEX_DPX_CHOICE(vibmax, >=, int, s32, short, s16x2)
AMBIDEX_DPX_CHOICE(vibmax, >=, unsigned int, u32, unsigned short, u16x2)
AMBIDEX_DPX_CHOICE(vibmin, <=, int, s32, short, s16x2)
AMBIDEX_DPX_CHOICE(vibmin, <=, unsigned int, u32, unsigned short, u16x2)
#undef AMBIDEX_DPX_CHOICE
#undef AMBIDEX_DPX_TYPES
#undef AMBIDEX_DPX_THREE
#undef AMBIDEX_DPX_ADD_MAX
#undef AMBIDEX_DPX_ADD_MIN
#undef AMBIDEX_DPX_MAX_3
#undef AMBIDEX_DPX_MIN_3
#undef AMBIDEX_DPX_SUM
#undef AMBIDEX_DPX_MAX
#undef AMBIDEX_DPX_MIN
#undef AMBIDEX_DPX_LOW
#undef AMBIDEX_DPX_HIGH
