// SPDX-License-Identifier: Apache-2.0
#include "data/npy.h"

#include <cmath>
#include <limits>

#include "binary_files.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

/// Three days of 2, 3 and 4 records, two dense values, three one-hot features; every value tells
/// its place.
std::vector<std::string> write_days(const Scratch& scratch) {
  std::vector<std::string> paths;
  int record = 0;
  for (const int n : {2, 3, 4}) {
    const std::string stem = fmt::format("day_{}", n - 2);
    std::vector<float> dense;
    std::vector<int32_t> labels, ids;
    for (int i = 0; i < n; ++i, ++record) {
      dense.insert(dense.end(), {static_cast<float>(record), -0.5f});
      labels.push_back(record % 2);
      ids.insert(ids.end(), {record, record + 100, 2000 + record});
    }
    paths.push_back(scratch.write(stem + "_dense.npy", npy("<f4", fmt::format("{}, 2", n), dense)));
    scratch.write(stem + "_labels.npy", npy("<i4", fmt::format("{}, 1", n), labels));
    scratch.write(stem + "_sparse.npy", npy("<i4", fmt::format("{}, 3", n), ids));
  }
  return paths;
}

TEST(Npy, three_files_of_a_day_become_records_with_ids_modulo_rows) {
  const Scratch scratch;
  const Source source = open_npy(write_days(scratch), layout_with(2, {1, 1, 1}));
  EXPECT_EQ(source.num_records, 9);
  const Records records = read_all(source);
  ASSERT_EQ(records.size, 9);
  for (int i = 0; i < 9; ++i) {
    const auto at = static_cast<size_t>(i);
    EXPECT_EQ(records.labels[at], static_cast<float>(i % 2));
    EXPECT_EQ(records.dense[2 * at], static_cast<float>(i));
    EXPECT_EQ(records.dense[2 * at + 1], -0.5f);
    EXPECT_EQ(records.ids[3 * at], i);
    EXPECT_EQ(records.ids[3 * at + 1], i + 100);
    EXPECT_EQ(records.ids[3 * at + 2], i);  // 2000 + i modulo 1000
    EXPECT_EQ(records.numbers[at], i);
  }
}

TEST(Npy, seek_continues_as_if_nothing_had_been) {
  const Scratch scratch;
  const std::vector<std::string> paths = write_days(scratch);
  const Source whole = open_npy(paths, layout_with(2, {1, 1, 1}));
  const Records all = read_all(whole);
  for (int64_t start = 0; start <= 9; ++start) {
    const Source first = open_npy(paths, layout_with(2, {1, 1, 1}));
    Records before;
    BadRecords none;
    first.read(before, start, none);
    const SourcePosition position = first.position();
    EXPECT_EQ(position.record, start);
    EXPECT_EQ(position.file, start < 2 ? 0 : start < 5 ? 1 : 2);
    whole.seek(position);
    const Records rest = read_all(whole, 1);
    ASSERT_EQ(rest.size, 9 - start);
    EXPECT_TRUE(std::equal(rest.ids.begin(), rest.ids.end(), all.ids.begin() + 3 * start));
    EXPECT_TRUE(std::equal(rest.numbers.begin(), rest.numbers.end(), all.numbers.begin() + start));
  }
}

TEST(Npy, fields_choose_columns) {
  const Scratch scratch;
  RecordLayout layout = layout_with(1, {1});
  layout.dense[0].field = "I2";
  layout.ids[0].field = "C2";
  const Records records = read_all(open_npy(write_days(scratch), layout));
  EXPECT_EQ(records.dense[3], -0.5f);
  EXPECT_EQ(records.ids[3], 103);
  layout.ids[0].field = "C9";
  EXPECT_THAT(bad_input([&] { open_npy(write_days(scratch), layout); }),
              HasSubstr("day_0_sparse.npy: no field \"C9\"; nearest: C1, C2, C3"));
}

TEST(Npy, other_harmless_types_give_the_same_numbers) {
  const Scratch scratch;
  const std::string path = scratch.write("a_dense.npy", npy<double>("<f8", "2, 1", {0.25, -3}));
  scratch.write("a_labels.npy", npy<float>("<f4", "2,", {1, 0}));
  scratch.write("a_sparse.npy", npy<int64_t>("<i8", "2, 1", {5'000'000'001, 7}));
  Records records = read_all(open_npy({path}, layout_with(1, {1})));
  EXPECT_THAT(records.dense, ElementsAre(0.25f, -3.f));
  EXPECT_THAT(records.labels, ElementsAre(1.f, 0.f));
  EXPECT_THAT(records.ids, ElementsAre(1, 7));
  scratch.write("a_dense.npy", npy<int32_t>("<i4", "2, 1", {4, -3}));
  scratch.write("a_labels.npy", npy<int64_t>("<i8", "2", {1, 0}));
  scratch.write("a_sparse.npy", npy<uint32_t>("<u4", "2, 1", {4'000'000'009, 7}));
  records = read_all(open_npy({path}, layout_with(1, {1})));
  EXPECT_THAT(records.dense, ElementsAre(4.f, -3.f));
  EXPECT_THAT(records.ids, ElementsAre(9, 7));
}

TEST(Npy, an_int32_below_zero_is_the_hexadecimal_id_of_the_same_bits) {
  const Scratch scratch;
  const std::string path = scratch.write("a_dense.npy", npy<float>("<f4", "1, 1", {0}));
  scratch.write("a_labels.npy", npy<int32_t>("<i4", "1, 1", {1}));
  scratch.write("a_sparse.npy", npy<int32_t>("<i4", "1, 1", {static_cast<int32_t>(0xfb936136)}));
  const Records records = read_all(open_npy({path}, layout_with(1, {1}, 1460)));
  EXPECT_THAT(records.ids, ElementsAre(static_cast<int32_t>(0xfb936136u % 1460)));
}

TEST(Npy, header_versions_2_and_3_are_read) {
  const Scratch scratch;
  for (const int version : {1, 2, 3}) {
    const std::string dict = "{'shape':(2L,1), \"descr\": '<f4', 'fortran_order': False}   \n";
    const std::string path =
        scratch.write("a_dense.npy", npy_of(dict, raw<float>({1, 2}), version));
    scratch.write("a_labels.npy", npy<int32_t>("<i4", "2, 1", {1, 0}));
    const Records records = read_all(open_npy({path}, layout_with(1, {})));
    EXPECT_THAT(records.dense, ElementsAre(1.f, 2.f));
  }
}

TEST(Npy, one_hot_files_do_not_serve_several_lookups) {
  const Scratch scratch;
  EXPECT_THAT(
      bad_input([&] {
        open_npy(write_days(scratch), layout_with(2, {1, 2, 1}));
      }),
      HasSubstr("day_0_sparse.npy: expected 2 ids of a sample, the lookups of \"f1\", got 1; "
                "set its lookups to 1"));
}

TEST(Npy, shapes_are_held_against_each_other_and_the_model) {
  const Scratch scratch;
  const std::vector<std::string> paths = write_days(scratch);
  EXPECT_THAT(bad_input([&] {
                open_npy(paths, layout_with(3, {1, 1, 1}));
              }),
              HasSubstr("day_0_dense.npy: expected 3 dense columns, one for each feature of the "
                        "model, got 2; change the model's features, or name their fields I1, I2"));
  scratch.write("day_1_labels.npy", npy<int32_t>("<i4", "2, 1", {1, 0}));
  EXPECT_THAT(bad_input([&] {
                open_npy(paths, layout_with(2, {1, 1, 1}));
              }),
              testing::AllOf(HasSubstr("day_1_labels.npy: expected 3 rows, as "),
                             HasSubstr("day_1_dense.npy has, got 2; prepare the files of a day "
                                       "together")));
  scratch.write("day_1_labels.npy", npy<int32_t>("<i4", "3, 2", {1, 0, 1, 0, 1, 0}));
  EXPECT_THAT(bad_input([&] {
                open_npy(paths, layout_with(2, {1, 1, 1}));
              }),
              HasSubstr("day_1_labels.npy: expected 1 column of labels, got 2; keep the column"));
  scratch.write("day_0_sparse.npy", npy<float>("<f4", "2, 3", {1, 0, 1, 0, 1, 0}));
  EXPECT_THAT(bad_input([&] {
                open_npy(paths, layout_with(2, {1, 1, 1}));
              }),
              HasSubstr("day_0_sparse.npy: expected integer ids, got elements \"<f4\"; convert the "
                        "array with astype(numpy.int32)"));
}

TEST(Npy, missing_and_misnamed_files_are_told) {
  const Scratch scratch;
  const std::vector<std::string> paths = write_days(scratch);
  fs::remove(scratch.path("day_0_sparse.npy"));
  EXPECT_THAT(message_of(ErrorKind::not_found,
                         [&] {
                           open_npy(paths, layout_with(2, {1, 1, 1}));
                         }),
              testing::AllOf(HasSubstr("day_0_sparse.npy: expected it or "),
                             HasSubstr("day_0_sparse_multi_hot.npz beside "),
                             HasSubstr("day_0_dense.npy, got neither; put the files of a day")));
  fs::remove(scratch.path("day_0_labels.npy"));
  EXPECT_THAT(message_of(ErrorKind::not_found,
                         [&] {
                           open_npy(paths, layout_with(2, {1, 1, 1}));
                         }),
              HasSubstr("day_0_labels.npy: cannot open: No such file or directory; give a file "
                        "that can be read"));
  fs::create_directory(scratch.path("day_0_labels.npy"));
  EXPECT_THAT(bad_input([&] {
                open_npy(paths, layout_with(2, {1, 1, 1}));
              }),
              HasSubstr("day_0_labels.npy: expected a plain file, got a folder, pipe or device; "
                        "binary data is read by place"));
  EXPECT_THAT(bad_input([&] { open_npy({"x.npy"}, layout_with(1, {})); }),
              HasSubstr("x.npy: expected a name that ends in _dense.npy"));
}

TEST(Npy, a_file_that_shrinks_while_it_is_read_is_told) {
  const Scratch scratch;
  const std::vector<std::string> paths = write_days(scratch);
  const Source source = open_npy({paths[0]}, layout_with(2, {1, 1, 1}));
  Records records;
  BadRecords none;
  source.read(records, 1, none);
  fs::resize_file(paths[0], 20);
  EXPECT_THAT(bad_input([&] { source.read(records, 1, none); }),
              HasSubstr("it ends there; is another program changing the file?"));
}

TEST(Npy, a_day_that_changes_length_between_looks_is_told) {
  const Scratch scratch;
  const std::vector<std::string> paths = write_days(scratch);
  const Source source = open_npy(paths, layout_with(2, {}));
  scratch.write("day_0_dense.npy", npy<float>("<f4", "1, 2", {1, 2}));
  scratch.write("day_0_labels.npy", npy<int32_t>("<i4", "1, 1", {1}));
  EXPECT_THAT(bad_input([&] { read_all(source); }),
              HasSubstr("day_0_labels.npy: expected 2 rows, as the first look at the files has, "
                        "got 1"));
}

TEST(Npy, bad_records_name_file_and_record_and_can_be_skipped) {
  const Scratch scratch;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::string path = scratch.write("a_dense.npy", npy<float>("<f4", "4, 1", {0, nan, 2, 3}));
  scratch.write("a_labels.npy", npy<int32_t>("<i4", "4, 1", {0, 1, 5, 1}));
  scratch.write("a_sparse.npy", npy<int64_t>("<i8", "4, 1", {1, 2, 3, -4}));
  const RecordLayout layout = layout_with(1, {1});
  const Source source = open_npy({path}, layout);
  Records records;
  BadRecords bad;
  EXPECT_THAT(bad_input([&] { source.read(records, 10, bad); }),
              HasSubstr("a_dense.npy: record 1: dense \"d0\": expected a finite number, got nan; "
                        "repair the file, or skip such records"));
  EXPECT_EQ(records.size, 1);  // what came before stays
  EXPECT_EQ(records.ids.size(), 1u);
  source.seek({.record = 2});
  EXPECT_THAT(bad_input([&] { read_all(source); }),
              HasSubstr("a_labels.npy: record 2: label: expected 0 or 1, got 5; for grades, set "
                        "data.label_at_least to the lowest that counts as 1"));
  source.seek({.record = 3});
  EXPECT_THAT(bad_input([&] { read_all(source); }),
              HasSubstr("a_sparse.npy: record 3: \"f0\": expected an id of at least 0, got -4; "
                        "repair the file"));
  source.seek({});
  bad = {.num_allowed = 3};
  Records rest;
  source.read(rest, 10, bad);
  EXPECT_EQ(bad.count, 3);
  EXPECT_THAT(rest.numbers, ElementsAre(0));
}

TEST(Npy, graded_labels_are_cut_at_a_threshold) {
  const Scratch scratch;
  const std::string path = scratch.write("a_dense.npy", npy<float>("<f4", "3, 1", {0, 1, 2}));
  scratch.write("a_labels.npy", npy<float>("<f4", "3, 1", {3.5f, 4, NAN}));
  RecordLayout layout = layout_with(1, {});
  layout.label_at_least = 4;
  const Records records = read_all(open_npy({path}, layout), 10, {.num_allowed = 1});
  EXPECT_THAT(records.labels, ElementsAre(0.f, 1.f));
  EXPECT_THAT(bad_input([&] { read_all(open_npy({path}, layout)); }),
              HasSubstr("a_labels.npy: record 2: label: expected a number, got nan"));
}

TEST(Npy, days_may_lack_labels_if_the_caller_says_so) {
  const Scratch scratch;
  const std::vector<std::string> paths = write_days(scratch);
  fs::remove(scratch.path("day_1_labels.npy"));
  scratch.write("day_0_labels.npy", npy<float>("<f4", "2", {NAN, 1}));
  ModelSpec model;
  model.dense_features = {{.name = "a"}, {.name = "b"}};
  for (const char* name : {"x", "y", "z"}) model.tables.push_back({.name = name, .rows = 1000});
  const std::string folder = scratch.folder.string();
  DataReader reader(model, {.path = folder, .labelled = false});
  Batch batch;
  ASSERT_TRUE(reader.next(batch));
  ASSERT_EQ(batch.size, 9);
  for (size_t i = 0; i < 9; ++i) {
    const bool has_none = i == 0 || (i >= 2 && i < 5);
    EXPECT_EQ(std::isnan(batch.labels[i]), has_none) << i;
    if (!has_none) {
      EXPECT_EQ(batch.labels[i], static_cast<float>(i % 2));
    }
    EXPECT_EQ(batch.dense[2 * i], static_cast<float>(i));
    EXPECT_EQ(batch.ids[i], static_cast<int32_t>(i));
  }
  EXPECT_THAT(message_of(ErrorKind::not_found, [&] { DataReader(model, {.path = folder}); }),
              HasSubstr("day_1_labels.npy: cannot open: No such file or directory"));
}

TEST(Npy, a_day_without_labels_that_changes_length_is_told) {
  const Scratch scratch;
  const std::vector<std::string> paths = write_days(scratch);
  fs::remove(scratch.path("day_0_labels.npy"));
  RecordLayout layout = layout_with(2, {});
  layout.labelled = false;
  const Source source = open_npy(paths, layout);
  scratch.write("day_0_dense.npy", npy<float>("<f4", "1, 2", {1, 2}));
  EXPECT_THAT(bad_input([&] { read_all(source); }),
              HasSubstr("day_0_dense.npy: expected 2 rows, as the first look at the files has, "
                        "got 1"));
}

TEST(Npy, encodings_of_text_and_giant_tables_are_refused) {
  RecordLayout layout = layout_with(1, {1});
  layout.ids[0].rows = int64_t{1} << 31;
  EXPECT_THAT(unsupported([&] { open_hugectr({}, layout); }),
              HasSubstr("feature \"f0\": expected a table of at most 2147483647 rows, got "
                        "2147483648; lower rows of the table"));
  layout.ids[0].encoding = IdEncoding::hash;
  EXPECT_THAT(
      unsupported([&] { open_npy({}, layout); }),
      HasSubstr("feature \"f0\": expected encoding integer, hex or automatic with npy data, "
                "whose ids are numbers, got hash; change it in the model"));
}

/// Opens bytes as an array.
NpyArray array_of(const std::string& bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  return open_npy_array(
      {bytes_in_memory(bytes, "x.npy"), {.stored_bytes = size, .size_bytes = size}, "x.npy"});
}

TEST(Npy, bad_headers_are_told) {
  const auto of_bytes = [](const std::string& bytes) {
    return bad_input([&] { array_of(bytes); });
  };
  const auto of_dict = [&](const std::string& dict) { return of_bytes(npy_of(dict, "")); };
  EXPECT_THAT(of_bytes("abc"),
              HasSubstr("x.npy: expected an npy header, got 3 bytes; give an array "
                        "that numpy.save wrote"));
  EXPECT_THAT(of_bytes("0123456789abcdef"), HasSubstr("expected \\x93NUMPY at the start, got"));
  EXPECT_THAT(of_bytes(npy_of("{}", "x", 4)), HasSubstr("expected npy version 1, 2 or 3, got 4"));
  EXPECT_THAT(of_bytes(npy_of(std::string(50, ' '), "").substr(0, 30)),
              HasSubstr("expected an npy header, got one of 50 bytes in 30 bytes"));
  EXPECT_THAT(of_dict("xxxx"),
              HasSubstr("x.npy: npy header: expected a '{', got \"xxxx\"; save the "
                        "array again with numpy.save"));
  EXPECT_THAT(of_dict("{'descr"), HasSubstr("expected a string, got \"'descr\""));
  EXPECT_THAT(of_dict("{'descr': 3}"), HasSubstr("expected a string, got \"3}\""));
  EXPECT_THAT(of_dict("{'fortran_order': 0}"), HasSubstr("expected True or False, got \"0}\""));
  EXPECT_THAT(of_dict("{'shape': (-1,)}"), HasSubstr("expected a length, got \"-1,)}\""));
  EXPECT_THAT(of_dict("{'shape': (99999999999999999999,)}"), HasSubstr("expected a length"));
  EXPECT_THAT(of_dict("{'shape': (1 2)}"), HasSubstr("expected a ')', got \"2)}\""));
  EXPECT_THAT(of_dict("{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                      "1,1)}"),
              HasSubstr("expected fewer dimensions, got"));
  EXPECT_THAT(of_dict("{'shape': (1,) 'x'"), HasSubstr("expected a '}', got \"'x'\""));
  EXPECT_THAT(
      of_dict("{'what': 1}"),
      HasSubstr("expected the keys descr, fortran_order and shape, once each, got \" 1}\""));
  EXPECT_THAT(of_dict("{'descr': '<f4'}"), HasSubstr("expected the keys descr, fortran_order and"));
  EXPECT_THAT(of_dict("{'descr': '<f4'} x"), HasSubstr("expected the end, got \"x\""));
  EXPECT_THAT(
      of_bytes(npy<float>("<f4", "", {})),
      HasSubstr("x.npy: expected an array of one or two dimensions, got shape (); reshape"));
  EXPECT_THAT(of_bytes(npy<float>("<f4", "4, 0", {})),
              HasSubstr("expected from 1 column to 2^50 elements, got shape (4, 0)"));
  EXPECT_THAT(of_bytes(npy<float>("<f4", "9223372036854775807, 4", {})),
              HasSubstr("expected from 1 column to 2^50 elements"));
  EXPECT_THAT(of_bytes(npy<float>("<f4", "3, 1", {1, 2})),
              HasSubstr("bytes for <f4 elements of shape (3, 1), got"));
}

TEST(Npy, other_element_types_and_fortran_order_are_refused) {
  EXPECT_THAT(unsupported([] { array_of(npy<float>(">f4", "1", {1})); }),
              HasSubstr("x.npy: npy header: expected elements <f4, <f8, <i4, <u4 or <i8, got "
                        "\">f4\"; convert the array, for example with astype(numpy.int32)"));
  const std::string dict = "{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1)}";
  EXPECT_THAT(unsupported([&] { array_of(npy_of(dict, raw<float>({1}))); }),
              HasSubstr("x.npy: npy header: expected fortran_order False, got True; save "
                        "numpy.ascontiguousarray(array)"));
}

}  // namespace
}  // namespace ambidex
