// SPDX-License-Identifier: Apache-2.0
// Idioms of 32 lanes, in blocks of two warps: what the port must keep on a wave of 64.
#include <cuda_runtime.h>

#include <cstdio>
#define FULL 0xffffffff
__device__ float tree(float v) {
  for (int o = warpSize / 2; o > 0; o >>= 1) v += __shfl_down_sync(FULL, v, o);
  return v;
}
__global__ void idioms(const float* in, float* out) {
  int t = threadIdx.x, lane = t & 31;
  float v = in[t];
  float b = v;
  for (int o = 16; o > 0; o >>= 1) b += __shfl_xor_sync(FULL, b, o);
  out[t] = b;
  float s = v;
  for (int d = 1; d < 32; d <<= 1) {
    float u = __shfl_up_sync(FULL, s, d);
    if (lane >= d) s += u;
  }
  out[64 + t] = s;
  out[128 + t] = tree(v);
  out[192 + t] = __shfl_down_sync(FULL, v, 1);
  out[256 + t] = __shfl_up_sync(FULL, v, 1);
  out[320 + t] = __shfl_sync(FULL, v, 0) + 3 * __shfl_sync(FULL, v, 31);
  out[384 + t] = __shfl_sync(FULL, tree(v), 0);
  out[448 + t] = __shfl_sync(FULL, v, (lane * 7 + 3) & 31);
  float h = v;
  for (int o = warpSize / 2; o > 0; o /= 2) h += __shfl_down_sync(FULL, h, o);
  out[512 + t] = (t % 32 == 0) ? h : -1;
  unsigned m = __ballot_sync(FULL, v > 0);
  out[576 + t] = __popc(m);
  out[640 + t] = __popc(m & ((1u << lane) - 1));
  out[704 + t] = __any_sync(FULL, v > 0.9f) + 2 * __all_sync(FULL, v > -0.9f);
  unsigned mm = __match_any_sync(FULL, (int)(v * 3));
  out[768 + t] = (float)(mm & 0xffff) + __ffs(mm);
  out[832 + t] = (float)__reduce_add_sync(FULL, t);
  unsigned l = lane;
  out[896 + t] = l;
  out[960 + t] = lane < 5 ? (float)__popc(__activemask()) : 0;
}
__global__ void early(const float* in, float* out, int n) {
  __shared__ float s[96];
  int i = threadIdx.x;
  if (i >= n) return;
  float v = in[i];
  s[i] = v;
  __syncthreads();
  for (int o = 32; o > 0; o >>= 1) {
    float u = (i < o && i + o < n) ? s[i + o] : 0.f;
    __syncthreads();
    if (i < o) s[i] += u;
    __syncthreads();
  }
  if (i == 0) out[0] = s[0];
}
int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * 4);
  cudaMalloc(&out, 1024 * 4);
  float h[64], r[1024];
  for (int i = 0; i < 64; ++i) h[i] = ((i * 37 + 11) % 64) / 32.f - 1.f;
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  idioms<<<1, 64>>>(in, out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  cudaMemcpy(r, out, sizeof r, cudaMemcpyDeviceToHost);
  for (int k = 0; k < 16; ++k) {
    printf("%d:", k);
    for (int i = 0; i < 64; ++i) printf(" %g", r[64 * k + i]);
    printf("\n");
  }
  early<<<1, 64>>>(in, out, 45);
  cudaMemcpy(r, out, 4, cudaMemcpyDeviceToHost);
  printf("early %g\n", r[0]);
  return 0;
}
