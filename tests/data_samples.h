// SPDX-License-Identifier: Apache-2.0
// Generated data for the tests of readers: random Criteo lines, a reader of them that is as plain
// as can be, and files in a folder that goes away.
#pragma once

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "ambidex/data.h"

namespace ambidex {

/// A folder that lives as long as the object.
struct ScratchFolder {
  std::filesystem::path path;
  ScratchFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "ambidex-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~ScratchFolder() { std::filesystem::remove_all(path); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
    return (path / name).string();
  }
};

inline std::string gzip_of(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// With a checksum, as the zstd command writes it.
inline std::string zstd_of(const std::string& text) {
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size()));
  ZSTD_freeCCtx(context);
  return out;
}

/// Dense features d0, d1, ... and tables t0, t1, ... of one feature each.
inline ModelSpec plain_model(int64_t num_dense, const std::vector<int64_t>& rows) {
  ModelSpec model{.id = "plain"};
  for (int64_t i = 0; i < num_dense; ++i) {
    model.dense_features.push_back({.name = fmt::format("d{}", i)});
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string name = fmt::format("t{}", i);
    model.tables.push_back({.name = name, .rows = rows[i], .dim = 4, .features = {{.name = name}}});
  }
  return model;
}

inline ModelSpec criteo_model(int64_t rows = 1000) {
  return plain_model(13, std::vector<int64_t>(26, rows));
}

/// `count` lines of label, integers (blank, negative and long ones among them) and hex ids.
inline std::string random_criteo(int64_t count, uint32_t seed, int num_dense = 13,
                                 int num_ids = 26) {
  std::mt19937 random(seed);
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    text += random() % 4 == 0 ? "1" : "0";
    for (int j = 0; j < num_dense; ++j) {
      text += '\t';
      const uint32_t sort = random() % 10;
      if (sort == 0) continue;
      const int64_t limit = sort < 8 ? 100 : 20'000'000;
      const auto number = static_cast<int64_t>(random());
      text += fmt::format("{}", sort == 1 ? -(number % 3) : number % limit);
    }
    for (int j = 0; j < num_ids; ++j) {
      text += '\t';
      if (random() % 10 != 0) text += fmt::format("{:08x}", random());
    }
    text += '\n';
  }
  return text;
}

struct PlainSample {
  float label = 0;
  std::vector<float> dense;
  std::vector<int32_t> ids;
  bool operator==(const PlainSample&) const = default;
};

/// Reads well-formed Criteo text with streams and strtoul.
inline std::vector<PlainSample> read_plainly(const std::string& text, size_t num_dense,
                                             const std::vector<int64_t>& rows) {
  std::vector<PlainSample> samples;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    std::istringstream cells(line + '\t');  // the last cell may be blank
    std::string cell;
    PlainSample sample;
    std::getline(cells, cell, '\t');
    sample.label = std::strtof(cell.c_str(), nullptr);
    for (size_t i = 0; i < num_dense; ++i) {
      std::getline(cells, cell, '\t');
      const double value = cell.empty() ? 0.0 : std::strtod(cell.c_str(), nullptr);
      sample.dense.push_back(static_cast<float>(std::log((value > 0 ? value : 0.0) + 1.0)));
    }
    for (const int64_t row_count : rows) {
      std::getline(cells, cell, '\t');
      const unsigned long long id = std::strtoull(cell.c_str(), nullptr, 16);
      sample.ids.push_back(static_cast<int32_t>(id % static_cast<unsigned long long>(row_count)));
    }
    samples.push_back(sample);
  }
  return samples;
}

/// Row `i` of a batch of one lookup for each of `num_ids` features.
inline PlainSample sample_of(const Batch& batch, int64_t i, int64_t num_dense, int64_t num_ids) {
  PlainSample sample{.label = batch.labels[static_cast<size_t>(i)]};
  for (int64_t j = 0; j < num_dense; ++j) {
    sample.dense.push_back(batch.dense[static_cast<size_t>(i * num_dense + j)]);
  }
  for (int64_t j = 0; j < num_ids; ++j) {
    sample.ids.push_back(batch.ids[static_cast<size_t>(j * batch.size + i)]);
  }
  return sample;
}

/// All samples of the rest of an epoch.
inline std::vector<PlainSample> rest_of(DataReader& reader, const ModelSpec& model) {
  std::vector<PlainSample> samples;
  Batch batch;
  while (reader.next(batch)) {
    for (int64_t i = 0; i < batch.size; ++i) {
      samples.push_back(
          sample_of(batch, i, std::ssize(model.dense_features), std::ssize(model.tables)));
    }
  }
  return samples;
}

inline std::vector<PlainSample> samples_of(const ModelSpec& model, const DataOptions& options) {
  DataReader reader(model, options);
  return rest_of(reader, model);
}

/// The message of the Error that `action` throws, opened by its kind; "" if it throws none.
template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return std::string(name_of(error.kind)) + ": " + error.what();
  }
  return "";
}

}  // namespace ambidex
