// SPDX-License-Identifier: Apache-2.0
// CUDA's SIMD in a word: four bytes or two halves in an unsigned, signed or unsigned [N15].
#ifndef AMBIDEX_PORT_PACKED_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_PACKED_H

#include "ambidex_port/platform.h"

namespace ambidex_port {
namespace packed {

// The pieces of a and b, `bits` wide, as long long; the low bits of op's result are kept.
template <int bits, bool is_signed, class Op>
AMBIDEX_PORT_BOTH unsigned each(unsigned a, unsigned b, Op op) {
  unsigned result = 0;
  for (int i = 0; i < 32; i += bits) {
    const unsigned ones = (1u << bits) - 1u;
    long long x = a >> i & ones, y = b >> i & ones;
    if (is_signed) {
      x -= x >> (bits - 1) << bits;
      y -= y >> (bits - 1) << bits;
    }
    result |= (static_cast<unsigned>(op(x, y)) & ones) << i;
  }
  return result;
}
template <int bits, bool is_signed>
AMBIDEX_PORT_BOTH long long clamp(long long x) {
  const long long most = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
  const long long least = is_signed ? -(1ll << (bits - 1)) : 0;
  return x > most ? most : x < least ? least : x;
}
AMBIDEX_PORT_BOTH long long magnitude(long long x) { return x < 0 ? -x : x; }

}  // namespace packed

#define AMBIDEX_PORT_PACKED(name, bits, is_signed, expression)                   \
  AMBIDEX_PORT_BOTH unsigned name(unsigned a, unsigned b) {                      \
    return packed::each<bits, is_signed>(                                        \
        a, b, [](long long x, long long y) -> long long { return expression; }); \
  }
// Modular, then saturating, extremes, averages; `s` and `u` where the sign matters.
#define AMBIDEX_PORT_PACKED_WIDTH(n, bits)                                           \
  AMBIDEX_PORT_PACKED(vadd##n, bits, false, x + y)                                   \
  AMBIDEX_PORT_PACKED(vsub##n, bits, false, x - y)                                   \
  AMBIDEX_PORT_PACKED(vaddss##n, bits, true, (packed::clamp<bits, true>(x + y)))     \
  AMBIDEX_PORT_PACKED(vsubss##n, bits, true, (packed::clamp<bits, true>(x - y)))     \
  AMBIDEX_PORT_PACKED(vaddus##n, bits, false, (packed::clamp<bits, false>(x + y)))   \
  AMBIDEX_PORT_PACKED(vsubus##n, bits, false, (packed::clamp<bits, false>(x - y)))   \
  AMBIDEX_PORT_PACKED(vabsdiffu##n, bits, false, packed::magnitude(x - y))           \
  AMBIDEX_PORT_PACKED(vabsdiffs##n, bits, true, packed::magnitude(x - y))            \
  AMBIDEX_PORT_PACKED(vmaxu##n, bits, false, x < y ? y : x)                          \
  AMBIDEX_PORT_PACKED(vmaxs##n, bits, true, x < y ? y : x)                           \
  AMBIDEX_PORT_PACKED(vminu##n, bits, false, y < x ? y : x)                          \
  AMBIDEX_PORT_PACKED(vmins##n, bits, true, y < x ? y : x)                           \
  AMBIDEX_PORT_PACKED(vavgu##n, bits, false, (x + y + 1) >> 1)                       \
  AMBIDEX_PORT_PACKED(vavgs##n, bits, true, (x + y + (x + y >= 0 ? 1 : 0)) >> 1)     \
  AMBIDEX_PORT_PACKED(vhaddu##n, bits, false, (x + y) >> 1)                          \
  AMBIDEX_PORT_BOTH unsigned vneg##n(unsigned a) { return vsub##n(0u, a); }          \
  AMBIDEX_PORT_BOTH unsigned vnegss##n(unsigned a) { return vsubss##n(0u, a); }      \
  AMBIDEX_PORT_BOTH unsigned vabs##n(unsigned a) { return vabsdiffs##n(a, 0u); }     \
  AMBIDEX_PORT_PACKED(vabsss_pair##n, bits, true,                                    \
                      (packed::clamp<bits, true>(packed::magnitude(x) + 0 * y)))     \
  AMBIDEX_PORT_BOTH unsigned vabsss##n(unsigned a) { return vabsss_pair##n(a, 0u); } \
  AMBIDEX_PORT_BOTH unsigned vsadu##n(unsigned a, unsigned b) {                      \
    const unsigned d = vabsdiffu##n(a, b);                                           \
    unsigned sum = 0;                                                                \
    for (int i = 0; i < 32; i += bits) sum += d >> i & ((1u << bits) - 1u);          \
    return sum;                                                                      \
  }                                                                                  \
  AMBIDEX_PORT_BOTH unsigned vsads##n(unsigned a, unsigned b) {                      \
    const unsigned d = vabsdiffs##n(a, b);                                           \
    unsigned sum = 0;                                                                \
    for (int i = 0; i < 32; i += bits) sum += d >> i & ((1u << bits) - 1u);          \
    return sum;                                                                      \
  }
AMBIDEX_PORT_PACKED_WIDTH(2, 16)
AMBIDEX_PORT_PACKED_WIDTH(4, 8)
#undef AMBIDEX_PORT_PACKED_WIDTH

// Comparisons: all ones (vcmp) or 1 (vset) in each piece where it holds.
#define AMBIDEX_PORT_COMPARED(relation, n, bits, is_signed, op)            \
  AMBIDEX_PORT_PACKED(vcmp##relation##n, bits, is_signed, x op y ? -1 : 0) \
  AMBIDEX_PORT_PACKED(vset##relation##n, bits, is_signed, x op y ? 1 : 0)
#define AMBIDEX_PORT_COMPARED_WIDTH(n, bits)     \
  AMBIDEX_PORT_COMPARED(eq, n, bits, false, ==)  \
  AMBIDEX_PORT_COMPARED(ne, n, bits, false, !=)  \
  AMBIDEX_PORT_COMPARED(ltu, n, bits, false, <)  \
  AMBIDEX_PORT_COMPARED(lts, n, bits, true, <)   \
  AMBIDEX_PORT_COMPARED(leu, n, bits, false, <=) \
  AMBIDEX_PORT_COMPARED(les, n, bits, true, <=)  \
  AMBIDEX_PORT_COMPARED(gtu, n, bits, false, >)  \
  AMBIDEX_PORT_COMPARED(gts, n, bits, true, >)   \
  AMBIDEX_PORT_COMPARED(geu, n, bits, false, >=) \
  AMBIDEX_PORT_COMPARED(ges, n, bits, true, >=)
AMBIDEX_PORT_COMPARED_WIDTH(2, 16)
AMBIDEX_PORT_COMPARED_WIDTH(4, 8)
#undef AMBIDEX_PORT_COMPARED_WIDTH
#undef AMBIDEX_PORT_COMPARED
#undef AMBIDEX_PORT_PACKED

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_PACKED_H
