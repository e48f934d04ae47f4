// SPDX-License-Identifier: Apache-2.0
// A launch: refused as the device's runtime would, or run in the executor and recorded.
#pragma once

#include "runner/state.h"

namespace ambidex::runner {

/// Values that CUDA's and HIP's enumerations of errors share.
enum Status : int {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kInvalidConfiguration = 9,
  kInvalidSymbol = 13,
  kInvalidMemcpyDirection = 21,
  kInvalidDeviceFunction = 98,
  kInvalidDevice = 101,
  kInvalidHandle = 400,
  kIllegalState = 401,
  kIllegalAddress = 700,
  kLaunchOutOfResources = 701,
  kLaunchTimeout = 702,
  kAssert = 710,
  kNotRegistered = 713,
  kLaunchFailure = 719,
  kCooperativeLaunchTooLarge = 720,
  kNotSupported = 801,
};

struct KernelCall {
  const Kernel* kernel = nullptr;
  SimtLaunch launch;
  void** arguments = nullptr;
  SimtWatch watch = {};
};

/// What the device's runtime says to it before anything runs.
Status judge(const Runtime& state, const KernelCall& call);

/// Runs it; problems are added to the runtime's, and become the status that a GPU would give.
Status run_kernel(Runtime& state, const KernelCall& call, Record record);

/// The kernel that runs now, for the report of a crash; empty outside of kernels.
const char* kernel_name();

/// Whether the program has come to a launch, be it one that is refused.
bool has_launched();

}  // namespace ambidex::runner
