// SPDX-License-Identifier: Apache-2.0
// Threads per second of the executor, on one core: a kernel with eight exchanges a thread, which a
// loop checks first.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "../tests/simt_words.h"

namespace {

using namespace ambidex;
using namespace ambidex::words;

constexpr uint32_t kBlocks = 256;

struct Work {
  std::vector<uint32_t> in, out;
  uint64_t lanes = 0;
  uint32_t width = 32;

  Work(uint32_t block, uint32_t wave_width, bool lockstep)
      : in(kBlocks * block),
        out(kBlocks * block),
        lanes(lockstep           ? AMBIDEX_SIMT_CONVERGED
              : wave_width == 64 ? ~0ull
                                 : 0xffffffffull),
        width(wave_width) {
    for (uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
  }

  void operator()() {
    const uint32_t i = global_thread();
    uint32_t value = in[i];
#pragma GCC unroll 1
    for (uint32_t step = 0; step < 8; ++step) {
      value = value * 3 + shuffle_xor(lanes, value, 1u << (step % 5), width);
    }
    out[i] = value;
  }

  bool right() const {
    std::vector<uint32_t> value = in, next = in;
    for (uint32_t step = 0; step < 8; ++step) {
      for (uint32_t i = 0; i < value.size(); ++i) {
        next[i] = value[i] * 3 + value[i ^ 1u << (step % 5)];
      }
      value = next;
    }
    return value == out;
  }
};

void eight_exchanges(benchmark::State& state) {
  const auto block = static_cast<uint32_t>(state.range(0));
  const auto width = static_cast<uint32_t>(state.range(1));
  const bool lockstep = state.range(2) != 0;
  Work work(block, width, lockstep);
  const SimtLaunch launch{.grid = {kBlocks, 1, 1}, .block = {block, 1, 1}};
  const SimtOptions options{
      .wave_width = static_cast<int>(width),
      .convergence = lockstep ? Convergence::lockstep : Convergence::independent,
      .checked = false};
  const auto kernel = [&work] { work(); };
  run(launch, options, kernel);
  if (!work.right()) std::abort();
  for (auto _ : state) run(launch, options, kernel);
  state.SetItemsProcessed(state.iterations() * kBlocks * block);
}

BENCHMARK(eight_exchanges)
    ->ArgNames({"block", "width", "lockstep"})
    ->ArgsProduct({{64, 256, 1024}, {32, 64}, {0, 1}});

}  // namespace
