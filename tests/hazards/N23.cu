// SPDX-License-Identifier: Apache-2.0
// N23: Sizes, alignment and kernel arguments.
#include <cuda_runtime.h>

struct Header {
  long count;  // expect: N23 S3
  char sign;
};

struct Tables {
  float values[2048];
};

__global__ void with_header(Header header, float* x) { x[0] = header.count; }

__global__ void with_long(long n, float* x) { x[0] = n; }  // expect: N23 S3

template <typename T>
__global__ void templated(T* x, unsigned long stride) {  // expect: N23 S3
  x[stride] = 0;
}

__global__ void by_value(Tables tables, float* x) {  // expect: N23 S2
  x[0] = tables.values[threadIdx.x];
}

struct __align__(64) Aligned {  // expect: N23 S3
  float values[4];
};

#define WORDS(bytes) ((bytes) / sizeof(unsigned long))  // expect: N23 S3

#ifdef NEVER
__global__ void inactive(const long* p) {}  // expect: N23 S3
#endif

// Not these.
__global__ void fine(long long n, unsigned long long m, double* x) { x[0] = double(n + m); }
