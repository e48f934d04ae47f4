// SPDX-License-Identifier: Apache-2.0
// Integers and bits of PTX against plain C++, over values where shifts, signs and carries matter.
#include "check.h"

constexpr int kNum = 512, kSlots = 200;

__host__ __device__ uint32_t edge(int i) {
  const uint32_t all[16] = {0,          1,          2,          31,         32,        33,
                            64,         255,        0x7fffffff, 0x80000000, 0xffffffff, 0x12345678,
                            0xfedcba98, 0x00ff807f, 0x80017ffe, 0xdeadbeef};
  return all[i % 16];
}
__host__ __device__ uint32_t a_of(int i) { return edge(i); }
__host__ __device__ uint32_t b_of(int i) { return edge(i / 16); }
__host__ __device__ uint32_t c_of(int i) { return edge(i * 7 + i / 256 * 5 + 3); }

__global__ void words(uint64_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t a = a_of(i), b = b_of(i), c = c_of(i);
  uint32_t d, e;
  int slot = 0;
  asm("add.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("sub.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("mul.lo.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("mad.lo.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("mul.hi.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("mul.hi.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("mad.hi.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("add.sat.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("sub.sat.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("neg.s32 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("abs.s32 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("mul24.lo.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("mul24.hi.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("mad24.lo.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("sad.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("sad.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("min.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("max.relu.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("min.u16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("max.s16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("add.u16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("shl.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("shr.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("shr.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("shf.l.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("shf.r.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("bfi.b32 %0, %1, %2, %3, 12;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("bfind.u32 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("bfind.s32 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("brev.b32 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("clz.b32 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("popc.b32 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("cnot.b32 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("szext.clamp.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("szext.wrap.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("fns.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b & 31), "r"((int)(c % 7) - 3)); PUT(d);
  asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("prmt.b32.rc8 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "n"(0x00ff00ff), "n"(0xe2)); PUT(d);
  asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("vabsdiff4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("vadd4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("vsub2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("vmax2.s32.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("vavrg4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("slct.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("set.lt.u32.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("cvt.sat.s8.s32 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("cvt.sat.u16.s32 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("cvt.s32.s8 %0, %1;" : "=r"(d) : "r"(a)); PUT(d);
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); PUT(d);
  asm("{ .reg .b16 lo, hi; mov.b32 {lo, hi}, %1; mov.b32 %0, {hi, lo}; }" : "=r"(d) : "r"(a)); PUT(d);
  asm("{ .reg .pred p, q; setp.lt.s32 p, %1, %2; setp.hi.xor.u32 p|q, %1, %3, p;\n"
      " selp.b32 %0, 1, 0, p; @q add.u32 %0, %0, 2; }" : "=r"(d) : "r"(a), "r"(b), "r"(c)); PUT(d);
  asm("{ .reg .b32 %%t<3>; mov.u32 %%t0, 0; mov.u32 %%t1, %1;\n"
      "again: add.u32 %%t1, %%t1, %%t1; add.u32 %%t0, %%t0, 1; .reg .pred %%more;\n"
      "setp.lt.u32 %%more, %%t0, 3; @%%more bra again; mov.u32 %0, %%t1; }" : "=r"(d) : "r"(a)); PUT(d);
  asm("{ .reg .pred p; setp.eq.u32 p, %1, 0; mov.u32 %0, 7; @p bra done; mov.u32 %0, %1; done: }"
      : "=r"(d) : "r"(a)); PUT(d);
  d = a;
  e = b;  // the inputs are the outputs' variables, and read after the first is written
  asm("add.cc.u32 %0, %2, %3; addc.u32 %1, %2, %3;" : "=r"(d), "=r"(e) : "r"(d), "r"(e)); PUT(d); PUT(e);
  uint32_t p = a;  // a register of the text has the name of a variable
  asm("{ .reg .b32 p, q; mov.b32 p, %1; mov.b32 q, %2; xor.b32 %0, p, q; }" : "=r"(d) : "r"(p), "r"(b)); PUT(d);
  asm("sub.cc.u32 %0, %2, %3; subc.u32 %1, 0, 0;" : "=&r"(d), "=r"(e) : "r"(a), "r"(b)); PUT(d); PUT(e);
}

__global__ void wides(uint64_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t a = a_of(i), b = b_of(i), c = c_of(i);
  const uint64_t x = (uint64_t)b << 32 | a, y = (uint64_t)a << 32 | c;
  uint64_t d;
  uint32_t w;
  uint16_t h;
  int slot = 0;
  asm("mul.wide.u32 %0, %1, %2;" : "=l"(d) : "r"(a), "r"(b)); PUT(d);
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(d) : "r"(a), "r"(b), "l"(x)); PUT(d);
  asm("mad.lo.s64 %0, %1, %2, %3;" : "=l"(d) : "l"(x), "l"(y), "l"(x)); PUT(d);
  asm("mul.hi.u64 %0, %1, %2;" : "=l"(d) : "l"(x), "l"(y)); PUT(d);
  asm("mad.hi.s64 %0, %1, %2, %3;" : "=l"(d) : "l"(x), "l"(y), "l"(x)); PUT(d);
  asm("shl.b64 %0, %1, %2;" : "=l"(d) : "l"(x), "r"(c)); PUT(d);
  asm("shr.s64 %0, %1, %2;" : "=l"(d) : "l"(x), "r"(c)); PUT(d);
  asm("bfe.u64 %0, %1, %2, %3;" : "=l"(d) : "l"(x), "r"(b), "r"(c)); PUT(d);
  asm("bfe.s64 %0, %1, %2, %3;" : "=l"(d) : "l"(x), "r"(b), "r"(c)); PUT(d);
  asm("bfi.b64 %0, %1, %2, %3, 20;" : "=l"(d) : "l"(x), "l"(y), "r"(c)); PUT(d);
  asm("popc.b64 %0, %1;" : "=r"(w) : "l"(x)); PUT(w);
  asm("clz.b64 %0, %1;" : "=r"(w) : "l"(x)); PUT(w);
  asm("bfind.s64 %0, %1;" : "=r"(w) : "l"(x)); PUT(w);
  asm("brev.b64 %0, %1;" : "=l"(d) : "l"(x)); PUT(d);
  asm("min.s64 %0, %1, %2;" : "=l"(d) : "l"(x), "l"(y)); PUT(d);
  asm("mov.b64 %0, {%2, %1};" : "=l"(d) : "r"(a), "r"(b)); PUT(d);
  asm("{ .reg .b32 lo, hi; mov.b64 {lo, hi}, %1; xor.b32 %0, lo, hi; }" : "=r"(w) : "l"(x)); PUT(w);
  asm("mov.b32 %0, {%1, %2};" : "=r"(w) : "h"((uint16_t)a), "h"((uint16_t)b)); PUT(w);
  asm("mov.b32 {%0, _}, %1;" : "=h"(h) : "r"(a)); PUT(h);
  asm("mul.lo.u16 %0, %1, %2;" : "=h"(h) : "h"((uint16_t)a), "h"((uint16_t)b)); PUT(h);
  asm("mul.wide.s16 %0, %1, %2;" : "=r"(w) : "h"((uint16_t)a), "h"((uint16_t)b)); PUT(w);
  asm("shr.s16 %0, %1, %2;" : "=h"(h) : "h"((uint16_t)a), "r"(c)); PUT(h);
  asm("not.b16 %0, %1;" : "=h"(h) : "h"((uint16_t)a)); PUT(h);
  asm("cvt.s64.s32 %0, %1;" : "=l"(d) : "r"(a)); PUT(d);
  asm("cvt.sat.s32.s64 %0, %1;" : "=r"(w) : "l"(x)); PUT(w);
  asm("cvt.sat.u32.s64 %0, %1;" : "=r"(w) : "l"(x)); PUT(w);
  asm("sub.s64 %0, %1, %2;" : "=l"(d) : "l"(x), "l"(y)); PUT(d);
  asm("mad.lo.cc.u32 %0, %1, %2, %3; madc.hi.u32 %0, %1, %2, %0;" : "=r"(w) : "r"(a), "r"(b), "r"(c)); PUT(w);
}

int64_t clamp(__int128 x, int64_t least, int64_t most) {
  return x < least ? least : x > most ? most : (int64_t)x;
}
uint32_t bits_at(uint64_t x, uint32_t at, uint32_t length) {
  uint32_t out = 0;
  for (uint32_t k = 0; k < length && k < 32; ++k) {
    if (at + k < 32) out |= (uint32_t)(x >> (at + k) & 1) << k;
  }
  return out;
}
int64_t signed_field(int64_t x, uint32_t at, uint32_t length, uint32_t width) {
  at &= 255;
  length &= 255;
  uint64_t out = 0;
  const uint32_t top = at + length - 1 < width - 1 ? at + length - 1 : width - 1;
  const uint64_t sign = length == 0 ? 0 : (uint64_t)x >> top & 1;
  for (uint32_t k = 0; k < width; ++k) {
    const bool inside = k < length && at + k < width;
    out |= (inside ? (uint64_t)x >> (at + k) & 1 : sign) << k;
  }
  return width == 32 ? (int64_t)(uint32_t)out : (int64_t)out;
}
uint64_t plain_shift(uint64_t x, uint32_t by, int width, char how) {
  uint64_t out = 0;
  for (int k = 0; k < width; ++k) {
    const int64_t from = how == 'l' ? (int64_t)k - by : (int64_t)k + by;
    const uint64_t sign = how == 's' ? x >> (width - 1) & 1 : 0;
    const uint64_t bit = from >= 0 && from < width ? x >> from & 1 : sign;
    out |= bit << k;
  }
  return out;
}
int byte_at(uint64_t x, int k, bool is_signed) {
  const int raw = (int)(x >> (8 * k) & 255);
  return is_signed && raw > 127 ? raw - 256 : raw;
}
int half_at(uint32_t x, int k, bool is_signed) {
  const int raw = (int)(x >> (16 * k) & 65535);
  return is_signed && raw > 32767 ? raw - 65536 : raw;
}
template <class Op>
uint32_t each(int bits, bool is_signed, uint32_t a, uint32_t b, Op op) {
  uint32_t out = 0;
  for (int k = 0; k < 32 / bits; ++k) {
    const int x = bits == 8 ? byte_at(a, k, is_signed) : half_at(a, k, is_signed);
    const int y = bits == 8 ? byte_at(b, k, is_signed) : half_at(b, k, is_signed);
    out |= ((uint32_t)op(x, y) & ((1u << bits) - 1)) << (bits * k);
  }
  return out;
}
uint32_t dot(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb) {
  for (int k = 0; k < 4; ++k) c += (uint32_t)(byte_at(a, k, sa) * byte_at(b, k, sb));
  return c;
}
uint32_t nth(uint32_t mask, int base, int offset) {
  if (offset == 0) return mask >> base & 1 ? base : ~0u;
  int left = offset < 0 ? -offset : offset;
  for (int at = base; at >= 0 && at < 32; at += offset < 0 ? -1 : 1) {
    if ((mask >> at & 1) != 0 && --left == 0) return at;
  }
  return ~0u;
}
uint32_t pick(uint32_t a, uint32_t b, int s3, int s2, int s1, int s0) {
  const uint64_t all = (uint64_t)b << 32 | a;
  return byte_at(all, s0, false) | byte_at(all, s1, false) << 8 | byte_at(all, s2, false) << 16 |
         (uint32_t)byte_at(all, s3, false) << 24;
}
uint32_t permuted(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t out = 0;
  for (int k = 0; k < 4; ++k) {
    const int nibble = c >> (4 * k) & 15;
    int byte = byte_at((uint64_t)b << 32 | a, nibble & 7, false);
    if (nibble & 8) byte = byte & 128 ? 255 : 0;
    out |= (uint32_t)byte << (8 * k);
  }
  return out;
}
int top_bit(uint64_t x) {
  for (int k = 63; k >= 0; --k) {
    if (x >> k & 1) return k;
  }
  return -1;
}
uint64_t turned(uint64_t x, int width) {
  uint64_t out = 0;
  for (int k = 0; k < width; ++k) out |= (x >> k & 1) << (width - 1 - k);
  return out;
}

void want_words(Checker& checker, int i) {
  const uint32_t a = a_of(i), b = b_of(i), c = c_of(i);
  const int64_t sa = (int32_t)a, sb = (int32_t)b, sc = (int32_t)c;
  const uint64_t both = (uint64_t)b << 32 | a;
  const int n = c & 3;
  int slot = 0;
  WANT("add.s32", (uint32_t)(sa + sb));
  WANT("sub.s32", (uint32_t)(sa - sb));
  WANT("mul.lo.s32", (uint32_t)(sa * sb));
  WANT("mad.lo.s32", (uint32_t)((__int128)sa * sb + sc));
  WANT("mul.hi.s32", (uint32_t)(sa * sb >> 32));
  WANT("mul.hi.u32", (uint64_t)a * b >> 32);
  WANT("mad.hi.s32", (uint32_t)((sa * sb >> 32) + sc));
  WANT("mad.hi.sat.s32", (uint32_t)clamp((sa * sb >> 32) + sc, INT32_MIN, INT32_MAX));
  WANT("add.sat.s32", (uint32_t)clamp(sa + sb, INT32_MIN, INT32_MAX));
  WANT("sub.sat.s32", (uint32_t)clamp(sa - sb, INT32_MIN, INT32_MAX));
  WANT("neg.s32", (uint32_t)-sa);
  WANT("abs.s32", (uint32_t)(sa < 0 ? -sa : sa));
  WANT("mul24.lo.u32", (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff)));
  const int64_t a24 = (int64_t)((uint64_t)a << 40) >> 40, b24 = (int64_t)((uint64_t)b << 40) >> 40;
  WANT("mul24.hi.s32", (uint32_t)(a24 * b24 >> 16));
  WANT("mad24.lo.s32", (uint32_t)(a24 * b24 + sc));
  WANT("sad.s32", (uint32_t)((sa < sb ? sb - sa : sa - sb) + sc));
  WANT("sad.u32", (uint32_t)((a < b ? b - a : a - b) + c));
  WANT("min.s32", (uint32_t)(sa < sb ? sa : sb));
  WANT("max.relu.s32", (uint32_t)(sa > sb ? (sa > 0 ? sa : 0) : (sb > 0 ? sb : 0)));
  WANT("min.u16x2", each(16, false, a, b, [](int x, int y) { return x < y ? x : y; }));
  WANT("max.s16x2", each(16, true, a, b, [](int x, int y) { return x > y ? x : y; }));
  WANT("add.u16x2", each(16, false, a, b, [](int x, int y) { return x + y; }));
  WANT("shl.b32", plain_shift(a, b, 32, 'l'));
  WANT("shr.u32", plain_shift(a, b, 32, 'u'));
  WANT("shr.s32", plain_shift(a, b, 32, 's'));
  WANT("shf.l.wrap", (uint32_t)(plain_shift(both, c & 31, 64, 'l') >> 32));
  WANT("shf.l.clamp", (uint32_t)(plain_shift(both, c > 32 ? 32 : c, 64, 'l') >> 32));
  WANT("shf.r.wrap", (uint32_t)plain_shift(both, c & 31, 64, 'u'));
  WANT("shf.r.clamp", (uint32_t)plain_shift(both, c > 32 ? 32 : c, 64, 'u'));
  WANT("bfe.u32", bits_at(a, b & 255, c & 255));
  WANT("bfe.s32", signed_field(a, b, c, 32));
  uint32_t inserted = b;
  for (uint32_t k = 0; k < 12; ++k) {
    const uint32_t at = (c & 255) + k;
    if (at < 32) inserted = (inserted & ~(1u << at)) | (a >> k & 1) << at;
  }
  WANT("bfi.b32", inserted);
  WANT("bfind.u32", (uint32_t)top_bit(a));
  WANT("bfind.s32", (uint32_t)top_bit((int32_t)a < 0 ? ~a : a));
  WANT("bfind.shiftamt", (uint32_t)(a == 0 ? -1 : 31 - top_bit(a)));
  WANT("brev.b32", turned(a, 32));
  WANT("clz.b32", 31 - top_bit(a));
  uint32_t ones = 0;
  for (int k = 0; k < 32; ++k) ones += a >> k & 1;
  WANT("popc.b32", ones);
  WANT("cnot.b32", a == 0);
  uint32_t mask = 0, wrapped = 0;
  for (uint64_t k = 0; k < 32; ++k) {
    mask |= (uint32_t)(k >= a && k < (uint64_t)a + (b > 32 ? 32 : b)) << k;
    wrapped |= (uint32_t)(k >= (a & 31) && k < (a & 31) + (b & 31)) << k;
  }
  WANT("bmsk.clamp", mask);
  WANT("bmsk.wrap", wrapped);
  WANT("szext.clamp.s32", b >= 32 ? a : (uint32_t)signed_field(a, 0, b, 32));
  WANT("szext.wrap.u32", bits_at(a, 0, b & 31));
  WANT("fns.b32", nth(a, b & 31, (int)(c % 7) - 3));
  WANT("prmt.b32", permuted(a, b, c));
  WANT("prmt.f4e", pick(a, b, n + 3, n + 2, n + 1, n));
  WANT("prmt.b4e", n == 0 ? pick(a, b, 5, 6, 7, 0) : n == 1 ? pick(a, b, 6, 7, 0, 1)
                   : n == 2 ? pick(a, b, 7, 0, 1, 2) : pick(a, b, 0, 1, 2, 3));
  WANT("prmt.rc8", pick(a, b, n, n, n, n));
  WANT("prmt.ecl", n == 0 ? pick(a, b, 3, 2, 1, 0) : n == 1 ? pick(a, b, 3, 2, 1, 1)
                   : n == 2 ? pick(a, b, 3, 2, 2, 2) : pick(a, b, 3, 3, 3, 3));
  WANT("prmt.ecr", n == 0 ? pick(a, b, 0, 0, 0, 0) : n == 1 ? pick(a, b, 1, 1, 1, 0)
                   : n == 2 ? pick(a, b, 2, 2, 1, 0) : pick(a, b, 3, 2, 1, 0));
  WANT("prmt.rc16", n % 2 == 0 ? pick(a, b, 1, 0, 1, 0) : pick(a, b, 3, 2, 3, 2));
  uint32_t looked = 0;
  for (int k = 0; k < 32; ++k) {
    const int row = (a >> k & 1) * 4 + (b >> k & 1) * 2 + (0x00ff00ffu >> k & 1);
    looked |= (uint32_t)(0xe2 >> row & 1) << k;
  }
  WANT("lop3 of n operands", looked);
  WANT("dp4a.s32.s32", dot(a, b, c, true, true));
  WANT("dp4a.u32.u32", dot(a, b, c, false, false));
  WANT("dp4a.u32.s32", dot(a, b, c, false, true));
  WANT("dp2a.lo.s32.u32", (uint32_t)(sc + (int64_t)half_at(a, 0, true) * byte_at(b, 0, false) +
                                     (int64_t)half_at(a, 1, true) * byte_at(b, 1, false)));
  WANT("dp2a.hi.u32.s32", (uint32_t)(sc + (int64_t)half_at(a, 0, false) * byte_at(b, 2, true) +
                                     (int64_t)half_at(a, 1, false) * byte_at(b, 3, true)));
  const auto distance = [](int x, int y) { return x < y ? y - x : x - y; };
  WANT("vabsdiff4", each(8, false, a, b, distance));
  uint32_t sum = c;
  for (int k = 0; k < 4; ++k) sum += distance(byte_at(a, k, false), byte_at(b, k, false));
  WANT("vabsdiff4.add", sum);
  WANT("vadd4.sat", each(8, true, a, b, [](int x, int y) { return clamp(x + y, -128, 127); }));
  WANT("vsub2", each(16, false, a, b, [](int x, int y) { return x - y; }));
  WANT("vmax2", each(16, true, a, b, [](int x, int y) { return x > y ? x : y; }));
  WANT("vavrg4", each(8, false, a, b, [](int x, int y) { return (x + y + 1) / 2; }));
  WANT("slct.u32.s32", sc >= 0 ? a : b);
  WANT("set.lt.u32.s32", sa < sb ? 0xffffffffu : 0);
  WANT("cvt.sat.s8.s32", (uint32_t)clamp(sa, -128, 127));
  WANT("cvt.sat.u16.s32", clamp(sa, 0, 65535));
  WANT("cvt.s32.s8", (uint32_t)byte_at(a, 0, true));
  WANT("cvt.pack.u8", c << 16 | (uint32_t)clamp(sa, 0, 255) << 8 | (uint32_t)clamp(sb, 0, 255));
  WANT("cvt.pack.s16", (uint32_t)clamp(sa, -32768, 32767) << 16 |
                           ((uint32_t)clamp(sb, -32768, 32767) & 0xffff));
  WANT("mov.b32 of halves", a << 16 | a >> 16);
  const bool p = sa < sb, q = a > c;
  WANT("setp.xor", (p != q) + 2 * (p != !q));
  WANT("a loop", a * 8);
  WANT("a jump", a == 0 ? 7 : a);
  WANT("add.cc", a + b);
  WANT("addc", (uint32_t)(a + b + (((uint64_t)a + b) >> 32)));
  WANT("names", a ^ b);
  WANT("sub.cc", a - b);
  WANT("subc", a < b ? 0xffffffffu : 0);
}

void want_wides(Checker& checker, int i) {
  const uint32_t a = a_of(i), b = b_of(i), c = c_of(i);
  const uint64_t x = (uint64_t)b << 32 | a, y = (uint64_t)a << 32 | c;
  const __int128 product = (__int128)(int64_t)x * (int64_t)y;
  const int h16 = half_at(a, 0, true);
  int slot = 0;
  WANT("mul.wide.u32", (uint64_t)a * b);
  WANT("mad.wide.s32", (uint64_t)((int64_t)(int32_t)a * (int32_t)b) + x);
  WANT("mad.lo.s64", x * y + x);
  WANT("mul.hi.u64", (uint64_t)((unsigned __int128)x * y >> 64));
  WANT("mad.hi.s64", (uint64_t)(product >> 64) + x);
  WANT("shl.b64", plain_shift(x, c, 64, 'l'));
  WANT("shr.s64", plain_shift(x, c, 64, 's'));
  uint64_t field = 0;
  for (uint32_t k = 0; k < (c & 255) && k < 64; ++k) {
    if ((b & 255) + k < 64) field |= (x >> ((b & 255) + k) & 1) << k;
  }
  WANT("bfe.u64", field);
  WANT("bfe.s64", signed_field((int64_t)x, b, c, 64));
  uint64_t inserted = y;
  for (uint32_t k = 0; k < 20; ++k) {
    const uint32_t at = (c & 255) + k;
    if (at < 64) inserted = (inserted & ~(1ull << at)) | (x >> k & 1) << at;
  }
  WANT("bfi.b64", inserted);
  uint32_t ones = 0;
  for (int k = 0; k < 64; ++k) ones += x >> k & 1;
  WANT("popc.b64", ones);
  WANT("clz.b64", 63 - top_bit(x));
  WANT("bfind.s64", (uint32_t)top_bit((int64_t)x < 0 ? ~x : x));
  WANT("brev.b64", turned(x, 64));
  WANT("min.s64", (int64_t)x < (int64_t)y ? x : y);
  WANT("mov.b64", (uint64_t)a << 32 | b);
  WANT("unpacked", a ^ b);
  WANT("mov.b32 of h", (b & 0xffff) << 16 | (a & 0xffff));
  WANT("mov.b32 to h", a & 0xffff);
  WANT("mul.lo.u16", (a & 0xffff) * (b & 0xffff) & 0xffff);
  WANT("mul.wide.s16", (uint32_t)(h16 * half_at(b, 0, true)));
  WANT("shr.s16", plain_shift(a & 0xffff, c, 16, 's'));
  WANT("not.b16", ~a & 0xffff);
  WANT("cvt.s64.s32", (int64_t)(int32_t)a);
  WANT("cvt.sat.s32.s64", (uint32_t)clamp((int64_t)x, INT32_MIN, INT32_MAX));
  WANT("cvt.sat.u32.s64", clamp((int64_t)x, 0, UINT32_MAX));
  WANT("sub.s64", x - y);
  const uint32_t low = a * b + c;
  const uint32_t carry = (uint32_t)(((uint64_t)(uint32_t)(a * b) + c) >> 32);
  WANT("mad.cc", (uint32_t)((uint64_t)a * b >> 32) + low + carry);
}

int main() {
  const auto first = [](uint64_t* out) { words<<<kNum / 64, 64>>>(out, kNum); };
  const auto second = [](uint64_t* out) { wides<<<kNum / 64, 64>>>(out, kNum); };
  return checked(kNum, kSlots, first, want_words) | checked(kNum, kSlots, second, want_wides);
}
