// SPDX-License-Identifier: Apache-2.0
// Calls of the runtime beside the usual ones: volumes, pools, questions, callbacks. What is printed
// is the same for every device. Valid for nvcc too.
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

int failures = 0;
void check(bool good, const char* what) {
  if (!good && ++failures <= 20) printf("%s differs\n", what);
}
#define MUST(call) check((call) == cudaSuccess, #call)

__device__ int counter;
struct Scale {
  float by[4];
};
__global__ void scale(cudaPitchedPtr volume, cudaExtent extent,
                      const __grid_constant__ Scale scale) {
  const size_t x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  if (x * sizeof(float) >= extent.width) return;
  char* const row = (char*)volume.ptr + (z * extent.height + y) * volume.pitch;
  ((float*)row)[x] *= scale.by[(x + y + z) & 3];
  atomicAdd(&counter, 1);
}
__global__ void count() { atomicAdd(&counter, 1); }

static void CUDART_CB on_host(void* data) { *static_cast<int*>(data) += 1; }
static void CUDART_CB on_stream(cudaStream_t, cudaError_t status, void* data) {
  *static_cast<int*>(data) += status == cudaSuccess ? 10 : 0;
}

void volumes() {
  constexpr int kWidth = 20, kHeight = 5, kDepth = 3, kNum = kWidth * kHeight * kDepth;
  float values[kNum], got[kNum];
  for (int i = 0; i < kNum; ++i) values[i] = float(i % 17);
  const cudaExtent extent = make_cudaExtent(kWidth * sizeof(float), kHeight, kDepth);
  cudaPitchedPtr volume;
  MUST(cudaMalloc3D(&volume, extent));
  check(volume.pitch >= extent.width && volume.xsize == extent.width, "pitch");
  MUST(cudaMemset3D(volume, 0xff, extent));
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(values, kWidth * sizeof(float), kWidth, kHeight);
  copy.dstPtr = volume;
  copy.extent = make_cudaExtent(extent.width, kHeight, kDepth - 1);
  copy.kind = cudaMemcpyHostToDevice;
  MUST(cudaMemcpy3D(&copy));
  copy.srcPos = make_cudaPos(0, 0, kDepth - 1);  // the last slice by itself
  copy.dstPos = copy.srcPos;
  copy.extent.depth = 1;
  MUST(cudaMemcpy3DAsync(&copy, cudaStreamPerThread));
  MUST(cudaStreamSynchronize(cudaStreamPerThread));
  scale<<<dim3(kHeight, kDepth), 32>>>(volume, extent, Scale{{1, 2, 3, 4}});
  cudaMemcpy3DParms back = {};
  back.srcPtr = volume;
  back.dstPtr = make_cudaPitchedPtr(got, kWidth * sizeof(float), kWidth, kHeight);
  back.extent = extent;
  back.kind = cudaMemcpyDeviceToHost;
  MUST(cudaMemcpy3D(&back));
  for (int i = 0; i < kNum; ++i) {
    const int sum = i % kWidth + i / kWidth % kHeight + i / kWidth / kHeight;
    check(got[i] == values[i] * float(1 + (sum & 3)), "a number of the volume");
  }
  MUST(cudaMemset2DAsync(volume.ptr, volume.pitch, 0, extent.width, kHeight * kDepth));
  MUST(cudaMemcpy3D(&back));
  for (float x : got) check(x == 0.0f, "a number that was set to zero");
  int num = 0;
  MUST(cudaMemcpyFromSymbol(&num, counter, sizeof num));
  check(num == kNum, "the number of threads");
  MUST(cudaFree(volume.ptr));
}

void pools() {
  cudaMemPool_t pool;
  MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long threshold = 1 << 20, seen = 0;
  MUST(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
  MUST(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &seen));
  check(seen == threshold, "the threshold of a pool");
  cudaStream_t stream;
  int least = 0, greatest = 0, priority = 1;
  unsigned flags = 0;
  MUST(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  MUST(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest));
  MUST(cudaStreamGetPriority(stream, &priority));
  MUST(cudaStreamGetFlags(stream, &flags));
  check(priority == greatest && flags == cudaStreamNonBlocking, "what a stream was made with");
  int *first = nullptr, called = 0;
  MUST(cudaMallocAsync((void**)&first, 64, stream));
  MUST(cudaMemsetAsync(first, 0, 64, stream));
  MUST(cudaLaunchHostFunc(stream, on_host, &called));
  MUST(cudaStreamAddCallback(stream, on_stream, &called, 0));
  MUST(cudaFreeAsync(first, stream));
  MUST(cudaStreamSynchronize(stream));
  check(called == 11, "calls of the host");
  MUST(cudaStreamDestroy(stream));
}

void questions() {
  int blocks = 0, least_grid = 0, size = 0, value = 0;
  MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, count, 64, 0,
                                                              cudaOccupancyDefault));
  MUST(cudaOccupancyMaxPotentialBlockSize(&least_grid, &size, count));
  check(blocks > 0 && least_grid > 0 && size >= 32, "occupancy");
  MUST(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&least_grid, &size, count,
                                                      [](int threads) { return threads * 4; }));
  check(least_grid > 0 && size >= 32, "occupancy with memory by the block");
  cudaFuncAttributes kernel;
  MUST(cudaFuncGetAttributes(&kernel, count));
  check(kernel.maxThreadsPerBlock >= 128, "attributes of a kernel");
  MUST(cudaFuncSetCacheConfig(count, cudaFuncCachePreferL1));
  MUST(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
  MUST(cudaDeviceGetAttribute(&value, cudaDevAttrMaxPitch, 0));
  check(value > 0, "the greatest pitch");
  MUST(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, 0));
  check(value > 0, "the number of multiprocessors");
  char bus[16] = "";
  MUST(cudaDeviceGetPCIBusId(bus, sizeof bus, 0));
  MUST(cudaDeviceGetByPCIBusId(&value, bus));
  check(value == 0, "the device of a bus");
  size_t stack = 0;
  MUST(cudaDeviceGetLimit(&stack, cudaLimitStackSize));
  check(stack > 0, "the limit of the stack");
}

void pointers() {
  float *host, *device, *pinned = new float[64];
  cudaPointerAttributes seen;
  unsigned flags = 0;
  MUST(cudaHostAlloc(&host, 256, cudaHostAllocMapped | cudaHostAllocPortable));
  MUST(cudaHostGetFlags(&flags, host));
  check((flags & cudaHostAllocMapped) != 0, "flags of memory of the host");
  MUST(cudaHostGetDevicePointer(&device, host, 0));
  MUST(cudaHostRegister(pinned, 256, cudaHostRegisterDefault));
  MUST(cudaHostUnregister(pinned));
  MUST(cudaMalloc(&device, 256));
  MUST(cudaPointerGetAttributes(&seen, device));
  check(seen.type == cudaMemoryTypeDevice && seen.device == 0, "the kind of memory");
  void* symbol = nullptr;
  size_t size = 0;
  MUST(cudaGetSymbolAddress(&symbol, counter));
  MUST(cudaGetSymbolSize(&size, counter));
  check(symbol != nullptr && size == sizeof(int), "a symbol");
  MUST(cudaFree(device));
  MUST(cudaFreeHost(host));
  delete[] pinned;
}

void errors() {
  cudaPitchedPtr none = make_cudaPitchedPtr(nullptr, 4, 4, 1);
  check(cudaMemset3D(none, 0, make_cudaExtent(8, 1, 1)) != cudaSuccess, "a width above the pitch");
  switch (cudaGetLastError()) {
    case cudaSuccess:
    case cudaErrorMisalignedAddress:  // HIP has no such error
    case cudaErrorInvalidPc:
    case cudaErrorDeviceUninitialized:
    case cudaErrorIncompatibleDriverContext:
      check(false, "the error of a wrong pitch");
      break;
    default:
      break;
  }
  check(cudaPeekAtLastError() == cudaSuccess, "an error that was taken");
  check(strlen(cudaGetErrorString(cudaErrorInvalidValue)) > 3, "the text of an error");
}

int main() {
  volumes();
  pools();
  questions();
  pointers();
  errors();
  MUST(cudaProfilerStop());
  printf("%d differences\n", failures);
  return failures != 0;
}
