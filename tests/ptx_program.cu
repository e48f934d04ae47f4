// SPDX-License-Identifier: Apache-2.0
// A CUDA program that checks PTX against plain C++, statement by statement, on a device or in the
// executor: it is its own oracle, and prints what differs and how many of its checks do.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

constexpr int kThreads = 64;
constexpr int kSlots = 64;

struct Result {
  uint64_t got[kSlots][kThreads];
  uint64_t want[kSlots][kThreads];
};

__device__ uint32_t noise(uint32_t x) {
  x ^= x << 13;
  x ^= x >> 17;
  return x ^ x << 5;
}

// `name` is for the reader.
#define CHECK(slot, name, value, expected)             \
  do {                                                 \
    r->got[slot][threadIdx.x] = (uint64_t)(value);     \
    r->want[slot][threadIdx.x] = (uint64_t)(expected); \
  } while (0)

__device__ uint32_t bfe_plain(uint32_t a, uint32_t at, uint32_t length) {
  const uint64_t wide = at > 31 ? 0 : a >> at;
  return length == 0 ? 0 : (uint32_t)(length > 31 ? wide : wide & ((1ull << length) - 1));
}

__global__ void integers(Result* r) {
  const uint32_t a = noise(threadIdx.x * 2654435761u + 1), b = noise(a + 7), c = noise(b + 3);
  const uint32_t at = threadIdx.x % 32, length = threadIdx.x / 2;
  uint32_t d;
  asm("lop3.b32 %0, %1, %2, %3, 0xCA;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  CHECK(0, "lop3", d, (a & b) | (~a & c));
  asm("prmt.b32 %0, %1, %2, 0x3175;" : "=r"(d) : "r"(a), "r"(b));
  CHECK(1, "prmt", d, (b >> 8 & 0xff) | (b >> 24) << 8 | (a >> 8 & 0xff) << 16 | (a >> 24) << 24);
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(at), "r"(length));
  CHECK(2, "bfe.u32", d, bfe_plain(a, at, length));
  asm("bfi.b32 %0, %1, %2, %3, 5;" : "=r"(d) : "r"(a), "r"(b), "r"(at));
  CHECK(3, "bfi", d, (b & ~(31u << at)) | (a << at & 31u << at));
  asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(at));
  CHECK(4, "shf.l", d, at == 0 ? b : b << at | a >> (32 - at));
  asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(threadIdx.x));
  CHECK(5, "shf.r", d, threadIdx.x >= 32 ? b : (uint32_t)(((uint64_t)b << 32 | a) >> threadIdx.x));
  asm("mad.hi.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  CHECK(6, "mad.hi", d, (uint32_t)((uint64_t)a * b >> 32) + c);
  uint64_t wide;
  asm("mul.wide.s32 %0, %1, %2;" : "=l"(wide) : "r"(a), "r"(b));
  CHECK(7, "mul.wide", wide, (int64_t)(int)a * (int)b);
  asm("shl.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(threadIdx.x));
  CHECK(8, "shl", d, threadIdx.x > 31 ? 0 : a << threadIdx.x);
  uint32_t low, high;
  asm("{ add.cc.u32 %0, %2, %4;\n addc.u32 %1, %3, %5; }"
      : "=r"(low), "=r"(high)
      : "r"(a), "r"(b), "r"(c), "r"(a));
  const uint64_t sum = ((uint64_t)b << 32 | a) + ((uint64_t)a << 32 | c);
  CHECK(9, "add.cc", (uint64_t)high << 32 | low, sum);
  asm("{ .reg .pred p, q; setp.lt.s32 p|q, %1, %2; selp.b32 %0, %1, %2, p; @q add.u32 %0, %0, 1; }"
      : "=r"(d)
      : "r"(a), "r"(b));
  CHECK(10, "setp selp guard", d, (int)a < (int)b ? a : b + 1);
  asm("bfind.u32 %0, %1;" : "=r"(d) : "r"(a >> at));
  CHECK(11, "bfind", d, (a >> at) == 0 ? 0xffffffffu : 31 - __clz(a >> at));
  asm("{ .reg .u32 i; mov.u32 i, 0; mov.u32 %0, 0; again: add.u32 %0, %0, %1; add.u32 i, i, 1;\n"
      ".reg .pred p; setp.lt.u32 p, i, 5; @p bra again; }"
      : "=r"(d)
      : "r"(a));
  CHECK(12, "loop", d, a * 5);
  uint32_t x = a, y = b;
  asm("mov.b64 %0, {%1, %2};" : "=l"(wide) : "r"(x), "r"(y));
  CHECK(13, "mov.b64", wide, (uint64_t)b << 32 | a);
  asm("dp4a.s32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  int dot = (int)c;
  for (int i = 0; i < 4; ++i) dot += (int)(int8_t)(a >> (8 * i)) * (int)(uint8_t)(b >> (8 * i));
  CHECK(14, "dp4a", d, (uint32_t)dot);
  int s;
  asm("bfe.s32 %0, %1, %2, 7;" : "=r"(s) : "r"(a), "r"(at));
  int field = (int)(((int64_t)(int)a >> at) << 57 >> 57);
  if (at > 25) field = (int)a >> at;
  CHECK(15, "bfe.s32", (uint32_t)s, (uint32_t)field);
}

__global__ void floats(Result* r) {
  const float x = (float)threadIdx.x * 0.37f - 9.f, y = 1.5f + threadIdx.x;
  float d;
  asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(d) : "f"(x), "f"(y), "f"(2.f));
  CHECK(16, "fma", __float_as_uint(d), __float_as_uint(fmaf(x, y, 2.f)));
  asm("ex2.approx.f32 %0, %1;" : "=f"(d) : "f"(x));
  CHECK(17, "ex2", fabsf(d - exp2f(x)) <= 2e-6f * exp2f(x), 1);
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(d) : "f"(y));
  CHECK(18, "rcp", fabsf(d - 1 / y) <= 2e-7f / y, 1);
  int i;
  asm("cvt.rni.s32.f32 %0, %1;" : "=r"(i) : "f"(x));
  CHECK(19, "cvt.rni", (uint32_t)i, (uint32_t)(int)rintf(x));
  unsigned p;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(p) : "f"(x), "f"(y));
  const __half2 packed = __floats2half2_rn(y, x);
  unsigned bits;
  memcpy(&bits, &packed, 4);
  CHECK(20, "cvt.f16x2", p, bits);
  asm("{ .reg .b32 t; mul.rn.f16x2 t, %1, %2; add.rn.f16x2 %0, t, %2; }" : "=r"(p) : "r"(bits), "r"(bits));
  const auto square_plus = [](__half h) {  // each step rounded; __hadd2(__hmul2()) may be fused
    const float f = __half2float(h);
    return __float2half_rn(__half2float(__float2half_rn(f * f)) + f);
  };
  const __half2 product =
      __halves2half2(square_plus(__low2half(packed)), square_plus(__high2half(packed)));
  memcpy(&bits, &product, 4);
  CHECK(21, "mul.f16x2", p, bits);
  asm("max.f32 %0, %1, %2;" : "=f"(d) : "f"(x), "f"(threadIdx.x == 3 ? nanf("") : 0.f));
  CHECK(22, "max", __float_as_uint(d), __float_as_uint(threadIdx.x == 3 ? x : fmaxf(x, 0.f)));
  asm("cvt.rzi.u32.f32 %0, %1;" : "=r"(p) : "f"(x));
  CHECK(23, "cvt.rzi.u32", p, x <= 0 ? 0 : (unsigned)x);
  asm("mov.f32 %0, 0f40490FDB;" : "=f"(d));
  CHECK(24, "mov.f32", __float_as_uint(d), 0x40490fdb);
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(p) : "f"(x));
  CHECK(25, "cvt.tf32", p, (__float_as_uint(x) + 0x1000) & ~0x1fffu);
}

__global__ void memory(Result* r, float4* from, unsigned* counter) {
  __shared__ float4 tile[kThreads];
  __shared__ uint32_t words[kThreads];
  const unsigned address = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from + threadIdx.x));
  asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  CHECK(26, "cp.async", (int)tile[63 - threadIdx.x].y, (int)(63 - threadIdx.x) + 1000);
  __syncthreads();
  const int bytes = threadIdx.x % 2 == 0 ? 4 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;\ncp.async.wait_all;" ::"r"(address),
               "l"(from + threadIdx.x), "r"(bytes));
  __syncthreads();
  CHECK(27, "cp.async zfill", (int)(tile[threadIdx.x].x * 2 + tile[threadIdx.x].z),
        threadIdx.x % 2 == 0 ? threadIdx.x * 2 : 0);
  float a, b, c, d;
  asm volatile("ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
               : "l"(from + threadIdx.x));
  CHECK(28, "ld.v4", (int)(a + b + c + d), (int)(4 * threadIdx.x + 6000));
  const unsigned word = (unsigned)__cvta_generic_to_shared(words);
  asm volatile("st.shared.u32 [%0 + 4], %1;" ::"r"(word + 4 * (threadIdx.x ^ 1) - 4), "r"(threadIdx.x));
  asm volatile("barrier.sync 1, 64;" ::: "memory");
  unsigned v;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(word + 4 * threadIdx.x));
  CHECK(29, "st.shared", v, threadIdx.x ^ 1);
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(counter), "r"(3));
  asm volatile("red.global.max.u32 [%0], %1;" ::"l"(counter + 1), "r"(threadIdx.x * 5));
  asm volatile("atom.cas.b32 %0, [%1], 0, 7;" : "=r"(v) : "l"(counter + 2));
  asm volatile("membar.gl;" ::: "memory");
  __syncthreads();
  CHECK(30, "atom.add", old % 3 == 0 && counter[0] == 3 * kThreads, 1);
  CHECK(31, "red.max", counter[1], 63 * 5);
  CHECK(32, "atom.cas", counter[2], 7);
}

__global__ void warps(Result* r) {
  const unsigned lane = threadIdx.x % 32, value = noise(threadIdx.x + 11);
  unsigned d;
  asm("mov.u32 %0, %%laneid;" : "=r"(d));
  CHECK(33, "laneid", d, lane);
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(d));
  CHECK(34, "lanemask_lt", d, (1u << lane) - 1);
  asm volatile("shfl.sync.down.b32 %0, %1, 4, 0x1f, 0xffffffff;" : "=r"(d) : "r"(value));
  CHECK(35, "shfl.down", d, noise((lane + 4 < 32 ? threadIdx.x + 4 : threadIdx.x) + 11));
  unsigned inside;
  asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %2, 2, 0x1800, 0xffffffff; selp.u32 %1, 1, 0, p; }"
               : "=r"(d), "=r"(inside)
               : "r"(value));
  CHECK(36, "shfl.up of 8", (uint64_t)inside << 32 | d,
        lane % 8 >= 2 ? 1ull << 32 | noise(threadIdx.x - 2 + 11) : (uint64_t)value);
  asm volatile("shfl.sync.idx.b32 %0, %1, 3, 0x101f, 0xffffffff;" : "=r"(d) : "r"(value));
  CHECK(37, "shfl.idx of 16", d, noise(threadIdx.x / 16 * 16 + 3 + 11));
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 5; vote.sync.ballot.b32 %0, p, 0xffffffff; }"
               : "=r"(d)
               : "r"(lane));
  CHECK(38, "vote", d, 31);
  asm volatile("redux.sync.max.s32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(value));
  int most = INT32_MIN;
  for (unsigned i = 0; i < 32; ++i) {
    const int other = (int)noise(threadIdx.x / 32 * 32 + i + 11);
    most = other > most ? other : most;
  }
  CHECK(39, "redux", d, (unsigned)most);
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(d) : "r"(lane % 3));
  unsigned same = 0;
  for (unsigned i = 0; i < 32; ++i) same |= (i % 3 == lane % 3) << i;
  CHECK(40, "match", d, same);
  asm volatile("bar.warp.sync 0xffffffff;");
  asm("mov.u32 %0, %%ntid.x;" : "=r"(d));
  CHECK(41, "ntid", d, kThreads);
}

// Fragments by PTX's tables: row and column of element i of a lane.
__device__ int row_of(int lane, int i) { return lane / 4 + 8 * (i / 2 % 2); }

__global__ void products(Result* r) {
  __shared__ float a[16][16], b[16][8];
  __shared__ __half rows[16][16];
  const int lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 256; i += kThreads) {
    a[i / 16][i % 16] = (float)((int)(noise(i + 1) % 17) - 8);
    rows[i / 16][i % 16] = __float2half(a[i / 16][i % 16]);
    if (i < 128) b[i / 8][i % 8] = (float)((int)(noise(i + 900) % 9) - 4);
  }
  __syncthreads();
  unsigned fa[4], fb[2];
  for (int w = 0; w < 4; ++w) {
    const int row = lane / 4 + (w % 2) * 8, column = lane % 4 * 2 + w / 2 * 8;
    const __half2 two = __floats2half2_rn(a[row][column], a[row][column + 1]);
    memcpy(&fa[w], &two, 4);
  }
  for (int w = 0; w < 2; ++w) {
    const int row = lane % 4 * 2 + w * 8;
    const __half2 two = __floats2half2_rn(b[row][lane / 4], b[row + 1][lane / 4]);
    memcpy(&fb[w], &two, 4);
  }
  unsigned loaded[4];
  const unsigned at = (unsigned)__cvta_generic_to_shared(&rows[lane % 16][lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(loaded[0]), "=r"(loaded[1]), "=r"(loaded[2]), "=r"(loaded[3])
               : "r"(at));
  CHECK(42, "ldmatrix", (uint64_t)loaded[1] << 32 | loaded[0], (uint64_t)fa[1] << 32 | fa[0]);
  CHECK(43, "ldmatrix", (uint64_t)loaded[3] << 32 | loaded[2], (uint64_t)fa[3] << 32 | fa[2]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(loaded[0])
               : "r"((unsigned)__cvta_generic_to_shared(&rows[lane % 8][0])));
  const __half2 turned = __halves2half2(rows[lane % 4 * 2][lane / 4], rows[lane % 4 * 2 + 1][lane / 4]);
  unsigned want;
  memcpy(&want, &turned, 4);
  CHECK(44, "ldmatrix.trans", loaded[0], want);
  float c[4] = {1, 2, 3, 4}, d[4];
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%10,%11,%12,%13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]), "f"(c[0]),
                 "f"(c[1]), "f"(c[2]), "f"(c[3]));
  for (int i = 0; i < 4; ++i) {
    float sum = c[i];
    for (int k = 0; k < 16; ++k) sum += a[row_of(lane, i)][k] * b[k][lane % 4 * 2 + i % 2];
    CHECK(45 + i, "mma.f16", __float_as_uint(d[i]), __float_as_uint(sum));
  }
  unsigned ta[4], tb[2];
  for (int w = 0; w < 4; ++w) ta[w] = __float_as_uint(a[lane / 4 + w % 2 * 8][lane % 4 + w / 2 * 4]);
  for (int w = 0; w < 2; ++w) tb[w] = __float_as_uint(b[lane % 4 + w * 4][lane / 4]);
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(ta[0]), "r"(ta[1]), "r"(ta[2]), "r"(ta[3]), "r"(tb[0]), "r"(tb[1]));
  for (int i = 0; i < 4; ++i) {
    float sum = (float)(i + 1);
    for (int k = 0; k < 8; ++k) sum += a[row_of(lane, i)][k] * b[k][lane % 4 * 2 + i % 2];
    CHECK(49 + i, "mma.tf32", __float_as_uint(c[i]), __float_as_uint(sum));
  }
  unsigned ia[2], ib;
  for (int w = 0; w < 2; ++w) {
    ia[w] = 0;
    for (int i = 0; i < 4; ++i) {
      ia[w] |= (unsigned)(uint8_t)(int8_t)a[lane / 4 + 8 * w][lane % 4 * 4 + i] << (8 * i);
    }
  }
  ib = 0;
  for (int i = 0; i < 4; ++i) {
    ib |= (unsigned)(uint8_t)(int8_t)b[lane % 4 * 4 + i][lane / 4] << (8 * i);
  }
  int e[4] = {5, 6, 7, 8};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
               "{%0,%1,%2,%3};"
               : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3])
               : "r"(ia[0]), "r"(ia[1]), "r"(ib));
  for (int i = 0; i < 4; ++i) {
    int sum = i + 5;
    for (int k = 0; k < 16; ++k) {
      sum += (int)a[row_of(lane, i)][k] * (int)b[k][lane % 4 * 2 + i % 2];
    }
    CHECK(53 + i, "mma.s8", (uint32_t)e[i], (uint32_t)sum);
  }
}

int main() {
  Result* r = nullptr;
  float4* from = nullptr;
  unsigned* counter = nullptr;
  cudaMalloc(&r, sizeof(Result));
  cudaMemset(r, 0, sizeof(Result));
  cudaMalloc(&from, kThreads * sizeof(float4));
  cudaMalloc(&counter, 3 * sizeof(unsigned));
  cudaMemset(counter, 0, 3 * sizeof(unsigned));
  float4 source[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    source[i] = make_float4((float)i, i + 1000.f, i + 2000.f, i + 3000.f);
  }
  cudaMemcpy(from, source, sizeof(source), cudaMemcpyHostToDevice);
  integers<<<1, kThreads>>>(r);
  floats<<<1, kThreads>>>(r);
  memory<<<1, kThreads>>>(r, from, counter);
  warps<<<1, kThreads>>>(r);
  products<<<1, kThreads>>>(r);
  static Result host;
  if (cudaMemcpy(&host, r, sizeof(Result), cudaMemcpyDeviceToHost) != cudaSuccess) {
    std::printf("failed: %s\n", cudaGetErrorString(cudaGetLastError()));
    return 1;
  }
  int wrong = 0;
  for (int slot = 0; slot < 57; ++slot) {
    for (int thread = 0; thread < kThreads; ++thread) {
      if (host.got[slot][thread] == host.want[slot][thread]) continue;
      std::printf("slot %d thread %d: got %llx, want %llx\n", slot, thread,
                  (unsigned long long)host.got[slot][thread],
                  (unsigned long long)host.want[slot][thread]);
      ++wrong;
      break;
    }
  }
  std::printf("%d of 57 wrong\n", wrong);
  return wrong != 0;
}
