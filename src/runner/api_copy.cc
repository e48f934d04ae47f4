// SPDX-License-Identifier: Apache-2.0
// Copies and fills. Every one is done before the call returns, unless its stream is captured.
#include "runner/graph.h"

using namespace ambidex::runner;  // functions of C, outside of any namespace

namespace {

struct Rows {
  size_t to_pitch = 0, from_pitch = 0, width = 0, height = 0;
};

int copy_rows(Runtime& state, void* to, const void* from, const Rows& rows, cudaMemcpyKind kind) {
  if (rows.width > rows.to_pitch || rows.width > rows.from_pitch) return 12;  // invalid pitch
  for (size_t row = 0; row < rows.height; ++row) {
    const int status =
        copy(state, static_cast<char*>(to) + row * rows.to_pitch,
             static_cast<const char*>(from) + row * rows.from_pitch, rows.width, kind);
    if (status != kSuccess) return status;
  }
  return kSuccess;
}

// The bytes of a variable that the host's half names.
int in_symbol(const Runtime& state, const void* symbol, size_t num_bytes, size_t offset,
              char** address) {
  const auto found = state.symbols.find(symbol);
  if (found == state.symbols.end()) return kInvalidSymbol;
  const auto size = static_cast<size_t>(found->second->num_bytes);
  if (offset > size || num_bytes > size - offset) return kInvalidValue;
  *address = static_cast<char*>(found->second->address) + offset;
  return kSuccess;
}

cudaError_t give_copy(cudaStream_t stream, Work work) {
  return api([&](Runtime& state) {
    return give(state, stream, cudaGraphNodeTypeMemcpy, std::move(work));
  });
}

cudaError_t give_fill(cudaStream_t stream, Work work) {
  return api([&](Runtime& state) {
    return give(state, stream, cudaGraphNodeTypeMemset, std::move(work));
  });
}

char* at(const cudaPitchedPtr& pitched, const cudaPos& position, size_t row, size_t slice) {
  const size_t rows = (position.z + slice) * pitched.ysize + position.y + row;
  return static_cast<char*>(pitched.ptr) + rows * pitched.pitch + position.x;
}

}  // namespace

int ambidex::runner::copy_slices(Runtime& state, const cudaMemcpy3DParms& asked) {
  if (asked.srcArray != nullptr || asked.dstArray != nullptr) return kNotSupported;
  for (size_t slice = 0; slice < asked.extent.depth; ++slice) {
    for (size_t row = 0; row < asked.extent.height; ++row) {
      const int status =
          copy(state, at(asked.dstPtr, asked.dstPos, row, slice),
               at(asked.srcPtr, asked.srcPos, row, slice), asked.extent.width, asked.kind);
      if (status != kSuccess) return status;
    }
  }
  return kSuccess;
}

extern "C" {

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t num_bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return give_copy(stream, [=](Runtime& state) { return copy(state, to, from, num_bytes, kind); });
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t num_bytes, cudaMemcpyKind kind) {
  return api([&](Runtime& state) -> int {
    note_order(state, "copy and wait");
    return cudaMemcpyAsync(to, from, num_bytes, kind, nullptr);
  });
}
cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t num_bytes,
                                cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, num_bytes, cudaMemcpyDeviceToDevice, stream);
}
cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t num_bytes) {
  return cudaMemcpyAsync(to, from, num_bytes, cudaMemcpyDeviceToDevice, nullptr);
}
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return give_copy(stream, [=](Runtime& state) {
    return copy_rows(state, to, from, {to_pitch, from_pitch, width, height}, kind);
  });
}
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, nullptr);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* asked, cudaStream_t stream) {
  if (asked == nullptr) return done(kInvalidValue);
  return give_copy(stream, [all = *asked](Runtime& state) { return copy_slices(state, all); });
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* asked) {
  return cudaMemcpy3DAsync(asked, nullptr);
}

cudaError_t cudaMemsetAsync(void* to, int value, size_t num_bytes, cudaStream_t stream) {
  return give_fill(stream, [=](Runtime& state) { return fill(state, to, value, num_bytes); });
}
cudaError_t cudaMemset(void* to, int value, size_t num_bytes) {
  return cudaMemsetAsync(to, value, num_bytes, nullptr);
}
cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return give_fill(stream, [=](Runtime& state) -> int {
    for (size_t row = 0; row < height; ++row) {
      const int status = fill(state, static_cast<char*>(to) + row * pitch, value, width);
      if (status != kSuccess) return status;
    }
    return kSuccess;
  });
}
cudaError_t cudaMemset2D(void* to, size_t pitch, int value, size_t width, size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t num_bytes,
                                    size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  return give_copy(stream, [=](Runtime& state) {
    char* to = nullptr;
    const int status = in_symbol(state, symbol, num_bytes, offset, &to);
    return status == kSuccess ? copy(state, to, from, num_bytes, kind) : status;
  });
}
cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t num_bytes,
                               size_t offset, cudaMemcpyKind kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, num_bytes, offset, kind, nullptr);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t num_bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return give_copy(stream, [=](Runtime& state) {
    char* from = nullptr;
    const int status = in_symbol(state, symbol, num_bytes, offset, &from);
    return status == kSuccess ? copy(state, to, from, num_bytes, kind) : status;
  });
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t num_bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, num_bytes, offset, kind, nullptr);
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return api([&](Runtime& state) {
    char* address = nullptr;
    const int status = in_symbol(state, symbol, 0, 0, &address);
    if (status == kSuccess) *pointer = address;
    return status;
  });
}
cudaError_t cudaGetSymbolSize(size_t* num_bytes, const void* symbol) {
  return api([&](Runtime& state) -> int {
    const auto found = state.symbols.find(symbol);
    if (found == state.symbols.end()) return kInvalidSymbol;
    *num_bytes = static_cast<size_t>(found->second->num_bytes);
    return kSuccess;
  });
}

}  // extern "C"
