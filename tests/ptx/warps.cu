// SPDX-License-Identifier: Apache-2.0
// Warps and barriers of PTX against plain C++, on two warps.
#include "check.h"

constexpr int kNum = 64, kSlots = 80;

__host__ __device__ uint32_t noise(uint32_t x) {
  x = (x + 11) * 2654435761u;
  return x ^ x >> 15;
}

__global__ void warps(uint64_t* out, int n, unsigned by, unsigned clamp) {
  const unsigned i = threadIdx.x;
  const unsigned lane = i % 32, value = noise(i);
  unsigned d, e;
  int slot = 0;
  asm volatile("{ .reg .pred q; shfl.sync.down.b32 %0|q, %2, 3, 0x1f, 0xffffffff; selp.u32 %1, 1, 0, q; }" : "=r"(d), "=r"(e) : "r"(value)); PUT((uint64_t)e << 32 | d);
  asm volatile("{ .reg .pred q; shfl.sync.up.b32 %0|q, %2, 2, 0x1800, 0xffffffff; selp.u32 %1, 1, 0, q; }" : "=r"(d), "=r"(e) : "r"(value)); PUT((uint64_t)e << 32 | d);
  asm volatile("{ .reg .b32 value; .reg .pred inside; mov.b32 value, %1; shfl.sync.up.b32 value|inside, value, 1, 0, 0xffffffff; mov.b32 %0, value; }" : "=r"(d) : "r"(value)); PUT(d);
  asm volatile("shfl.sync.bfly.b32 %0, %1, %2, %3, 0xffffffff;" : "=r"(d) : "r"(value), "r"(by), "r"(clamp)); PUT(d);
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1c1f, 0xffffffff;" : "=r"(d) : "r"(value), "r"(lane * 7)); PUT(d);
  asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=r"(d) : "r"(value), "r"(by + 32)); PUT(d);
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(lane % 3)); PUT(d);
  asm volatile("match.any.sync.b64 %0, %1, 0xffffffff;" : "=r"(d) : "l"((unsigned long long)(lane % 5) << 33)); PUT(d);
  asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(d), "=r"(e) : "r"(i / 32)); PUT((uint64_t)e << 32 | d);
  asm volatile("{ .reg .pred p; match.all.sync.b32 %0|p, %2, 0xffffffff; selp.u32 %1, 1, 0, p; }" : "=r"(d), "=r"(e) : "r"(lane / 31)); PUT((uint64_t)e << 32 | d);
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 0x80000000; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(d) : "r"(value)); PUT(d);
  asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 32; vote.sync.all.pred q, p, 0xffffffff; selp.u32 %0, 1, 0, q;\n"
               "vote.sync.any.pred q, !p, 0xffffffff; @q add.u32 %0, %0, 2; vote.sync.uni.pred q, p, 0xffffffff; @q add.u32 %0, %0, 4; }" : "=r"(d) : "r"(i)); PUT(d);
  asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(value)); PUT(d);
  asm volatile("redux.sync.min.s32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(value)); PUT(d);
  asm volatile("redux.sync.max.u32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(value)); PUT(d);
  asm volatile("redux.sync.xor.b32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(value)); PUT(d);
  asm volatile("{ .reg .pred P; elect.sync %0|P, 0xffffffff; selp.u32 %1, 1, 0, P; }" : "=r"(d), "=r"(e)); PUT((uint64_t)e << 32 | d);
  asm volatile("{ .reg .pred P; elect.sync _|P, 0xffffffff; selp.u32 %0, 1, 0, P; }" : "=r"(d)); PUT(d);
  asm volatile("activemask.b32 %0;" : "=r"(d)); PUT(d);
  asm volatile("{ .reg .pred p; setp.ge.u32 p, %1, 10; bar.red.popc.u32 %0, 0, p; }" : "=r"(d) : "r"(i)); PUT(d);
  asm volatile("{ .reg .pred p, q; setp.ge.u32 p, %1, 10; barrier.red.or.pred q, 0, p; selp.u32 %0, 1, 0, q;\n"
               "bar.red.and.pred q, 0, p; @q add.u32 %0, %0, 2; }" : "=r"(d) : "r"(i)); PUT(d);
  asm volatile("bar.warp.sync 0xffffffff; nanosleep.u32 20;" ::: "memory");
  asm("mov.u32 %0, %%lanemask_gt;" : "=r"(d)); PUT(d);
  asm("mov.u32 %0, %%lanemask_le;" : "=r"(d)); PUT(d);
  asm("{ .reg .u32 t; mov.u32 t, %%ntid.x; mad.lo.u32 %0, %%ctaid.x, t, %%tid.x; }" : "=r"(d)); PUT(d);
  unsigned long long start, stop;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(stop)); PUT(stop >= start);
  asm volatile("mov.u32 %0, %%smid;" : "=r"(d));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(e)); PUT(d < e);
}

int main() {
  Checker checker(kNum, kSlots);
  warps<<<1, kNum>>>(checker.out, kNum, 6, 0x1f);
  if (!checker.fetch()) return 1;
  for (int i = 0; i < kNum; ++i) {
    const int lane = i % 32, warp = i / 32 * 32;
    uint32_t sum = 0, most = 0, folded = 0, same3 = 0, same5 = 0, above = 0;
    int32_t least = INT32_MAX;
    for (int k = 0; k < 32; ++k) {
      const uint32_t value = noise(warp + k);
      sum += value;
      folded ^= value;
      most = value > most ? value : most;
      least = (int32_t)value < least ? (int32_t)value : least;
      same3 |= (uint32_t)(k % 3 == lane % 3) << k;
      same5 |= (uint32_t)(k % 5 == lane % 5) << k;
      above |= (uint32_t)(value > 0x80000000u) << k;
    }
    int slot = 0;
    WANT("shfl.down|p", lane + 3 < 32 ? 1ull << 32 | noise(i + 3) : noise(i));
    WANT("shfl.up|p of 8", lane % 8 >= 2 ? 1ull << 32 | noise(i - 2) : noise(i));
    WANT("shfl.up of names", lane >= 1 ? noise(i - 1) : noise(i));
    WANT("shfl.bfly", noise(i ^ 6));
    WANT("shfl.idx of 4", noise(warp + lane / 4 * 4 + lane * 7 % 4));
    WANT("shfl.down by 38", lane + 6 < 32 ? noise(i + 6) : noise(i));
    WANT("match.any", same3);
    WANT("match.any.b64", same5);
    WANT("match.all", 1ull << 32 | 0xffffffff);
    WANT("match.all of two", 0);
    WANT("vote.ballot", above);
    WANT("votes", warp == 0 ? 1 + 4 : 2 + 4);
    WANT("redux.add", sum);
    WANT("redux.min", (uint32_t)least);
    WANT("redux.max", most);
    WANT("redux.xor", folded);
    WANT("elect", (uint64_t)(lane == 0) << 32);
    WANT("elect _", lane == 0);
    WANT("activemask", 0xffffffff);
    WANT("bar.red.popc", 54);
    WANT("bar.red.or and", 1);
    WANT("lanemask_gt", lane == 31 ? 0 : 0xffffffffu << (lane + 1));
    WANT("lanemask_le", 0xffffffffu >> (31 - lane));
    WANT("special registers in sums", i);
    WANT("globaltimer", 1);
    WANT("smid", 1);
  }
  return checker.report();
}
