// SPDX-License-Identifier: Apache-2.0
// Arithmetic on the two halves or four bytes of a word.
#pragma once
#pragma GCC system_header

#include "integer.h"

namespace ambidex_cuda {

// Calls `op` on the elements of a and b, read as E, and packs the low bits of what it returns.
template <class E, class Op>
AMBIDEX_MEMBER_D unsigned int each_element(unsigned int a, unsigned int b, Op op) {
  constexpr int kBits = 8 * sizeof(E);
  constexpr unsigned int kMask = (1u << kBits) - 1u;
  unsigned int result = 0;
  for (int at = 0; at < 32; at += kBits) {
    result |= (unsigned(op(int(E(a >> at)), int(E(b >> at)))) & kMask) << at;
  }
  return result;
}
template <class E>
AMBIDEX_MEMBER_D int saturate_to(int x) {
  constexpr bool kSigned = E(-1) < E(0);
  constexpr int kMost = kSigned ? (1 << (8 * sizeof(E) - 1)) - 1 : (1 << (8 * sizeof(E))) - 1;
  constexpr int kLeast = kSigned ? -kMost - 1 : 0;
  return x < kLeast ? kLeast : x > kMost ? kMost : x;
}
template <class E>
AMBIDEX_MEMBER_D unsigned int sum_of_differences(unsigned int a, unsigned int b) {
  unsigned int sum = 0;
  for (int at = 0; at < 32; at += 8 * int(sizeof(E))) {
    const int difference = int(E(a >> at)) - int(E(b >> at));
    sum += unsigned(difference < 0 ? -difference : difference);
  }
  return sum;
}

}  // namespace ambidex_cuda

#define AMBIDEX_WORD2(name, E, expression)                                               \
  AMBIDEX_D unsigned int name(unsigned int a, unsigned int b) {                          \
    return ambidex_cuda::each_element<E>(a, b, [](int x, int y) { return expression; }); \
  }
#define AMBIDEX_WORD1(name, E, expression)                                             \
  AMBIDEX_D unsigned int name(unsigned int a) {                                        \
    return ambidex_cuda::each_element<E>(a, 0, [](int x, int) { return expression; }); \
  }
// Comparisons of signedness E: all ones where true, and 1 where true.
#define AMBIDEX_WORD_COMPARE(name, n, E, op)         \
  AMBIDEX_WORD2(__vcmp##name##n, E, x op y ? -1 : 0) \
  AMBIDEX_WORD2(__vset##name##n, E, x op y ? 1 : 0)

#define AMBIDEX_WORDS(n, S, U)                                                \
  AMBIDEX_WORD2(__vadd##n, U, x + y)                                          \
  AMBIDEX_WORD2(__vsub##n, U, x - y)                                          \
  AMBIDEX_WORD2(__vaddss##n, S, ambidex_cuda::saturate_to<S>(x + y))          \
  AMBIDEX_WORD2(__vaddus##n, U, ambidex_cuda::saturate_to<U>(x + y))          \
  AMBIDEX_WORD2(__vsubss##n, S, ambidex_cuda::saturate_to<S>(x - y))          \
  AMBIDEX_WORD2(__vsubus##n, U, ambidex_cuda::saturate_to<U>(x - y))          \
  AMBIDEX_WORD2(__vavgs##n, S, (x + y + (x + y >= 0)) >> 1)                   \
  AMBIDEX_WORD2(__vavgu##n, U, (x + y + 1) >> 1)                              \
  AMBIDEX_WORD2(__vhaddu##n, U, (x + y) >> 1)                                 \
  AMBIDEX_WORD2(__vmaxs##n, S, x > y ? x : y)                                 \
  AMBIDEX_WORD2(__vmaxu##n, U, x > y ? x : y)                                 \
  AMBIDEX_WORD2(__vmins##n, S, x < y ? x : y)                                 \
  AMBIDEX_WORD2(__vminu##n, U, x < y ? x : y)                                 \
  AMBIDEX_WORD2(__vabsdiffs##n, S, x > y ? x - y : y - x)                     \
  AMBIDEX_WORD2(__vabsdiffu##n, U, x > y ? x - y : y - x)                     \
  AMBIDEX_WORD1(__vabs##n, S, x < 0 ? -x : x)                                 \
  AMBIDEX_WORD1(__vabsss##n, S, ambidex_cuda::saturate_to<S>(x < 0 ? -x : x)) \
  AMBIDEX_WORD1(__vneg##n, S, -x)                                             \
  AMBIDEX_WORD1(__vnegss##n, S, ambidex_cuda::saturate_to<S>(-x))             \
  AMBIDEX_WORD_COMPARE(eq, n, U, ==)                                          \
  AMBIDEX_WORD_COMPARE(ne, n, U, !=)                                          \
  AMBIDEX_WORD_COMPARE(ges, n, S, >=)                                         \
  AMBIDEX_WORD_COMPARE(geu, n, U, >=)                                         \
  AMBIDEX_WORD_COMPARE(gts, n, S, >)                                          \
  AMBIDEX_WORD_COMPARE(gtu, n, U, >)                                          \
  AMBIDEX_WORD_COMPARE(les, n, S, <=)                                         \
  AMBIDEX_WORD_COMPARE(leu, n, U, <=)                                         \
  AMBIDEX_WORD_COMPARE(lts, n, S, <)                                          \
  AMBIDEX_WORD_COMPARE(ltu, n, U, <)                                          \
  AMBIDEX_D unsigned int __vsads##n(unsigned int a, unsigned int b) {         \
    return ambidex_cuda::sum_of_differences<S>(a, b);                         \
  }                                                                           \
  AMBIDEX_D unsigned int __vsadu##n(unsigned int a, unsigned int b) {         \
    return ambidex_cuda::sum_of_differences<U>(a, b);                         \
  }
AMBIDEX_WORDS(2, short, unsigned short)
AMBIDEX_WORDS(4, signed char, unsigned char)
