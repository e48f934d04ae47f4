// SPDX-License-Identifier: Apache-2.0
// One prediction of a library's time is part of every selection: it has to stay below 5 us.
#include <benchmark/benchmark.h>

#include "cost/library.h"

namespace ambidex {
namespace {

// Sizes differ from call to call, so that no branch is learnt.
void predict(benchmark::State& state, const char* device, GemmOp op) {
  const LibraryModel model = make_library_model(load_device(device));
  const int64_t m = op.m;
  for (auto _ : state) {
    op.m = op.m < 2 * m ? op.m + 8 : m;
    benchmark::DoNotOptimize(library_seconds(model, op));
  }
}

BENCHMARK_CAPTURE(predict, h200_large, "h200", GemmOp{.m = 4096, .n = 4096, .k = 4096});
BENCHMARK_CAPTURE(predict, h200_small, "h200", GemmOp{.m = 256, .n = 512, .k = 512});
BENCHMARK_CAPTURE(predict, h200_deep, "h200", GemmOp{.m = 256, .n = 64, .k = 65536});
BENCHMARK_CAPTURE(predict, h200_misaligned, "h200", GemmOp{.m = 4096, .n = 512, .k = 367});
BENCHMARK_CAPTURE(predict, mi355x_large, "mi355x", GemmOp{.m = 4096, .n = 4096, .k = 4096});
BENCHMARK_CAPTURE(predict, mi355x_skinny, "mi355x", GemmOp{.m = 16, .n = 4096, .k = 4096});

}  // namespace
}  // namespace ambidex
