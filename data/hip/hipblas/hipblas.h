// SPDX-License-Identifier: Apache-2.0
// hipBLAS, as far as data/cuda has cuBLAS: plain loops of one thread, summed in double.
#pragma once

#include <hip/hip_bf16.h>
#include <hip/hip_complex.h>
#include <hip/hip_fp16.h>
#include <hip/library_types.h>

#include "ambidex_hip/library_begin.h"
//
#include "ambidex_hip/blas_begin.h"

namespace ambidex_cuda {
AMBIDEX_HD float value_of(__half x) { return __half2float(x); }
AMBIDEX_HD float value_of(__hip_bfloat16 x) { return __bfloat162float(x); }
}  // namespace ambidex_cuda

#include "../../cuda/cublas_api.h"
//
#include "ambidex_hip/blas_end.h"
#include "ambidex_hip/library_end.h"
