// SPDX-License-Identifier: Apache-2.0
// Time of one selection: from the memo, cold, and by the plain loop that it replaces. Cold is an
// op never asked for before, of a kind (types, layout, alignment) that was.
#include <benchmark/benchmark.h>

#include <array>
#include <limits>

#include "ambidex/select.h"

namespace ambidex {
namespace {

constexpr std::array<const char*, 3> kDevices{"h200", "b200", "mi350x"};

const char* device_at(const benchmark::State& state) {
  return kDevices[static_cast<size_t>(state.range(0))];
}

GemmOp op_at(int64_t i) { return {.m = 1024 + 128 * (i % 1000000), .n = 1024, .k = 512}; }

void select_memo(benchmark::State& state) {
  const GemmSelector selector(load_device(device_at(state)), KernelTemplate::triton);
  selector.select(op_at(0));
  for (auto _ : state) benchmark::DoNotOptimize(selector.select(op_at(0)));
  state.SetLabel(device_at(state));
}
BENCHMARK(select_memo)->DenseRange(0, 2);

// 300 candidates, the first of the device's own.
void select_cold(benchmark::State& state) {
  const Device device = load_device(device_at(state));
  std::vector<GemmConfig> candidates =
      enumerate(make_gemm_model(device, KernelTemplate::triton), op_at(0));
  candidates.resize(std::min<size_t>(candidates.size(), 300));
  const GemmSelector selector(device, KernelTemplate::triton, {.candidates = candidates});
  selector.select(op_at(0));
  int64_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(selector.select(op_at(++i)));
  state.SetLabel(device_at(state));
  state.counters["candidates"] = static_cast<double>(candidates.size());
}
BENCHMARK(select_cold)->DenseRange(0, 2);

void select_cold_all_candidates(benchmark::State& state) {
  const GemmSelector selector(load_device(device_at(state)), KernelTemplate::triton);
  selector.select(op_at(0));
  int64_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(selector.select(op_at(++i)));
  state.SetLabel(device_at(state));
  state.counters["candidates"] = static_cast<double>(selector.select(op_at(0)).num_candidates);
}
BENCHMARK(select_cold_all_candidates)->DenseRange(0, 2);

void plain_loop(benchmark::State& state) {
  const GemmModel model = make_gemm_model(load_device(device_at(state)), KernelTemplate::triton);
  std::vector<GemmConfig> candidates = enumerate(model, op_at(0));
  candidates.resize(std::min<size_t>(candidates.size(), 300));
  int64_t i = 0;
  for (auto _ : state) {
    const GemmOp op = op_at(++i);
    double best = std::numeric_limits<double>::infinity();
    for (const GemmConfig& config : candidates) {
      if (!why_illegal(model, op, config).empty()) continue;
      best = std::min(best, gemm_estimate(model, op, config).seconds);
    }
    benchmark::DoNotOptimize(best);
  }
  state.SetLabel(device_at(state));
  state.counters["candidates"] = static_cast<double>(candidates.size());
}
BENCHMARK(plain_loop)->DenseRange(0, 2);

void first_of_its_kind(benchmark::State& state) {
  const Device device = load_device(device_at(state));
  for (auto _ : state) {
    const GemmSelector selector(device, KernelTemplate::triton);
    benchmark::DoNotOptimize(selector.select(op_at(0)));
  }
  state.SetLabel(device_at(state));
}
BENCHMARK(first_of_its_kind)->DenseRange(0, 2);

}  // namespace
}  // namespace ambidex
