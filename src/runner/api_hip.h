// SPDX-License-Identifier: Apache-2.0
// HIP's runtime. Both runtimes have the same functions on the same ideas; the values of hipError_t
// and of most enumerations are those of CUDA's, so most functions pass their arguments on. A file
// that includes this sees CUDA's functions as it declares them: its own types are HIP's.
#pragma once

#define AMBIDEX_HIP_BOTH inline  // of HIP's attributes, for this compiler
#include <hip/hip_runtime_api.h>

inline hipError_t hip(int status) { return static_cast<hipError_t>(status); }
