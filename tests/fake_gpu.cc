// SPDX-License-Identifier: Apache-2.0
// A driver of no GPU, under NVIDIA's and AMD's names: its memory is the host's, and its kernels are
// the few below, by their symbols. It stands for libcuda and libamdhip64 in tests/gpu_test.cc.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

constexpr int kInvalidImage = 200, kNotFound = 500, kIllegalAddress = 700;
constexpr const char* kObject = "fake object";

float g_bias[4] = {0, 0, 0, 0};  // what the module calls _4bias
std::string g_kernel;
int g_result = 0;

template <class T>
T argument(void** words, int i) {
  T value;
  std::memcpy(&value, words[i], sizeof(value));
  return value;
}

int run(void** words) {
  if (g_kernel == "scale") {  // (const float* x, float* y, int n)
    for (int i = 0; i < argument<int>(words, 2); ++i) {
      argument<float*>(words, 1)[i] = 2 * argument<const float*>(words, 0)[i] + g_bias[i % 4];
    }
  } else if (g_kernel == "overrun") {  // (float* y, int n)
    for (int i = 0; i <= argument<int>(words, 1); ++i) argument<float*>(words, 0)[i] = 1;
  } else if (g_kernel == "fault") {
    g_result = kIllegalAddress;
  }
  return 0;
}

}  // namespace

#define FAKE_DRIVER(Init, Count, Get, Name, Load, Kernel, Global, Allocate, Fill, In, Out, Launch, \
                    Synchronize)                                                                   \
  extern "C" {                                                                                     \
  int Init(unsigned) { return 0; }                                                                 \
  int Count(int* count) { return *count = 1, 0; }                                                  \
  int Get(int* device, int) { return *device = 0; }                                                \
  int Name(char* name, int size, int) { return std::snprintf(name, size, "fake " #Load), 0; }      \
  int Load(void** module, const char* data) {                                                      \
    *module = &g_kernel;                                                                           \
    return std::strncmp(data, kObject, std::strlen(kObject)) == 0 ? 0 : kInvalidImage;             \
  }                                                                                                \
  int Kernel(void** kernel, void*, const char* symbol) {                                           \
    *kernel = &g_kernel;                                                                           \
    g_kernel = symbol;                                                                             \
    return g_kernel == "unknown" ? kNotFound : 0;                                                  \
  }                                                                                                \
  int Global(void** address, size_t* bytes, void*, const char* symbol) {                           \
    *address = g_bias;                                                                             \
    *bytes = sizeof(g_bias);                                                                       \
    return std::strcmp(symbol, "_4bias") == 0 ? 0 : kNotFound;                                     \
  }                                                                                                \
  int Allocate(void** address, size_t bytes) { return *address = std::malloc(bytes), 0; }          \
  int Fill(void* to, unsigned char byte, size_t n) { return std::memset(to, byte, n), 0; }         \
  int In(void* to, const void* from, size_t bytes) { return std::memcpy(to, from, bytes), 0; }     \
  int Out(void* to, void* from, size_t bytes) {                                                    \
    std::memcpy(to, from, bytes);                                                                  \
    return g_result;                                                                               \
  }                                                                                                \
  int Launch(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*,   \
             void** words, void**) {                                                               \
    return run(words);                                                                             \
  }                                                                                                \
  int Synchronize() { return g_result; }                                                           \
  }

#ifdef FAKE_NVIDIA
FAKE_DRIVER(cuInit, cuDeviceGetCount, cuDeviceGet, cuDeviceGetName, cuModuleLoadData,
            cuModuleGetFunction, cuModuleGetGlobal_v2, cuMemAlloc_v2, cuMemsetD8_v2,
            cuMemcpyHtoD_v2, cuMemcpyDtoH_v2, cuLaunchKernel, cuCtxSynchronize)
extern "C" {
int cuDeviceGetAttribute(int* value, int attribute, int) {
  return *value = attribute == 75 ? 9 : 0, 0;
}
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &g_kernel, 0; }
int cuCtxSetCurrent(void*) { return 0; }
int cuGetErrorString(int code, const char** text) {
  return *text = code == kIllegalAddress ? "an illegal address" : "another error", 0;
}
}
#else
FAKE_DRIVER(hipInit, hipGetDeviceCount, hipDeviceGet, hipDeviceGetName, hipModuleLoadData,
            hipModuleGetFunction, hipModuleGetGlobal, hipMalloc, hipMemsetD8, hipMemcpyHtoD,
            hipMemcpyDtoH, hipModuleLaunchKernel, hipDeviceSynchronize)
extern "C" {
int hipSetDevice(int) { return 0; }
const char* hipGetErrorString(int code) {
  return code == kIllegalAddress ? "an illegal address" : "another error";
}
}
#endif
