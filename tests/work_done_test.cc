// SPDX-License-Identifier: Apache-2.0
#include "port/work_done.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "port/modules.h"
#include "scratch.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

TEST(WorkDone, is_held_to_a_band) {
  const WorkDone before{.flop = 4096, .loaded_bytes = 1000, .stored_bytes = 1000};
  const auto fault = [&](double flop, double loaded, double stored) {
    return work_fault(before, {.flop = flop, .loaded_bytes = loaded, .stored_bytes = stored});
  };
  EXPECT_EQ(fault(4096, 1000, 1000), "");
  EXPECT_EQ(fault(1024, 500, 500), "");
  EXPECT_EQ(fault(32 * 4096, 9000, 9000), "");
  EXPECT_EQ(fault(1023, 1000, 1000),
            "1023 floating-point operations where there were 4096: work is left out");
  EXPECT_THAT(fault(32 * 4096 + 1, 1000, 1000), HasSubstr("many times over"));
  EXPECT_THAT(fault(4096, 499, 1000), HasSubstr("499 bytes of memory are read"));
  EXPECT_THAT(fault(4096, 1000, 499), HasSubstr("499 bytes of memory are written"));
}

TEST(WorkDone, kernels_of_next_to_no_work_are_not_judged) {
  EXPECT_EQ(work_fault({.flop = 255, .loaded_bytes = 63, .stored_bytes = 63}, WorkDone{}), "");
}

std::string source_of(const std::string& prefix, const std::string& work) {
  return "#include <" + (prefix == "hip" ? "hip/" + prefix : prefix) +
         "_runtime.h>\n"
         "__global__ void k(const float* in, float* out) {\n  float x = in[threadIdx.x];\n" +
         work + "  out[threadIdx.x] = x;\n}\nint main() {\n  float* p;\n  (void)" + prefix +
         "Malloc((void**)&p, 512);\n  (void)" + prefix +
         "Memset(p, 0, 512);\n  k<<<1, 64>>>(p, p + 64);\n  return 0;\n}\n";
}

// Both give zeros; what differs is how.
TEST(WorkDone, of_programs_is_compared_kernel_by_kernel) {
  const ScratchFolder scratch;
  const auto manner = [&](const std::string& name, const char* dialect, const std::string& text) {
    write_file(scratch.path(name), text);
    const Module module = build_module({.files = {scratch.path(name)},
                                        .dialect = dialect,
                                        .arguments = {},
                                        .checked = true,
                                        .counted = true,
                                        .folder = scratch.path("modules")});
    EXPECT_TRUE(module.ok) << (module.ok ? "" : module.messages.at(0).message);
    const bool port = std::string(dialect) == "hip";
    return RunManner{.module = module.path,
                     .folder = scratch.path("run"),
                     .device = port ? "mi300x" : "h200",
                     .wave_width = port ? 64 : 32};
  };
  const std::string loop = "  for (int i = 0; i < 16; ++i) x = x * 0.5f + in[i];\n";
  const RunManner original = manner("k.cu", "cuda", source_of("cuda", loop));
  EXPECT_EQ(work_fault({original, manner("k.hip", "hip", source_of("hip", loop)), {"k"}}), "");
  const RunManner lazy = manner("lazy.hip", "hip", source_of("hip", ""));
  EXPECT_EQ(work_fault({original, lazy, {"k"}}),
            "k: 0 floating-point operations where there were 2048: work is left out");
  EXPECT_EQ(work_fault({original, lazy, {"other"}}), "");
}

}  // namespace
}  // namespace ambidex
