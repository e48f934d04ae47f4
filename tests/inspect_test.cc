// SPDX-License-Identifier: Apache-2.0
// A look at data: counts against those of the text, skew against the law it was drawn from.
#include <gmock/gmock.h>

#include <algorithm>

#include "ambidex/data.h"
#include "data/tally.h"
#include "data_samples.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

const FieldSummary& field(const DataSummary& summary, const std::string& name) {
  const auto found = std::find_if(summary.fields.begin(), summary.fields.end(),
                                  [&](const FieldSummary& it) { return it.name == name; });
  check(found != summary.fields.end(), "the field is there");
  return *found;
}

TEST(Inspect, counts_of_criteo_are_those_of_its_text) {
  const ScratchFolder folder;
  const std::string text = random_criteo(500, 1);
  const std::string path = folder.write("train.txt", text + "0\tbad\n");
  const DataSummary summary = inspect_data(path, "");
  EXPECT_EQ(summary.format, "criteo");
  EXPECT_EQ(summary.num_samples, 500);
  EXPECT_TRUE(summary.is_whole);
  EXPECT_EQ(summary.num_bad, 1);
  EXPECT_EQ(summary.first_bad, path +
                                   ":501: expected 40 fields between tabs (label, 13 numbers, "
                                   "26 hexadecimal ids), got 2");
  ASSERT_EQ(summary.fields.size(), 40u);
  double labels = 0;
  double sum = 0;
  int64_t blanks = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    labels += line[0] - '0';
    const std::string cell = line.substr(2, line.find('\t', 2) - 2);
    blanks += cell.empty() ? 1 : 0;
    sum += cell.empty() ? 0 : std::stod(cell);
  }
  EXPECT_DOUBLE_EQ(summary.label_rate, labels / 500);
  const FieldSummary& first = field(summary, "I1");
  EXPECT_EQ(first.kind, "dense");
  EXPECT_EQ(first.num_blank, blanks);
  EXPECT_EQ(first.num_values, 500 - blanks);
  EXPECT_NEAR(first.mean, sum / static_cast<double>(500 - blanks), 1e-6 * std::abs(first.mean));
  EXPECT_EQ(first.maps_to, "dense, log");
  EXPECT_EQ(field(summary, "C26").maps_to, "id, hex modulo rows");
  const DataSummary some = inspect_data(path, "", 100);
  EXPECT_EQ(some.num_samples, 100);
  EXPECT_FALSE(some.is_whole);
}

TEST(Inspect, columns_of_a_short_log_are_told_apart_by_their_ids) {
  const ScratchFolder folder;
  const DataSummary summary =
      inspect_data(folder.write("a.tsv", "0\t1\t2\t0000000a\n1\t\t-5\t0000000a\n"), "");
  ASSERT_EQ(summary.fields.size(), 4u);
  EXPECT_EQ(field(summary, "I2").minimum, -5);
  EXPECT_EQ(field(summary, "I2").maximum, 2);
  EXPECT_EQ(field(summary, "C1").num_distinct, 1);
  EXPECT_EQ(field(summary, "C1").top_share_ratio, 1);
}

TEST(Inspect, a_csv_field_of_fractions_is_dense_and_others_are_ids) {
  const ScratchFolder folder;
  const std::string path =
      folder.write("a.csv", "click,price,shop,word\n1,2.5,7,a\n0,3,8,b\n0,,7,a\n");
  const DataSummary summary = inspect_data(path, "");
  EXPECT_EQ(field(summary, "price").kind, "dense");
  EXPECT_DOUBLE_EQ(field(summary, "price").mean, 2.75);
  EXPECT_EQ(field(summary, "price").num_blank, 1);
  EXPECT_EQ(field(summary, "shop").kind, "id");
  EXPECT_EQ(field(summary, "shop").num_distinct, 2);
  EXPECT_EQ(field(summary, "word").maps_to, "id, vocabulary");
  EXPECT_DOUBLE_EQ(summary.label_rate, 1.0 / 3);
}

TEST(Inspect, a_model_says_what_fields_are) {
  const ScratchFolder folder;
  const std::string path =
      folder.write("ml.inter",
                   "user_id:token\trating:float\tgenres:token_seq\tx:float\nu1\t4\tA B\t1\n"
                   "u2\t3\tB\t2\nu2\t5\t\t3\n");
  ModelSpec model = plain_model(1, {50, 60});
  model.dense_features[0].field = "x";
  model.tables[0].features[0].field = "user_id";
  model.tables[0].features[0].encoding = IdEncoding::hash;
  model.tables[1].features[0] = {.name = "genres", .lookups = 5};
  model.data.label = "rating";
  model.data.label_at_least = 4;
  const DataSummary summary = inspect_data(model, path, "");
  EXPECT_DOUBLE_EQ(summary.label_rate, 2.0 / 3);
  EXPECT_EQ(field(summary, "user_id").maps_to, "table t0, hash modulo 50");
  EXPECT_EQ(field(summary, "rating").maps_to, "label, 1 from 4 on");
  EXPECT_EQ(field(summary, "genres").kind, "ids");
  EXPECT_EQ(field(summary, "genres").num_values, 3);
  EXPECT_EQ(field(summary, "genres").num_blank, 1);
  EXPECT_EQ(field(summary, "genres").maps_to, "table t1, vocabulary");
  EXPECT_EQ(field(summary, "x").maps_to, "dense d0, log");
  const DataSummary bare = inspect_data(path, "");
  EXPECT_EQ(field(bare, "rating").kind, "dense");
  EXPECT_EQ(field(bare, "genres").maps_to, "ids, vocabulary");
  model.tables[1].features[0].name = "genre";
  EXPECT_THAT(message_of([&] { inspect_data(model, path, ""); }),
              HasSubstr("feature genre: no field \"genre\"; nearest: genres"));
}

TEST(Inspect, data_without_field_names_need_a_model) {
  EXPECT_EQ(message_of([] { inspect_data("synthetic:x", ""); }),
            "bad_input: synthetic:x: synthetic data do not name their fields; --model NAME says "
            "what they are");
}

/// Ranks below `num_ids`, drawn by Zipf's law.
std::vector<int64_t> zipf_ids(double exponent, int64_t num_ids, int64_t count) {
  std::vector<double> shares;
  double sum = 0;
  for (int64_t i = 1; i <= num_ids; ++i) {
    sum += std::pow(static_cast<double>(i), -exponent);
    shares.push_back(sum);
  }
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, sum);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < count; ++i) {
    ids.push_back(std::lower_bound(shares.begin(), shares.end(), unit(random)) - shares.begin());
  }
  return ids;
}

TEST(Inspect, the_exponent_of_zipf_is_found_again) {
  for (const double exponent : {0.6, 1.05, 1.5}) {
    Tally tally;
    for (const int64_t id : zipf_ids(exponent, 5000, 200'000)) {
      add_id(tally, hash_of(fmt::format("{}", id)));
    }
    FieldSummary summary{.kind = "id"};
    summarize(tally, summary);
    EXPECT_NEAR(summary.zipf_exponent, exponent, 0.12);
  }
  EXPECT_NEAR(zipf_exponent(std::vector<int64_t>(100, 50)), 0, 1e-9);
  EXPECT_EQ(zipf_exponent({9, 5, 3, 2}), 0);
  EXPECT_EQ(zipf_exponent(std::vector<int64_t>(100, 1)), 0);
}

TEST(Inspect, many_different_ids_are_estimated) {
  Tally tally;
  constexpr int64_t kNumIds = 200'000;
  for (int64_t i = 0; i < kNumIds; ++i) add_id(tally, hash_of(fmt::format("user {}", i)));
  FieldSummary summary{.kind = "id"};
  summarize(tally, summary);
  EXPECT_TRUE(summary.is_estimate);
  EXPECT_NEAR(static_cast<double>(summary.num_distinct), kNumIds, 0.08 * kNumIds);
  Tally few;
  for (int64_t i = 0; i < kMaxDistinct; ++i) add_id(few, hash_of(fmt::format("user {}", i)));
  summarize(few, summary);
  EXPECT_FALSE(summary.is_estimate);
  EXPECT_EQ(summary.num_distinct, kMaxDistinct);
}

}  // namespace
}  // namespace ambidex
