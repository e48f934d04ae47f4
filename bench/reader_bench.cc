// SPDX-License-Identifier: Apache-2.0
// Bytes per second of decompressed Criteo text: of the parser alone, of the whole reader with its
// shuffling, and of the reader on compressed files. Lines are drawn to look like Criteo's: mostly
// small integers, a tenth of the fields blank.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "ambidex/data.h"
#include "data/source.h"

namespace ambidex {
namespace {

constexpr int64_t kNumLines = 200'000;

std::string criteo_text() {
  std::mt19937_64 random(1);
  std::string text;
  for (int64_t i = 0; i < kNumLines; ++i) {
    text += random() % 4 == 0 ? '1' : '0';
    for (int j = 0; j < 13; ++j) {
      text += '\t';
      const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
      if (random() % 10 != 0) text += fmt::format("{}", std::lround(std::exp(unit * 9)) - 1);
    }
    for (int j = 0; j < 26; ++j) {
      text += '\t';
      if (random() % 10 != 0) text += fmt::format("{:08x}", random() & 0xffffffffu);
    }
    text += '\n';
  }
  return text;
}

/// The text in three files of a folder that goes away at the end.
struct Files {
  std::filesystem::path folder;
  int64_t num_bytes = 0;

  Files() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ambidex-XXXXXX").string();
    folder = mkdtemp(pattern.data());
    const std::string text = criteo_text();
    num_bytes = std::ssize(text);
    std::ofstream(folder / "plain", std::ios::binary) << text;
    gzFile gzip = gzopen((folder / "gzip").c_str(), "wb");
    gzwrite(gzip, text.data(), static_cast<unsigned>(text.size()));
    gzclose(gzip);
    std::string packed(ZSTD_compressBound(text.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
    std::ofstream(folder / "zstd", std::ios::binary) << packed;
  }
  ~Files() { std::filesystem::remove_all(folder); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
};

const Files& files() {
  static const Files made;
  return made;
}

ModelSpec criteo_model() {
  ModelSpec model;
  for (int i = 1; i <= 13; ++i) model.dense_features.push_back({.name = fmt::format("I{}", i)});
  for (int i = 1; i <= 26; ++i) {
    const std::string name = fmt::format("C{}", i);
    model.tables.push_back(
        {.name = name, .rows = 40'000'000 / i, .dim = 16, .features = {{.name = name}}});
  }
  return model;
}

void count(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * files().num_bytes);
  state.SetItemsProcessed(state.iterations() * kNumLines);
}

void parse_to_records(benchmark::State& state) {
  const RecordLayout layout = layout_of(criteo_model());
  const std::string path = (files().folder / "plain").string();
  for (auto _ : state) {
    const Source source = open_criteo({path}, layout, {});
    BadRecords bad;
    Records records;
    do {
      records = {};
      source.read(records, 8192, bad);
      benchmark::DoNotOptimize(records.ids.data());
    } while (records.size > 0);
  }
  count(state);
}

void read_batches(benchmark::State& state, const std::string& file) {
  const ModelSpec model = criteo_model();
  const DataOptions options{
      .path = (files().folder / file).string(), .format = "criteo", .shuffle = true};
  for (auto _ : state) {
    DataReader reader(model, options);
    Batch batch;
    while (reader.next(batch)) benchmark::DoNotOptimize(batch.ids.data());
  }
  count(state);
}

// Time of the process, not of the thread: the reader's own thread counts, and the figure is per
// core whatever the number of cores.
BENCHMARK(parse_to_records)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_batches, plain, "plain")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(read_batches, gzip, "gzip")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(read_batches, zstd, "zstd")
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace
}  // namespace ambidex
