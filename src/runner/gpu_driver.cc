// SPDX-License-Identifier: Apache-2.0
// CUDA's driver interface and the functions of HIP that are shaped after it: handles and addresses
// are of pointer's size in both, results are integers with 0 for success.
//   https://docs.nvidia.com/cuda/cuda-driver-api
//   https://rocm.docs.amd.com/projects/HIP/en/latest/doxygen/html/modules.html
#include "runner/gpu_driver.h"

#include <dlfcn.h>
#include <fmt/format.h>

namespace ambidex::runner {
namespace {

constexpr int kNotInLibrary = -1;
constexpr int kComputeCapabilityMajor = 75, kComputeCapabilityMinor = 76;  // CUdevice_attribute
constexpr int kMaxDynamicSharedBytes = 8;                                  // CUfunction_attribute
constexpr uint32_t kSharedBytesWithoutOptIn = 48 << 10;                    // of NVIDIA's

}  // namespace

void* GpuDriver::function(const char* nvidia, const char* amd) const {
  return dlsym(library_, vendor_ == GpuVendor::nvidia ? nvidia : amd);
}

GpuFailure GpuDriver::failure_of(int code) const {
  const char* text = nullptr;
  if (vendor_ == GpuVendor::nvidia) {
    if (void* const text_of = function("cuGetErrorString", "")) {
      reinterpret_cast<int (*)(int, const char**)>(text_of)(code, &text);
    }
  } else if (void* const text_of = function("", "hipGetErrorString")) {
    text = reinterpret_cast<const char* (*)(int)>(text_of)(code);
  }
  return {code, fmt::format("{} error {}: {}", vendor_ == GpuVendor::nvidia ? "CUDA" : "HIP", code,
                            text == nullptr ? "it has no text" : text)};
}

template <class... Arguments>
std::optional<GpuFailure> GpuDriver::call(const char* nvidia, const char* amd,
                                          Arguments... arguments) {
  void* const address = function(nvidia, amd);
  if (address == nullptr) {
    return GpuFailure{kNotInLibrary, fmt::format("the driver has no {}; install a newer one",
                                                 vendor_ == GpuVendor::nvidia ? nvidia : amd)};
  }
  const int code = reinterpret_cast<int (*)(Arguments...)>(address)(arguments...);
  if (code == 0) return std::nullopt;
  return failure_of(code);
}

std::optional<GpuFailure> GpuDriver::open_device() {
  int count = 0, device = 0;
  char name[256] = "";
  if (auto failure = call("cuInit", "hipInit", 0U)) return failure;
  if (auto failure = call("cuDeviceGetCount", "hipGetDeviceCount", &count)) return failure;
  if (count == 0) return GpuFailure{kNotInLibrary, "no device"};
  if (auto failure = call("cuDeviceGet", "hipDeviceGet", &device, 0)) return failure;
  if (auto failure = call("cuDeviceGetName", "hipDeviceGetName", name, int{sizeof(name)}, device)) {
    return failure;
  }
  device_ = name;
  if (vendor_ == GpuVendor::amd) return call("", "hipSetDevice", 0);
  int major = 0, minor = 0;
  void* context = nullptr;
  call("cuDeviceGetAttribute", "", &major, kComputeCapabilityMajor, device);
  call("cuDeviceGetAttribute", "", &minor, kComputeCapabilityMinor, device);
  architecture_ = fmt::format("sm_{}{}", major, minor);
  if (auto failure = call("cuDevicePrimaryCtxRetain", "", &context, device)) return failure;
  return call("cuCtxSetCurrent", "", context);
}

std::optional<GpuDriver> GpuDriver::open(GpuVendor vendor) {
  GpuDriver driver;
  driver.vendor_ = vendor;
  // Some installations have the plain name only, some the numbered one.
  const std::array<const char*, 2> names = vendor == GpuVendor::nvidia
                                               ? std::array{"libcuda.so.1", "libcuda.so"}
                                               : std::array{"libamdhip64.so", "libamdhip64.so.7"};
  for (const char* name : names) {
    if (driver.library_ == nullptr) driver.library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (driver.library_ == nullptr && vendor == GpuVendor::amd) {
    driver.library_ = dlopen("/opt/rocm/lib/libamdhip64.so", RTLD_NOW | RTLD_LOCAL);
  }
  if (driver.library_ == nullptr || driver.open_device()) return std::nullopt;
  return driver;
}

std::optional<GpuFailure> GpuDriver::load(const std::string& object) {
  return call("cuModuleLoadData", "hipModuleLoadData", &module_,
              static_cast<const void*>(object.data()));
}

std::optional<GpuFailure> GpuDriver::find_kernel(const std::string& symbol, void** kernel) {
  return call("cuModuleGetFunction", "hipModuleGetFunction", kernel, module_, symbol.c_str());
}

std::optional<GpuFailure> GpuDriver::find_variable(const std::string& symbol, GpuAddress* address,
                                                   size_t* num_bytes) {
  return call("cuModuleGetGlobal_v2", "hipModuleGetGlobal", address, num_bytes, module_,
              symbol.c_str());
}

std::optional<GpuFailure> GpuDriver::allocate(GpuAddress* address, size_t num_bytes) {
  return call("cuMemAlloc_v2", "hipMalloc", address, num_bytes);
}

std::optional<GpuFailure> GpuDriver::fill(GpuAddress address, unsigned char byte,
                                          size_t num_bytes) {
  return call("cuMemsetD8_v2", "hipMemsetD8", address, byte, num_bytes);
}

std::optional<GpuFailure> GpuDriver::copy_in(GpuAddress to, const void* from, size_t num_bytes) {
  return call("cuMemcpyHtoD_v2", "hipMemcpyHtoD", to, from, num_bytes);
}

std::optional<GpuFailure> GpuDriver::copy_out(void* to, GpuAddress from, size_t num_bytes) {
  return call("cuMemcpyDtoH_v2", "hipMemcpyDtoH", to, from, num_bytes);
}

std::optional<GpuFailure> GpuDriver::launch(void* kernel, const GpuGeometry& geometry,
                                            const std::vector<void*>& arguments) {
  const uint32_t shared = geometry.dynamic_shared_bytes;
  if (vendor_ == GpuVendor::nvidia && shared > kSharedBytesWithoutOptIn) {
    if (auto failure = call("cuFuncSetAttribute", "", kernel, kMaxDynamicSharedBytes,
                            static_cast<int>(shared))) {
      return failure;
    }
  }
  const auto& [gx, gy, gz] = geometry.grid;
  const auto& [bx, by, bz] = geometry.block;
  void* const stream = nullptr;
  auto** const words = const_cast<void**>(arguments.data());
  std::optional<GpuFailure> failure;
  if (geometry.cooperative) {
    failure = call("cuLaunchCooperativeKernel", "hipModuleLaunchCooperativeKernel", kernel, gx, gy,
                   gz, bx, by, bz, shared, stream, words);
  } else {
    void** const extra = nullptr;
    failure = call("cuLaunchKernel", "hipModuleLaunchKernel", kernel, gx, gy, gz, bx, by, bz,
                   shared, stream, words, extra);
  }
  return failure ? failure : call("cuCtxSynchronize", "hipDeviceSynchronize");
}

}  // namespace ambidex::runner
