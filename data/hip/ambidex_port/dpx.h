// SPDX-License-Identifier: Apache-2.0
// CUDA's DPX functions, for dynamic programming: additions (that wrap) with minima and maxima, of
// words and of the two halves of a word, and CUDA's minima and maxima with the type in the name.
#ifndef AMBIDEX_PORT_DPX_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_DPX_H

#include "ambidex_port/platform.h"

namespace ambidex_port {
namespace dpx {

template <class T>
AMBIDEX_PORT_INLINE T most(T a, T b) {
  return a > b ? a : b;
}
template <class T>
AMBIDEX_PORT_INLINE T least(T a, T b) {
  return a < b ? a : b;
}
template <class T>
AMBIDEX_PORT_INLINE T sum(T a, T b) {
  return static_cast<T>(static_cast<unsigned>(a) + static_cast<unsigned>(b));
}
template <class T>
AMBIDEX_PORT_INLINE T half(unsigned word, int i) {
  return static_cast<T>(word >> 16 * i);
}
template <class T, class Op>
AMBIDEX_PORT_INLINE unsigned each(unsigned a, unsigned b, unsigned c, Op op) {
  unsigned result = 0;
  for (int i = 0; i < 2; ++i) {
    const T value = op(half<T>(a, i), half<T>(b, i), half<T>(c, i));
    result |= static_cast<unsigned>(static_cast<unsigned short>(value)) << 16 * i;
  }
  return result;
}

}  // namespace dpx

// `expression` of x, y, z of type E, for words and for halves of words.
#define AMBIDEX_PORT_DPX_3(name, W, w, E, e, expression)                         \
  AMBIDEX_PORT_BOTH W name##_##w(W x, W y, W z) {                                \
    using N = W;                                                                 \
    return expression;                                                           \
  }                                                                              \
  AMBIDEX_PORT_BOTH unsigned name##_##e(unsigned a, unsigned b, unsigned c) {    \
    using N = E;                                                                 \
    return dpx::each<E>(a, b, c, [](E x, E y, E z) -> E { return expression; }); \
  }
#define AMBIDEX_PORT_DPX(W, w, E, e)                                                     \
  AMBIDEX_PORT_DPX_3(viaddmax, W, w, E, e, dpx::most<N>(dpx::sum<N>(x, y), z))           \
  AMBIDEX_PORT_DPX_3(viaddmin, W, w, E, e, dpx::least<N>(dpx::sum<N>(x, y), z))          \
  AMBIDEX_PORT_DPX_3(vimax3, W, w, E, e, dpx::most<N>(dpx::most<N>(x, y), z))            \
  AMBIDEX_PORT_DPX_3(vimin3, W, w, E, e, dpx::least<N>(dpx::least<N>(x, y), z))          \
  AMBIDEX_PORT_BOTH W vibmax_##w(W a, W b, bool* pick_a) {                               \
    *pick_a = a >= b;                                                                    \
    return dpx::most(a, b);                                                              \
  }                                                                                      \
  AMBIDEX_PORT_BOTH W vibmin_##w(W a, W b, bool* pick_a) {                               \
    *pick_a = a <= b;                                                                    \
    return dpx::least(a, b);                                                             \
  }                                                                                      \
  AMBIDEX_PORT_BOTH unsigned vibmax_##e(unsigned a, unsigned b, bool* high, bool* low) { \
    *high = dpx::half<E>(a, 1) >= dpx::half<E>(b, 1);                                    \
    *low = dpx::half<E>(a, 0) >= dpx::half<E>(b, 0);                                     \
    return vimax3_##e(a, b, b);                                                          \
  }                                                                                      \
  AMBIDEX_PORT_BOTH unsigned vibmin_##e(unsigned a, unsigned b, bool* high, bool* low) { \
    *high = dpx::half<E>(a, 1) <= dpx::half<E>(b, 1);                                    \
    *low = dpx::half<E>(a, 0) <= dpx::half<E>(b, 0);                                     \
    return vimin3_##e(a, b, b);                                                          \
  }
AMBIDEX_PORT_DPX(int, s32, short, s16x2)
AMBIDEX_PORT_DPX(unsigned, u32, unsigned short, u16x2)
#undef AMBIDEX_PORT_DPX
#undef AMBIDEX_PORT_DPX_3

// The same of signed numbers, and nothing below 0.
#define AMBIDEX_PORT_DPX_RELU(name)                                                  \
  AMBIDEX_PORT_BOTH int name##_s32_relu(int a, int b, int c) {                       \
    return dpx::most(name##_s32(a, b, c), 0);                                        \
  }                                                                                  \
  AMBIDEX_PORT_BOTH unsigned name##_s16x2_relu(unsigned a, unsigned b, unsigned c) { \
    return vimax3_s16x2(name##_s16x2(a, b, c), 0u, 0u);                              \
  }
AMBIDEX_PORT_DPX_RELU(viaddmax)
AMBIDEX_PORT_DPX_RELU(viaddmin)
AMBIDEX_PORT_DPX_RELU(vimax3)
AMBIDEX_PORT_DPX_RELU(vimin3)
#undef AMBIDEX_PORT_DPX_RELU
AMBIDEX_PORT_BOTH int vimax_s32_relu(int a, int b) { return vimax3_s32(a, b, 0); }
AMBIDEX_PORT_BOTH int vimin_s32_relu(int a, int b) { return vimin3_s32_relu(a, b, b); }
AMBIDEX_PORT_BOTH unsigned vimax_s16x2_relu(unsigned a, unsigned b) {
  return vimax3_s16x2(a, b, 0u);
}
AMBIDEX_PORT_BOTH unsigned vimin_s16x2_relu(unsigned a, unsigned b) {
  return vimin3_s16x2_relu(a, b, b);
}

#define AMBIDEX_PORT_TYPED_BOUNDS(prefix, T)                             \
  AMBIDEX_PORT_BOTH T prefix##min(T a, T b) { return dpx::least(a, b); } \
  AMBIDEX_PORT_BOTH T prefix##max(T a, T b) { return dpx::most(a, b); }
AMBIDEX_PORT_TYPED_BOUNDS(u, unsigned)
AMBIDEX_PORT_TYPED_BOUNDS(ll, long long)
AMBIDEX_PORT_TYPED_BOUNDS(ull, unsigned long long)
#undef AMBIDEX_PORT_TYPED_BOUNDS

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_DPX_H
