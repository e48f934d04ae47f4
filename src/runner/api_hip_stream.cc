// SPDX-License-Identifier: Apache-2.0
// HIP's streams, events and host functions.
#include "runner/api_hip.h"

extern "C" {
int cudaStreamCreateWithPriority(void** stream, unsigned flags, int priority);
int cudaStreamDestroy(void* stream);
int cudaStreamQuery(void* stream);
int cudaStreamSynchronize(void* stream);
int cudaStreamWaitEvent(void* stream, void* event, unsigned flags);
int cudaEventCreateWithFlags(void** event, unsigned flags);
int cudaEventDestroy(void* event);
int cudaEventRecord(void* event, void* stream);
int cudaEventQuery(void* event);
int cudaEventSynchronize(void* event);
int cudaEventElapsedTime(float* milliseconds, void* start, void* end);
int cudaStreamAddCallback(void* stream, void* callback, void* data, unsigned flags);
int cudaLaunchHostFunc(void* stream, void* function, void* data);

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags, int priority) {
  return hip(cudaStreamCreateWithPriority(reinterpret_cast<void**>(stream), flags, priority));
}
hipError_t hipStreamCreateWithFlags(hipStream_t* stream, unsigned flags) {
  return hipStreamCreateWithPriority(stream, flags, 0);
}
hipError_t hipStreamCreate(hipStream_t* stream) {
  return hipStreamCreateWithPriority(stream, 0, 0);
}
hipError_t hipStreamDestroy(hipStream_t stream) { return hip(cudaStreamDestroy(stream)); }
hipError_t hipStreamSynchronize(hipStream_t stream) { return hip(cudaStreamSynchronize(stream)); }
hipError_t hipStreamQuery(hipStream_t stream) { return hip(cudaStreamQuery(stream)); }
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event, unsigned flags) {
  return hip(cudaStreamWaitEvent(stream, event, flags));
}
hipError_t hipStreamAddCallback(hipStream_t stream, hipStreamCallback_t callback, void* data,
                                unsigned flags) {
  return hip(cudaStreamAddCallback(stream, reinterpret_cast<void*>(callback), data, flags));
}
hipError_t hipLaunchHostFunc(hipStream_t stream, hipHostFn_t function, void* data) {
  return hip(cudaLaunchHostFunc(stream, reinterpret_cast<void*>(function), data));
}
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return hip(cudaEventCreateWithFlags(reinterpret_cast<void**>(event), flags));
}
hipError_t hipEventCreate(hipEvent_t* event) { return hipEventCreateWithFlags(event, 0); }
hipError_t hipEventDestroy(hipEvent_t event) { return hip(cudaEventDestroy(event)); }
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return hip(cudaEventRecord(event, stream));
}
hipError_t hipEventSynchronize(hipEvent_t event) { return hip(cudaEventSynchronize(event)); }
hipError_t hipEventQuery(hipEvent_t event) { return hip(cudaEventQuery(event)); }
hipError_t hipEventElapsedTime(float* milliseconds, hipEvent_t start, hipEvent_t stop) {
  return hip(cudaEventElapsedTime(milliseconds, start, stop));
}

}  // extern "C"
