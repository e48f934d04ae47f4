// SPDX-License-Identifier: Apache-2.0
// Streams and events. Work is done when it is given, so a stream has nothing to wait for; an
// event's time is that of the executor, not of a device.
#include <fmt/format.h>

#include "runner/graph.h"

using namespace ambidex::runner;  // functions of C, outside of any namespace

struct CUstream_st {
  unsigned flags = 0;
  int priority = 0;
  int number = 0;  // in order of creation; 0: the default stream
};
struct CUevent_st {
  double seconds = -1;  // since the start; < 0: not recorded
  unsigned flags = 0;
  Frontier captured;  // where it was recorded in a captured stream
};

namespace {

int number_of(cudaStream_t stream) { return stream > cudaStreamPerThread ? stream->number : 0; }

}  // namespace

extern "C" {

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return api([&](Runtime& state) -> int {
    if (stream == nullptr) return kInvalidValue;
    *stream = new CUstream_st{flags, priority, ++state.num_streams};
    return kSuccess;
  });
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, 0);
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return api([&](Runtime&) -> int {
    *priority = stream > cudaStreamPerThread ? stream->priority : 0;
    return kSuccess;
  });
}
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return api([&](Runtime&) -> int {
    *flags = stream > cudaStreamPerThread ? stream->flags : 0;
    return kSuccess;
  });
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return api([&](Runtime&) -> int {
    if (stream <= cudaStreamPerThread) return kInvalidHandle;
    delete stream;
    return kSuccess;
  });
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return api([&](Runtime& state) {
    note_order(state, fmt::format("wait for stream {}", number_of(stream)));
    return forbid_in_capture(stream);
  });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return api([&](Runtime&) { return forbid_in_capture(stream); });
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return api([&](Runtime& state) -> int {
    if (event == nullptr) return kInvalidHandle;
    note_order(state, fmt::format("stream {} waits for an event", number_of(stream)));
    return event->captured.graph == nullptr ? kSuccess : join_capture(stream, event->captured);
  });
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned) {
  return api([&](Runtime&) -> int {
    if (callback == nullptr) return kInvalidValue;
    if (const int status = forbid_in_capture(stream); status != kSuccess) return status;
    callback(stream, cudaSuccess, data);
    return kSuccess;
  });
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void*, size_t, unsigned) {
  return api([](Runtime&) { return kSuccess; });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return api([&](Runtime&) -> int {
    if (event == nullptr) return kInvalidValue;
    *event = new CUevent_st{-1, flags, {}};
    return kSuccess;
  });
}
cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, 0); }
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return api([&](Runtime&) -> int {
    if (event == nullptr) return kInvalidHandle;
    delete event;
    return kSuccess;
  });
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return api([&](Runtime& state) -> int {
    if (event == nullptr) return kInvalidHandle;
    note_order(state, fmt::format("an event in stream {}", number_of(stream)));
    event->captured = frontier_of(stream);
    event->seconds = seconds_since_start();
    return kSuccess;
  });
}
cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  return api([&](Runtime&) -> int {
    if (event == nullptr) return kInvalidHandle;
    return event->captured.graph == nullptr ? int{kSuccess} : int{cudaErrorCapturedEvent};
  });
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return api([&](Runtime& state) -> int {
    note_order(state, "wait for an event");
    return cudaEventQuery(event);
  });
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return api([&](Runtime&) -> int {
    if (milliseconds == nullptr) return kInvalidValue;
    if (start == nullptr || end == nullptr || start->seconds < 0 || end->seconds < 0) {
      return kInvalidHandle;
    }
    *milliseconds = static_cast<float>((end->seconds - start->seconds) * 1e3);
    return kSuccess;
  });
}

}  // extern "C"
