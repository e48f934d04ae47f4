// SPDX-License-Identifier: Apache-2.0
// Build files: words of CMake and make that name CUDA, and flags of nvcc.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>

#include "port/translate.h"

namespace ambidex {
namespace {

struct BuildRule {
  const char* pattern;
  const char* replacement;  // "$1": group 1
  const char* rule;
  const char* hazard;
  const char* note;
};

// Of CMake. Case matters in names and not in commands.
constexpr std::array<BuildRule, 27> kCmakeRules{{
    {R"re(find_package\s*\(\s*CUDAToolkit\b[^)]*\))re", "find_package(hip REQUIRED)",
     "build.package", "", ""},
    {R"re(find_package\s*\(\s*CUDA\b[^)]*\))re", "find_package(hip REQUIRED)", "build.package", "",
     ""},
    {R"re(((?:project\s*\(|LANGUAGES\b)[^)]*)\bCUDA\b)re", "$1HIP", "build.language", "", ""},
    {R"re((enable_language\s*\(\s*)CUDA\b)re", "$1HIP", "build.language", "", ""},
    {R"re(\bCUDA::cudart(?:_static)?\b)re", "hip::host", "build.library", "", ""},
    {R"re(\bCUDA::cuda_driver\b)re", "hip::host", "build.library", "", ""},
    {R"re(\bCUDA::cublasLt\b)re", "roc::hipblaslt", "build.library", "N21", "ROCm 5.7 or later"},
    {R"re(\bCUDA::cublas(?:_static)?\b)re", "roc::hipblas", "build.library", "N21", ""},
    {R"re(\bCUDA::curand(?:_static)?\b)re", "hip::hiprand", "build.library", "N22", ""},
    {R"re(\bCUDA::cufft(?:_static)?\b)re", "hip::hipfft", "build.library", "", ""},
    {R"re(\bCUDA::cusparse(?:_static)?\b)re", "roc::hipsparse", "build.library", "", ""},
    {R"re(\bCUDA::nvrtc\b)re", "hiprtc::hiprtc", "build.library", "", ""},
    {R"re(\bCMAKE_CUDA_ARCHITECTURES\s+[^)]*)re", "CMAKE_HIP_ARCHITECTURES gfx942 gfx950",
     "build.architecture", "", ""},
    {R"re(\bCUDA_ARCHITECTURES\s+(?:"[^"]*"|[^\s)]+))re", "HIP_ARCHITECTURES \"gfx942;gfx950\"",
     "build.architecture", "", ""},
    {R"re(\bCMAKE_CUDA_ARCHITECTURES\b)re", "CMAKE_HIP_ARCHITECTURES", "build.variable", "", ""},
    {R"re(\bCMAKE_CUDA_COMPILER\b)re", "CMAKE_HIP_COMPILER", "build.variable", "", ""},
    {R"re(\bCMAKE_CUDA_FLAGS(\w*)\b)re", "CMAKE_HIP_FLAGS$1", "build.variable", "", ""},
    {R"re(\bCMAKE_CUDA_STANDARD(\w*)\b)re", "CMAKE_HIP_STANDARD$1", "build.variable", "", ""},
    {R"re(\bCMAKE_CUDA_EXTENSIONS\b)re", "CMAKE_HIP_EXTENSIONS", "build.variable", "", ""},
    {R"re(\bCUDA_STANDARD(_REQUIRED)?\b)re", "HIP_STANDARD$1", "build.variable", "", ""},
    {R"re(\bCUDA_EXTENSIONS\b)re", "HIP_EXTENSIONS", "build.variable", "", ""},
    {R"re([ \t]*\bCUDA_SEPARABLE_COMPILATION\s+\w+)re", "", "build.variable", "",
     "device code is linked where -fgpu-rdc is given"},
    {R"re([ \t]*\bCUDA_RESOLVE_DEVICE_SYMBOLS\s+\w+)re", "", "build.variable", "", ""},
    {R"re(COMPILE_LANGUAGE:CUDA\b)re", "COMPILE_LANGUAGE:HIP", "build.language", "", ""},
    {R"re(\bLANGUAGE\s+CUDA\b)re", "LANGUAGE HIP", "build.language", "", ""},
    {R"re(\bcuda_add_executable\b)re", "add_executable", "build.command", "", ""},
    {R"re(\bcuda_add_library\b)re", "add_library", "build.command", "", ""},
}};

// Of make.
constexpr std::array<BuildRule, 10> kMakeRules{{
    {R"re(((?:[\w./$(){}-]*/)?)\bnvcc\b)re", "hipcc", "build.compiler", "", ""},
    {R"re(-lcudart(?:_static)?\b)re", "-lamdhip64", "build.library", "", ""},
    {R"re(-lcuda\b)re", "-lamdhip64", "build.library", "", ""},
    {R"re(-lcublasLt\b)re", "-lhipblaslt", "build.library", "N21", "ROCm 5.7 or later"},
    {R"re(-lcublas\b)re", "-lhipblas", "build.library", "N21", ""},
    {R"re(-lcurand\b)re", "-lhiprand", "build.library", "N22", ""},
    {R"re(-lcufft\b)re", "-lhipfft", "build.library", "", ""},
    {R"re(-lcusparse\b)re", "-lhipsparse", "build.library", "", ""},
    {R"re(-lnccl\b)re", "-lrccl", "build.library", "", ""},
    {R"re([ \t]+-x[ \t]+cu\b)re", " -x hip", "build.language", "", ""},
}};

// Flags of nvcc, in either.
constexpr std::array<BuildRule, 14> kFlagRules{{
    {R"re((?:[ \t]+(?:-gencode|--generate-code)[= ]*"?arch=[\w=,.\[\]]+"?)+)re",
     " --offload-arch=gfx942 --offload-arch=gfx950", "build.architecture", "", ""},
    {R"re((?:-arch|--gpu-architecture)[= ](?:(?:sm|compute)_\w+|(?:sm_|compute_)?\$[({]\w+[)}])|-arch=native|-arch=all(?:-major)?)re",
     "--offload-arch=gfx942 --offload-arch=gfx950", "build.architecture", "", ""},
    {R"re([ \t]*(?:-code|--gpu-code)[= ](?:sm|compute)_\w+)re", "", "build.architecture", "", ""},
    {R"re(--?use_fast_math\b)re", "-fgpu-flush-denormals-to-zero", "build.fast-math", "N12",
     "clang's -ffast-math assumes that there are no NaNs, which nvcc does not; approximate "
     "functions are named in the source"},
    {R"re(--ftz=true|-ftz=true)re", "-fgpu-flush-denormals-to-zero", "build.fast-math", "N12", ""},
    {R"re([ \t]*(?:--expt-relaxed-constexpr|-expt-relaxed-constexpr|--expt-extended-lambda|)re"
     R"re(-expt-extended-lambda|--extended-lambda|-extended-lambda)\b)re",
     "", "build.flag", "", "clang needs no flag for it"},
    {R"re([ \t]*-{1,2}(?:ptxas-options|Xptxas)[= ][\w=,-]+)re", "", "build.flag", "",
     "a flag of ptxas"},
    {R"re((?:-Xcompiler|--compiler-options)[= ]"?(-[\w=+,-]+)"?)re", "$1", "build.flag", "",
     "hipcc passes it on as it is"},
    {R"re(--maxrregcount[= ]\d+|-maxrregcount[= ]\d+)re", "", "build.flag", "R03",
     "registers are bounded by __launch_bounds__"},
    {R"re([ \t]*-{1,2}(?:lineinfo|generate-line-info)\b)re", " -g", "build.flag", "", ""},
    {R"re([ \t]*-{1,2}(?:relocatable-device-code|rdc)[= ]true\b)re", " -fgpu-rdc", "build.flag", "",
     ""},
    {R"re([ \t]-dc\b)re", " -fgpu-rdc -c", "build.flag", "", ""},
    {R"re([ \t]-dlink\b)re", " -fgpu-rdc --hip-link", "build.flag", "", ""},
    {R"re([ \t]*-{1,2}default-stream[= ]per-thread\b)re", " -fgpu-default-stream=per-thread",
     "build.flag", "", ""},
}};

struct Refused {
  const char* pattern;
  const char* hazard;
  const char* reason;
};
constexpr std::array<Refused, 8> kRefused{{
    {R"re(\bcudnn\b|-lcudnn|CUDNN)re", "N21", "cuDNN has no counterpart of the same interface"},
    {R"re(\bcusolver\b|-lcusolver|CUDA::cusolver)re", "N21", "cuSOLVER is not translated"},
    {R"re(CUTLASS|cutlass)re", "N03", "CUTLASS has no counterpart"},
    {R"re(-lcudadevrt|CUDA::cudadevrt)re", "S07", "kernels cannot launch kernels in HIP"},
    {R"re(-prec-div=false|-prec-sqrt=false)re", "N12", "no flag of clang says just this"},
    {R"re(\bcuda_select_nvcc_arch_flags\b)re", "R08", "name the architectures instead"},
    {R"re(-ptx\b|--cubin\b|-cubin\b|--fatbin\b|-fatbin\b)re", "N01",
     "PTX and cubins are no form of AMD's code"},
    {R"re(-lnvToolsExt|CUDA::nvToolsExt|nvtx3)re", "N20", "NVTX is not part of HIP; see rocTX"},
}};

std::string base_of(const std::string& name) { return name.substr(name.find_last_of('/') + 1); }

bool is_cmake(const std::string& name) {
  return base_of(name) == "CMakeLists.txt" || name.ends_with(".cmake");
}

struct Text {
  const std::string& all;
  std::vector<bool> comment;  // bytes after a # that no quote holds
};

Text text_of(const std::string& all) {
  Text text{all, std::vector<bool>(all.size(), false)};
  bool in_comment = false;
  bool in_string = false;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] == '\n') in_comment = in_string = false;
    if (all[i] == '"' && !in_comment) in_string = !in_string;
    if (all[i] == '#' && !in_string) in_comment = true;
    text.comment[i] = in_comment;
  }
  return text;
}

int64_t line_at(const std::string& text, int64_t offset) {
  return 1 + std::count(text.begin(), text.begin() + offset, '\n');
}

void apply(const BuildRule& rule, const Text& text, std::vector<TranslateEdit>& edits) {
  const std::regex pattern(rule.pattern);
  for (std::sregex_iterator at(text.all.begin(), text.all.end(), pattern), end; at != end; ++at) {
    const std::string found = at->str();
    std::string replacement = at->format(rule.replacement);
    size_t same = 0;  // the edit starts where the two differ
    while (same < std::min(found.size(), replacement.size()) && found[same] == replacement[same]) {
      ++same;
    }
    if (same == found.size() && same == replacement.size()) continue;
    const auto offset = at->position() + static_cast<int64_t>(same);
    if (text.comment[static_cast<size_t>(at->position())]) continue;
    edits.push_back({.line = line_at(text.all, offset),
                     .offset = offset,
                     .length = std::ssize(found) - static_cast<int64_t>(same),
                     .replacement = replacement.substr(same),
                     .rule = rule.rule,
                     .hazard = rule.hazard,
                     .note = rule.note});
  }
}

constexpr BuildRule kSourceRule{R"re(\.cu\b)re", ".hip", "build.source", "", "the file is renamed"};

void resolve(std::vector<TranslateEdit>& edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const TranslateEdit& a, const TranslateEdit& b) {
    return a.offset < b.offset;
  });
  std::vector<TranslateEdit> kept;
  for (TranslateEdit& edit : edits) {
    if (!kept.empty() && kept.back().offset + kept.back().length > edit.offset) continue;
    kept.push_back(std::move(edit));
  }
  edits = std::move(kept);
}

}  // namespace

bool is_build_file(const std::string& name) {
  const std::string base = base_of(name);
  return is_cmake(name) || base == "Makefile" || base == "makefile" || base == "GNUmakefile" ||
         name.ends_with(".mk");
}

BuildTranslation translate_build(const std::string& name, const std::string& text, bool rename) {
  BuildTranslation out;
  const Text marked = text_of(text);
  if (is_cmake(name)) {
    for (const BuildRule& rule : kCmakeRules) apply(rule, marked, out.edits);
  } else {
    for (const BuildRule& rule : kMakeRules) apply(rule, marked, out.edits);
  }
  for (const BuildRule& rule : kFlagRules) apply(rule, marked, out.edits);
  if (rename) apply(kSourceRule, marked, out.edits);
  resolve(out.edits);
  for (const Refused& refused : kRefused) {
    const std::regex pattern(refused.pattern);
    for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) {
      if (marked.comment[static_cast<size_t>(at->position())]) continue;
      out.refusals.push_back({.line = line_at(text, at->position()),
                              .hazard = refused.hazard,
                              .rule = "build.refuse",
                              .reason = fmt::format("{}: {}", at->str(), refused.reason)});
    }
  }
  return out;
}

}  // namespace ambidex
