// SPDX-License-Identifier: Apache-2.0
// Forward. The update is in embedding_update.cc.
#include "kernels/embedding.h"

#include <algorithm>

#include "kernels/vectors.h"

namespace ambidex {
namespace {

constexpr int64_t kTaskBytes = 1 << 18;  // of rows that one task reads
constexpr int64_t kAheadBytes = 4096;    // of rows between a prefetch and its use

/// Ids of a sample, and where those of the task's samples end.
struct SampleIds {
  const int32_t* ids;
  int64_t lookups;
  const int32_t* end;
  int64_t ahead;  // ids between a prefetch and its use
};

/// Sum of the rows of a sample over kVectors x 16 columns from `column` on. The first columns
/// prefetch the rows to come.
template <int kVectors, class Element>
AMBIDEX_INLINE_FUNCTION void sum_rows(const Element* rows, int64_t dim, const SampleIds& sample,
                                      int64_t column, float scale, float* to) {
  Lanes sums[kVectors] = {};
  for (int64_t l = 0; l < sample.lookups; ++l) {
    const int32_t* id = sample.ids + l;
    if (column == 0 && id + sample.ahead < sample.end && id[sample.ahead] >= 0) {
      prefetch(rows + id[sample.ahead] * dim, dim * static_cast<int64_t>(sizeof(Element)));
    }
    if (*id < 0) continue;
    const Element* row = rows + *id * dim + column;
    for (int v = 0; v < kVectors; ++v) {
      Lanes lanes;
      load(row + v * kLanes, lanes);
      sums[v] += lanes;
    }
  }
  for (int v = 0; v < kVectors; ++v) store(sums[v] * scale, to + v * kLanes);
}

template <class Element>
AMBIDEX_INLINE_FUNCTION void pool(const Element* rows, int64_t dim, const SampleIds& sample,
                                  float scale, float* to) {
  int64_t column = 0;
  for (; column + 8 * kLanes <= dim; column += 8 * kLanes) {
    sum_rows<8>(rows, dim, sample, column, scale, to + column);
  }
  for (; column + kLanes <= dim; column += kLanes) {
    sum_rows<1>(rows, dim, sample, column, scale, to + column);
  }
  for (; column < dim; ++column) {
    float sum = 0;
    for (int64_t l = 0; l < sample.lookups; ++l) {
      if (sample.ids[l] >= 0) sum += to_float(rows[sample.ids[l] * dim + column]);
    }
    to[column] = sum * scale;
  }
}

AMBIDEX_INLINE_FUNCTION float scale_of(Pooling pooling, const int32_t* ids, int64_t lookups) {
  if (pooling == Pooling::sum) return 1;
  int64_t count = 0;
  for (int64_t l = 0; l < lookups; ++l) count += ids[l] >= 0;
  return 1 / static_cast<float>(std::max<int64_t>(count, 1));
}

template <class Element>
void pool_samples(const TableView& table, const FeatureLookup& feature, int64_t begin,
                  int64_t end) {
  const auto* rows = static_cast<const Element*>(table.weights);
  const int64_t dim = table.dim;
  const int64_t lookups = feature.lookups;
  const int64_t row_bytes = dim * static_cast<int64_t>(sizeof(Element));
  const int64_t ahead = std::clamp<int64_t>(kAheadBytes / row_bytes, 4, 64);
  with_isa([=, &feature]() AMBIDEX_INLINE {
    for (int64_t s = begin; s < end; ++s) {
      const int32_t* ids = feature.ids + s * lookups;
      pool(rows, dim, SampleIds{ids, lookups, feature.ids + end * lookups, ahead},
           scale_of(feature.pooling, ids, lookups), feature.pooled + s * feature.pooled_stride);
    }
  });
}

}  // namespace

void embedding_forward(Workers& workers, std::span<const TableView> tables,
                       std::span<const FeatureLookup> features, int64_t batch) {
  const auto table_of = [&](const FeatureLookup& feature) -> const TableView& {
    return tables[static_cast<size_t>(feature.table)];
  };
  std::vector<int64_t> samples(features.size());  // of a task
  std::vector<int64_t> begins(features.size() + 1);
  for (size_t f = 0; f < features.size(); ++f) {
    const TableView& table = table_of(features[f]);
    const int64_t bytes = features[f].lookups * table.dim * dtype_bytes(table.dtype);
    samples[f] = std::max<int64_t>(1, kTaskBytes / std::max<int64_t>(bytes, 1));
    begins[f + 1] = begins[f] + (batch + samples[f] - 1) / samples[f];
  }
  workers.run(begins.back(), [&](int64_t task) {
    const auto after = std::upper_bound(begins.begin(), begins.end(), task);
    const auto f = static_cast<size_t>(after - begins.begin() - 1);
    const TableView& table = table_of(features[f]);
    const int64_t begin = (task - begins[f]) * samples[f];
    const int64_t end = std::min(batch, begin + samples[f]);
    with_element(table.dtype, [&]<class Element>(const Element*) {
      pool_samples<Element>(table, features[f], begin, end);
    });
  });
}

}  // namespace ambidex
