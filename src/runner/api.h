// SPDX-License-Identifier: Apache-2.0
// What the functions of CUDA's runtime share. HIP's forward to them (api_hip.cc): the two agree in
// the values of errors and enumerations, and where they do not, api_hip.cc says so.
#pragma once

#include <cuda_runtime_api.h>

#include <mutex>

#include "runner/launch.h"

namespace ambidex::runner {

/// One call of the runtime at a time; a callback that a call makes may call again.
std::recursive_mutex& api_mutex();

/// Remembers an error for cudaGetLastError, and returns it.
cudaError_t done(int status);

/// After a kernel has failed every call fails, as on a device whose context is lost.
int sticky_error();
void set_sticky_error(int status);

/// Runs `call` as a function of the runtime.
template <class F>
cudaError_t api(F call) {
  const std::lock_guard lock(api_mutex());
  if (sticky_error() != kSuccess) return done(sticky_error());
  return done(call(runtime()));
}

/// Null for an address that is no kernel of the module.
const Kernel* kernel_of(const Runtime& state, const void* function);

/// Copies; tells the checker what the device's bytes now are.
int copy(Runtime& state, void* to, const void* from, size_t num_bytes, cudaMemcpyKind kind);
int copy_slices(Runtime& state, const cudaMemcpy3DParms& asked);
int fill(Runtime& state, void* to, int value, size_t num_bytes);

/// Sets `*pointer` to new memory; null for no bytes.
int allocate(Runtime& state, void** pointer, size_t num_bytes, MemoryKind kind);
int release(Runtime& state, void* pointer);

}  // namespace ambidex::runner
