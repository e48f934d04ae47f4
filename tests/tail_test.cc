// SPDX-License-Identifier: Apache-2.0
// Parts of a tail split are read alone: what lies before and after them is not decoded. The oracle
// is the whole data set, read record by record.
#include <gmock/gmock.h>

#include "ambidex/data.h"
#include "binary_files.h"
#include "data/source.h"
#include "data/text_table.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

/// One dense feature and one table; 0.1 of the samples are valid, 0.2 test.
ModelSpec tail_model(int64_t window = 8) {
  ModelSpec model{.id = "tail"};
  model.dense_features = {{.name = "d", .transform = DenseTransform::none}};
  model.tables = {{.name = "t", .rows = 1'000'000, .features = {{.name = "t"}}}};
  model.data.split = {.kind = SplitKind::tail, .valid_ratio = 0.1, .test_ratio = 0.2};
  model.data.shuffle_window = window;
  return model;
}

std::string criteo_lines(int begin, int end) {
  std::string text;
  for (int i = begin; i < end; ++i) text += fmt::format("{}\t{}\t{:08x}\n", i % 2, i, i);
  return text;
}

std::vector<int32_t> ids_of(DataReader& reader) {
  std::vector<int32_t> ids;
  Batch batch;
  while (reader.next(batch)) ids.insert(ids.end(), batch.ids.begin(), batch.ids.end());
  return ids;
}

std::vector<int32_t> ids_of(const ModelSpec& model, const std::string& path, SplitPart part,
                            int64_t skip_bad = 0) {
  DataReader reader(model, {.path = path, .part = part, .batch = 3, .skip_bad = skip_bad});
  std::vector<int32_t> ids = ids_of(reader);
  reader.start_epoch();
  EXPECT_EQ(ids_of(reader), ids);
  return ids;
}

std::vector<int32_t> range(int32_t begin, int32_t end) {
  std::vector<int32_t> numbers;
  for (int32_t i = begin; i < end; ++i) numbers.push_back(i);
  return numbers;
}

/// Every way from one record on to another gives what reading everything gives.
void expect_passing_is_reading(const std::function<Source()>& open) {
  const Records all = read_all(open(), 1);
  ASSERT_GT(all.size, 5);
  for (int64_t first = 0; first <= all.size + 1; ++first) {
    for (int64_t end = first; end <= all.size + 1; ++end) {
      const Source read = open();
      Records before;
      BadRecords bad;
      read.read(before, first, bad);
      const Source passed = open();
      passed.end_before(end);
      passed.pass_to(first);
      const SourcePosition a = read.position();
      const SourcePosition b = passed.position();
      EXPECT_EQ(std::tie(a.file, a.byte, a.line, a.record),
                std::tie(b.file, b.byte, b.line, b.record));
      const Records rest = read_all(passed, 2);
      const int64_t stop = std::min(end, all.size);
      ASSERT_EQ(rest.size, std::max<int64_t>(stop - first, 0)) << first << " to " << end;
      EXPECT_TRUE(
          std::equal(rest.numbers.begin(), rest.numbers.end(), all.numbers.begin() + first));
      EXPECT_TRUE(std::equal(rest.dense.begin(), rest.dense.end(), all.dense.begin() + first));
      EXPECT_TRUE(std::equal(rest.ids.begin(), rest.ids.end(), all.ids.begin() + first));
    }
  }
}

TEST(Passing, goes_over_lines_of_several_files) {
  const Scratch scratch;
  const std::vector<std::string> files{
      scratch.write("day_0", criteo_lines(0, 3)), scratch.write("day_1", ""),
      scratch.write("day_2", fmt::format("\n{}\n", criteo_lines(3, 7)))};
  RecordLayout layout = layout_of(tail_model());
  expect_passing_is_reading([&] { return open_criteo(files, layout, {}); });
  layout.label_at_least = 1;  // the slow way
  expect_passing_is_reading([&] { return source_of(criteo_table(files, layout), layout, {}); });
}

TEST(Passing, goes_over_quoted_cells_of_several_lines) {
  const Scratch scratch;
  const std::vector<std::string> files{
      scratch.write("a.csv", "label,d,t,x\n0,1,0,\"a\nb\"\n1,2,1,\"\"\n0,3,2,\"\n,\"\"\n\"\n"),
      scratch.write("b.csv", "label,d,t,x\n0,4,3,\n1,5,4,5\" wide\n0,6,5,\"\n\n\"\n1,7,6,")};
  ModelSpec model = tail_model();
  model.tables[0].features[0].encoding = IdEncoding::integer;
  expect_passing_is_reading([&] { return open_csv(files, layout_of(model), {}); });
}

TEST(Passing, goes_over_interactions) {
  const Scratch scratch;
  std::string text = "label:float\td:float\tt:token\n";
  for (int i = 0; i < 7; ++i) text += fmt::format("1\t{}\t{}\n", i, i);
  const std::string path = scratch.write("a.inter", text);
  ModelSpec model = tail_model();
  model.tables[0].features[0].encoding = IdEncoding::integer;
  expect_passing_is_reading([&] { return open_recbole(scratch.path("a"), layout_of(model), {}); });
}

std::vector<std::string> write_npy(const Scratch& scratch, int first, const std::string& name,
                                   int count) {
  std::vector<float> dense;
  std::vector<int32_t> ids;
  for (int i = first; i < first + count; ++i) {
    dense.push_back(static_cast<float>(i));
    ids.push_back(i);
  }
  const std::string shape = fmt::format("{}, 1", count);
  scratch.write(name + "_labels.npy",
                npy("<i4", shape, std::vector<int32_t>(static_cast<size_t>(count), 1)));
  scratch.write(name + "_sparse.npy", npy("<i4", shape, ids));
  return {scratch.write(name + "_dense.npy", npy("<f4", shape, dense))};
}

std::string raw_records(int begin, int end) {
  std::string bytes;
  for (int i = begin; i < end; ++i) {
    bytes += raw<float>({1, static_cast<float>(i)}) + raw<int32_t>({i});
  }
  return bytes;
}

TEST(Passing, goes_over_binary_records) {
  const Scratch scratch;
  std::vector<std::string> files = write_npy(scratch, 0, "a", 3);
  files.push_back(write_npy(scratch, 3, "b", 4).front());
  const RecordLayout layout = layout_of(tail_model());
  expect_passing_is_reading([&] { return open_npy(files, layout); });
  const std::vector<std::string> bins{scratch.write("a.bin", raw_records(0, 3)),
                                      scratch.write("b.bin", raw_records(3, 7))};
  expect_passing_is_reading([&] { return open_hugectr(bins, layout); });
  expect_passing_is_reading([&] { return open_synthetic("synthetic:samples=7", tail_model()); });
}

TEST(Tail, unreadable_lines_matter_to_their_own_part_only) {
  const Scratch scratch;
  const ModelSpec model = tail_model();
  const struct {
    SplitPart part;
    int begin, end;
  } parts[] = {{SplitPart::train, 0, 70}, {SplitPart::valid, 70, 80}, {SplitPart::test, 80, 100}};
  for (const auto& bad : parts) {
    // All lines of one part are damaged.
    std::string text = criteo_lines(0, bad.begin);
    for (int i = bad.begin; i < bad.end; ++i) text += "damaged\n";
    text += criteo_lines(bad.end, 100);
    const std::string path = scratch.write("a.tsv", text);
    for (const auto& part : parts) {
      const auto read = [&] {
        DataReader reader(model, {.path = path, .format = "criteo", .part = part.part});
        return ids_of(reader);
      };
      if (part.part == bad.part) {
        EXPECT_THAT(bad_input([&] { read(); }),
                    HasSubstr(fmt::format("a.tsv:{}: expected 3 fields", bad.begin + 1)));
      } else {
        EXPECT_EQ(read(), range(part.begin, part.end));
      }
    }
  }
}

TEST(Tail, an_allowance_for_unreadable_lines_does_not_reach_beyond_the_part) {
  const Scratch scratch;
  const std::string path =
      scratch.write("a.tsv", criteo_lines(0, 60) + "damaged\n" + criteo_lines(61, 70) +
                                 "damaged\ndamaged\n" + criteo_lines(72, 100));
  std::vector<int32_t> train = range(0, 60);
  for (const int32_t i : range(61, 70)) train.push_back(i);
  for (const int64_t window : {1, 8, 100}) {
    const ModelSpec model = tail_model(window);
    EXPECT_EQ(ids_of(model, path, SplitPart::train, 1), train);
    EXPECT_EQ(ids_of(model, path, SplitPart::valid, 2), range(72, 80));
    EXPECT_EQ(ids_of(model, path, SplitPart::test), range(80, 100));
    EXPECT_EQ(ids_of(model, path, SplitPart::all, 3).size(), 97u);
  }
}

TEST(Tail, binary_parts_do_not_look_at_each_other) {
  const Scratch scratch;
  const ModelSpec model = tail_model();
  std::string bytes = raw_records(0, 100);
  bytes.replace(12 * 70, 12, raw<float>({5, 0, 0}));  // in valid
  const std::string path = scratch.write("a.bin", bytes);
  EXPECT_EQ(ids_of(model, path, SplitPart::train), range(0, 70));
  EXPECT_EQ(ids_of(model, path, SplitPart::valid, 1), range(71, 80));
  EXPECT_EQ(ids_of(model, path, SplitPart::test), range(80, 100));
  write_npy(scratch, 0, "x", 100);
  const std::string npy_path = scratch.path("x_dense.npy");
  EXPECT_EQ(ids_of(model, npy_path, SplitPart::train), range(0, 70));
  EXPECT_EQ(ids_of(model, npy_path, SplitPart::valid), range(70, 80));
  EXPECT_EQ(ids_of(model, npy_path, SplitPart::test), range(80, 100));
}

TEST(Tail, the_end_of_a_million_million_samples_is_there_at_once) {
  const std::string path = "synthetic:samples=1000000000000";
  const ModelSpec model = tail_model();
  DataReader reader(model, {.path = path, .part = SplitPart::test, .batch = 8});
  Batch batch;
  ASSERT_TRUE(reader.next(batch));
  const Source source = open_synthetic(path, model);
  source.seek({.record = 800'000'000'000});
  Records records;
  BadRecords bad;
  source.read(records, 8, bad);
  EXPECT_EQ(batch.ids, records.ids);
  EXPECT_EQ(batch.dense, records.dense);
}

TEST(Tail, parts_resume_after_any_batch) {
  const Scratch scratch;
  scratch.write("day_0", criteo_lines(0, 40));
  scratch.write("day_1", criteo_lines(40, 75));
  scratch.write("day_2", criteo_lines(75, 100));
  for (const SplitPart part : {SplitPart::train, SplitPart::valid, SplitPart::test}) {
    const DataOptions options{
        .path = scratch.folder.string(), .part = part, .batch = 3, .shuffle = true};
    DataReader whole(tail_model(), options);
    std::vector<Batch> batches(1);
    std::vector<DataPosition> positions;
    while (whole.next(batches.back())) {
      positions.push_back(whole.position());
      batches.emplace_back();
    }
    for (size_t i = 0; i < positions.size(); ++i) {
      DataReader resumed(tail_model(), options);
      resumed.restore(positions[i]);
      Batch batch;
      for (size_t j = i + 1; j < positions.size(); ++j) {
        ASSERT_TRUE(resumed.next(batch));
        EXPECT_EQ(batch.ids, batches[j].ids);
        EXPECT_EQ(resumed.position(), positions[j]);
      }
      EXPECT_FALSE(resumed.next(batch));
    }
  }
}

TEST(Tail, a_part_without_samples_is_told) {
  const Scratch scratch;
  const std::string path = scratch.write("a.tsv", criteo_lines(0, 3));
  EXPECT_THAT(bad_input([&] { ids_of(tail_model(), path, SplitPart::valid); }),
              HasSubstr("a.tsv: no samples in part \"valid\" (0 unreadable); give more data or "
                        "change data.split"));
  ModelSpec model = tail_model();
  model.data.split = {.kind = SplitKind::tail, .valid_ratio = 0.5, .test_ratio = 0.5};
  EXPECT_THAT(bad_input([&] { ids_of(model, path, SplitPart::train); }),
              HasSubstr("a.tsv: no samples in part \"train\""));
}

}  // namespace
}  // namespace ambidex
