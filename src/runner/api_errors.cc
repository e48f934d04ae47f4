// SPDX-License-Identifier: Apache-2.0
// Errors: the last one of a thread, the one that stays, and their names.
#include "runner/api.h"

namespace ambidex::runner {
namespace {

thread_local int last_error = kSuccess;
int lasting_error = kSuccess;

struct ErrorWords {
  int value;
  const char* cuda_name;
  const char* hip_name;
  const char* text;
};

constexpr ErrorWords kErrors[] = {
    {0, "cudaSuccess", "hipSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "hipErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "hipErrorOutOfMemory", "out of memory"},
    {3, "cudaErrorInitializationError", "hipErrorNotInitialized", "initialization error"},
    {9, "cudaErrorInvalidConfiguration", "hipErrorInvalidConfiguration",
     "invalid configuration argument"},
    {12, "cudaErrorInvalidPitchValue", "hipErrorInvalidPitchValue", "invalid pitch argument"},
    {13, "cudaErrorInvalidSymbol", "hipErrorInvalidSymbol", "invalid device symbol"},
    {17, "cudaErrorInvalidDevicePointer", "hipErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "cudaErrorInvalidMemcpyDirection", "hipErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {52, "cudaErrorMissingConfiguration", "hipErrorMissingConfiguration",
     "__global__ function call is not configured"},
    {98, "cudaErrorInvalidDeviceFunction", "hipErrorInvalidDeviceFunction",
     "invalid device function"},
    {100, "cudaErrorNoDevice", "hipErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "hipErrorInvalidDevice", "invalid device ordinal"},
    {400, "cudaErrorInvalidResourceHandle", "hipErrorInvalidHandle", "invalid resource handle"},
    {401, "cudaErrorIllegalState", "hipErrorIllegalState", "the operation cannot be performed now"},
    {600, "cudaErrorNotReady", "hipErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress", "hipErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {701, "cudaErrorLaunchOutOfResources", "hipErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {702, "cudaErrorLaunchTimeout", "hipErrorLaunchTimeOut",
     "the launch timed out and was terminated"},
    {710, "cudaErrorAssert", "hipErrorAssert", "device-side assert triggered"},
    {713, "cudaErrorHostMemoryNotRegistered", "hipErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {719, "cudaErrorLaunchFailure", "hipErrorLaunchFailure", "unspecified launch failure"},
    {720, "cudaErrorCooperativeLaunchTooLarge", "hipErrorCooperativeLaunchTooLarge",
     "too many blocks in cooperative launch"},
    {801, "cudaErrorNotSupported", "hipErrorNotSupported", "operation not supported"},
    {900, "cudaErrorStreamCaptureUnsupported", "hipErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {901, "cudaErrorStreamCaptureInvalidated", "hipErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
    {902, "cudaErrorStreamCaptureMerge", "hipErrorStreamCaptureMerge",
     "operation would result in a merge of separate capture sequences"},
    {903, "cudaErrorStreamCaptureUnmatched", "hipErrorStreamCaptureUnmatched",
     "capture was not ended in the same stream as it began"},
    {904, "cudaErrorStreamCaptureUnjoined", "hipErrorStreamCaptureUnjoined",
     "capturing stream has unjoined work"},
    {906, "cudaErrorStreamCaptureImplicit", "hipErrorStreamCaptureImplicit",
     "operation would make the legacy stream depend on a capturing blocking stream"},
    {907, "cudaErrorCapturedEvent", "hipErrorCapturedEvent",
     "operation not permitted on an event last recorded in a capturing stream"},
    {910, "cudaErrorGraphExecUpdateFailure", "hipErrorGraphExecUpdateFailure",
     "the graph update was not performed because it included changes which violated constraints "
     "specific to instantiated graph update"},
    {999, "cudaErrorUnknown", "hipErrorUnknown", "unknown error"},
};

const ErrorWords* words_of(int value) {
  for (const ErrorWords& words : kErrors) {
    if (words.value == value) return &words;
  }
  return nullptr;
}

}  // namespace

std::recursive_mutex& api_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

cudaError_t done(int status) {
  if (status != kSuccess) last_error = status;
  return static_cast<cudaError_t>(status);
}

int sticky_error() { return lasting_error; }
void set_sticky_error(int status) {
  if (lasting_error == kSuccess) lasting_error = status;
}

}  // namespace ambidex::runner

using namespace ambidex::runner;  // functions of C, outside of any namespace

extern "C" {

cudaError_t cudaPeekAtLastError() {
  return static_cast<cudaError_t>(sticky_error() != kSuccess ? sticky_error() : last_error);
}
cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  last_error = kSuccess;
  return error;
}
const char* cudaGetErrorName(cudaError_t error) {
  const ErrorWords* words = words_of(error);
  return words != nullptr ? words->cuda_name : "unrecognized error code";
}
const char* cudaGetErrorString(cudaError_t error) {
  const ErrorWords* words = words_of(error);
  return words != nullptr ? words->text : "unrecognized error code";
}
const char* ambidex_hip_error_name(int error) {
  const ErrorWords* words = words_of(error);
  return words != nullptr ? words->hip_name : "hipErrorUnknown";
}

}  // extern "C"
