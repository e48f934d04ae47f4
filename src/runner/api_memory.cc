// SPDX-License-Identifier: Apache-2.0
// Memory: given out, released, copied and filled.
#include <fmt/format.h>

#include <cstring>

#include "ambidex/base.h"
#include "runner/graph.h"

namespace ambidex::runner {

namespace {

bool fits_direction(const Where& to, const Where& from, cudaMemcpyKind kind) {
  const bool to_device = to.known && to.kind != MemoryKind::host;
  const bool from_device = from.known && from.kind != MemoryKind::host;
  switch (kind) {
    case cudaMemcpyHostToHost:
      return (!to_device || to.kind == MemoryKind::managed) &&
             (!from_device || from.kind == MemoryKind::managed);
    case cudaMemcpyHostToDevice:
      return to_device && (!from_device || from.kind == MemoryKind::managed);
    case cudaMemcpyDeviceToHost:
      return from_device && (!to_device || to.kind == MemoryKind::managed);
    case cudaMemcpyDeviceToDevice:
      return to.known && from.known;
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

}  // namespace

int copy(Runtime& state, void* to, const void* from, size_t num_bytes, cudaMemcpyKind kind) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return kInvalidMemcpyDirection;
  if (num_bytes == 0) return kSuccess;
  if (to == nullptr || from == nullptr) return kInvalidValue;
  const Where target = where_is(state, to, num_bytes), source = where_is(state, from, num_bytes);
  if (!target.fits || !source.fits) return kInvalidValue;
  if (!fits_direction(target, source, kind)) return kInvalidValue;
  std::memmove(to, from, num_bytes);
  const auto count = static_cast<int64_t>(num_bytes);
  if (target.known && source.known) {
    state.memory->copy_initialised(to, from, count);
  } else if (target.known) {
    state.memory->set_initialised(to, count, true);
  }
  return kSuccess;
}

int fill(Runtime& state, void* to, int value, size_t num_bytes) {
  if (num_bytes == 0) return kSuccess;
  const Where target = where_is(state, to, num_bytes);
  if (!target.known || !target.fits) return kInvalidValue;
  std::memset(to, value, num_bytes);
  state.memory->set_initialised(to, static_cast<int64_t>(num_bytes), true);
  return kSuccess;
}

int allocate(Runtime& state, void** pointer, size_t num_bytes, MemoryKind kind) {
  if (pointer == nullptr) return kInvalidValue;
  *pointer = nullptr;
  if (num_bytes == 0) return kSuccess;
  const auto count = static_cast<int64_t>(num_bytes);
  if (count < 0 || count > state.request.limits.max_memory_bytes - state.allocated_bytes) {
    return kOutOfMemory;
  }
  const int64_t number = state.num_allocations++;
  // The host writes to its own memory unseen, so that counts as written.
  const bool written = kind != MemoryKind::device;
  try {
    *pointer = state.memory->allocate(
        count, {.name = fmt::format("allocation {}", number), .initialised = written});
  } catch (const Error&) {
    return kOutOfMemory;
  }
  if (!written) std::memset(*pointer, state.request.poison, num_bytes);
  state.allocations[reinterpret_cast<uintptr_t>(*pointer)] = {kind, count, number};
  state.allocated_bytes += count;
  return kSuccess;
}

int release(Runtime& state, void* pointer) {
  if (pointer == nullptr) return kSuccess;
  const auto given = state.allocations.find(reinterpret_cast<uintptr_t>(pointer));
  if (given == state.allocations.end()) return kInvalidValue;
  state.allocated_bytes -= given->second.num_bytes;
  std::memset(pointer, state.request.poison, static_cast<size_t>(given->second.num_bytes));
  state.memory->release(pointer);
  state.allocations.erase(given);
  return kSuccess;
}

}  // namespace ambidex::runner

using namespace ambidex::runner;  // functions of C, outside of any namespace

extern "C" {

cudaError_t cudaMalloc(void** pointer, size_t num_bytes) {
  return api([&](Runtime& state) -> int {
    if (const int status = forbid_unless_relaxed(); status != kSuccess) return status;
    return allocate(state, pointer, num_bytes, MemoryKind::device);
  });
}
cudaError_t cudaMallocAsync(void** pointer, size_t num_bytes, cudaStream_t stream) {
  return api([&](Runtime& state) -> int {
    if (is_captured(stream))
      return not_in_executor(state, "memory that a captured stream asks for");
    return allocate(state, pointer, num_bytes, MemoryKind::device);
  });
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t num_bytes, cudaMemPool_t,
                                    cudaStream_t stream) {
  return cudaMallocAsync(pointer, num_bytes, stream);
}
cudaError_t cudaMallocManaged(void** pointer, size_t num_bytes, unsigned) {
  return api([&](Runtime& state) -> int {
    if (num_bytes == 0) return kInvalidValue;
    return allocate(state, pointer, num_bytes, MemoryKind::managed);
  });
}
cudaError_t cudaHostAlloc(void** pointer, size_t num_bytes, unsigned) {
  return api([&](Runtime& state) { return allocate(state, pointer, num_bytes, MemoryKind::host); });
}
cudaError_t cudaMallocHost(void** pointer, size_t num_bytes) {
  return cudaHostAlloc(pointer, num_bytes, 0);
}
cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return api([&](Runtime& state) -> int {
    if (pitch == nullptr) return kInvalidValue;
    *pitch = (width + 511) / 512 * 512;
    return allocate(state, pointer, *pitch * height, MemoryKind::device);
  });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pitched, cudaExtent extent) {
  if (pitched == nullptr) return done(kInvalidValue);
  pitched->xsize = extent.width;
  pitched->ysize = extent.height;
  return cudaMallocPitch(&pitched->ptr, &pitched->pitch, extent.width,
                         extent.height * extent.depth);
}
cudaError_t cudaFree(void* pointer) {
  return api([&](Runtime& state) { return release(state, pointer); });
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return api([&](Runtime& state) -> int {
    if (is_captured(stream)) return not_in_executor(state, "memory that a captured stream frees");
    return release(state, pointer);
  });
}
cudaError_t cudaFreeHost(void* pointer) { return cudaFree(pointer); }

// Memory of the host's own becomes known, so that kernels may touch it.
cudaError_t cudaHostRegister(void* pointer, size_t num_bytes, unsigned) {
  return api([&](Runtime& state) -> int {
    if (pointer == nullptr || num_bytes == 0) return kInvalidValue;
    state.memory->add(pointer, static_cast<int64_t>(num_bytes),
                      {.name = "registered memory", .initialised = true});
    state.registered.insert(pointer);
    return kSuccess;
  });
}
cudaError_t cudaHostUnregister(void* pointer) {
  return api([&](Runtime& state) -> int {
    if (state.registered.erase(pointer) == 0) return kNotRegistered;
    state.memory->remove(pointer);
    return kSuccess;
  });
}
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  return api([&](Runtime& state) -> int {
    if (device == nullptr || !where_is(state, host, 1).known) return kInvalidValue;
    *device = host;
    return kSuccess;
  });
}
cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return api([&](Runtime& state) -> int {
    const int64_t total = state.request.limits.max_memory_bytes;
    if (total_bytes != nullptr) *total_bytes = static_cast<size_t>(total);
    if (free_bytes != nullptr) *free_bytes = static_cast<size_t>(total - state.allocated_bytes);
    return kSuccess;
  });
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return api([&](Runtime& state) -> int {
    if (attributes == nullptr) return kInvalidValue;
    *attributes = {};
    attributes->hostPointer = const_cast<void*>(pointer);
    const Where where = where_is(state, pointer, 1);
    if (!where.known) return kSuccess;
    attributes->devicePointer = const_cast<void*>(pointer);
    attributes->type = where.kind == MemoryKind::host      ? cudaMemoryTypeHost
                       : where.kind == MemoryKind::managed ? cudaMemoryTypeManaged
                                                           : cudaMemoryTypeDevice;
    if (where.kind == MemoryKind::device) attributes->hostPointer = nullptr;
    return kSuccess;
  });
}
cudaError_t cudaMemAdvise(const void*, size_t, cudaMemoryAdvise, int) {
  return api([](Runtime&) { return kSuccess; });
}
cudaError_t cudaMemPrefetchAsync(const void*, size_t, int, cudaStream_t) {
  return api([](Runtime&) { return kSuccess; });
}

}  // extern "C"
