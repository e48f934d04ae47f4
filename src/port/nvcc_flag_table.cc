// SPDX-License-Identifier: Apache-2.0
#include "port/nvcc_flag_table.h"

#include <array>
#include <cstdint>

namespace ambidex {
namespace {

using enum FlagAction;
using enum FlagValue;

constexpr std::string_view kFlush = "-fgpu-flush-denormals-to-zero";
constexpr std::string_view kNoFlag = "no flag of clang says just this";
constexpr std::string_view kNoPtx = "PTX and cubins are no form of AMD's code";
constexpr std::string_view kOfNvcc = "of nvcc alone; clang needs no flag for it";
constexpr std::string_view kOneLink =
    "HIP has no device link of its own; drop this step and its object and link all objects by one "
    "hipcc -fgpu-rdc --hip-link";

// Facts on nvcc: the options of its manual. Rows of one name are tried in order.
constexpr std::array<NvccFlag, 65> kFlags{{
    {"-gencode --generate-code -arch --gpu-architecture -code --gpu-code", any, "", architecture,
     "", "", ""},
    {"-use_fast_math --use_fast_math", none, "", put, kFlush, "N12",
     "clang's -ffast-math assumes that there are no NaNs, which nvcc does not; approximate "
     "functions are named in the source"},
    {"-ftz --ftz", any, "true", put, kFlush, "N12", ""},
    {"-ftz --ftz", any, "false", leave_out, "", "N12", "clang keeps denormals by default"},
    {"-prec-div --prec-div -prec-sqrt --prec-sqrt", any, "true", leave_out, "", "N12",
     "clang's default"},
    {"-prec-div --prec-div -prec-sqrt --prec-sqrt", any, "false", refuse, kNoFlag, "N12", ""},
    {"-fmad --fmad", any, "true", put, "-ffp-contract=fast", "N12", ""},
    {"-fmad --fmad", any, "false", put, "-ffp-contract=off", "N12", ""},
    {"-Xcompiler --compiler-options", any, "", host_flags, "", "", "hipcc takes it as it is"},
    {"-Xlinker --linker-options", any, "", linker_flags, "", "", ""},
    {"-rdc --relocatable-device-code", any, "true", relocatable, "-fgpu-rdc", "", ""},
    {"-rdc --relocatable-device-code", any, "false", leave_out, "", "", "clang's default"},
    {"-dc --device-c", none, "", relocatable, "-fgpu-rdc -c", "", ""},
    {"-dw --device-w", none, "", put, "-c", "", ""},
    {"-dlink --device-link", none, "", refuse, kOneLink, "N21", ""},
    {"-dlto --dlink-time-opt", none, "", leave_out, "", "", "-fgpu-rdc links bitcode anyway"},
    {"-x --x", any, "cu", put, "-x hip", "", ""},
    {"-ptx --ptx -cubin --cubin -fatbin --fatbin -optix-ir --optix-ir", none, "", refuse, kNoPtx,
     "N01", ""},
    {"-maxrregcount --maxrregcount", any, "", leave_out, "", "R03",
     "registers are bounded by __launch_bounds__"},
    {"-lineinfo --lineinfo --generate-line-info", none, "", put, "-g", "", ""},
    {"--device-debug", none, "", put, "-g", "", ""},
    {"-G", none, "", put, "-g", "", "clang has no debugging of the device alone", true},
    {"-default-stream --default-stream", any, "legacy null", leave_out, "", "", "clang's default"},
    {"-default-stream --default-stream", any, "", put, "-fgpu-default-stream=$", "", ""},
    {"-std --std", any, "c++98 c++03 c++0x c++11 c++1y c++14 gnu++11 gnu++14", put, "-std=c++17",
     "", "of the port's headers", true},
    {"-std --std", any, "", put, "-std=$", "", ""},
    {"-expt-relaxed-constexpr --expt-relaxed-constexpr -expt-extended-lambda "
     "--expt-extended-lambda -extended-lambda --extended-lambda",
     none, "", leave_out, "", "", kOfNvcc},
    {"-Xptxas --ptxas-options", any, "", leave_out, "", "", "a flag of ptxas"},
    {"-Xnvlink --nvlink-options -Xfatbin --fatbin-options -Xcudafe --cudafe-options", any, "",
     leave_out, "", "", "a flag of nvcc's own tools"},
    {"-Xcicc --Xcicc -Xnvvm", any, "", leave_out, "", "", "a flag of nvcc's own tools"},
    {"-ccbin --compiler-bindir", any, "", leave_out, "", "", "hipcc is the host's compiler too"},
    {"-diag-suppress --diag-suppress -diag-warn --diag-warn -diag-error --diag-error", any, "",
     leave_out, "", "", "numbers of nvcc's warnings"},
    {"-Wno-deprecated-gpu-targets --Wno-deprecated-gpu-targets -Wdefault-stream-launch "
     "--Wdefault-stream-launch -Wmissing-launch-bounds --Wmissing-launch-bounds "
     "-Wext-lambda-captures-this --Wext-lambda-captures-this",
     none, "", leave_out, "", "", "a warning of nvcc"},
    {"-Werror --Werror", any, "all-warnings", put, "-Werror", "", ""},
    {"-Werror --Werror", any,
     "cross-execution-space-call reorder default-stream-launch missing-launch-bounds "
     "ext-lambda-captures-this deprecated-declarations",
     leave_out, "", "", "a warning of nvcc"},
    {"--disable-warnings -disable-warnings", none, "", put, "-w", "", ""},
    {"-cudart --cudart", any, "", leave_out, "", "", "HIP's runtime is a shared library"},
    {"-threads --threads", optional_number, "", leave_out, "", "", kOfNvcc},
    {"-t", any, "0 1 2 3 4 6 8 12 16 24 32", leave_out, "", "", kOfNvcc, true},
    {"-split-compile --split-compile", any, "", leave_out, "", "", kOfNvcc},
    {"-m --machine", any, "64", put, "-m64", "", ""},
    {"-res-usage --resource-usage", none, "", put, "-Rpass-analysis=kernel-resource-usage", "", ""},
    {"-restrict --restrict", none, "", leave_out, "", "", kOfNvcc},
    {"-src-in-ptx --source-in-ptx", none, "", leave_out, "", "", "a flag of ptxas"},
    {"-extra-device-vectorization --extra-device-vectorization", none, "", leave_out, "", "",
     kOfNvcc},
    {"-forward-unknown-to-host-compiler --forward-unknown-to-host-compiler "
     "-forward-unknown-to-host-linker --forward-unknown-to-host-linker -forward-unknown-opts "
     "--forward-unknown-opts -allow-unsupported-compiler --allow-unsupported-compiler "
     "-brief-diagnostics --brief-diagnostics -noprof --no-compress -no-compress "
     "-err-no --display-error-number -use-local-env --use-local-env -clean-targets",
     none, "", leave_out, "", "", kOfNvcc},
    {"-Ofc --Ofast-compile -compress-mode --compress-mode -objtemp -keep-dir --keep-dir", any, "",
     leave_out, "", "", kOfNvcc},
    {"-keep --keep", none, "", put, "-save-temps", "", ""},
    {"-dryrun --dryrun", none, "", put, "-###", "", ""},
    {"-lib --lib", none, "", put, "--emit-static-lib", "", ""},
    {"--compile", none, "", put, "-c", "", "", true},
    {"--shared", none, "", put, "-shared", "", "", true},
    {"--debug", none, "", put, "-g", "", "", true},
    {"--profile", none, "", put, "-pg", "", "", true},
    {"--generate-dependencies", none, "", put, "-M", "", ""},
    {"--generate-nonsystem-dependencies", none, "", put, "-MM", "", ""},
    {"--optimize", any, "", put, "-O$", "", "", true},
    {"--output-file", any, "", put, "-o $", "", ""},
    {"--include-path", any, "", put, "-I$", "", "", true},
    {"--library-path", any, "", put, "-L$", "", "", true},
    {"--define-macro", any, "", put, "-D$", "", "", true},
    {"--undefine-macro", any, "", put, "-U$", "", "", true},
    {"--pre-include -pre-include", any, "", put, "-include $", "", ""},
    {"-odir --output-directory", any, "", refuse, "clang has no folder for outputs; use -o", "N21",
     "", true},
    {"-run --run -run-args --run-args -optf --options-file -gen-opt-lto -dlink-only", none, "",
     refuse, kNoFlag, "N21", "", true},
}};

}  // namespace

std::span<const NvccFlag> nvcc_flags() { return kFlags; }

}  // namespace ambidex
