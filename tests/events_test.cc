// SPDX-License-Identifier: Apache-2.0
// Event files of TensorBoard, and the log of a run.
#include "train/events.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "scratch.h"
#include "train/log.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Crc32c, published_check_values) {
  EXPECT_EQ(crc32c("123456789"), 0xe3069283u);
  // RFC 3720, B.4
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(crc32c(std::string(32, '\xff')), 0x62a8ab43u);
  EXPECT_EQ(crc32c(""), 0u);
}

TEST(Events, a_file_has_the_bytes_that_tensorboard_writes_for_the_same_events) {
  const ScratchFolder folder;
  const std::string path = folder.path("events");
  EventWriter writer(path, 1.5);
  const Scalar scalars[] = {{"train/loss", 0.5}, {"train/auc", 0.75}};
  writer.add(300, 2.5, scalars);
  // What tensorboard 2.21's RecordWriter wrote, given Event messages of the same content.
  EXPECT_EQ(hex_of(text_of_file(path)),
            "1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c"
            "33000000000000000ca7205609000000000000044010ac022a250a110a0a747261696e2f6c6f7373"
            "150000003f0a100a09747261696e2f617563150000403f89858cc9");
}

TEST(Events, a_disk_that_is_full_is_named) {
  EXPECT_THAT(error_text(ErrorKind::bad_input, [] { EventWriter("/dev/full", 0); }),
              HasSubstr("/dev/full: cannot write: No space left on device; free some space, or "
                        "name a place on another disk"));
}

// ---- log

LogLine loss_line(int64_t step, double loss) {
  return {.step = step, .kind = "train", .values = {{"loss", loss}}};
}

TEST(Log, a_line_is_one_flat_object) {
  EXPECT_EQ(json_of({.step = 100,
                     .kind = "valid",
                     .values = {{"auc", 0.5}, {"num_samples", 4096}, {"log_loss", kNan}}}),
            R"({"step":100,"kind":"valid","auc":0.5,"num_samples":4096,"log_loss":null})");
}

TEST(Log, lines_come_back_as_they_were_appended) {
  const ScratchFolder folder;
  const std::string path = folder.path("metrics.jsonl");
  LogWriter(path).add(loss_line(1, 0.1));
  LogWriter(path).add(loss_line(2, std::numeric_limits<double>::infinity()));
  const std::vector<LogLine> lines = read_log(path);
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].step, 1);
  EXPECT_EQ(lines[0].kind, "train");
  EXPECT_EQ(lines[0].value("loss"), 0.1);
  EXPECT_TRUE(std::isnan(lines[0].value("auc")));
  EXPECT_TRUE(std::isnan(lines[1].value("loss")));
}

TEST(Log, a_resumed_run_cuts_what_it_will_do_again_and_half_a_line) {
  const ScratchFolder folder;
  const std::string path = folder.path("metrics.jsonl");
  cut_log(path, 5);  // no file yet
  std::string kept;
  for (const int64_t step : {1, 2, 3, 4}) {
    const std::string line = json_of(loss_line(step, 0.5)) + "\n";
    if (step <= 2) kept += line;
    write_file(path, (step == 1 ? "" : text_of_file(path)) + line);
  }
  write_file(path, text_of_file(path) + "{\"step\":5,\"ki");
  EXPECT_EQ(read_log(path).size(), 4u);
  cut_log(path, 2);
  EXPECT_EQ(text_of_file(path), kept);
  cut_log(path, 2);
  EXPECT_EQ(text_of_file(path), kept);
}

TEST(Log, what_is_no_line_of_ours_is_named_with_file_and_line) {
  const auto error_of = [](const std::string& line) {
    return error_text(ErrorKind::bad_input, [&] {
      parse_log("{\"step\":1,\"kind\":\"test\"}\n" + line + "\n", "m.jsonl");
    });
  };
  EXPECT_THAT(error_of("[]"), HasSubstr("m.jsonl:2: expected a JSON object, got \"[]\"; delete"));
  EXPECT_THAT(error_of(""), HasSubstr("m.jsonl:2: expected a JSON object, got \"\""));
  EXPECT_THAT(error_of("{\"step\":1,"), HasSubstr("m.jsonl:2: expected a JSON object"));
  EXPECT_THAT(error_of("{\"kind\":\"train\"}"), HasSubstr("m.jsonl:2: expected \"step\" to be"));
  EXPECT_THAT(error_of("{\"step\":-1,\"kind\":\"train\"}"), HasSubstr("count, got \"-1\""));
  EXPECT_THAT(error_of("{\"step\":1}"), HasSubstr("m.jsonl:2: expected \"kind\" to be train, "));
  EXPECT_THAT(error_of("{\"step\":1,\"kind\":\"trial\"}"), HasSubstr("got \"trial\""));
  EXPECT_THAT(error_of("{\"step\":1,\"kind\":\"train\",\"loss\":\"\xff\"}"),
              HasSubstr("m.jsonl:2: expected a JSON object"));
  EXPECT_THAT(error_of("{\"step\":1,\"kind\":\"train\",\"loss\":[1]}"),
              HasSubstr("m.jsonl:2: expected \"loss\" to be a number, got \"[1]\""));
}

TEST(Log, a_file_that_is_not_there_is_not_found) {
  const ScratchFolder folder;
  EXPECT_THAT(error_text(ErrorKind::not_found, [&] { read_log(folder.path("none")); }),
              HasSubstr("none: no log of a run; give the folder of a run"));
  EXPECT_THAT(error_text(ErrorKind::not_found, [&] { read_log(folder.path("")); }),
              HasSubstr("no log of a run"));
}

}  // namespace
}  // namespace ambidex
