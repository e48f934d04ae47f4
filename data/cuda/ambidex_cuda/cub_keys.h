// SPDX-License-Identifier: Apache-2.0
// Keys sort by their bits as CUB orders them: signed and floating ones turned so that unsigned
// order is theirs.
#pragma once
#pragma GCC system_header

#include <type_traits>

namespace ambidex_cuda {

template <int kBytes>
struct BitsOfSize;
template <>
struct BitsOfSize<1> {
  using type = unsigned char;
};
template <>
struct BitsOfSize<2> {
  using type = unsigned short;
};
template <>
struct BitsOfSize<4> {
  using type = unsigned int;
};
template <>
struct BitsOfSize<8> {
  using type = unsigned long long;
};
template <class Key>
constexpr bool is_unsigned_key() {
  return std::is_unsigned<Key>::value || std::is_same<Key, bool>::value;
}

// Bits [begin, end) of the key, ordered as the key is. -0 sorts with +0.
template <class Key>
AMBIDEX_MEMBER_HD unsigned long long sort_bits(Key key, int begin, int end, bool descending) {
  using Bits = typename BitsOfSize<sizeof(Key)>::type;
  constexpr int kNum = 8 * int(sizeof(Key));
  Bits bits;
  __builtin_memcpy(&bits, &key, sizeof(Key));
  const Bits sign = Bits(Bits(1) << (kNum - 1));
  if (std::is_integral<Key>::value) {
    if (!is_unsigned_key<Key>()) bits ^= sign;
  } else {
    if (bits == sign) bits = 0;
    bits = bits & sign ? Bits(~bits) : Bits(bits | sign);
  }
  if (descending) bits = Bits(~bits);
  const unsigned long long low = (unsigned long long)bits >> begin;
  return end - begin >= 64 ? low : low & ((1ull << (end - begin)) - 1ull);
}

}  // namespace ambidex_cuda
