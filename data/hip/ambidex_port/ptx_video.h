// SPDX-License-Identifier: Apache-2.0
// PTX's video instructions on whole words, halves and bytes: vadd, vsub, vabsdiff, vmin, vmax,
// vavrg [N15].
#ifndef AMBIDEX_PORT_PTX_VIDEO_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_PTX_VIDEO_H

#include "ambidex_port/platform.h"

namespace ambidex_port {

enum video_op { vadd, vsub, vabsdiff, vmin, vmax, vavrg };

namespace video {

template <int bits>
AMBIDEX_PORT_INLINE long long piece(unsigned word, int i, bool is_signed) {
  const auto ones = static_cast<long long>((1ull << bits) - 1ull);
  const long long x = static_cast<long long>(word >> bits * i) & ones;
  return is_signed && (x >> (bits - 1)) != 0 ? x - ones - 1 : x;
}
template <video_op op>
AMBIDEX_PORT_INLINE long long computed(long long x, long long y) {
  if (op == vadd) return x + y;
  if (op == vsub) return x - y;
  if (op == vabsdiff) return x < y ? y - x : x - y;
  if (op == vmin) return y < x ? y : x;
  if (op == vmax) return x < y ? y : x;
  return (x + y + (x + y >= 0 ? 1 : 0)) >> 1;
}
template <int bits>
AMBIDEX_PORT_INLINE long long clamped(long long x, bool is_signed) {
  const long long most = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1;
  const long long least = is_signed ? -(1ll << (bits - 1)) : 0;
  return x > most ? most : x < least ? least : x;
}

}  // namespace video

// Pieces of `bits`; signs of d, a and b; `adds`: the sum of all pieces and c.
template <video_op op, int bits, bool d_signed, bool a_signed, bool b_signed, bool saturates,
          bool adds>
AMBIDEX_PORT_INLINE unsigned video_words(unsigned a, unsigned b, unsigned c) {
  unsigned pieces = 0, sum = c;
  for (int i = 0; i < 32 / bits; ++i) {
    long long x =
        video::computed<op>(video::piece<bits>(a, i, a_signed), video::piece<bits>(b, i, b_signed));
    if (saturates) x = video::clamped<bits>(x, d_signed);
    const auto ones = static_cast<unsigned>((1ull << bits) - 1ull);
    pieces |= (static_cast<unsigned>(x) & ones) << bits * i;
    sum += static_cast<unsigned>(x);
  }
  return adds ? sum : pieces;
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_PTX_VIDEO_H
