// SPDX-License-Identifier: Apache-2.0
// Finding out what a path is: format, files, their order.
#include <gmock/gmock.h>

#include "ambidex/data.h"
#include "data/files.h"
#include "data_samples.h"

namespace ambidex {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Paths : testing::Test {
  ScratchFolder folder;
};

TEST_F(Paths, formats_are_found_out_from_names_and_first_lines) {
  const auto format = [&](const std::string& name, const std::string& text) {
    return find_data(folder.write(name, text), "").format;
  };
  EXPECT_EQ(format("a", "0\t1\t\n"), "criteo");
  EXPECT_EQ(format("b.gz", gzip_of("1\t1\n")), "criteo");
  EXPECT_EQ(format("c.txt", "label\tx\n0\t1\n"), "csv");
  EXPECT_EQ(format("d", "label,x\n0,1\n"), "csv");
  EXPECT_EQ(format("e.inter.zst", "x"), "recbole");
  EXPECT_EQ(format("f_dense.npy", "x"), "npy");
  EXPECT_EQ(format("g.bin", "x"), "hugectr");
  EXPECT_EQ(find_data("synthetic:rows=5", "").format, "synthetic");
}

TEST_F(Paths, folders_are_searched_for_data) {
  const auto names = [&](const std::string& format = "") {
    std::vector<std::string> found;
    for (const std::string& file : find_data(folder.path.string(), format).files) {
      found.push_back(std::filesystem::path(file).filename().string());
    }
    return found;
  };
  EXPECT_THAT(message_of(names), HasSubstr("no data in the folder; expected day_0"));
  folder.write("test.txt", "0\t1\n");
  EXPECT_THAT(names(), ElementsAre("test.txt"));
  folder.write("train.txt", "0\t1\n");
  folder.write(".hidden.csv", "x");
  EXPECT_THAT(names(), ElementsAre("train.txt"));
  for (const char* day : {"day_10", "day_2.gz", "day_x", "day_1.txt"}) folder.write(day, "0\t1\n");
  EXPECT_THAT(names(), ElementsAre("day_1.txt", "day_2.gz", "day_10"));
  folder.write("day_0_dense.npy", "x");
  folder.write("day_1_dense.npy", "x");
  EXPECT_THAT(names(), ElementsAre("day_0_dense.npy", "day_1_dense.npy"));
  EXPECT_THAT(names("criteo"), ElementsAre("day_1.txt", "day_2.gz", "day_10"));
  folder.write("day_2", "0\t1\n");
  EXPECT_THAT(message_of([&] { names("criteo"); }),
              HasSubstr("day_2 is there twice, plain and compressed"));
}

TEST_F(Paths, numbers_in_names_count_as_numbers) {
  EXPECT_TRUE(is_before("day_2", "day_10"));
  EXPECT_FALSE(is_before("day_10", "day_2"));
  EXPECT_TRUE(is_before("a", "b"));
  EXPECT_TRUE(is_before("a", "a1"));
  EXPECT_TRUE(is_before("a1b2", "a1b10"));
  EXPECT_TRUE(is_before("a01", "a1"));
  EXPECT_FALSE(is_before("a1", "a01"));
  EXPECT_FALSE(is_before("a1", "a1"));
  EXPECT_TRUE(is_before("a99999999999999999998", "a99999999999999999999"));
}

TEST_F(Paths, what_is_missing_or_unclear_is_said) {
  const auto message = [&](const std::string& path, const std::string& format = "") {
    return message_of([&] { find_data(path, format); });
  };
  folder.write("train.txt", "x");
  EXPECT_THAT(message((folder.path / "tran.txt").string()),
              HasSubstr("tran.txt: no file or folder \"tran.txt\"; nearest: train.txt"));
  EXPECT_THAT(message("x", "cvs"), HasSubstr("not_found: no data format \"cvs\"; nearest: csv"));
  EXPECT_THAT(message(""), HasSubstr("the data's path is empty"));
  EXPECT_THAT(message(folder.write("empty", "")), HasSubstr("empty: the file is empty"));
  EXPECT_THAT(message(folder.write("one", "word\n")),
              HasSubstr("one:1: expected tabs or commas between fields, got \"word\"; --format "
                        "names the format, one of criteo, csv,"));
  EXPECT_THAT(message(folder.write("bare", "1,2\n")),
              HasSubstr("bare:1: expected a header of field names, got \"1,2\""));
}

}  // namespace
}  // namespace ambidex
