// SPDX-License-Identifier: Apache-2.0
// Sums and products of 128 bits by the carry of PTX, on vectors of four words loaded and stored by
// PTX, beside the compiler's.
#include <cstdint>
#include <cstdio>
#include <vector>

__device__ uint4 load(const uint4* p) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(p));
  return v;
}

__device__ void store(uint4* p, uint4 v) {
  asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};"
               :
               : "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
}

__device__ uint4 add(uint4 a, uint4 b) {
  uint4 r;
  asm("add.cc.u32 %0, %4, %8;\n\t"
      "addc.cc.u32 %1, %5, %9;\n\t"
      "addc.cc.u32 %2, %6, %10;\n\t"
      "addc.u32 %3, %7, %11;"
      : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
  return r;
}

__device__ uint4 subtract(uint4 a, uint4 b) {
  uint4 r;
  asm("sub.cc.u32 %0, %4, %8;\n\t"
      "subc.cc.u32 %1, %5, %9;\n\t"
      "subc.cc.u32 %2, %6, %10;\n\t"
      "subc.u32 %3, %7, %11;"
      : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
      : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
  return r;
}

// The upper and lower word of a * b + c.
__device__ unsigned long long multiply_add(unsigned a, unsigned b, unsigned long long c) {
  unsigned low, high;
  asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\t"
      "madc.hi.u32 %1, %2, %3, %5;"
      : "=r"(low), "=r"(high)
      : "r"(a), "r"(b), "r"(unsigned(c)), "r"(unsigned(c >> 32)));
  return (unsigned long long)high << 32 | low;
}

__global__ void sums(const uint4* a, const uint4* b, uint4* sum, uint4* difference,
                     unsigned long long* product, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint4 x = load(a + i), y = load(b + i);
  store(sum + i, add(x, y));
  store(difference + i, subtract(x, y));
  product[i] = multiply_add(x.x, y.x, (unsigned long long)x.y << 32 | y.y);
}

using Wide = unsigned __int128;
static Wide wide_of(uint4 v) {
  return (Wide)((uint64_t)v.w << 32 | v.z) << 64 | ((uint64_t)v.y << 32 | v.x);
}

int main() {
  const int n = 700;
  std::vector<uint4> a(n), b(n), sum(n), difference(n);
  std::vector<unsigned long long> product(n);
  unsigned state = 1;
  const auto next = [&] {
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % 5 == 0 ? 0xffffffffu : state;  // carries that run far
  };
  for (int i = 0; i < n; ++i) {
    a[i] = make_uint4(next(), next(), next(), next());
    b[i] = make_uint4(next(), next(), next(), next());
  }
  uint4 *da, *db, *dsum, *ddifference;
  unsigned long long* dproduct;
  cudaMalloc(&da, n * sizeof(uint4));
  cudaMalloc(&db, n * sizeof(uint4));
  cudaMalloc(&dsum, n * sizeof(uint4));
  cudaMalloc(&ddifference, n * sizeof(uint4));
  cudaMalloc(&dproduct, n * sizeof(unsigned long long));
  cudaMemcpy(da, a.data(), n * sizeof(uint4), cudaMemcpyHostToDevice);
  cudaMemcpy(db, b.data(), n * sizeof(uint4), cudaMemcpyHostToDevice);
  sums<<<(n + 127) / 128, 128>>>(da, db, dsum, ddifference, dproduct, n);
  cudaMemcpy(sum.data(), dsum, n * sizeof(uint4), cudaMemcpyDeviceToHost);
  cudaMemcpy(difference.data(), ddifference, n * sizeof(uint4), cudaMemcpyDeviceToHost);
  cudaMemcpy(product.data(), dproduct, n * sizeof(unsigned long long), cudaMemcpyDeviceToHost);
  int num_wrong = 0;
  for (int i = 0; i < n; ++i) {
    const uint64_t c = (uint64_t)a[i].y << 32 | b[i].y;
    num_wrong += wide_of(sum[i]) != wide_of(a[i]) + wide_of(b[i]);
    num_wrong += wide_of(difference[i]) != wide_of(a[i]) - wide_of(b[i]);
    num_wrong += product[i] != (uint64_t)a[i].x * b[i].x + c;
  }
  printf("%d wrong\n", num_wrong);
  return num_wrong != 0;
}
