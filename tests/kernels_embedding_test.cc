// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "ambidex/base.h"
#include "kernels/embedding.h"
#include "kernels/radix.h"
#include "kernels/vectors.h"
#include "kernels_support.h"

namespace ambidex {
namespace {

/// 16-bit elements of a table as floats, and back where that is exact enough for a start.
uint16_t encode(float value, DType dtype) {
  Bf16 b;
  F16 h;
  round_to(value, 0, b);
  round_to(value, 0, h);
  return dtype == DType::bf16 ? b.bits : h.bits;
}
float decode(uint16_t bits, DType dtype) {
  return dtype == DType::bf16 ? to_float(Bf16{bits}) : to_float(F16{bits});
}

struct Table {
  int64_t rows;
  int64_t dim;
  DType dtype = DType::f32;
};

struct Feature {
  int32_t table;
  int64_t lookups;
  Pooling pooling = Pooling::sum;
};

/// Tables and a batch with random contents. Ids crowd at low rows; some places are padding, some
/// samples have no id at all.
struct Case {
  std::vector<Floats> weights, state1, state2, gradients, pooled;
  std::vector<std::vector<uint16_t>> halves;
  std::vector<std::vector<int32_t>> ids;
  std::vector<TableView> tables;
  std::vector<FeatureLookup> features;
  int64_t batch;

  Case(const std::vector<Table>& kinds, const std::vector<Feature>& lookups, int64_t num_samples)
      : batch(num_samples) {
    for (const Table& kind : kinds) add_table(kind);
    for (const Feature& feature : lookups) add_feature(feature, kinds);
  }
  Case(const Case&) = delete;
  Case& operator=(const Case&) = delete;

  void add_table(const Table& kind) {
    const int64_t size = kind.rows * kind.dim;
    weights.push_back(random_floats(size, weights.size() + 1));
    state1.push_back(random_floats(size, weights.size() + 50));
    for (float& value : state1.back()) value = std::abs(value);
    state2.push_back(state1.back());
    halves.emplace_back();
    for (const float w : weights.back()) halves.back().push_back(encode(w, kind.dtype));
    void* data = weights.back().data();
    if (kind.dtype != DType::f32) data = halves.back().data();
    tables.push_back(
        {data, state1.back().data(), state2.back().data(), kind.rows, kind.dim, kind.dtype});
  }

  void add_feature(const Feature& feature, const std::vector<Table>& kinds) {
    const Table& table = kinds[static_cast<size_t>(feature.table)];
    std::mt19937_64 random(ids.size() + 7);
    auto& list = ids.emplace_back();
    for (int64_t i = 0; i < batch * feature.lookups; ++i) {
      const auto row = static_cast<int32_t>(random() % static_cast<uint64_t>(table.rows));
      const bool is_hot = random() % 2 == 0;
      const bool is_padding = random() % 5 == 0;
      list.push_back(is_padding ? -1 : is_hot ? row % 3 : row);
    }
    const int64_t stride = table.dim + 5;
    gradients.push_back(random_floats(batch * stride, ids.size() + 90));
    pooled.emplace_back(static_cast<size_t>(batch * stride), 7.0f);
    features.push_back({feature.table, feature.pooling, list.data(), feature.lookups,
                        pooled.back().data(), stride, gradients.back().data(), stride});
  }
};

const std::vector<Feature> kFeatures{
    {0, 1}, {1, 3}, {2, 4, Pooling::mean}, {1, 2, Pooling::mean}, {0, 2}};

std::vector<Table> tables_of(int64_t dim, DType dtype) {
  return {{50, dim, dtype}, {9, dim + 1, dtype}, {400, 16, dtype}};
}

TEST(EmbeddingForward, agrees_with_its_twin) {
  Workers workers(2);
  for_each_isa([&] {
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16}) {
      for (const int64_t dim : {1, 3, 16, 24, 63, 64, 100, 128}) {
        Case ours(tables_of(dim, dtype), kFeatures, 70);
        Case expected(tables_of(dim, dtype), kFeatures, 70);
        embedding_forward(workers, ours.tables, ours.features, ours.batch);
        twin::embedding_forward(expected.tables, expected.features, expected.batch);
        for (size_t f = 0; f < ours.pooled.size(); ++f) {
          expect_near(ours.pooled[f], expected.pooled[f], 1e-6);
        }
      }
    }
  });
}

TEST(EmbeddingForward, pools_no_ids_to_zero) {
  Workers workers(1);
  Case empty({{4, 20}}, {{0, 2, Pooling::mean}, {0, 2}}, 3);
  for (auto& list : empty.ids) std::fill(list.begin(), list.end(), -1);
  embedding_forward(workers, empty.tables, empty.features, 3);
  for (const Floats& pooled : empty.pooled) {
    for (int64_t c = 0; c < 20; ++c) EXPECT_EQ(pooled[static_cast<size_t>(c)], 0.0f);
    EXPECT_EQ(pooled[20], 7.0f);  // between the rows nothing is written
  }
}

std::vector<OptimizerSpec> optimizers() {
  return {{.kind = OptimizerKind::sgd, .lr = 0.1},
          {.kind = OptimizerKind::sgd, .lr = 0.1, .weight_decay = 0.02},
          {.kind = OptimizerKind::adagrad, .lr = 0.1, .weight_decay = 0.02},
          {.kind = OptimizerKind::rowwise_adagrad, .lr = 0.1},
          {.kind = OptimizerKind::rowwise_adagrad, .lr = 0.1, .weight_decay = 0.02},
          {.kind = OptimizerKind::adam, .lr = 0.1, .eps = 1e-3},
          {.kind = OptimizerKind::rowwise_adam, .lr = 0.1, .beta1 = 0.8, .weight_decay = 0.02}};
}

void expect_same_tables(const Case& ours, const Case& expected, double tolerance) {
  for (size_t t = 0; t < ours.tables.size(); ++t) {
    SCOPED_TRACE(testing::Message() << "table " << t);
    expect_near(ours.weights[t], expected.weights[t], tolerance);
    expect_near(ours.state1[t], expected.state1[t], tolerance);
    expect_near(ours.state2[t], expected.state2[t], tolerance);
  }
}

void expect_update_like_twin(Workers& workers, const std::vector<Table>& tables, int64_t batch) {
  for (const OptimizerSpec& optimizer : optimizers()) {
    SCOPED_TRACE(testing::Message() << "optimizer " << static_cast<int>(optimizer.kind));
    Case ours(tables, kFeatures, batch);
    Case expected(tables, kFeatures, batch);
    const std::vector<OptimizerSpec> specs(tables.size(), optimizer);
    EmbeddingScratch scratch;
    for (int64_t step = 1; step <= 2; ++step) {
      const SparseStep when{.lr_factor = 0.5, .step = step};
      embedding_update(workers, ours.tables, specs, ours.features, batch, when, scratch);
      twin::embedding_update(expected.tables, specs, expected.features, batch, when);
    }
    expect_same_tables(ours, expected, 2e-5);
  }
}

TEST(EmbeddingUpdate, agrees_with_its_twin) {
  Workers workers(2);
  for_each_isa([&] {
    for (const int64_t dim : {15, 16, 63, 127}) {  // and dim + 1
      expect_update_like_twin(workers, tables_of(dim, DType::f32), 30);
    }
  });
}

TEST(EmbeddingUpdate, agrees_with_its_twin_where_tables_are_cut) {
  Workers workers(2);
  expect_update_like_twin(workers, {{50, 2}, {9, 3}, {200, 1}}, 2500);
}

/// What SGD with learning rate 1 leaves of zeros is minus the gradients' sum, added in f32 in the
/// order of features, samples and places.
Floats plain_sums(const Case& batch, size_t table) {
  const TableView& view = batch.tables[table];
  Floats sums(static_cast<size_t>(view.rows * view.dim));
  for (size_t f = 0; f < batch.features.size(); ++f) {
    const FeatureLookup& feature = batch.features[f];
    if (static_cast<size_t>(feature.table) != table) continue;
    for (int64_t i = 0; i < batch.batch * feature.lookups; ++i) {
      if (feature.ids[i] < 0) continue;
      const float* g = feature.gradient + i / feature.lookups * feature.gradient_stride;
      float* sum = sums.data() + feature.ids[i] * view.dim;
      for (int64_t c = 0; c < view.dim; ++c) sum[c] += g[c];
    }
  }
  for (float& sum : sums) sum = 0 - sum;
  return sums;
}

TEST(EmbeddingUpdate, adds_gradients_of_a_row_in_the_order_of_the_batch) {
  Workers workers(2);
  for_each_isa([&] {
    for (const int64_t batch : {5, 40, 3000}) {
      Case ours({{50, 16}, {300, 7}}, {{0, 1}, {1, 3}, {0, 2}}, batch);
      for (Floats& weights : ours.weights) std::fill(weights.begin(), weights.end(), 0.0f);
      const std::vector<OptimizerSpec> specs(2, {.kind = OptimizerKind::sgd, .lr = 1});
      EmbeddingScratch scratch;
      embedding_update(workers, ours.tables, specs, ours.features, batch, {}, scratch);
      EXPECT_EQ(ours.weights[0], plain_sums(ours, 0));
      EXPECT_EQ(ours.weights[1], plain_sums(ours, 1));
    }
  });
}

TEST(EmbeddingUpdate, leaves_untouched_rows_alone) {
  Workers workers(1);
  Case ours({{400, 16}}, {{0, 2}}, 20);
  const Floats before = ours.weights[0];
  const std::vector<OptimizerSpec> specs(1, {.kind = OptimizerKind::adam, .weight_decay = 0.5});
  EmbeddingScratch scratch;
  embedding_update(workers, ours.tables, specs, ours.features, 20, {}, scratch);
  for (int32_t row = 0; row < 400; ++row) {
    const bool is_touched = std::count(ours.ids[0].begin(), ours.ids[0].end(), row) > 0;
    const bool is_same = std::equal(before.begin() + row * 16, before.begin() + row * 16 + 16,
                                    ours.weights[0].begin() + row * 16);
    EXPECT_NE(is_touched, is_same) << row;
  }
}

TEST(EmbeddingUpdate, of_an_empty_batch_changes_nothing) {
  Workers workers(1);
  Case ours({{4, 16}}, {{0, 2}}, 0);
  const Floats before = ours.weights[0];
  const std::vector<OptimizerSpec> specs(1);
  EmbeddingScratch scratch;
  embedding_update(workers, ours.tables, specs, ours.features, 0, {}, scratch);
  embedding_forward(workers, ours.tables, ours.features, 0);
  EXPECT_EQ(ours.weights[0], before);
}

TEST(EmbeddingUpdate, counts_rows_with_32_bits) {
  Workers workers(1);
  Case ours({{4, 16}}, {{0, 2}}, 3);
  ours.tables[0].rows = int64_t{1} << 31;
  const std::vector<OptimizerSpec> specs(1);
  EmbeddingScratch scratch;
  EXPECT_THAT([&] { embedding_update(workers, ours.tables, specs, ours.features, 3, {}, scratch); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("numbered with 32 bits")));
}

Floats all_of(const Case& batch) {
  Floats all;
  for (size_t t = 0; t < batch.tables.size(); ++t) {
    all.insert(all.end(), batch.weights[t].begin(), batch.weights[t].end());
    all.insert(all.end(), batch.state1[t].begin(), batch.state1[t].end());
    for (const uint16_t half : batch.halves[t]) all.push_back(static_cast<float>(half));
  }
  for (const Floats& pooled : batch.pooled) all.insert(all.end(), pooled.begin(), pooled.end());
  return all;
}

TEST(Embedding, gives_the_same_bits_with_any_number_of_threads) {
  for (const int64_t batch : {64, 2500}) {  // of 2,500 samples, tables are cut
    for (const OptimizerSpec& optimizer : optimizers()) {
      if (batch > 64 && optimizer.kind != OptimizerKind::rowwise_adagrad) continue;
      expect_same_bits([&](Workers& workers) {
        Case ours({{500, 16}, {90, 9, DType::bf16}, {40, 64, DType::f16}}, kFeatures, batch);
        const std::vector<OptimizerSpec> specs(3, optimizer);
        EmbeddingScratch scratch;
        embedding_update(workers, ours.tables, specs, ours.features, batch, {.random_key = 3},
                         scratch);
        embedding_forward(workers, ours.tables, ours.features, batch);
        return all_of(ours);
      });
    }
  }
}

TEST(EmbeddingUpdate, rounds_16_bit_tables_to_a_neighbour_and_right_on_average) {
  for_each_isa([] {
    for (const DType dtype : {DType::bf16, DType::f16}) {
      Workers workers(2);
      Case ours({{2000, 16, dtype}}, {{0, 1}}, 2000);
      for (int32_t i = 0; i < 2000; ++i) ours.ids[0][static_cast<size_t>(i)] = i;
      const auto before = ours.halves[0];
      const std::vector<OptimizerSpec> specs(1, {.kind = OptimizerKind::sgd, .lr = 1e-3});
      EmbeddingScratch scratch;
      embedding_update(workers, ours.tables, specs, ours.features, 2000, {.random_key = 3},
                       scratch);
      double error = 0;
      double step = 0;
      for (size_t i = 0; i < before.size(); ++i) {
        const double g = ours.gradients[0][i / 16 * 21 + i % 16];
        const double exact = decode(before[i], dtype) - 1e-3 * g;
        const double stored = decode(ours.halves[0][i], dtype);
        const double unit = std::abs(exact) * (dtype == DType::bf16 ? 0x1p-7 : 0x1p-10) + 0x1p-24;
        ASSERT_NEAR(stored, exact, unit);
        error += (stored - exact) / unit;
        step += std::abs(stored - exact) / unit;
      }
      EXPECT_NEAR(error / 32000, 0, 0.01);  // unbiased: over four deviations
      EXPECT_GT(step / 32000, 0.1);         // and there was something to round
    }
  });
}

double exact_f16(uint32_t bits) {
  const int exponent = static_cast<int>(bits >> 10 & 31);
  const double fraction = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

TEST(F16, every_number_survives_the_way_to_f32_and_back) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const F16 stored{static_cast<uint16_t>(bits)};
    const float value = to_float(stored);
    if ((bits & 0x7c00) == 0x7c00) {
      ASSERT_EQ(std::isnan(value), (bits & 0x3ff) != 0);
      ASSERT_TRUE(std::isnan(value) || std::isinf(value));
      ASSERT_EQ(std::signbit(value), bits >> 15 != 0);
    } else {
      ASSERT_EQ(value, exact_f16(bits));
    }
    if (std::isnan(value)) continue;
    F16 back;
    round_to(value, 0x1fff, back);  // the largest random number
    ASSERT_EQ(back.bits, bits);
    Bf16 wide;
    round_to(to_float(Bf16{stored.bits}), 0xffff, wide);
    if (!std::isnan(to_float(wide))) {
      ASSERT_EQ(wide.bits, bits);
    }
  }
}

TEST(F16, keeps_what_is_not_finite_and_stops_at_the_largest_number) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  F16 h;
  Bf16 b;
  round_to(1e30f, 0x1fff, h);
  EXPECT_EQ(to_float(h), 65504.0f);
  round_to(-65519.0f, 0x1fff, h);
  EXPECT_EQ(to_float(h), -65504.0f);
  round_to(std::numeric_limits<float>::max(), 0xffff, b);
  EXPECT_TRUE(std::isfinite(to_float(b)));
  round_to(-kInfinity, 1, h);
  round_to(-kInfinity, 1, b);
  EXPECT_EQ(to_float(h), -kInfinity);
  EXPECT_EQ(to_float(b), -kInfinity);
  round_to(std::numeric_limits<float>::quiet_NaN(), 1, h);
  round_to(std::numeric_limits<float>::quiet_NaN(), 1, b);
  EXPECT_TRUE(std::isnan(to_float(h)));
  EXPECT_TRUE(std::isnan(to_float(b)));
}

TEST(SortByRow, agrees_with_a_stable_sort) {
  std::mt19937_64 random(1);
  for (const int64_t rows : {1, 2, 300, 5000, 40'000'000}) {
    for (const size_t size : {0, 1, 20, 100, 1023, 5000}) {
      std::vector<uint64_t> keys;
      for (size_t i = 0; i < size; ++i) {
        keys.push_back((random() % static_cast<uint64_t>(rows)) << 32 | random() % 100);
      }
      std::vector<uint64_t> other(size);
      std::vector<uint64_t> expected = keys;
      std::stable_sort(expected.begin(), expected.end(),
                       [](uint64_t a, uint64_t b) { return a >> 32 < b >> 32; });
      const auto sorted = sort_by_row(keys, other, rows);
      EXPECT_TRUE(std::equal(sorted.begin(), sorted.end(), expected.begin(), expected.end()));
    }
  }
}

}  // namespace
}  // namespace ambidex
