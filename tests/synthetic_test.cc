// SPDX-License-Identifier: Apache-2.0
// Promises of planted data, held against counts over large samples: seeds are fixed, so that a
// bound of five standard deviations never flickers.
#include "data/synthetic.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "ambidex/base.h"
#include "ambidex/data.h"
#include "data/source.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

ModelSpec model_with(int64_t num_dense, const std::vector<int64_t>& rows, int64_t lookups = 1) {
  ModelSpec model;
  for (int64_t i = 0; i < num_dense; ++i) {
    model.dense_features.push_back({.name = fmt::format("d{}", i)});
  }
  for (const int64_t count : rows) {
    const std::string name = fmt::format("t{}", model.tables.size());
    model.tables.push_back(
        {.name = name, .rows = count, .dim = 8, .features = {{.name = name, .lookups = lookups}}});
  }
  return model;
}

ModelSpec small_model() { return model_with(2, {1000, 50, 200}); }

Records read_all(const Source& source, int64_t piece = 10'000) {
  Records records;
  BadRecords none;
  while (true) {
    const int64_t before = records.size;
    source.read(records, piece, none);
    if (records.size == before) return records;
  }
}

std::string bad_input(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Synthetic, words_are_read_and_have_defaults) {
  EXPECT_EQ(parse_synthetic("synthetic:"), SyntheticWords{});
  const SyntheticWords expected{
      .samples = 1000, .zipf = 0, .auc = 0.75, .label_rate = 0.05, .seed = 9};
  EXPECT_EQ(parse_synthetic("synthetic:seed=9,samples=1000,zipf=0,auc=0.75,label_rate=5e-2"),
            expected);
}

TEST(Synthetic, bad_words_are_told) {
  const auto message = [](const std::string& path) {
    return bad_input([&] { parse_synthetic(path); });
  };
  EXPECT_THAT(message("train.txt"),
              HasSubstr("\"train.txt\": expected a path that begins with synthetic:, got another; "
                        "only synthetic data has a known optimum"));
  EXPECT_THAT(message("synthetic:sample=3"),
              HasSubstr("\"synthetic:sample=3\": no word \"sample\"; nearest: samples, zipf"));
  EXPECT_THAT(message("synthetic:auc=0.8,,seed=1"), HasSubstr("no word \"\""));
  EXPECT_THAT(message("synthetic:seed=1,seed=2"),
              HasSubstr("seed: expected it once, got it twice; remove one"));
  EXPECT_THAT(message("synthetic:samples=0"),
              HasSubstr("samples: expected an integer from 1 to 1000000000000000, got \"0\"; write "
                        "it in decimal digits"));
  EXPECT_THAT(message("synthetic:samples=1e6"), HasSubstr("got \"1e6\"; write it in decimal"));
  EXPECT_THAT(message("synthetic:auc=0.5"),
              HasSubstr("auc: expected a number from 0.51 to 0.99, got \"0.5\"; write it as 0.8"));
  EXPECT_THAT(message("synthetic:zipf"),
              HasSubstr("zipf: expected a number from 0 to 4, got \"\""));
  EXPECT_THAT(message("synthetic:label_rate=1"), HasSubstr("from 0.001 to 0.999, got \"1\""));
  EXPECT_THAT(message("synthetic:seed=-1"), HasSubstr("seed: expected an integer from 0 to"));
}

TEST(Synthetic, an_auc_that_the_model_cannot_carry_is_told) {
  EXPECT_THAT(bad_input([] { open_synthetic("synthetic:auc=0.95", model_with(0, {2})); }),
              testing::AllOf(HasSubstr("synthetic: auc: expected at most 0."),
                             HasSubstr(", which is what ids and dense features of the model can "
                                       "carry, got 0.95; lower it, or raise zipf")));
}

TEST(Synthetic, tables_beyond_32_bits_are_refused) {
  try {
    open_synthetic("synthetic:", model_with(1, {int64_t{1} << 31}));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("table \"t0\": expected at most 2147483647 rows for "
                                        "synthetic data, got 2147483648; lower rows"));
  }
}

TEST(Synthetic, records_have_the_model_s_shape) {
  const Source source = open_synthetic("synthetic:samples=2500", model_with(3, {10, 7}, 4));
  EXPECT_EQ(source.num_records, 2500);
  const Records records = read_all(source, 999);
  EXPECT_EQ(records.size, 2500);
  ASSERT_EQ(records.labels.size(), 2500u);
  ASSERT_EQ(records.dense.size(), 7500u);
  ASSERT_EQ(records.ids.size(), 20'000u);
  for (size_t i = 0; i < records.ids.size(); ++i) {
    EXPECT_GE(records.ids[i], 0);
    EXPECT_LT(records.ids[i], i % 8 < 4 ? 10 : 7);
  }
  EXPECT_TRUE(std::all_of(records.dense.begin(), records.dense.end(),
                          [](float value) { return value >= 0 && value < 4; }));
  EXPECT_EQ(records.numbers.back(), 2499);
}

TEST(Synthetic, seek_gives_what_reading_up_to_there_would) {
  const std::string words = "synthetic:samples=3000,seed=3";
  const Records all = read_all(open_synthetic(words, small_model()), 3000);
  const Source source = open_synthetic(words, small_model());
  for (const int64_t start : {2999, 0, 257, 1024}) {
    source.seek({.record = start});
    EXPECT_EQ(source.position().record, start);
    const Records rest = read_all(source, 100);
    ASSERT_EQ(rest.size, 3000 - start);
    EXPECT_TRUE(std::equal(rest.labels.begin(), rest.labels.end(), all.labels.begin() + start));
    EXPECT_TRUE(std::equal(rest.dense.begin(), rest.dense.end(), all.dense.begin() + 2 * start));
    EXPECT_TRUE(std::equal(rest.ids.begin(), rest.ids.end(), all.ids.begin() + 3 * start));
    EXPECT_TRUE(std::equal(rest.numbers.begin(), rest.numbers.end(), all.numbers.begin() + start));
  }
  source.seek({.record = 3000});
  EXPECT_EQ(read_all(source).size, 0);
}

TEST(Synthetic, another_seed_gives_other_samples_and_another_length_the_same) {
  const Records a = read_all(open_synthetic("synthetic:samples=100", small_model()));
  const Records b = read_all(open_synthetic("synthetic:samples=100,seed=8", small_model()));
  const Records c = read_all(open_synthetic("synthetic:samples=150", small_model()));
  EXPECT_NE(a.ids, b.ids);
  EXPECT_NE(a.dense, b.dense);
  EXPECT_TRUE(std::equal(a.ids.begin(), a.ids.end(), c.ids.begin()));
  EXPECT_TRUE(std::equal(a.labels.begin(), a.labels.end(), c.labels.begin()));
}

TEST(Synthetic, ids_are_as_frequent_as_their_ranks_and_spread_over_the_rows) {
  constexpr int64_t kRows = 1000;
  const Records records =
      read_all(open_synthetic("synthetic:samples=200000,zipf=1.1", model_with(1, {kRows})));
  std::vector<double> counts(kRows);
  for (const int32_t id : records.ids) counts.at(static_cast<size_t>(id)) += 1;
  std::vector<double> sorted = counts;
  std::sort(sorted.rbegin(), sorted.rend());
  std::vector<double> law(kRows);
  for (size_t i = 0; i < kRows; ++i) law[i] = std::pow(static_cast<double>(i + 1), -1.1);
  const double sum = std::accumulate(law.begin(), law.end(), 0.0);
  for (size_t i = 0; i < 10; ++i) {
    const double expected = law[i] / sum * 200'000;
    EXPECT_NEAR(sorted[i], expected, 5 * std::sqrt(expected)) << i;
  }
  // Popular ids are no neighbours: the ten first ranks fall into ten different tenths or nearly.
  std::set<int64_t> tenths;
  for (size_t i = 0; i < kRows; ++i) {
    if (counts[i] >= sorted[9]) tenths.insert(static_cast<int64_t>(i) / 100);
  }
  EXPECT_GE(tenths.size(), 8u);
}

TEST(Synthetic, features_of_one_table_share_its_popular_rows) {
  ModelSpec model = model_with(1, {500});
  model.tables[0].features.push_back({.name = "second", .lookups = 1});
  const Records records = read_all(open_synthetic("synthetic:samples=20000", model));
  std::array<std::vector<int>, 2> counts{std::vector<int>(500), std::vector<int>(500)};
  for (size_t i = 0; i < records.ids.size(); ++i) {
    counts[i % 2].at(static_cast<size_t>(records.ids[i])) += 1;
  }
  EXPECT_EQ(std::max_element(counts[0].begin(), counts[0].end()) - counts[0].begin(),
            std::max_element(counts[1].begin(), counts[1].end()) - counts[1].begin());
}

/// AUC of scores against labels, by ranks.
double empirical_auc(const std::vector<double>& scores, const std::vector<float>& labels) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] < scores[b]; });
  double negatives = 0, positives = 0, won = 0;
  for (const size_t i : order) {
    if (labels[i] == 1) {
      positives += 1;
      won += negatives;
    } else {
      negatives += 1;
    }
  }
  return won / (positives * negatives);
}

TEST(Synthetic, labels_have_the_promised_auc_rate_and_loss) {
  struct Case {
    std::string words;
    double auc;
    double rate;
    ModelSpec model;
  };
  for (const Case& it : {Case{"synthetic:", 0.8, 0.3, small_model()},
                         Case{"synthetic:auc=0.7,label_rate=0.03,zipf=1.05", 0.7, 0.03,
                              model_with(0, {100, 3000, 5, 70'000}, 2)}}) {
    constexpr int64_t kCount = 150'000;
    const PlantedModel planted = plant(parse_synthetic(it.words), it.model);
    std::vector<float> dense(static_cast<size_t>(kCount) * it.model.dense_features.size());
    std::vector<int32_t> ids(static_cast<size_t>(kCount * planted.num_lookups));
    std::vector<double> logits(kCount);
    draw_records(planted, 0, kCount, dense.data(), ids.data(), logits.data());
    std::vector<float> labels(kCount);
    double rate = 0, loss = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      labels[i] = draw_label(planted, static_cast<int64_t>(i), logits[i]);
      rate += labels[i] / double{kCount};
      loss += std::log1p(std::exp(labels[i] == 1 ? -logits[i] : logits[i])) / double{kCount};
    }
    EXPECT_NEAR(empirical_auc(logits, labels), it.auc, 0.008);
    EXPECT_NEAR(rate, it.rate, 5 * std::sqrt(it.rate / double{kCount}) + 0.003);
    const BayesOptimum optimum = bayes_optimum(it.model, it.words);
    EXPECT_NEAR(optimum.auc, it.auc, 0.003);
    EXPECT_NEAR(optimum.label_rate, it.rate, 0.003);
    EXPECT_NEAR(optimum.log_loss, loss, 0.006);
  }
}

TEST(Synthetic, the_expected_auc_is_the_mean_over_all_pairs) {
  const std::vector<double> logits{0.3, -2, 0.3, 1.5, -0.1, -2};
  // By definition: each sample is positive with its probability, ties count half.
  double won = 0, positives = 0, negatives = 0;
  const auto probability = [](double logit) { return 1 / (1 + std::exp(-logit)); };
  for (const double a : logits) {
    positives += probability(a);
    negatives += 1 - probability(a);
    for (const double b : logits) {
      won += probability(a) * (1 - probability(b)) * (a > b ? 1 : a == b ? 0.5 : 0);
    }
  }
  EXPECT_NEAR(expected_auc(logits), won / (positives * negatives), 1e-12);
}

TEST(Synthetic, the_optimum_is_asked_of_synthetic_data_alone) {
  EXPECT_THAT(bad_input([] { bayes_optimum(small_model(), "folder/train.txt"); }),
              HasSubstr("only synthetic data has a known optimum"));
}

/// AUC to expect of `scores` when the truth is `logits`.
double weighted_auc(const std::vector<double>& scores, const std::vector<double>& logits) {
  std::vector<size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return scores[a] < scores[b]; });
  double negatives = 0, positives = 0, won = 0;
  for (const size_t i : order) {
    const double probability = 1 / (1 + std::exp(-logits[i]));
    won += probability * (negatives + (1 - probability) / 2);
    positives += probability;
    negatives += 1 - probability;
  }
  return won / (positives * negatives);
}

TEST(Synthetic, a_model_without_interactions_stays_far_below_the_optimum) {
  // The best additive score is the true logit without its products, since these have mean 0 given
  // any one id: draw again with their weights at 0.
  const ModelSpec model = model_with(4, {1000, 2000, 3000, 4000, 5000, 6000, 8000, 10'000});
  PlantedModel planted = plant({}, model);
  constexpr int64_t kCount = 100'000;
  std::vector<float> dense(kCount * 4);
  std::vector<int32_t> ids(kCount * 8);
  std::vector<double> logits(kCount), additive(kCount);
  draw_records(planted, 0, kCount, dense.data(), ids.data(), logits.data());
  for (PlantedModel::Pair& pair : planted.pairs) pair.weight = 0;
  draw_records(planted, 0, kCount, dense.data(), ids.data(), additive.data());
  EXPECT_LT(weighted_auc(additive, logits), weighted_auc(logits, logits) - 0.015);

  struct Sum {
    double count = 0;
    double products = 0;
    double squares = 0;
  };
  std::vector<Sum> by_id(1000);
  for (size_t i = 0; i < kCount; ++i) {
    Sum& sum = by_id.at(static_cast<size_t>(ids[8 * i]));
    const double product = logits[i] - additive[i];
    sum.count += 1;
    sum.products += product;
    sum.squares += product * product;
  }
  int num_frequent = 0;
  for (const Sum& sum : by_id) {
    if (sum.count < 1000) continue;
    ++num_frequent;
    EXPECT_LT(std::abs(sum.products), 5 * std::sqrt(sum.squares));  // mean 0, given the id
  }
  EXPECT_GT(num_frequent, 5);
}

TEST(Synthetic, the_logit_is_the_formula_of_the_documentation) {
  const ModelSpec model = model_with(3, {300, 200, 100}, 2);
  const PlantedModel planted = plant({}, model);
  std::vector<float> dense(3 * 600);
  std::vector<int32_t> ids(6 * 600);
  std::vector<double> logits(600);
  draw_records(planted, 12'345, 600, dense.data(), ids.data(), logits.data());
  for (size_t i = 0; i < 600; ++i) {
    double sum = 0;
    std::vector<double> factors;
    for (size_t f = 0; f < 3; ++f) {
      double effect = 0, factor = 0;
      for (size_t j = 0; j < 2; ++j) {
        for (const PlantedFeature::Id& id : planted.features[f].ids) {
          if (id.row != ids[6 * i + 2 * f + j]) continue;
          effect += id.effect;
          factor += id.factor;
        }
      }
      sum += effect / std::sqrt(2.0);
      factors.push_back(factor / std::sqrt(2.0));
    }
    for (size_t d = 0; d < 3; ++d) {
      sum += planted.dense_weights[d] * (double{dense[3 * i + d]} - 4.0 / 3);
    }
    ASSERT_EQ(planted.pairs.size(), 1u);
    sum += planted.pairs[0].weight * factors[0] * factors[1];
    EXPECT_NEAR(logits[i], planted.scale * sum + planted.bias, 1e-4);
  }
}

TEST(Synthetic, every_rank_has_a_row_of_its_own) {
  for (const int64_t rows : {1, 6, 1597}) {
    const PlantedModel planted = plant({}, model_with(1, {rows}));
    std::set<int32_t> seen;
    for (const PlantedFeature::Id& id : planted.features[0].ids) seen.insert(id.row);
    EXPECT_EQ(static_cast<int64_t>(seen.size()), rows);
    EXPECT_LT(*seen.rbegin(), rows);
    EXPECT_GE(*seen.begin(), 0);
  }
}

}  // namespace
}  // namespace ambidex
