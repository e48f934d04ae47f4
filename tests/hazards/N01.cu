// SPDX-License-Identifier: Apache-2.0
// N01: Inline PTX of all sorts.
#include <cuda_runtime.h>

__device__ unsigned xor3(unsigned a, unsigned b, unsigned c) {
  unsigned r;
  asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(b), "r"(c));  // expect: N01 S2
  return r;
}

__device__ __forceinline__ float exp2_fast(float x) {
  float y;
  asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));  // expect: N01 S2, N13 S2
  return y;
}

template <int kBits>
__device__ unsigned extract(unsigned x, unsigned at) {
  unsigned r;
  asm volatile(  // expect: N01 S2
      "{\n\t"
      ".reg .u32 t;\n\t"
      "bfe.u32 t, %1, %2, %3;\n\t"
      "mov.u32 %0, t;\n\t"
      "}"
      : "=r"(r)
      : "r"(x), "r"(at), "n"(kBits));
  return r;
}

#define LOAD(OP, x, p) asm("ld.global." OP ".f32 %0, [%1];" : "=f"(x) : "l"(p))  // expect: N01 S2, N17 S2

#define ANY(...) asm volatile(__VA_ARGS__)  // expect: N01 S2

#ifdef NEVER
__device__ unsigned smid() {
  unsigned r;
  __asm__ __volatile__("mov.u32 %0, %%smid;" : "=r"(r));  // expect: N01 S2
  return r;
}
#endif

__device__ void barriers() {
  asm volatile("bar.sync 0;");           // expect: N01 S2
  asm volatile("bar.sync 1, 64;");       // expect: N01 S2, S02 S0
  asm volatile("membar.gl;" ::: "memory");  // expect: N01 S2
  asm volatile("red.global.add.f32 [%0], %1;" ::"l"(nullptr), "f"(1.f));  // expect: N01 S2, N10 S2
}

// Not these: a barrier for the compiler, assembly of the host.
__device__ void compiler_barrier() { asm volatile("" ::: "memory"); }
inline void host_pause() { asm volatile("pause"); }
