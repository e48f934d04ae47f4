// SPDX-License-Identifier: Apache-2.0
// Formats whose fields have names (CSV, RecBole), transforms, encodings, statistics.
#include <gmock/gmock.h>

#include <set>

#include "ambidex/data.h"
#include "data_samples.h"

namespace ambidex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Batch all_of(const ModelSpec& model, const DataOptions& options) {
  DataReader reader(model, options);
  Batch batch;
  reader.next(batch);
  return batch;
}

struct Fields : testing::Test {
  ScratchFolder folder;

  /// What a reader of `text` says, with the folder left out.
  std::string error_of(const ModelSpec& model, const std::string& name, const std::string& text) {
    const std::string path = folder.write(name, text);
    std::string said = message_of([&] { samples_of(model, {.path = path}); });
    const std::string place = folder.path.string() + "/";
    for (size_t i = said.find(place); i != std::string::npos; i = said.find(place)) {
      said.erase(i, place.size());
    }
    return said;
  }
};

struct Csv : Fields {};

ModelSpec shop_model() {
  ModelSpec model = plain_model(1, {10, 100});
  model.dense_features[0] = {.name = "price", .transform = DenseTransform::none};
  model.tables[0].features[0] = {.name = "shop"};
  model.tables[1].features[0] = {.name = "tags", .field = "words", .lookups = 3};
  return model;
}

TEST_F(Csv, fields_are_found_by_name_in_any_order) {
  const std::string text =
      "shop,unused,click,words,price\n"
      "a,x,1,red|blue,2.5\n"
      "b,x,0,,\n"
      "a,x,1,blue green red old,-1\n";
  const Batch batch = all_of(shop_model(), {.path = folder.write("shop.csv", text)});
  EXPECT_THAT(batch.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(batch.dense, ElementsAre(2.5f, 0, -1));
  // Numbered in order of appearance; a blank is 0; the fourth word is cut.
  EXPECT_THAT(batch.ids, ElementsAre(1, 2, 1, 1, 2, -1, 0, -1, -1, 2, 3, 1));
}

TEST_F(Csv, tabs_quotes_and_line_breaks_in_cells_are_read) {
  ModelSpec model = shop_model();
  model.tables.pop_back();
  const std::string comma =
      "\"label\",shop,\"price\"\r\n"
      "1,\"a, \"\"b\"\"\",\"3\"\r\n"
      "0,\"two\nlines\",4\r\n"
      "0,\"a, \"\"b\"\"\",5\n"
      "1,5\" wide,6\n"
      "1,two,7";
  DataReader reader(model, {.path = folder.write("quoted.csv", comma), .batch = 2});
  EXPECT_THAT(reader.statistics().vocabularies.at("t0"),
              ElementsAre("a, \"b\"", "two\nlines", "5\" wide", "two"));
  const auto samples = rest_of(reader, model);
  ASSERT_EQ(samples.size(), 5u);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(samples[i].dense[0], 3.0f + static_cast<float>(i));
  EXPECT_EQ(samples[2].ids[0], 1);
  const std::string tabs = "label\tshop\tprice\n1\ta,b\t3\n0\t\"c\td\"\t4\n";
  DataReader other(model, {.path = folder.write("tabs.csv", tabs)});
  EXPECT_THAT(other.statistics().vocabularies.at("t0"), ElementsAre("a,b", "c\td"));
}

TEST_F(Csv, labels_may_be_absent_if_the_caller_says_so) {
  const std::string text = "shop,words,price\na,red,2.5\nb,,\n";
  const std::string path = folder.write("shop.csv", text);
  const auto all_nan = [](const Batch& batch) {
    return std::all_of(batch.labels.begin(), batch.labels.end(),
                       [](float label) { return std::isnan(label); });
  };
  ModelSpec model = shop_model();
  const Batch batch = all_of(model, {.path = path, .labelled = false});
  ASSERT_EQ(batch.labels.size(), 2u);
  EXPECT_TRUE(all_nan(batch));
  EXPECT_THAT(batch.dense, ElementsAre(2.5f, 0));
  EXPECT_THAT(batch.ids, ElementsAre(1, 2, 1, -1, -1, 0, -1, -1));
  EXPECT_THAT(message_of([&] { all_of(model, {.path = path}); }),
              HasSubstr("data.label is not given: no field \"label\""));
  model.data.label = "bought";
  model.data.label_at_least = 4;
  EXPECT_TRUE(all_nan(all_of(model, {.path = path, .labelled = false})));
  const std::string some =
      folder.write("some.csv", "bought,shop,words,price\n4,a,,\n,a,,\n3,a,,\n");
  const Batch mixed = all_of(model, {.path = some, .labelled = false});
  EXPECT_EQ(mixed.labels.at(0), 1);
  EXPECT_TRUE(std::isnan(mixed.labels.at(1)));
  EXPECT_EQ(mixed.labels.at(2), 0);
  EXPECT_THAT(message_of([&] { all_of(model, {.path = some}); }),
              HasSubstr("some.csv:3: bought: expected a finite number for the label, got \"\""));
}

/// Criteo's log as its sample in CSV has it.
std::string criteo_csv(const std::string& text) {
  std::string csv = "Id,Label";
  for (int i = 1; i <= 13; ++i) csv += fmt::format(",I{}", i);
  for (int i = 1; i <= 26; ++i) csv += fmt::format(",C{}", i);
  csv += '\n';
  std::istringstream lines(text);
  int64_t id = 10'000'000;
  for (std::string line; std::getline(lines, line); ++id) {
    std::replace(line.begin(), line.end(), '\t', ',');
    csv += fmt::format("{},{}\n", id, line);
  }
  return csv;
}

TEST_F(Csv, criteo_columns_give_what_its_log_gives) {
  const std::string text = random_criteo(300, 7);
  const auto expected = read_plainly(text, 13, std::vector<int64_t>(26, 1000));
  const std::string path = folder.write("criteo.csv", criteo_csv(text));
  EXPECT_EQ(samples_of(criteo_model(), {.path = path}), expected);  // by position
  ModelSpec named = criteo_model();
  for (size_t i = 0; i < 13; ++i) named.dense_features[i].name = fmt::format("I{}", 13 - i);
  for (size_t i = 0; i < 26; ++i) named.tables[i].features[0].name = fmt::format("C{}", 26 - i);
  auto turned = samples_of(named, {.path = path});
  for (PlainSample& sample : turned) {
    std::reverse(sample.dense.begin(), sample.dense.end());
    std::reverse(sample.ids.begin(), sample.ids.end());
  }
  EXPECT_EQ(turned, expected);
}

TEST_F(Csv, several_files_need_the_same_header) {
  const ModelSpec model = shop_model();
  folder.write("a.csv", "label,shop,words,price\n1,x,,1\n");
  folder.write("b.csv", "label,shop,words,price\n0,y,,2\n");
  const auto samples = samples_of(model, {.path = folder.path.string()});
  EXPECT_EQ(samples.size(), 2u);
  folder.write("c.csv", "label,shop,price,words\n0,y,2,\n");
  EXPECT_THAT(message_of([&] { DataReader(model, {.path = folder.path.string()}); }),
              HasSubstr("c.csv:1: expected the header of "));
}

TEST_F(Csv, says_what_is_wrong) {
  const ModelSpec model = shop_model();
  const std::string header = "label,shop,words,price\n";
  EXPECT_EQ(error_of(model, "a.csv", header + "1,a,b,3\n1,a,b\n"),
            "bad_input: a.csv:3: expected 4 fields as in the header, got 3; --skip-bad N tolerates "
            "N of them");
  EXPECT_THAT(error_of(model, "a.csv", header + "1,\"a\nx\",b,3\n1,a,b,c\n"),
              HasSubstr("a.csv:4: price: expected a finite number, got \"c\""));
  EXPECT_THAT(
      error_of(model, "a.csv", header + "1,\"a\"b,c,3\n"),
      HasSubstr("a.csv:2: expected a closing quote before a separator or the record's end"));
  EXPECT_THAT(error_of(model, "a.csv", header + "1,\"a,c,3\n0,b,c,3\n"),
              HasSubstr("a.csv:2: expected a closing quote"));
  EXPECT_THAT(error_of(model, "a.csv", "label,shpo,words,price\n1,a,b,3\n"),
              HasSubstr("feature shop: no field \"shop\"; nearest: shpo"));
  EXPECT_THAT(error_of(model, "a.csv", "label,shop,words,prise\n1,a,b,3\n"),
              HasSubstr("dense feature price: no field \"price\"; nearest: prise"));
  EXPECT_THAT(error_of(model, "a.csv", "lable,shop,words,price\n1,a,b,3\n"),
              HasSubstr("data.label is not given: no field \"label\"; nearest: lable"));
  EXPECT_THAT(error_of(model, "a.csv", "label,shop,shop\n"),
              HasSubstr("a.csv:1: expected every field once, got \"shop\" twice; rename one"));
  EXPECT_THAT(error_of(model, "a.csv", "label,\"shop\n"),
              HasSubstr("a.csv:1: expected a closing quote on the header's line"));
  EXPECT_THAT(error_of(model, "a.csv", "\nlabel,shop\n"),
              HasSubstr("a.csv:1: expected a header of field names, got nothing"));
  EXPECT_THAT(error_of(model, "a.csv", header), HasSubstr("a.csv: no samples in part \"all\""));
  ModelSpec other = model;
  other.data.label = "bought";
  EXPECT_THAT(error_of(other, "a.csv", header + "1,a,b,3\n"),
              HasSubstr("data.label: no field \"bought\""));
}

TEST_F(Csv, ids_are_encoded_as_the_model_says) {
  ModelSpec model = plain_model(0, {1000, 1000, 1000, 1000});
  model.tables[0].features[0].encoding = IdEncoding::hex;
  model.tables[1].features[0].encoding = IdEncoding::integer;
  model.tables[2].features[0].encoding = IdEncoding::hash;
  model.tables[3].features[0].encoding = IdEncoding::vocabulary;
  const std::string text =
      "label,t0,t1,t2,t3\n1,ff1,1234,one,12\n0,,,,\n1,7,18446744073709551615,one,ab\n";
  const std::string path = folder.write("ids.csv", text);
  DataReader reader(model, {.path = path});
  const auto samples = rest_of(reader, model);
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].ids[0], 0xff1 % 1000);
  EXPECT_EQ(samples[0].ids[1], 234);
  EXPECT_EQ(samples[0].ids[3], 1);
  EXPECT_EQ(samples[1].ids, (std::vector<int32_t>{0, 0, 0, 0}));
  EXPECT_EQ(samples[2].ids[1], 615);
  EXPECT_EQ(samples[2].ids[2], samples[0].ids[2]);
  EXPECT_EQ(samples[2].ids[3], 2);
  EXPECT_THAT(error_of(model, "a.csv", "label,t0,t1,t2,t3\n1,a,-3,one,12\n"),
              HasSubstr("a.csv:2: t1: expected an integer id >= 0, got \"-3\""));
}

TEST_F(Csv, hashes_spread_similar_words) {
  ModelSpec model = plain_model(0, {1 << 16});
  model.tables[0].features[0].encoding = IdEncoding::hash;
  std::string text = "label,t0\n";
  for (int i = 0; i < 1000; ++i) text += fmt::format("0,user{}\n", i);
  const auto samples = samples_of(model, {.path = folder.write("hash.csv", text)});
  std::set<int32_t> ids;
  for (const PlainSample& sample : samples) ids.insert(sample.ids[0]);
  EXPECT_GT(ids.size(), 980u);  // 1,000 of 65,536 collide 7.6 times on average
}

TEST_F(Csv, transforms_follow_their_formulas) {
  ModelSpec model = plain_model(5, {10});
  const DenseTransform transforms[] = {DenseTransform::log, DenseTransform::none,
                                       DenseTransform::standard, DenseTransform::log_shifted,
                                       DenseTransform::log_squared};
  for (size_t i = 0; i < 5; ++i) {
    model.dense_features[i].transform = transforms[i];
    model.dense_features[i].field = "x";
  }
  const std::vector<double> values{-3, 0, 1, 2, 3, 20, 100000, 2.5};
  std::string text = "label,x,t0\n";
  for (const double value : values) text += fmt::format("0,{},a\n", value);
  const auto samples = samples_of(model, {.path = folder.write("x.csv", text + "1,,a\n")});
  double mean = 0;
  for (const double value : values) mean += value / 8;
  double variance = 0;
  for (const double value : values) variance += (value - mean) * (value - mean) / 8;
  ASSERT_EQ(samples.size(), 9u);
  for (size_t i = 0; i < 8; ++i) {
    const double x = values[i];
    const std::vector<float>& dense = samples[i].dense;
    EXPECT_FLOAT_EQ(dense[0], static_cast<float>(std::log1p(std::max(x, 0.0))));
    EXPECT_EQ(dense[1], static_cast<float>(x));
    EXPECT_FLOAT_EQ(dense[2], static_cast<float>((x - mean) / std::sqrt(variance)));
    EXPECT_FLOAT_EQ(dense[3], static_cast<float>(std::log(x + 3 + 2)));
    const double squared = x > 2 ? std::floor(std::pow(std::log(x), 2)) : x;
    EXPECT_EQ(dense[4], static_cast<float>(squared));
  }
  EXPECT_EQ(samples[8].dense, (std::vector<float>(5, 0)));
}

struct Recbole : Fields {
  Recbole() {
    folder.write("ml.inter",
                 "user_id:token\titem_id:token\trating:float\ttimestamp:float\n"
                 "u1\ti9\t4\t100\n"
                 "u2\ti7\t3.5\t101\n"
                 "u1\ti7\t5\t102\n"
                 "u3\ti8\t1\t103\n");
    folder.write("ml.user", "user_id:token\tage:token\nu2\t30\nu1\t20\n");
    folder.write("ml.item",
                 "item_id:token\ttitle:token_seq\tyear:token\tgenres:token_seq\n"
                 "i7\tThe One\t1995\tA B\ni8\tTwo\t\tB C A D\ni9\tThree\t1990\t\n");
  }
  std::string prefix = (folder.path / "ml").string();
};

ModelSpec rating_model() {
  ModelSpec model = plain_model(2, {10, 10, 10});
  model.dense_features[0] = {.name = "age", .transform = DenseTransform::none};
  model.dense_features[1] = {.name = "old", .field = "year", .transform = DenseTransform::none};
  model.tables[0].features[0] = {.name = "user_id"};
  model.tables[1].features[0] = {.name = "item_id"};
  model.tables[2].features[0] = {.name = "genres", .lookups = 3};
  model.data.label = "rating";
  model.data.label_at_least = 4;
  return model;
}

TEST_F(Recbole, users_and_items_are_joined_to_interactions) {
  DataReader reader(rating_model(), {.path = prefix});
  EXPECT_EQ(reader.format(), "recbole");
  EXPECT_THAT(reader.statistics().vocabularies.at("t0"), ElementsAre("u1", "u2", "u3"));
  EXPECT_THAT(reader.statistics().vocabularies.at("t1"), ElementsAre("i9", "i7", "i8"));
  EXPECT_THAT(reader.statistics().vocabularies.at("t2"), ElementsAre("A", "B", "C"));
  Batch batch;
  ASSERT_TRUE(reader.next(batch));
  EXPECT_THAT(batch.labels, ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(batch.dense, ElementsAre(20, 1990, 30, 1995, 20, 1995, 0, 0));
  EXPECT_THAT(batch.ids, ElementsAre(1, 2, 1, 3,                                // user_id
                                     1, 2, 2, 3,                                // item_id
                                     0, -1, -1, 1, 2, -1, 1, 2, -1, 2, 3, 1));  // genres
}

TEST_F(Recbole, ratings_may_be_absent_if_the_caller_says_so) {
  DataReader train(rating_model(), {.path = prefix});
  folder.write("ml.inter", "user_id:token\titem_id:token\nu2\ti7\nu9\ti8\n");
  DataReader reader(rating_model(), {.path = prefix, .labelled = false}, train.statistics());
  Batch batch;
  ASSERT_TRUE(reader.next(batch));
  ASSERT_EQ(batch.labels.size(), 2u);
  for (const float label : batch.labels) EXPECT_TRUE(std::isnan(label));
  EXPECT_THAT(batch.dense, ElementsAre(30, 1995, 0, 0));
  EXPECT_THAT(batch.ids, ElementsAre(2, 0, 2, 3, 1, 2, -1, 2, 3, 1));
  EXPECT_THAT(message_of([&] { DataReader(rating_model(), {.path = prefix}); }),
              HasSubstr("data.label: no field \"rating\""));
}

TEST_F(Recbole, the_file_and_its_folder_stand_for_the_prefix) {
  const auto expected = samples_of(rating_model(), {.path = prefix});
  EXPECT_EQ(samples_of(rating_model(), {.path = prefix + ".inter"}), expected);
  EXPECT_EQ(samples_of(rating_model(), {.path = folder.path.string()}), expected);
  std::ifstream file(prefix + ".inter");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const ScratchFolder other;
  for (const char* side : {".user", ".item"}) {
    std::filesystem::copy_file(prefix + side, other.path / (std::string("x") + side));
  }
  other.write("x.inter.gz", gzip_of(text));
  EXPECT_EQ(samples_of(rating_model(), {.path = (other.path / "x").string()}), expected);
  other.write("y.inter", text);
  EXPECT_THAT(message_of([&] { DataReader(rating_model(), {.path = other.path.string()}); }),
              HasSubstr("expected one .inter file, got 2; give the prefix of one"));
}

TEST_F(Recbole, tokens_outside_the_training_part_are_unknown) {
  ModelSpec model = rating_model();
  model.data.split = {.kind = SplitKind::tail, .valid_ratio = 0, .test_ratio = 0.5};
  DataReader train(model, {.path = prefix, .part = SplitPart::train});
  EXPECT_THAT(train.statistics().vocabularies.at("t0"), ElementsAre("u1", "u2"));
  DataReader test(model, {.path = prefix, .part = SplitPart::test}, train.statistics());
  EXPECT_EQ(test.statistics(), train.statistics());
  Batch batch;
  ASSERT_TRUE(test.next(batch));
  EXPECT_THAT(batch.labels, ElementsAre(1, 0));
  EXPECT_EQ(batch.ids[0], 1);
  EXPECT_EQ(batch.ids[1], 0);  // u3
}

TEST_F(Recbole, features_of_one_table_share_its_vocabulary) {
  ModelSpec model = plain_model(0, {10});
  model.tables[0].features = {{.name = "item_id"}, {.name = "year"}};
  model.data.label = "rating";
  model.data.label_at_least = 4;
  const Batch batch = all_of(model, {.path = prefix});
  EXPECT_THAT(batch.ids, ElementsAre(1, 3, 3, 5, 2, 4, 4, 0));  // i9 1990 i7 1995 i8
}

TEST_F(Recbole, a_table_that_is_too_small_is_told_its_size) {
  ModelSpec model = rating_model();
  model.tables[0].rows = 3;
  EXPECT_THAT(message_of([&] { DataReader(model, {.path = prefix}); }),
              HasSubstr("table t0 has 3 rows, but the data has 3 different values of it, and row 0 "
                        "is for blank and unknown ones; set tables.t0.rows=4"));
  model.tables[0].rows = 4;
  EXPECT_EQ(samples_of(rating_model(), {.path = prefix}).size(), 4u);
}

TEST_F(Recbole, statistics_of_another_model_are_refused) {
  DataStatistics statistics;
  statistics.means["other"] = 1;
  EXPECT_THAT(message_of([&] { DataReader(rating_model(), {.path = prefix}, statistics); }),
              HasSubstr("the data's statistics have no vocabulary of table t0"));
  ModelSpec model = rating_model();
  model.dense_features[0].transform = DenseTransform::standard;
  EXPECT_THAT(message_of([&] { DataReader(model, {.path = prefix}, statistics); }),
              HasSubstr("the data's statistics have no mean of dense feature age"));
}

TEST_F(Recbole, says_what_is_wrong) {
  const ModelSpec model = rating_model();
  const std::string header = "user_id:token\titem_id:token\trating:float\ttimestamp:float\n";
  EXPECT_THAT(error_of(model, "ml.inter", header + "u1\ti1\t3\n"),
              HasSubstr("ml.inter:2: expected 4 fields between tabs as in the header, got 3; "
                        "--skip-bad N"));
  EXPECT_THAT(error_of(model, "ml.inter", header + "u1\ti1\tnan\t3\n"),
              HasSubstr("ml.inter:2: rating: expected a finite number for the label, got \"nan\""));
  EXPECT_THAT(error_of(model, "ml.inter", "user_id\titem_id:token\n"),
              HasSubstr("ml.inter:1: expected name:type with a type token, token_seq, float or "
                        "float_seq, got \"user_id\""));
  EXPECT_THAT(error_of(model, "ml.inter", "user_id:text\n"), HasSubstr("got \"user_id:text\""));
  EXPECT_THAT(error_of(model, "ml.inter", ""), HasSubstr("ml.inter:1: expected name:type"));
  EXPECT_THAT(error_of(model, "ml.inter", "user:token\titem_id:token\trating:float\n"),
              HasSubstr("ml.user:1: the .inter file has no field \"user_id\" to join by"));
  folder.write("ml.user", "user_id:token\tage:token\nu1\t20\nu1\t21\n");
  EXPECT_THAT(error_of(model, "ml.inter", header),
              HasSubstr("ml.user:3: expected every key once, got \"u1\" again"));
  folder.write("ml.user", "user_id:token\tage:token\nu1\n");
  EXPECT_THAT(error_of(model, "ml.inter", header),
              HasSubstr("ml.user:2: expected 2 fields between tabs as in the header, got 1"));
  EXPECT_THAT(message_of([&] { DataReader(model, {.path = "none/ml", .format = "recbole"}); }),
              HasSubstr("not_found: none/ml: no file or folder \"ml\""));
}

}  // namespace
}  // namespace ambidex
