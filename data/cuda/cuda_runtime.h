// SPDX-License-Identifier: Apache-2.0
// What nvcc includes ahead of every .cu file: CUDA's language, its built-in functions and the
// runtime API, for clang 22 without a CUDA toolkit. Written from NVIDIA's public documentation.
// Kernels run on include/ambidex/simt_device.h; see docs/cuda-headers.md for what is executed.
#pragma once
#pragma GCC system_header

#include "ambidex_cuda/keywords.h"
#include "ambidex_cuda/standard.h"
//
#include "vector_types.h"
//
#include "vector_functions.h"
//
#include "driver_types.h"
//
#include "cuda_runtime_api.h"
//
#include "ambidex_cuda/runtime_templates.h"
//
#include "device_launch_parameters.h"
//
#include "device_functions.h"
