// SPDX-License-Identifier: Apache-2.0
// From records to batches: splits, windows, shuffling, shards, positions. Samples are told apart by
// their first id, which counts them.
#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "ambidex/data.h"
#include "base/random.h"
#include "data_samples.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

ModelSpec counting_model(int64_t window = 64) {
  ModelSpec model = plain_model(1, {1'000'000, 7});
  model.tables[1].features[0].lookups = 2;
  model.data.shuffle_window = window;
  return model;
}

/// Sample i has the label i % 3 == 0, the number i and the id i.
std::string counting_text(int64_t begin, int64_t end) {
  std::string text;
  for (int64_t i = begin; i < end; ++i) {
    text += fmt::format("{}\t{}\t{:08x}\t{:08x}\n", i % 3 == 0 ? 1 : 0, i, i, i);
  }
  return text;
}

std::vector<int64_t> numbers_of(DataReader& reader) {
  std::vector<int64_t> numbers;
  Batch batch;
  while (reader.next(batch)) {
    numbers.insert(numbers.end(), batch.ids.begin(), batch.ids.begin() + batch.size);
  }
  return numbers;
}

std::vector<int64_t> numbers_of(const ModelSpec& model, const DataOptions& options) {
  DataReader reader(model, options);
  return numbers_of(reader);
}

std::vector<int64_t> counted(int64_t end) {
  std::vector<int64_t> numbers(static_cast<size_t>(end));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

struct Counting : testing::Test {
  ScratchFolder folder;
  std::string path = folder.write("count.tsv", counting_text(0, 1000));
};

TEST_F(Counting, a_batch_holds_samples_row_by_row_and_ids_feature_by_feature) {
  DataReader reader(counting_model(), {.path = path, .batch = 30});
  Batch batch;
  ASSERT_TRUE(reader.next(batch));
  ASSERT_TRUE(reader.next(batch));
  EXPECT_EQ(reader.format(), "criteo");
  ASSERT_EQ(batch.size, 30);
  ASSERT_EQ(batch.labels.size(), 30u);
  ASSERT_EQ(batch.dense.size(), 30u);
  ASSERT_EQ(batch.ids.size(), 90u);
  for (size_t i = 0; i < 30; ++i) {
    const int32_t number = 30 + static_cast<int32_t>(i);
    EXPECT_EQ(batch.labels[i], number % 3 == 0 ? 1 : 0);
    EXPECT_EQ(batch.dense[i], static_cast<float>(std::log(number + 1.0)));
    EXPECT_EQ(batch.ids[i], number);
    EXPECT_EQ(batch.ids[30 + 2 * i], number % 7);
    EXPECT_EQ(batch.ids[30 + 2 * i + 1], -1);  // a line has one id of two possible
  }
}

TEST_F(Counting, the_last_batch_is_partial_or_left_out) {
  DataReader all(counting_model(), {.path = path, .batch = 300});
  std::vector<int64_t> sizes;
  Batch batch;
  while (all.next(batch)) sizes.push_back(batch.size);
  EXPECT_THAT(sizes, testing::ElementsAre(300, 300, 300, 100));
  EXPECT_FALSE(all.next(batch));
  EXPECT_EQ(numbers_of(counting_model(), {.path = path, .batch = 300, .drop_partial = true}),
            counted(900));
}

TEST_F(Counting, a_shuffled_epoch_permutes_every_window) {
  const DataOptions options{.path = path, .batch = 30, .shuffle = true};
  DataReader reader(counting_model(), options);
  const std::vector<int64_t> first = numbers_of(reader);
  ASSERT_EQ(first.size(), 1000u);
  for (size_t begin = 0; begin < 1000; begin += 64) {
    const size_t end = std::min<size_t>(begin + 64, 1000);
    std::vector<int64_t> window(first.begin() + static_cast<int64_t>(begin),
                                first.begin() + static_cast<int64_t>(end));
    EXPECT_FALSE(std::is_sorted(window.begin(), window.end()));
    std::sort(window.begin(), window.end());
    for (size_t i = begin; i < end; ++i) EXPECT_EQ(window[i - begin], static_cast<int64_t>(i));
  }
  reader.start_epoch();
  const std::vector<int64_t> second = numbers_of(reader);
  EXPECT_NE(first, second);
  EXPECT_EQ(std::set<int64_t>(second.begin(), second.end()).size(), 1000u);
  EXPECT_EQ(numbers_of(counting_model(), options), first);
  DataOptions other = options;
  other.seed = 2;
  EXPECT_NE(numbers_of(counting_model(), other), first);
}

TEST_F(Counting, windows_do_not_all_get_the_same_permutation) {
  const auto numbers = numbers_of(counting_model(), {.path = path, .shuffle = true});
  std::vector<int64_t> first(numbers.begin(), numbers.begin() + 64);
  std::vector<int64_t> second(numbers.begin() + 64, numbers.begin() + 128);
  for (int64_t& number : second) number -= 64;
  EXPECT_NE(first, second);
}

TEST_F(Counting, ranks_divide_the_data_by_windows) {
  for (const int64_t num_ranks : {2, 3, 5}) {
    std::vector<int64_t> all;
    for (int64_t rank = 0; rank < num_ranks; ++rank) {
      const auto own = numbers_of(
          counting_model(),
          {.path = path, .batch = 17, .shuffle = true, .rank = rank, .num_ranks = num_ranks});
      for (const int64_t number : own) EXPECT_EQ(number / 64 % num_ranks, rank);
      all.insert(all.end(), own.begin(), own.end());
    }
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, counted(1000));
  }
}

TEST_F(Counting, a_random_split_goes_by_seed_and_number) {
  ModelSpec model = counting_model();
  model.data.split = {.kind = SplitKind::random, .valid_ratio = 0.2, .test_ratio = 0.1, .seed = 9};
  std::vector<int64_t> test;
  std::vector<int64_t> valid;
  std::vector<int64_t> train;
  for (int64_t i = 0; i < 1000; ++i) {
    const double unit = random_unit(random_key(9, 1), static_cast<uint64_t>(i));
    (unit < 0.1 ? test : unit < 0.1 + 0.2 ? valid : train).push_back(i);
  }
  EXPECT_EQ(numbers_of(model, {.path = path, .part = SplitPart::test}), test);
  EXPECT_EQ(numbers_of(model, {.path = path, .part = SplitPart::valid}), valid);
  EXPECT_EQ(numbers_of(model, {.path = path, .part = SplitPart::train}), train);
  EXPECT_EQ(numbers_of(model, {.path = path}), counted(1000));
  EXPECT_NEAR(static_cast<double>(test.size()), 100, 30);
}

TEST_F(Counting, a_tail_split_goes_by_order) {
  ModelSpec model = counting_model();
  model.data.split = {.kind = SplitKind::tail, .valid_ratio = 0.1, .test_ratio = 0.05};
  const auto train = numbers_of(model, {.path = path, .part = SplitPart::train});
  const auto valid = numbers_of(model, {.path = path, .part = SplitPart::valid});
  const auto test = numbers_of(model, {.path = path, .part = SplitPart::test});
  EXPECT_EQ(train, counted(850));
  EXPECT_EQ(valid.front(), 850);
  EXPECT_EQ(valid.size(), 100u);
  EXPECT_EQ(test.front(), 950);
  EXPECT_EQ(test.size(), 50u);
}

TEST_F(Counting, without_a_split_everything_trains) {
  EXPECT_EQ(numbers_of(counting_model(), {.path = path, .part = SplitPart::train}), counted(1000));
  const std::string message =
      message_of([&] { numbers_of(counting_model(), {.path = path, .part = SplitPart::test}); });
  EXPECT_THAT(message, HasSubstr("bad_input: " + path + ": no samples in part \"test\""));
}

/// All batches of two epochs, and after each its position.
struct Run {
  std::vector<Batch> batches;
  std::vector<DataPosition> positions;
};

bool is_same(const Batch& a, const Batch& b) {
  return a.size == b.size && a.labels == b.labels && a.dense == b.dense && a.ids == b.ids;
}

Run run_of(DataReader& reader, int64_t last_epoch) {
  Run run;
  Batch batch;
  while (true) {
    while (reader.next(batch)) {
      run.batches.push_back(batch);
      run.positions.push_back(reader.position());
    }
    if (reader.position().epoch == last_epoch) return run;
    reader.start_epoch();
  }
}

void expect_resumable(const ModelSpec& model, const DataOptions& options) {
  DataReader whole(model, options);
  const Run run = run_of(whole, 1);
  ASSERT_GT(run.batches.size(), 4u);
  for (size_t i = 0; i < run.positions.size(); ++i) {
    DataReader resumed(model, options);
    resumed.restore(run.positions[i]);
    EXPECT_EQ(resumed.position(), run.positions[i]);
    const Run rest = run_of(resumed, 1);
    ASSERT_EQ(rest.batches.size(), run.batches.size() - i - 1) << "after batch " << i;
    for (size_t j = 0; j < rest.batches.size(); ++j) {
      ASSERT_TRUE(is_same(rest.batches[j], run.batches[i + 1 + j]));
      ASSERT_EQ(rest.positions[j], run.positions[i + 1 + j]);
    }
  }
}

TEST_F(Counting, resuming_at_any_batch_gives_the_same_bits) {
  const ModelSpec model = counting_model(100);
  expect_resumable(model, {.path = path, .batch = 70});
  expect_resumable(model, {.path = path, .batch = 70, .shuffle = true, .drop_partial = true});
  expect_resumable(model, {.path = path, .batch = 250, .shuffle = true});  // spans windows
  expect_resumable(model, {.path = path, .batch = 50, .shuffle = true});   // divides them
}

TEST_F(Counting, resuming_works_for_parts_ranks_folders_and_compressed_files) {
  ModelSpec model = counting_model(90);
  const DataOptions options{.path = path, .batch = 70, .shuffle = true};
  model.data.split = {.kind = SplitKind::random, .valid_ratio = 0.2, .test_ratio = 0.2};
  DataOptions part = options;
  part.part = SplitPart::train;
  expect_resumable(model, part);
  for (const int64_t rank : {0, 1, 2}) {
    DataOptions ranked = options;
    ranked.rank = rank;
    ranked.num_ranks = 3;
    ranked.batch = 40;
    expect_resumable(model, ranked);
  }
  const ScratchFolder days;
  days.write("day_0.gz", gzip_of(counting_text(0, 300)));
  days.write("day_1", counting_text(300, 550));
  days.write("day_2.zst", zstd_of(counting_text(550, 1000)));
  DataOptions folder_options = options;
  folder_options.path = days.path.string();
  EXPECT_EQ(numbers_of(model, {.path = folder_options.path}), counted(1000));
  expect_resumable(model, folder_options);
}

TEST_F(Counting, resuming_counts_unreadable_samples_once) {
  std::string text = counting_text(0, 1000);
  for (const size_t line : {3, 64, 65, 500, 998}) {
    size_t begin = 0;
    for (size_t i = 0; i < line; ++i) begin = text.find('\n', begin) + 1;
    text[begin] = 'x';
  }
  const std::string bad = folder.write("bad.tsv", text);
  const ModelSpec model = counting_model(100);
  const DataOptions options{.path = bad, .batch = 70, .shuffle = true, .skip_bad = 5};
  expect_resumable(model, options);
  DataReader reader(model, options);
  EXPECT_EQ(numbers_of(reader).size(), 995u);
  EXPECT_EQ(reader.num_skipped(), 5);
  reader.start_epoch();
  EXPECT_EQ(numbers_of(reader).size(), 995u);  // the allowance is for each pass
  EXPECT_EQ(reader.num_skipped(), 5);
  DataOptions fewer = options;
  fewer.skip_bad = 4;
  EXPECT_THAT(message_of([&] { numbers_of(model, fewer); }),
              HasSubstr(bad + ":999: label: expected a label 0 or 1, got \"x\"; with "
                              "data.label_at_least a number becomes a label; --skip-bad 4 has "
                              "tolerated 4 before it"));
}

TEST_F(Counting, an_error_comes_after_the_batches_before_it) {
  const std::string bad = folder.write("bad.tsv", counting_text(0, 400) + "oops\n");
  DataReader reader(counting_model(100), {.path = bad, .batch = 50});
  Batch batch;
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(reader.next(batch)) << i;
  EXPECT_THAT(message_of([&] { reader.next(batch); }), HasSubstr(bad + ":401: expected 4 fields"));
  EXPECT_FALSE(reader.next(batch));
}

TEST_F(Counting, a_reader_can_be_moved_and_left_at_any_time) {
  for (int i = 0; i < 20; ++i) {
    DataReader reader(counting_model(10), {.path = path, .batch = 3});
    Batch batch;
    for (int j = 0; j < i; ++j) ASSERT_TRUE(reader.next(batch));
    DataReader other(std::move(reader));
    ASSERT_TRUE(other.next(batch));
    EXPECT_EQ(batch.ids[0], 3 * i);
    other.start_epoch();
    ASSERT_TRUE(other.next(batch));
    EXPECT_EQ(batch.ids[0], 0);
  }
}

TEST_F(Counting, positions_of_other_data_are_refused) {
  DataReader reader(counting_model(100), {.path = path, .batch = 50});
  EXPECT_THAT(message_of([&] {
                reader.restore({.window_record = 5, .window_byte = 1 << 20, .window_line = 5});
              }),
              HasSubstr("count.tsv: expected at least 1048576 bytes, got"));
  Batch batch;
  EXPECT_FALSE(reader.next(batch));
  EXPECT_THAT(message_of([&] { reader.restore({.window_record = 5, .window_file = 1}); }),
              HasSubstr("expected 2 files or more, got 1"));
  EXPECT_THAT(message_of([&] { reader.restore({.in_window = -1}); }),
              HasSubstr("a saved position with a number below 0"));
  DataPosition late{.window_record = 990, .in_window = 50};
  late.window_byte = static_cast<int64_t>(counting_text(0, 990).size());
  late.window_line = 990;
  EXPECT_THAT(message_of([&] { reader.restore(late); }),
              HasSubstr("the saved position is behind the end of the data"));
  reader.restore({});
  EXPECT_EQ(numbers_of(reader), counted(1000));
}

TEST_F(Counting, options_are_checked) {
  const ModelSpec model = counting_model();
  const auto message = [&](const DataOptions& options) {
    return message_of([&] { DataReader(model, options); });
  };
  EXPECT_THAT(message({.path = path, .batch = 0}),
              HasSubstr("batch: expected 1 sample or more, got 0"));
  EXPECT_THAT(message({.path = path, .rank = 2, .num_ranks = 2}),
              HasSubstr("rank: expected 0 to 1, got 2"));
  EXPECT_THAT(message({.path = path, .num_ranks = 0}), HasSubstr("num_ranks: expected 1 or more"));
  EXPECT_THAT(message({.path = path, .skip_bad = -1}), HasSubstr("skip_bad: expected 0 or more"));
  EXPECT_THAT(message_of([&] { DataReader(counting_model(0), {.path = path}); }),
              HasSubstr("data.shuffle_window: expected 1 sample or more, got 0"));
  EXPECT_THAT(
      message_of([&] { numbers_of(model, {.path = path, .batch = 5000, .drop_partial = true}); }),
      HasSubstr("1000 samples in part \"all\" do not fill a batch of 5000"));
}

}  // namespace
}  // namespace ambidex
