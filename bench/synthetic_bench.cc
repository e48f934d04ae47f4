// SPDX-License-Identifier: Apache-2.0
// Samples per second that the planted model draws, alone and with its opening, beside the reading
// of the same records from a raw file.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <string>

#include "ambidex/data.h"
#include "data/source.h"

namespace ambidex {
namespace {

/// `num_tables` tables of 1,000 to 10,000,000 rows.
ModelSpec model_with(int64_t num_dense, int64_t num_tables, int64_t lookups) {
  ModelSpec model;
  model.dense_features.resize(static_cast<size_t>(num_dense));
  for (int64_t i = 0; i < num_tables; ++i) {
    constexpr int64_t kRows[] = {1000, 2000, 3000, 4000, 5000, 6000, 8000, 10'000, 10'000'000};
    const std::string name = fmt::format("t{}", i);
    model.tables.push_back({.name = name,
                            .rows = kRows[num_tables == 8 ? i : i % 9],
                            .dim = 16,
                            .features = {{.name = name, .lookups = lookups}}});
  }
  return model;
}

void read_pieces(benchmark::State& state, const Source& source) {
  constexpr int64_t kPiece = 4096;
  Records records;
  BadRecords none;
  for (auto _ : state) {
    records = {};
    source.read(records, kPiece, none);
    if (records.size < kPiece) source.seek({});
    benchmark::DoNotOptimize(records.labels.data());
  }
  state.SetItemsProcessed(state.iterations() * kPiece);
}

void draw(benchmark::State& state) {
  const ModelSpec model = model_with(state.range(0), state.range(1), state.range(2));
  read_pieces(state, open_synthetic("synthetic:samples=1000000000000", model));
}
BENCHMARK(draw)->Args({4, 8, 1})->Args({13, 26, 1})->Args({13, 26, 8});

void open(benchmark::State& state) {
  const ModelSpec model = model_with(4, 8, 1);
  for (auto _ : state) benchmark::DoNotOptimize(open_synthetic("synthetic:", model).num_records);
}
BENCHMARK(open)->Unit(benchmark::kMillisecond);

void optimum(benchmark::State& state) {
  const ModelSpec model = model_with(4, 8, 1);
  for (auto _ : state) benchmark::DoNotOptimize(bayes_optimum(model, "synthetic:").auc);
}
BENCHMARK(optimum)->Unit(benchmark::kMillisecond);

/// 100,000 records of MLPerf's 912 bytes, all zero.
void read_raw(benchmark::State& state) {
  constexpr int64_t kRecords = 100'000;
  RecordLayout layout;
  layout.dense.resize(13);
  layout.ids = {{.feature = "f", .lookups = 214, .rows = 1000}};
  layout.num_lookups = 214;
  const auto path =
      std::filesystem::temp_directory_path() / fmt::format("synthetic_bench_{}.bin", ::getpid());
  if (std::FILE* file = std::fopen(path.c_str(), "wb")) std::fclose(file);
  std::filesystem::resize_file(path, kRecords * 912);
  read_pieces(state, open_hugectr({path.string()}, layout));
  std::filesystem::remove(path);
}
BENCHMARK(read_raw);

}  // namespace
}  // namespace ambidex
