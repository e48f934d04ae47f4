// SPDX-License-Identifier: Apache-2.0
// Dropout with a counter-based generator written out, so that forward and backward agree.
#include <cstdint>
#include <cstdio>
#include <vector>

__device__ __forceinline__ uint4 philox_round(uint4 c, uint2 key) {
  const uint32_t hi0 = __umulhi(0xD2511F53u, c.x), lo0 = 0xD2511F53u * c.x;
  const uint32_t hi1 = __umulhi(0xCD9E8D57u, c.z), lo1 = 0xCD9E8D57u * c.z;
  return make_uint4(hi1 ^ c.y ^ key.x, lo1, hi0 ^ c.w ^ key.y, lo0);
}

__device__ uint4 philox(uint64_t seed, uint64_t counter) {
  uint2 key = make_uint2((uint32_t)seed, (uint32_t)(seed >> 32));
  uint4 c = make_uint4((uint32_t)counter, (uint32_t)(counter >> 32), 0, 0);
  for (int i = 0; i < 10; ++i) {
    c = philox_round(c, key);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return c;
}

__global__ void dropout(const float4* in, float4* out, int n4, float keep, uint64_t seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n4) return;
  const uint4 r = philox(seed, i);
  const uint32_t limit = (uint32_t)(keep * 4294967295.0f);
  const float scale = 1.0f / keep;
  float4 v = in[i];
  v.x = r.x < limit ? v.x * scale : 0.0f;
  v.y = r.y < limit ? v.y * scale : 0.0f;
  v.z = r.z < limit ? v.z * scale : 0.0f;
  v.w = r.w < limit ? v.w * scale : 0.0f;
  out[i] = v;
}

int main() {
  const int n = 8192;
  std::vector<float> ones(n, 1.0f), first(n), second(n);
  float4 *d_in, *d_out;
  cudaMalloc(&d_in, n * sizeof(float));
  cudaMalloc(&d_out, n * sizeof(float));
  cudaMemcpy(d_in, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  dropout<<<(n / 4 + 127) / 128, 128>>>(d_in, d_out, n / 4, 0.75f, 42);
  cudaMemcpy(first.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  dropout<<<(n / 4 + 255) / 256, 256>>>(d_in, d_out, n / 4, 0.75f, 42);
  cudaMemcpy(second.data(), d_out, n * sizeof(float), cudaMemcpyDeviceToHost);
  int kept = 0;
  for (float v : first) kept += v != 0.0f;
  const bool right = first == second && kept > 0.72 * n && kept < 0.78 * n;
  std::printf("dropout kept %d of %d: %s\n", kept, n, right ? "right" : "WRONG");
  return !right;
}
