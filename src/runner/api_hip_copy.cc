// SPDX-License-Identifier: Apache-2.0
// HIP's copies and fills.
#include "runner/api_hip.h"

extern "C" {
int cudaMemcpy(void* to, const void* from, size_t num_bytes, int kind);
int cudaMemcpyAsync(void* to, const void* from, size_t num_bytes, int kind, void* stream);
int cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                 size_t height, int kind);
int cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                      size_t height, int kind, void* stream);
int cudaMemcpyToSymbol(const void* symbol, const void* from, size_t num_bytes, size_t offset,
                       int kind);
int cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t num_bytes, size_t offset,
                            int kind, void* stream);
int cudaMemcpyFromSymbol(void* to, const void* symbol, size_t num_bytes, size_t offset, int kind);
int cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t num_bytes, size_t offset,
                              int kind, void* stream);
int cudaGetSymbolAddress(void** pointer, const void* symbol);
int cudaGetSymbolSize(size_t* num_bytes, const void* symbol);
int cudaMemset(void* pointer, int value, size_t num_bytes);
int cudaMemsetAsync(void* pointer, int value, size_t num_bytes, void* stream);
int cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height);

hipError_t hipMemcpy(void* to, const void* from, size_t num_bytes, hipMemcpyKind kind) {
  return hip(cudaMemcpy(to, from, num_bytes, kind));
}
hipError_t hipMemcpyAsync(void* to, const void* from, size_t num_bytes, hipMemcpyKind kind,
                          hipStream_t stream) {
  return hip(cudaMemcpyAsync(to, from, num_bytes, kind, stream));
}
hipError_t hipMemcpyWithStream(void* to, const void* from, size_t num_bytes, hipMemcpyKind kind,
                               hipStream_t stream) {
  return hipMemcpyAsync(to, from, num_bytes, kind, stream);
}
hipError_t hipMemcpyPeer(void* to, int, const void* from, int, size_t num_bytes) {
  return hip(cudaMemcpy(to, from, num_bytes, hipMemcpyDeviceToDevice));
}
hipError_t hipMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                       size_t height, hipMemcpyKind kind) {
  return hip(cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind));
}
hipError_t hipMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                            size_t width, size_t height, hipMemcpyKind kind, hipStream_t stream) {
  return hip(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream));
}
hipError_t hipMemcpyToSymbol(const void* symbol, const void* from, size_t num_bytes, size_t offset,
                             hipMemcpyKind kind) {
  return hip(cudaMemcpyToSymbol(symbol, from, num_bytes, offset, kind));
}
hipError_t hipMemcpyToSymbolAsync(const void* symbol, const void* from, size_t num_bytes,
                                  size_t offset, hipMemcpyKind kind, hipStream_t stream) {
  return hip(cudaMemcpyToSymbolAsync(symbol, from, num_bytes, offset, kind, stream));
}
hipError_t hipMemcpyFromSymbol(void* to, const void* symbol, size_t num_bytes, size_t offset,
                               hipMemcpyKind kind) {
  return hip(cudaMemcpyFromSymbol(to, symbol, num_bytes, offset, kind));
}
hipError_t hipMemcpyFromSymbolAsync(void* to, const void* symbol, size_t num_bytes, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream) {
  return hip(cudaMemcpyFromSymbolAsync(to, symbol, num_bytes, offset, kind, stream));
}
hipError_t hipGetSymbolAddress(void** pointer, const void* symbol) {
  return hip(cudaGetSymbolAddress(pointer, symbol));
}
hipError_t hipGetSymbolSize(size_t* num_bytes, const void* symbol) {
  return hip(cudaGetSymbolSize(num_bytes, symbol));
}
hipError_t hipMemset(void* pointer, int value, size_t num_bytes) {
  return hip(cudaMemset(pointer, value, num_bytes));
}
hipError_t hipMemsetAsync(void* pointer, int value, size_t num_bytes, hipStream_t stream) {
  return hip(cudaMemsetAsync(pointer, value, num_bytes, stream));
}
hipError_t hipMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return hip(cudaMemset2D(pointer, pitch, value, width, height));
}

}  // extern "C"
