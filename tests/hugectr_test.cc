// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "binary_files.h"

namespace ambidex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// A record of HugeCTR's with two dense values and three ids.
std::string raw_record(const std::string& label, float value, std::vector<int32_t> ids) {
  return label + raw<float>({value, 0.5f}) + raw(ids);
}
std::string float_label(float value) { return raw<float>({value}); }
std::string integer_label(int32_t value) { return raw<int32_t>({value}); }

TEST(HugeCtr, float_and_integer_labels_are_told_apart) {
  const Scratch scratch;
  const std::string path = scratch.write(
      "a.bin", raw_record(float_label(1), 1, {1, 2, 3}) + raw_record(float_label(0), 2, {4, 5, 6}) +
                   raw_record(integer_label(1), 3, {7, 8, 9}) +
                   raw_record(float_label(-0.f), 4, {0, 0, 999}));
  const Source source = open_hugectr({path, path}, layout_with(2, {1, 2}));
  EXPECT_EQ(source.num_records, 8);
  const Records records = read_all(source, 3);
  ASSERT_EQ(records.size, 8);
  EXPECT_THAT(records.labels, ElementsAre(1.f, 0.f, 1.f, 0.f, 1.f, 0.f, 1.f, 0.f));
  EXPECT_EQ(records.dense[4], 3.f);
  EXPECT_EQ(records.dense[5], 0.5f);
  EXPECT_EQ(records.ids[7], 8);
  EXPECT_EQ(records.ids[11], 999);
  EXPECT_EQ(records.numbers[7], 7);
}

TEST(HugeCtr, the_record_of_mlperf_has_912_bytes) {
  const Scratch scratch;
  const std::vector<int64_t> hot{3, 2, 1, 2, 6, 1, 1,  1,   1,  7,  3, 8, 1,
                                 6, 9, 5, 1, 1, 1, 12, 100, 27, 10, 3, 1, 1};
  const std::string path = scratch.write("a.bin", std::string(size_t{912} * 5, '\0'));
  EXPECT_EQ(read_all(open_hugectr({path}, layout_with(13, hot))).size, 5);
  EXPECT_THAT(bad_input([&] {
                open_hugectr({path}, layout_with(13, {1, 1}));
              }),
              HasSubstr("a.bin: expected whole records of 64 bytes (label, 13 dense values, 2 ids, "
                        "4 bytes each), got 4560 bytes; use a model with the file's dense features "
                        "and lookups, or copy the file again"));
  scratch.write("a.bin", "");
  EXPECT_THAT(bad_input([&] { open_hugectr({path}, layout_with(13, hot)); }),
              HasSubstr("got 0 bytes"));
}

TEST(HugeCtr, seek_continues_at_a_record_of_any_file) {
  const Scratch scratch;
  std::vector<std::string> paths;
  for (int file = 0; file < 3; ++file) {
    std::string bytes;
    for (int i = 0; i < 2; ++i) {
      bytes += raw_record(integer_label(0), 0, {10 * file + i, 0, 0});
    }
    paths.push_back(scratch.write(fmt::format("{}.bin", file), bytes));
  }
  const Source source = open_hugectr(paths, layout_with(2, {3}));
  EXPECT_EQ(source.position().file, 0);
  for (const int64_t record : {5, 0, 2, 3}) {
    source.seek({.record = record});
    EXPECT_EQ(source.position().record, record);
    EXPECT_EQ(source.position().file, record / 2);
    Records one;
    BadRecords none;
    source.read(one, 1, none);
    EXPECT_EQ(one.ids.at(0), 10 * (record / 2) + record % 2);
    EXPECT_EQ(one.numbers.at(0), record);
  }
  source.seek({.record = 6});
  EXPECT_EQ(source.position().file, 2);
  EXPECT_EQ(read_all(source).size, 0);
}

TEST(HugeCtr, bad_records_say_what_is_wrong_and_can_be_skipped) {
  const Scratch scratch;
  const float infinity = std::numeric_limits<float>::infinity();
  const std::string path = scratch.write(
      "a.bin",
      raw_record(float_label(2), 1, {1, 2, 3}) + raw_record(float_label(0), infinity, {4, 5, 6}) +
          raw_record(integer_label(1), 3, {7, 1000, 9}) +
          raw_record(integer_label(1), 3, {7, 8, -1}) + raw_record(integer_label(1), 3, {0, 1, 2}));
  const Source source = open_hugectr({path}, layout_with(2, {1, 2}));
  const auto message = [&](int64_t record) {
    source.seek({.record = record});
    return bad_input([&] { read_all(source); });
  };
  EXPECT_THAT(message(0), HasSubstr("a.bin: record 0: label: expected 0 or 1, got 2; for grades"));
  EXPECT_THAT(message(1), HasSubstr("a.bin: record 1: dense \"d0\": expected a finite number, got "
                                    "inf; repair the file, or skip such records"));
  EXPECT_THAT(message(2),
              HasSubstr("a.bin: record 2: \"f1\": expected an id from 0 to 999, as its table has "
                        "1000 rows, got 1000; raise rows, or repair the file"));
  EXPECT_THAT(message(3), HasSubstr("record 3: \"f1\": expected an id from 0 to 999, as its table "
                                    "has 1000 rows, got -1"));
  source.seek({});
  const Records records = read_all(source, 100, {.num_allowed = 4});
  EXPECT_THAT(records.numbers, ElementsAre(4));
  EXPECT_THAT(records.ids, ElementsAre(0, 1, 2));
}

TEST(HugeCtr, a_label_that_is_no_number_is_none_if_the_caller_says_so) {
  const Scratch scratch;
  const std::string path = scratch.write("a.bin", raw_record(float_label(NAN), 1, {1, 2, 3}) +
                                                      raw_record(float_label(1), 1, {1, 2, 3}));
  RecordLayout layout = layout_with(2, {1, 2});
  EXPECT_THAT(bad_input([&] { read_all(open_hugectr({path}, layout)); }),
              HasSubstr("a.bin: record 0: label: expected 0 or 1, got nan"));
  layout.labelled = false;
  const Records records = read_all(open_hugectr({path}, layout));
  ASSERT_EQ(records.size, 2);
  EXPECT_TRUE(std::isnan(records.labels[0]));
  EXPECT_EQ(records.labels[1], 1);
}

}  // namespace
}  // namespace ambidex
