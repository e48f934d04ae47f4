// SPDX-License-Identifier: Apache-2.0
// cuRAND's generators: the known answers of Random123's authors for Philox, what an H200 gave for
// curand_init(1234, 5, 7), and that skipping is stepping.
#include <curand_kernel.h>

#include "check.h"

__global__ void draw(unsigned* out) {
  curandState x;
  curandStatePhilox4_32_10_t p;
  curand_init(1234, 5, 7, &x);
  curand_init(1234, 5, 7, &p);
  for (int i = 0; i < 5; ++i) out[i] = curand(&x);
  for (int i = 0; i < 6; ++i) out[5 + i] = curand(&p);
  out[11] = __float_as_uint(curand_uniform(&x));
  out[12] = __float_as_uint(curand_uniform(&p));
  const uint4 zeros = curand_Philox4x32_10(make_uint4(0, 0, 0, 0), make_uint2(0, 0));
  const uint4 ones = curand_Philox4x32_10(make_uint4(~0u, ~0u, ~0u, ~0u), make_uint2(~0u, ~0u));
  const uint4 pi =
      curand_Philox4x32_10(make_uint4(0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u),
                           make_uint2(0xa4093822u, 0x299f31d0u));
  const uint4 all[3] = {zeros, ones, pi};
  for (int i = 0; i < 3; ++i) {
    out[13 + 4 * i] = all[i].x;
    out[14 + 4 * i] = all[i].y;
    out[15 + 4 * i] = all[i].z;
    out[16 + 4 * i] = all[i].w;
  }
}

template <class State>
__device__ void skip_and_step(unsigned* out) {
  State skipped, stepped;
  curand_init(99, 3, 1000, &skipped);
  curand_init(99, 3, 0, &stepped);
  for (int i = 0; i < 1000; ++i) curand(&stepped);
  for (int i = 0; i < 9; ++i) {
    out[2 * i] = curand(&skipped);
    out[2 * i + 1] = curand(&stepped);
  }
}
__global__ void skip(unsigned* out) {
  skip_and_step<curandState>(out);
  skip_and_step<curandStatePhilox4_32_10_t>(out + 18);
}

__global__ void normals(float* out, int num) {
  curandStatePhilox4_32_10_t state;
  curand_init(7, threadIdx.x, 0, &state);
  for (int i = 0; i < num; ++i) out[threadIdx.x * num + i] = curand_normal(&state);
}

int main() {
  const unsigned expected[25] = {0xc7c04273, 0xd8577152, 0x18c2f892, 0x45ebfbe1, 0x291c2b37,
                                 0x72c26332, 0x26a9bd1b, 0xd88ecb0d, 0x088f2111, 0xd1e85602,
                                 0xc19c9fa2, 0x3f04bfaa, 0x3e60bf99, 0x6627e8d5, 0xe169c58d,
                                 0xbc57ac4c, 0x9b00dbd8, 0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                 0x6d5451fd, 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1};
  Array<unsigned> out(25);
  draw<<<1, 1>>>(out.device);
  const std::vector<unsigned> got = out.values();
  for (int i = 0; i < 25; ++i) CHECK_EQUAL("a number", i, got[i], expected[i]);

  Array<unsigned> pairs(36);
  skip<<<1, 1>>>(pairs.device);
  const std::vector<unsigned> both = pairs.values();
  for (int i = 0; i < 36; i += 2) CHECK_EQUAL("a skip", i, both[i], both[i + 1]);

  // 16,000 normal numbers: mean 0 and variance 1, within five standard errors.
  Array<float> samples(64 * 250);
  normals<<<1, 64>>>(samples.device, 250);
  double sum = 0.0, squares = 0.0;
  for (float x : samples.values()) {
    sum += x;
    squares += double(x) * x;
  }
  check(sum * sum < 25.0 * 16000, "the mean", (long long)sum);
  check(squares > 16000 * 0.944 && squares < 16000 * 1.056, "the variance", (long long)squares);
  return finish();
}
