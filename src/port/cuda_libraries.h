// SPDX-License-Identifier: Apache-2.0
// Libraries of CUDA as build files name them, and those of ROCm in their place.
#pragma once

#include <string_view>

namespace ambidex {

struct CudaLibrary {
  std::string_view cuda;     // "cublas", of -lcublas and CUDA::cublas
  std::string_view link;     // "-lhipblas"; empty: it is left out
  std::string_view target;   // "roc::hipblas"
  std::string_view package;  // "hipblas", for find_package
  std::string_view hazard;
  std::string_view note;
  std::string_view refusal;  // why there is none
};

/// By the name behind -l or CUDA::, "cublas" or "cublas_static"; nullptr if it is none of CUDA's.
const CudaLibrary* cuda_library(std::string_view name);

/// By a variable of FindCUDA, "CUDA_CUBLAS_LIBRARIES"; nullptr if it names no library.
const CudaLibrary* cuda_library_of_variable(std::string_view variable);

/// A library without a counterpart that `text` speaks of in whatever form, "CUDNN_ROOT"; nullptr if
/// it does not.
const CudaLibrary* foreign_library_in(std::string_view text);

}  // namespace ambidex
