// SPDX-License-Identifier: Apache-2.0
// Threads per second of an instrumented kernel on one core, checked and not: eight exchanges, three
// loads and two stores a thread.
#include <benchmark/benchmark.h>

#include <cstdlib>

#include "../tests/simt_checks_kernels.h"
#include "ambidex/simt.h"
#include "ambidex/simt_memory.h"

namespace {

using namespace ambidex;

constexpr uint32_t kBlocks = 256, kThreads = 128;

void eight_exchanges(benchmark::State& state) {
  SimtMemory memory;
  memory.add_shared({"tile", 1024, 4, 64, checked_tile_address});
  constexpr int64_t kBytes = kBlocks * kThreads * 4;
  int* in = static_cast<int*>(memory.allocate(kBytes, {"in", 4, true, true}));
  int* out = static_cast<int*>(memory.allocate(kBytes, {"out", 4, false, true}));
  int mistake = 0;
  void* arguments[] = {&in, &out, &mistake};
  const SimtLaunch launch{.grid = {kBlocks, 1, 1}, .block = {kThreads, 1, 1}};
  const SimtOptions options{.checked = state.range(0) != 0, .memory = &memory};
  for (auto _ : state) {
    if (!simt_run(launch, options, checked_exchange, arguments).problems.empty()) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * kBlocks * kThreads);
}

BENCHMARK(eight_exchanges)->ArgName("checked")->Arg(0)->Arg(1);

}  // namespace
