// SPDX-License-Identifier: Apache-2.0
// Integer instructions of CUDA and PTX.
#ifndef AMBIDEX_PORT_INTEGER_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_INTEGER_H

#include "ambidex_port/platform.h"

namespace ambidex_port {

// prmt.b32 without a mode: bit 3 of a selector spreads the byte's sign [N01 N15].
AMBIDEX_PORT_BOTH unsigned prmt_b32(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(y) << 32 | x;
  unsigned result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned choice = selector >> 4 * i & 15u;
    unsigned byte = static_cast<unsigned>(bytes >> 8 * (choice & 7u)) & 0xffu;
    if (choice & 8u) byte = byte & 0x80u ? 0xffu : 0u;
    result |= byte << 8 * i;
  }
  return result;
}
AMBIDEX_PORT_BOTH unsigned byte_perm(unsigned x, unsigned y, unsigned selector) {
  return prmt_b32(x, y, selector & 0x7777u);
}

// Shifts of high:low; the amount wraps at 32, or is clamped to 32.
AMBIDEX_PORT_BOTH unsigned funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both << (shift & 31u) >> 32);
}
AMBIDEX_PORT_BOTH unsigned funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  const unsigned long long both = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<unsigned>(both >> (shift & 31u));
}
AMBIDEX_PORT_BOTH unsigned funnelshift_lc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32u ? low : funnelshift_l(low, high, shift);
}
AMBIDEX_PORT_BOTH unsigned funnelshift_rc(unsigned low, unsigned high, unsigned shift) {
  return shift >= 32u ? high : funnelshift_r(low, high, shift);
}
AMBIDEX_PORT_BOTH unsigned shf_l_wrap_b32(unsigned low, unsigned high, unsigned shift) {
  return funnelshift_l(low, high, shift);
}
AMBIDEX_PORT_BOTH unsigned shf_r_wrap_b32(unsigned low, unsigned high, unsigned shift) {
  return funnelshift_r(low, high, shift);
}
AMBIDEX_PORT_BOTH unsigned shf_l_clamp_b32(unsigned low, unsigned high, unsigned shift) {
  return funnelshift_lc(low, high, shift);
}
AMBIDEX_PORT_BOTH unsigned shf_r_clamp_b32(unsigned low, unsigned high, unsigned shift) {
  return funnelshift_rc(low, high, shift);
}

// PTX's bit fields: position and length are taken from their low 8 bits [N01].
AMBIDEX_PORT_BOTH unsigned bfe_u32(unsigned x, unsigned position, unsigned length) {
  position &= 255u;
  length &= 255u;
  if (position >= 32u || length == 0u) return 0u;
  const unsigned field = x >> position;
  return length >= 32u ? field : field & ((1u << length) - 1u);
}
AMBIDEX_PORT_BOTH int bfe_s32(int x, unsigned position, unsigned length) {
  position &= 255u;
  length &= 255u;
  if (length == 0u) return 0;
  const unsigned last = position + length - 1u < 31u ? position + length - 1u : 31u;
  if (position > 31u) return x >> 31;
  return static_cast<int>(static_cast<unsigned>(x) << (31u - last)) >> (31u - last + position);
}
AMBIDEX_PORT_BOTH unsigned bfi_b32(unsigned field, unsigned into, unsigned position,
                                   unsigned length) {
  position &= 255u;
  length &= 255u;
  if (position >= 32u || length == 0u) return into;
  const unsigned ones = length >= 32u ? ~0u : (1u << length) - 1u;
  return (into & ~(ones << position)) | (field & ones) << position;
}

// Any function of three bits: its value for (a, b, c) is bit 4a + 2b + c of the table [N01].
template <unsigned table>
AMBIDEX_PORT_BOTH unsigned lop3(unsigned a, unsigned b, unsigned c) {
  unsigned result = 0;
  if (table & 1u) result |= ~a & ~b & ~c;
  if (table & 2u) result |= ~a & ~b & c;
  if (table & 4u) result |= ~a & b & ~c;
  if (table & 8u) result |= ~a & b & c;
  if (table & 16u) result |= a & ~b & ~c;
  if (table & 32u) result |= a & ~b & c;
  if (table & 64u) result |= a & b & ~c;
  if (table & 128u) result |= a & b & c;
  return result;
}

// Dot products of bytes, and of halves with bytes [N15].
AMBIDEX_PORT_BOTH int dp4a(int a, int b, int sum) {
  auto all = static_cast<unsigned>(sum);  // which wraps
  for (int i = 0; i < 32; i += 8) {
    all +=
        static_cast<unsigned>(static_cast<signed char>(a >> i) * static_cast<signed char>(b >> i));
  }
  return static_cast<int>(all);
}
AMBIDEX_PORT_BOTH unsigned dp4a(unsigned a, unsigned b, unsigned sum) {
  for (int i = 0; i < 32; i += 8) sum += (a >> i & 0xffu) * (b >> i & 0xffu);
  return sum;
}
AMBIDEX_PORT_BOTH int dp2a_lo(int a, int b, int sum) {
  return sum + static_cast<short>(a) * static_cast<signed char>(b) +
         static_cast<short>(a >> 16) * static_cast<signed char>(b >> 8);
}
AMBIDEX_PORT_BOTH int dp2a_hi(int a, int b, int sum) { return dp2a_lo(a, b >> 16, sum); }
AMBIDEX_PORT_BOTH unsigned dp2a_lo(unsigned a, unsigned b, unsigned sum) {
  return sum + (a & 0xffffu) * (b & 0xffu) + (a >> 16) * (b >> 8 & 0xffu);
}
AMBIDEX_PORT_BOTH unsigned dp2a_hi(unsigned a, unsigned b, unsigned sum) {
  return dp2a_lo(a, b >> 16, sum);
}
AMBIDEX_PORT_BOTH unsigned usad(unsigned a, unsigned b, unsigned sum) {
  return (a < b ? b - a : a - b) + sum;
}
AMBIDEX_PORT_BOTH unsigned sad(int a, int b, unsigned sum) {
  const unsigned ua = static_cast<unsigned>(a), ub = static_cast<unsigned>(b);
  return (a < b ? ub - ua : ua - ub) + sum;
}

}  // namespace ambidex_port

#include "ambidex_port/packed.h"

#endif  // AMBIDEX_PORT_INTEGER_H
