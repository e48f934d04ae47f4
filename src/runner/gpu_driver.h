// SPDX-License-Identifier: Apache-2.0
// The few calls of a GPU's driver that launch one kernel, from libcuda or libamdhip64 as they are
// installed: nothing of CUDA or ROCm is needed to build.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ambidex::runner {

enum class GpuVendor : uint8_t { nvidia, amd };

/// What a call of the driver said; 0 is success in both.
struct GpuFailure {
  int code = 0;
  std::string text;  // "CUDA error 700: an illegal memory access was encountered"
};

struct GpuGeometry {
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;
};

using GpuAddress = unsigned long long;

/// The first device of a vendor, with one module at most. Calls return the driver's failure, or
/// nothing.
class GpuDriver {
 public:
  /// Nothing without the vendor's library or a device of it.
  static std::optional<GpuDriver> open(GpuVendor vendor);

  const std::string& device() const { return device_; }              // "NVIDIA H200"
  const std::string& architecture() const { return architecture_; }  // "sm_90"; of AMD's: ""

  std::optional<GpuFailure> load(const std::string& object);  // bytes of a cubin or code object
  std::optional<GpuFailure> find_kernel(const std::string& symbol, void** kernel);
  std::optional<GpuFailure> find_variable(const std::string& symbol, GpuAddress* address,
                                          size_t* num_bytes);
  std::optional<GpuFailure> allocate(GpuAddress* address, size_t num_bytes);
  std::optional<GpuFailure> fill(GpuAddress address, unsigned char byte, size_t num_bytes);
  std::optional<GpuFailure> copy_in(GpuAddress to, const void* from, size_t num_bytes);
  std::optional<GpuFailure> copy_out(void* to, GpuAddress from, size_t num_bytes);
  /// Returns when the kernel has ended.
  std::optional<GpuFailure> launch(void* kernel, const GpuGeometry& geometry,
                                   const std::vector<void*>& arguments);

 private:
  GpuDriver() = default;
  template <class... Arguments>
  std::optional<GpuFailure> call(const char* nvidia, const char* amd, Arguments... arguments);
  std::optional<GpuFailure> open_device();
  void* function(const char* nvidia, const char* amd) const;
  GpuFailure failure_of(int code) const;

  GpuVendor vendor_ = GpuVendor::nvidia;
  void* library_ = nullptr;
  void* module_ = nullptr;
  std::string device_, architecture_;
};

}  // namespace ambidex::runner
