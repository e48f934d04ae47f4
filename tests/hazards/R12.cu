// SPDX-License-Identifier: Apache-2.0
// R12: Pools, IPC, virtual memory, peers, events.
#include <cuda_runtime.h>

void pools(void** p, cudaStream_t stream, cudaMemPool_t pool) {
  cudaMallocAsync(p, 64, stream);  // expect: R12 S1
  unsigned long long threshold = 0;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold);  // expect: R12 S1
  cudaFreeAsync(*p, stream);  // expect: R12 S1
}

template <class Handle>
void share(Handle* handle, void* p) {
  cudaIpcGetMemHandle(handle, p);  // expect: R12 S1
}

#define OPEN(p, h) cudaIpcOpenMemHandle(&p, h, cudaIpcMemLazyEnablePeerAccess)  // expect: R12 S1

void peers(int a, int b) {
  int can = 0;
  cudaDeviceCanAccessPeer(&can, a, b);      // expect: R12 S1
  if (can) cudaDeviceEnablePeerAccess(b, 0);  // expect: R12 S1
}

float milliseconds(cudaEvent_t a, cudaEvent_t b) {
  float out = 0;
  cudaEventElapsedTime(&out, a, b);  // expect: R12 S3
  return out;
}

#ifdef VMM
void map(CUdeviceptr p, size_t bytes, CUmemGenericAllocationHandle handle) {
  cuMemMap(p, bytes, 0, handle, 0);  // expect: R12 S1
  cuMemAddressFree(p, bytes);        // expect: R12 S1
}
#endif
