// SPDX-License-Identifier: Apache-2.0
// Loads, stores and atomics of PTX against plain C++, in global and in shared memory.
#include "check.h"

constexpr int kNum = 64, kSlots = 80;

struct Places {
  unsigned inc, dec, least, most, bits, flips, swapped, compared, sys, shared_sum;
  int signed_least;
  unsigned pad;
  unsigned long long wide, wide_most;
  long long signed_most;
  float sum, vector[4];
  double dsum;
  unsigned pair, bpair;
  unsigned short half, half_pad, key, key_pad;
};

__global__ void atomics(Places* at, uint64_t* out, int n) {
  const unsigned i = threadIdx.x;
  unsigned old;
  int slot = 0;
  unsigned long long wide;
  asm volatile("atom.global.inc.u32 %0, [%1], %2;" : "=r"(old) : "l"(&at->inc), "r"(10) : "memory"); PUT(old <= 10);
  asm volatile("atom.dec.u32 %0, [%1], %2;" : "=r"(old) : "l"(&at->dec), "r"(6) : "memory"); PUT(old <= 6);
  asm volatile("red.relaxed.gpu.global.min.u32 [%0], %1;" ::"l"(&at->least), "r"(1000 - i * 3) : "memory");
  asm volatile("red.global.max.u32 [%0], %1;" ::"l"(&at->most), "r"(i * 7) : "memory");
  asm volatile("red.global.min.s32 [%0], %1;" ::"l"(&at->signed_least), "r"(5 - (int)i) : "memory");
  asm volatile("atom.release.gpu.global.or.b32 %0, [%1], %2;" : "=r"(old) : "l"(&at->bits), "r"(1u << (i & 31)) : "memory");
  asm volatile("red.release.cta.global.xor.b32 [%0], %1;" ::"l"(&at->flips), "r"(i * 2654435761u) : "memory");
  asm volatile("atom.acq_rel.sys.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(&at->sys), "r"(i) : "memory");
  asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(old) : "l"(&at->swapped), "r"(i + 1) : "memory");
  asm volatile("atom.acquire.gpu.global.cas.b32 %0, [%1], 0, %2;" : "=r"(old) : "l"(&at->compared), "r"(i + 1) : "memory");
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=r"(old) : "l"(&at->key), "h"((unsigned short)3), "h"((unsigned short)9) : "memory");
  asm volatile("red.global.add.u64 [%0], %1;" ::"l"(&at->wide), "l"(0x100000001ull * i) : "memory");
  asm volatile("red.global.max.u64 [%0], %1;" ::"l"(&at->wide_most), "l"((unsigned long long)i << 40) : "memory");
  asm volatile("red.release.sys.global.max.s64 [%0], %1;" ::"l"(&at->signed_most), "l"((long long)i - 100) : "memory");
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(&at->sum), "f"(0.5f * i) : "memory");
  asm volatile("atom.relaxed.sys.global.add.f64 %0, [%1], %2;" : "=l"(wide) : "l"(&at->dsum), "d"(0.25 * i) : "memory");
  asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at->vector), "f"(1.f), "f"(2.f), "f"(3.f), "f"(1.f * i) : "memory");
  asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(&at->pair), "r"(0x40003c00) : "memory");  // 2, 1
  asm volatile("atom.global.add.noftz.bf16x2 %0, [%1], %2;" : "=r"(old) : "l"(&at->bpair), "r"(0x40003f80) : "memory");
  asm volatile("red.global.add.noftz.f16 [%0], %1;" ::"l"(&at->half), "h"((unsigned short)0x3c00) : "memory");
  __shared__ unsigned counter;
  if (i == 0) counter = 0;
  __syncthreads();
  const unsigned address = (unsigned)__cvta_generic_to_shared(&counter);
  asm volatile("atom.shared.add.u32 %0, [%1], %2;" : "=r"(old) : "r"(address), "r"(2) : "memory"); PUT(old % 2 == 0 && old < 128);
  __syncthreads();
  asm volatile("red.shared::cta.max.u32 [%0+0], %1;" ::"r"(address), "r"(i) : "memory");
  __syncthreads();
  if (i == 0) at->shared_sum = counter;
}

struct Block {
  uint32_t words[kNum][4];
};

__global__ void moves(const Block* from, Block* to, volatile unsigned* flags, uint64_t* out, int n) {
  const unsigned i = threadIdx.x;
  const uint32_t* p = from->words[i];
  uint32_t* q = to->words[i];
  uint32_t a, b, c, d;
  uint64_t x, y;
  uint16_t h;
  float f;
  int slot = 0;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(p)); PUT(a);
  asm volatile("ld.global.cg.b32 %0, [%1 + 4];" : "=r"(a) : "l"(p)); PUT(a);
  asm volatile("ld.global.cs.s32 %0, [%1+8];" : "=r"(a) : "l"(p)); PUT(a);
  asm volatile("ld.global.cv.u32 %0, [%1 + 12];" : "=r"(a) : "l"(p)); PUT(a);
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p)); PUT(a ^ b * 3 ^ c * 5 ^ d * 7);
  asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p) : "memory"); PUT(x ^ y * 3);
  asm volatile("ld.relaxed.sys.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p)); PUT(a ^ b * 3 ^ c * 5 ^ d * 7);
  asm volatile("ld.acquire.cta.global.b64 %0, [%1];" : "=l"(x) : "l"(p)); PUT(x);
  asm volatile("ld.relaxed.gpu.global.f32 %0, [%1];" : "=f"(f) : "l"(p)); PUT(same_bits<uint32_t>(f));
  asm volatile("ld.global.u8 %0, [%1 + 1];" : "=r"(a) : "l"(p)); PUT(a);
  asm volatile("ld.global.s8 %0, [%1 + 1];" : "=r"(a) : "l"(p)); PUT(a);
  asm volatile("ld.global.s16 %0, [%1 + 2];" : "=r"(a) : "l"(p)); PUT(a);
  asm volatile("ld.volatile.u16 %0, [%1 + 2];" : "=h"(h) : "l"(p)); PUT(h);
  asm volatile("{ .reg .u64 policy; createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
               "ld.global.L2::cache_hint.v2.f32 {%0, _}, [%1], policy; }" : "=f"(f) : "l"(p)); PUT(same_bits<uint32_t>(f));
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; mov.b32 %0, 77; @p ld.global.u32 %0, [%1]; }" : "=r"(a) : "l"(p), "r"(i & 1)); PUT(a);
  asm volatile("prefetch.global.L2 [%0];" ::"l"(p));
  asm volatile("st.global.cs.v2.b32 [%0], {%1, %2};" ::"l"(q), "r"(p[0]), "r"(p[1]) : "memory");
  asm volatile("st.release.gpu.global.u32 [%0 + 8], %1;" ::"l"(q), "r"(p[2]) : "memory");
  asm volatile("st.global.wt.b8 [%0 + 12], %1;" ::"l"(q), "r"(p[3]) : "memory");
  asm volatile("st.volatile.global.u16 [%0 + 14], %1;" ::"l"(q), "h"((uint16_t)(p[3] >> 16)) : "memory");
  asm volatile("fence.acq_rel.gpu; membar.cta; fence.sc.sys;" ::: "memory");
  __shared__ __align__(16) uint32_t tile[kNum * 4];
  extern __shared__ uint32_t dynamic[];
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile) + i * 16;
  unsigned far;
  asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(far) : "l"(&dynamic[i]));
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(p[3]), "r"(p[2]), "r"(p[1]), "r"(p[0]) : "memory");
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(far), "r"(i * 3) : "memory");
  asm volatile("bar.sync 1;" ::: "memory");
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2 + 8];" : "=r"(a), "=r"(b) : "r"(at - i * 16 + (i ^ 1) * 16) : "memory"); PUT(a ^ b * 3);
  asm volatile("ld.volatile.shared.f32 %0, [%1-4];" : "=f"(f) : "r"(at + 4)); PUT(same_bits<uint32_t>(f));
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(far)); PUT(a);
  asm volatile("ld.shared.u64 %0, [%1];" : "=l"(x) : "l"((uint64_t)at)); PUT(x);
  uint64_t generic;
  asm("cvta.shared.u64 %0, %1;" : "=l"(generic) : "l"((uint64_t)far)); PUT(*(uint32_t*)generic);
}

uint32_t word(int i, int k) { return (uint32_t)(i * 4 + k + 1) * 2654435761u; }

int main() {
  Checker checker(kNum, kSlots);
  uint64_t* const out = checker.out;
  Places w{}, *places = nullptr;
  w.dec = 3;
  w.least = ~0u;
  w.signed_most = INT64_MIN;
  w.key = 3;
  cudaMalloc(&places, sizeof(Places));
  cudaMemcpy(places, &w, sizeof(Places), cudaMemcpyHostToDevice);
  atomics<<<1, kNum>>>(places, out, kNum);
  Places g;
  cudaMemcpy(&g, places, sizeof(Places), cudaMemcpyDeviceToHost);
  if (!checker.fetch()) return 1;
  for (int i = 0; i < kNum; ++i) {
    int slot = 0;
    WANT("inc's old value", 1);
    WANT("dec's old value", 1);
    WANT("shared add's old value", 1);
  }
  unsigned inc = 0, dec = 3, flips = 0;
  for (unsigned i = 0; i < kNum; ++i) {
    inc = inc >= 10 ? 0 : inc + 1;
    dec = dec == 0 || dec > 6 ? 6 : dec - 1;
    flips ^= i * 2654435761u;
  }
  const unsigned total = kNum * (kNum - 1) / 2;
  checker.got = {g.inc, g.dec, g.least, g.most, (unsigned)g.signed_least, g.bits, g.flips, g.sys, g.swapped - 1 < kNum,
                 g.compared - 1 < kNum, g.key, g.key_pad, g.wide, g.wide_most, (uint64_t)g.signed_most,
                 (uint64_t)(g.sum * 2), (uint64_t)(g.dsum * 4), (uint64_t)(g.vector[0] * 1e6f + g.vector[1] * 1e3f + g.vector[2]),
                 (uint64_t)g.vector[3], g.pair, g.bpair, g.half, g.half_pad, g.shared_sum};
  checker.n = 1;
  const uint64_t expected[] = {inc, dec, 1000 - 63 * 3, 63 * 7, (unsigned)(5 - 63), ~0u, flips, total, 1, 1, 9, 0,
                               0x100000001ull * total, 63ull << 40, (uint64_t)-37ll, total, total, 64000000 + 128000 + 192,
                               total, 0x58005400, 0x43004280, 0x5400, 0, 128};
  // 64 times 1 and 2 are 64 and 128: 0x5400, 0x5800 of f16, 0x4280, 0x4300 of bf16.
  int slot = 0;
  const int i = 0;
  checker.told.assign(1024, false);
  for (const uint64_t value : expected) WANT("an atomic", value);
  int wrong = checker.report();
  checker.num_slots = 0;

  Block host, *from = nullptr, *to = nullptr;
  unsigned* flags = nullptr;
  for (int t = 0; t < kNum; ++t) {
    for (int k = 0; k < 4; ++k) host.words[t][k] = word(t, k);
  }
  cudaMalloc(&from, sizeof(Block));
  cudaMalloc(&to, sizeof(Block));
  cudaMalloc(&flags, 256);
  cudaMemcpy(from, &host, sizeof(Block), cudaMemcpyHostToDevice);
  cudaMemset(to, 0, sizeof(Block));
  moves<<<1, kNum, kNum * 4>>>(from, to, flags, out, kNum);
  Block stored;
  checker.got.assign((size_t)kNum * kSlots, 0);
  checker.n = kNum;
  checker.told.assign(1024, false);
  if (!checker.fetch()) return 1;
  if (cudaMemcpy(&stored, to, sizeof(Block), cudaMemcpyDeviceToHost) != cudaSuccess) return 1;
  int misplaced = 0;
  for (int t = 0; t < kNum; ++t) {
    const int i = t;
    const uint32_t p0 = word(t, 0), p1 = word(t, 1), p2 = word(t, 2), p3 = word(t, 3);
    const uint64_t low = (uint64_t)p1 << 32 | p0, high = (uint64_t)p3 << 32 | p2;
    int slot = 0;
    WANT("ld.ca", p0);
    WANT("ld.cg", p1);
    WANT("ld.cs", p2);
    WANT("ld.cv", p3);
    WANT("ld.nc.v4", p0 ^ p1 * 3 ^ p2 * 5 ^ p3 * 7);
    WANT("ld.volatile.v2.u64", low ^ high * 3);
    WANT("ld.relaxed.v4", p0 ^ p1 * 3 ^ p2 * 5 ^ p3 * 7);
    WANT("ld.acquire.b64", low);
    WANT("ld.relaxed.f32", p0);
    WANT("ld.u8", p0 >> 8 & 255);
    WANT("ld.s8", (uint32_t)(int8_t)(p0 >> 8 & 255));
    WANT("ld.s16", (uint32_t)(int16_t)(p0 >> 16));
    WANT("ld.volatile.u16", p0 >> 16);
    WANT("a cache hint", p0);
    WANT("a guarded load", t % 2 == 1 ? p0 : 77);
    WANT("ld.shared.v2", word(t ^ 1, 1) ^ word(t ^ 1, 0) * 3);
    WANT("ld.shared.f32", p3);
    WANT("dynamic shared memory", t * 3);
    WANT("ld.shared.u64", (uint64_t)p2 << 32 | p3);
    WANT("cvta.shared", t * 3);
    misplaced += stored.words[t][0] != p0 || stored.words[t][1] != p1 || stored.words[t][2] != p2 ||
                 stored.words[t][3] != (p3 & 0xffff00ffu);
  }
  wrong |= checker.report();
  std::printf("%d misplaced\n", misplaced);
  return wrong | misplaced;
}
