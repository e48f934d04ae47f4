// SPDX-License-Identifier: Apache-2.0
#include "port/cuda_libraries.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace ambidex {
namespace {

constexpr std::string_view kNoTracing = "NVTX is not part of HIP; see rocTX";
constexpr std::string_view kNoImages = "NPP has no counterpart of the same interface";

// Targets: the CMake packages of ROCm's libraries.
constexpr std::array<CudaLibrary, 29> kLibraries{{
    {"cudart", "-lamdhip64", "hip::host", "hip", "", "", ""},
    {"cuda", "-lamdhip64", "hip::host", "hip", "", "", ""},
    {"cuda_driver", "-lamdhip64", "hip::host", "hip", "", "", ""},
    {"toolkit", "", "hip::host", "hip", "", "", ""},
    {"cublas", "-lhipblas", "roc::hipblas", "hipblas", "N21", "", ""},
    {"cublasLt", "-lhipblaslt", "roc::hipblaslt", "hipblaslt", "N21", "ROCm 5.7 or later", ""},
    {"curand", "-lhiprand", "hip::hiprand", "hiprand", "N22", "", ""},
    {"cufft", "-lhipfft", "hip::hipfft", "hipfft", "", "", ""},
    {"cusparse", "-lhipsparse", "roc::hipsparse", "hipsparse", "", "", ""},
    {"nvrtc", "-lhiprtc", "hiprtc::hiprtc", "hiprtc", "", "", ""},
    {"nccl", "-lrccl", "roc::rccl", "rccl", "", "", ""},
    {"culibos", "", "", "", "", "a part of CUDA's static libraries", ""},
    {"cudadevrt", "", "", "", "S07", "", "kernels cannot launch kernels in HIP"},
    {"cudnn", "", "", "", "N21", "", "cuDNN has no counterpart of the same interface"},
    {"cusolver", "", "", "", "N21", "", "cuSOLVER is not translated"},
    {"cutlass", "", "", "", "N03", "", "CUTLASS has no counterpart"},
    {"nvToolsExt", "", "", "", "N20", "", kNoTracing},
    {"nvtx3", "", "", "", "N20", "", kNoTracing},
    {"nvidia-ml", "", "", "", "N21", "", "NVML is not part of HIP; see rocm_smi"},
    {"nvml", "", "", "", "N21", "", "NVML is not part of HIP; see rocm_smi"},
    {"cupti", "", "", "", "N21", "", "CUPTI is not part of HIP; see rocprofiler"},
    {"cufftw", "", "", "", "N21", "", "hipFFT has no interface of FFTW"},
    {"nppc", "", "", "", "N21", "", kNoImages},
    {"nppif", "", "", "", "N21", "", kNoImages},
    {"nppig", "", "", "", "N21", "", kNoImages},
    {"nppial", "", "", "", "N21", "", kNoImages},
    {"nvjpeg", "", "", "", "N21", "", "nvJPEG has no counterpart of the same interface"},
    {"nvJitLink", "", "", "", "N01", "", "PTX and cubins are no form of AMD's code"},
    {"cufile", "", "", "", "N21", "", "cuFile has no counterpart of the same interface"},
}};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

}  // namespace

const CudaLibrary* cuda_library(std::string_view name) {
  if (name.ends_with("_static")) name.remove_suffix(std::string_view("_static").size());
  const auto* const found =
      std::find_if(kLibraries.begin(), kLibraries.end(),
                   [&](const CudaLibrary& library) { return library.cuda == name; });
  return found == kLibraries.end() ? nullptr : found;
}

const CudaLibrary* cuda_library_of_variable(std::string_view variable) {
  if (variable == "CUDA_LIBRARIES") return cuda_library("cudart");
  if (!variable.starts_with("CUDA_")) return nullptr;
  std::string_view name = variable.substr(std::string_view("CUDA_").size());
  for (const std::string_view ending : {"_LIBRARY", "_LIBRARIES"}) {
    if (!name.ends_with(ending)) continue;
    name.remove_suffix(ending.size());
    if (name == "DRIVER") return cuda_library("cuda");
    const CudaLibrary* const exact = cuda_library(name);
    return exact != nullptr ? exact : cuda_library(lower(name));
  }
  return nullptr;
}

const CudaLibrary* foreign_library_in(std::string_view text) {
  const std::string folded = lower(text);
  for (const std::string_view word : {"cudnn", "cusolver", "cutlass", "nvtx3"}) {
    if (folded.find(word) != std::string::npos) return cuda_library(word);
  }
  return folded.find("nvtoolsext") != std::string::npos ? cuda_library("nvtx3") : nullptr;
}

}  // namespace ambidex
