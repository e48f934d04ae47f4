// SPDX-License-Identifier: Apache-2.0
// Text formats: what samples they give, and what they say of bad ones. The oracle of Criteo's is a
// reader of streams and strtoull.
#include "ambidex/data.h"

#include <gmock/gmock.h>

#include "data/criteo_line.h"
#include "data/files.h"
#include "data/lines.h"
#include "data_samples.h"

namespace ambidex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

const std::vector<int64_t> kRows{1,   2,     3,       7,   1000, 1460,  583,  10131227, 2147483647,
                                 305, 24,    12517,   633, 3,    93145, 5683, 8351593,  3194,
                                 27,  14992, 5461306, 10,  5652, 2173,  4,    7046547};

TEST(Criteo, agrees_with_a_plain_reader_on_random_files) {
  const ScratchFolder folder;
  const std::string text = random_criteo(3000, 1);
  const ModelSpec model = plain_model(13, kRows);
  const auto samples = samples_of(model, {.path = folder.write("train.txt", text), .batch = 100});
  EXPECT_EQ(samples, read_plainly(text, 13, kRows));
}

/// The lines without their first field.
std::string without_first(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) out += line.substr(line.find('\t') + 1) + '\n';
  return out;
}

/// Labels become 0; fails where one is a number.
std::vector<PlainSample> checked_unlabelled(std::vector<PlainSample> samples) {
  for (PlainSample& sample : samples) {
    EXPECT_TRUE(std::isnan(sample.label)) << sample.label;
    sample.label = 0;
  }
  return samples;
}

TEST(Criteo, lines_without_labels_give_the_same_features_and_nan) {
  const ScratchFolder folder;
  const std::string text = random_criteo(3000, 1);
  const std::string path = folder.write("test.txt", without_first(text));
  auto expected = read_plainly(text, 13, kRows);
  for (PlainSample& sample : expected) sample.label = 0;
  const ModelSpec fast = plain_model(13, kRows);
  EXPECT_EQ(checked_unlabelled(samples_of(fast, {.path = path, .labelled = false})), expected);
  ModelSpec slow = fast;  // one field goes to two features, at the end
  for (size_t i = 0; i < 13; ++i) slow.dense_features[i].field = fmt::format("I{}", i + 1);
  for (size_t i = 0; i < 26; ++i) slow.tables[i].features[0].field = fmt::format("C{}", i + 1);
  slow.tables.push_back(slow.tables[0]);
  for (PlainSample& sample : expected) sample.ids.push_back(sample.ids[0]);
  EXPECT_EQ(checked_unlabelled(samples_of(slow, {.path = path, .labelled = false})), expected);
}

TEST(Criteo, its_columns_under_a_header_without_a_label_go_by_position_too) {
  const ScratchFolder folder;
  const std::string text = random_criteo(100, 9);
  std::string header;
  for (int i = 1; i <= 13; ++i) header += fmt::format("I{}\t", i);
  for (int i = 1; i <= 26; ++i) header += fmt::format("C{}{}", i, i == 26 ? '\n' : '\t');
  const std::string path = folder.write("test.tsv", header + without_first(text));
  auto expected = read_plainly(text, 13, kRows);
  for (PlainSample& sample : expected) sample.label = 0;
  const ModelSpec model = plain_model(13, kRows);
  EXPECT_EQ(checked_unlabelled(samples_of(model, {.path = path, .labelled = false})), expected);
}

TEST(Criteo, labels_that_are_there_come_whether_they_are_needed_or_not) {
  const ScratchFolder folder;
  const std::string text = random_criteo(500, 8);
  const std::string path = folder.write("test.txt", text);
  const ModelSpec model = plain_model(13, kRows);
  EXPECT_EQ(samples_of(model, {.path = path, .labelled = false}), read_plainly(text, 13, kRows));
  const std::string some = folder.write("some.tsv", "1\t5\t0000000a\n\t6\t0000000b\n0\t\t\n");
  const auto samples = samples_of(plain_model(1, {100}), {.path = some, .labelled = false});
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].label, 1);
  EXPECT_TRUE(std::isnan(samples[1].label));
  EXPECT_EQ(samples[1].ids[0], 11);
  EXPECT_EQ(samples[2].label, 0);
}

TEST(Criteo, lines_without_labels_may_begin_with_a_blank) {
  const ScratchFolder folder;
  const ModelSpec model = plain_model(2, {100});
  const std::string path = folder.write("test.txt", "\t-3\t0000000a\n7\t\t\n");
  const auto samples = samples_of(model, {.path = path, .labelled = false});
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].dense, (std::vector<float>{0, 0}));
  EXPECT_EQ(samples[0].ids[0], 10);
  EXPECT_EQ(samples[1].dense[0], static_cast<float>(std::log(8.0)));
  EXPECT_EQ(find_data(path, "", false).format, "criteo");
  EXPECT_EQ(find_data(path, "").format, "csv");  // with labels, no line of Criteo's begins so
  const std::string names = folder.write("names.txt", "\tprice\t0000000a\n");
  EXPECT_EQ(find_data(names, "", false).format, "csv");
}

TEST(Criteo, the_first_line_says_whether_the_files_have_labels) {
  const ScratchFolder folder;
  const ModelSpec model = plain_model(2, {100});
  const std::string path = folder.path.string();
  folder.write("day_0", "5\t6\t0000000a\n");
  folder.write("day_1", "1\t5\t6\t0000000a\n");
  EXPECT_THAT(message_of([&] { samples_of(model, {.path = path, .labelled = false}); }),
              HasSubstr("day_1:1: expected 3 fields between tabs (no label as in the first line, "
                        "2 numbers, 1 hexadecimal ids), got 4; --skip-bad N"));
  EXPECT_THAT(message_of([&] { samples_of(model, {.path = path}); }),
              HasSubstr("day_0:1: expected 4 fields between tabs (label, 2 numbers, 1 hexadecimal "
                        "ids), got 3; --skip-bad N"));
  folder.write("day_0", "1\t5\t6\t0000000a\n");
  folder.write("day_1", "5\t6\t0000000a\n");
  EXPECT_THAT(message_of([&] { samples_of(model, {.path = path, .labelled = false}); }),
              HasSubstr("day_1:1: expected 4 fields between tabs (label, 2 numbers"));
  folder.write("day_0", "2\t5\t6\t0000000a\n");
  EXPECT_THAT(message_of([&] { samples_of(model, {.path = path, .labelled = false}); }),
              HasSubstr("day_0:1: label: expected a label 0 or 1, got \"2\""));
}

TEST(Criteo, takes_other_numbers_of_columns_in_the_same_order) {
  const ScratchFolder folder;
  const std::string text = random_criteo(200, 2, 3, 2);
  const ModelSpec model = plain_model(3, {50, 60});
  EXPECT_EQ(samples_of(model, {.path = folder.write("a.tsv", text)}),
            read_plainly(text, 3, {50, 60}));
  const std::string alone = random_criteo(100, 3, 0, 1);
  EXPECT_EQ(samples_of(plain_model(0, {9}), {.path = folder.write("b.tsv", alone)}),
            read_plainly(alone, 0, {9}));
}

TEST(Criteo, finds_columns_by_name_if_a_field_is_given) {
  const ScratchFolder folder;
  const std::string text = random_criteo(50, 4);
  const auto all = read_plainly(text, 13, std::vector<int64_t>(26, 100));
  ModelSpec model = plain_model(1, {100});
  model.dense_features[0].field = "I3";
  model.tables[0].features[0].field = "C26";
  const auto some = samples_of(model, {.path = folder.write("train.txt", text)});
  ASSERT_EQ(some.size(), all.size());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(some[i].dense[0], all[i].dense[2]);
    EXPECT_EQ(some[i].ids[0], all[i].ids[25]);
  }
}

TEST(Criteo, reads_what_the_fast_way_refuses) {
  const ScratchFolder folder;
  const std::string text =
      "1\t12345678901\t2.5\tabc\n"   // long, not an integer, short id
      "0\t-7\t\tfedcba9876543210\n"  // an id of 16 digits
      "1\t999999999\t1000000000\tABCDEF12\n";
  const auto samples = samples_of(plain_model(2, {1000}), {.path = folder.write("odd.tsv", text)});
  ASSERT_EQ(samples.size(), 3u);
  EXPECT_EQ(samples[0].dense[0], static_cast<float>(std::log(12345678902.0)));
  EXPECT_EQ(samples[0].dense[1], static_cast<float>(std::log(3.5)));
  EXPECT_EQ(samples[0].ids[0], 0xabc % 1000);
  EXPECT_EQ(samples[1].dense, (std::vector<float>{0, 0}));
  EXPECT_EQ(samples[1].ids[0], static_cast<int32_t>(0xfedcba9876543210u % 1000));
  EXPECT_EQ(samples[2].dense[0], static_cast<float>(std::log(1e9)));
  EXPECT_EQ(samples[2].ids[0], static_cast<int32_t>(0xABCDEF12u % 1000));
}

TEST(Criteo, the_fast_way_takes_usual_lines_and_no_other) {
  CriteoPlan plan{.rules = {{}}, .modulos = {Modulo(100)}, .places = {0}};
  const auto is_taken = [&](std::string line) {
    const size_t size = line.size();
    line.resize(size + kLinePadding, '5');  // what follows must not matter
    float label = 0;
    float dense = 0;
    int32_t id = 0;
    return parse_criteo_line(plan, line.data(), line.data() + size, label, &dense, &id);
  };
  EXPECT_TRUE(is_taken("0\t12\t0123abCD"));
  EXPECT_TRUE(is_taken("1\t\t"));
  EXPECT_TRUE(is_taken("1\t-3\t"));
  for (const char* line : {"", "0", "2\t1\t", "0\t1", "0\t1\t0123abc", "0\t1\t0123abcg",
                           "0\t1\t0123abcde", "0\t1234567890\t", "0\t-\t", "0\t1x\t", "0\t1\t\t",
                           "01\t1\t", "0\t1\t0123abc\xe1", "0\t1\t0123abc\x11"}) {
    EXPECT_FALSE(is_taken(line)) << line;
  }
}

TEST(Criteo, the_fast_way_without_a_label_begins_at_the_first_number) {
  const CriteoPlan plan{
      .rules = {{}, {}}, .modulos = {Modulo(100)}, .places = {0}, .has_label = false};
  std::vector<float> dense(2);
  int32_t id = 0;
  const auto is_taken = [&](std::string line) {
    const size_t size = line.size();
    line.resize(size + kLinePadding, '\t');
    float label = 0;
    return parse_criteo_line(plan, line.data(), line.data() + size, label, dense.data(), &id) &&
           std::isnan(label);
  };
  EXPECT_TRUE(is_taken("12\t3\t0000000a"));
  EXPECT_EQ(dense[0], static_cast<float>(std::log(13.0)));
  EXPECT_EQ(id, 10);
  EXPECT_TRUE(is_taken("\t3\t0000000b"));
  EXPECT_THAT(dense, ElementsAre(0, static_cast<float>(std::log(4.0))));
  EXPECT_TRUE(is_taken("\t\t"));
  for (const char* line : {"", "1", "1\t2", "\t1\t2\t0000000a", "1\t1\t2\t0000000a", "1\t\t\t"}) {
    EXPECT_FALSE(is_taken(line)) << line;
  }
}

TEST(Criteo, remainders_are_those_of_a_division) {
  std::mt19937 random(5);
  for (const uint64_t divisor : {1u, 2u, 3u, 10u, 1000u, 65536u, 40000000u, 2147483647u}) {
    const Modulo modulo(divisor);
    for (int i = 0; i < 1000; ++i) {
      const uint32_t value = i < 10 ? ~uint32_t{0} - static_cast<uint32_t>(i) : random();
      ASSERT_EQ(modulo.of(value), value % divisor) << value << " mod " << divisor;
    }
  }
}

TEST(Criteo, days_of_a_folder_follow_in_natural_order) {
  const ScratchFolder folder;
  std::string all;
  for (const int day : {0, 1, 2, 10, 11}) {
    const std::string text = random_criteo(20, 100 + static_cast<uint32_t>(day));
    all += text;
    folder.write(fmt::format("day_{}", day), text);
  }
  folder.write("readme.md", "not a sample");
  folder.write("other.txt", "not a sample either");
  EXPECT_EQ(samples_of(criteo_model(), {.path = folder.path.string(), .batch = 7}),
            read_plainly(all, 13, std::vector<int64_t>(26, 1000)));
}

TEST(Criteo, line_ends_of_other_systems_and_of_no_system_do_not_matter) {
  const ScratchFolder folder;
  const std::string text = random_criteo(30, 6);
  std::string other;
  for (const char letter : text)
    other += letter == '\n' ? std::string("\r\n\n") : std::string(1, letter);
  other.resize(other.size() - 3);
  const ModelSpec model = criteo_model();
  EXPECT_EQ(samples_of(model, {.path = folder.write("a.txt", other)}),
            samples_of(model, {.path = folder.write("b.txt", text)}));
}

std::string error_of(const std::string& line, const ModelSpec& model = plain_model(2, {10, 10})) {
  const ScratchFolder folder;
  const std::string path = folder.write("bad.tsv", "0\t1\t2\t0000000a\t0000000b\n" + line + "\n");
  std::string message = message_of([&] { samples_of(model, {.path = path, .format = "criteo"}); });
  const size_t place = message.find(path);
  if (place != std::string::npos) message.replace(place, path.size(), "bad.tsv");
  return message;
}

TEST(Criteo, says_what_is_wrong_with_a_line) {
  EXPECT_EQ(error_of("0\t1\t2\t0000000a"),
            "bad_input: bad.tsv:2: expected 5 fields between tabs (label, 2 numbers, 2 hexadecimal "
            "ids), got 4; --skip-bad N tolerates N of them");
  EXPECT_THAT(error_of("0\t1\t2\t0000000a\t\t"), HasSubstr(":2: expected 5 fields between tabs"));
  EXPECT_THAT(error_of("2\t1\t2\t\t"), HasSubstr(":2: label: expected a label 0 or 1, got \"2\""));
  EXPECT_THAT(error_of("\t1\t2\t\t"), HasSubstr(":2: label: expected a label 0 or 1, got \"\""));
  EXPECT_THAT(error_of("0\tnan\t2\t\t"),
              HasSubstr(":2: I1: expected a finite number, got \"nan\""));
  EXPECT_THAT(error_of("0\t1\tinf\t\t"),
              HasSubstr(":2: I2: expected a finite number, got \"inf\""));
  EXPECT_THAT(error_of("0\t1\t1e999\t\t"), HasSubstr(":2: I2: expected a finite number"));
  EXPECT_THAT(
      error_of("0\t1\t2\t0000000a\t0000000g"),
      HasSubstr(":2: C2: expected a hexadecimal id of at most 16 digits, got \"0000000g\""));
  EXPECT_THAT(error_of("0\t1\t2\t10000000000000000\t"),
              HasSubstr(":2: C1: expected a hexadecimal id of at most 16 digits"));
  ModelSpec raw = plain_model(2, {10, 10});
  raw.dense_features[0].transform = DenseTransform::none;
  EXPECT_THAT(error_of("0\t1e300\t2\t\t", raw),
              HasSubstr(":2: I1: expected a number in the range"));
}

}  // namespace
}  // namespace ambidex
