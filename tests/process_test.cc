// SPDX-License-Identifier: Apache-2.0
#include "port/process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "ambidex/base.h"
#include "caught.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

TEST(Process, hands_over_input_and_both_outputs) {
  const std::string input(3 << 20, 'x');  // more than a pipe holds, both ways at once
  const ProcessResult result = run_process({"sh", "-c", "cat; echo done >&2; exit 3"}, input, 30);
  EXPECT_EQ(result.out, input);
  EXPECT_EQ(result.err, "done\n");
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_FALSE(result.timed_out);
}

TEST(Process, a_child_that_does_not_read_is_no_failure) {
  const std::string input(3 << 20, 'x');
  std::jthread others[4];
  for (std::jthread& other : others) {  // the signal of a broken pipe must not reach any of them
    other = std::jthread([&] { EXPECT_EQ(run_process({"true"}, input, 30).exit_code, 0); });
  }
  EXPECT_EQ(run_process({"true"}, input, 30).exit_code, 0);
}

TEST(Process, a_signal_shows_in_the_exit_code) {
  EXPECT_EQ(run_process({"sh", "-c", "kill -SEGV $$"}, "", 30).exit_code, 128 + SIGSEGV);
}

TEST(Process, time_runs_out_for_the_child_and_its_children) {
  const auto begin = std::chrono::steady_clock::now();
  const ProcessResult result = run_process({"sh", "-c", "sleep 60 & sleep 60"}, "", 0.2);
  EXPECT_TRUE(result.timed_out);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(Process, stops_when_asked_to) {
  std::stop_source stop;
  std::jthread asks([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    stop.request_stop();
  });
  EXPECT_TRUE(run_process({"sleep", "60"}, "", 60, stop.get_token()).timed_out);
}

TEST(Process, a_program_that_is_not_there_is_named) {
  const Caught error = caught([] { run_process({"no-such-program-here"}, "", 1); });
  EXPECT_EQ(error.kind, ErrorKind::not_found);
  EXPECT_THAT(error.message, HasSubstr("no-such-program-here"));
}

}  // namespace
}  // namespace ambidex
