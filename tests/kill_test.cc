// SPDX-License-Identifier: Apache-2.0
// Training that is really killed, at 50 random moments: no checkpoint is ever unreadable, nothing
// but the steps since the last one is lost, and the end is bit for bit that of a quiet run.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/random.h"
#include "scratch.h"
#include "train/checkpoint.h"
#include "train/files.h"
#include "train/log.h"
#include "train/run_folder.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

constexpr int kNumKills = 50;
constexpr int64_t kCheckpointEvery = 4;
constexpr int64_t kNever = 1'000'000'000;

pid_t start(const std::vector<std::string>& words) {
  const pid_t child = fork();
  if (child != 0) return child;
  const int nowhere = open("/dev/null", O_RDWR);
  for (const int file : {0, 1, 2}) dup2(nowhere, file);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execv(AMBIDEX_BINARY_DIR "/ambidex", argv.data());
  _exit(127);
}

int finish(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<std::string> train_words(const std::string& run, int64_t steps,
                                     int64_t checkpoint_every = kCheckpointEvery) {
  return {"ambidex",
          "train",
          "dlrm_small",
          "--data",
          "synthetic:samples=100000",
          "--set",
          "batch=64",
          "--steps",
          std::to_string(steps),
          "--log-every",
          "1",
          "--out",
          run,
          "--threads",
          "1",
          "--checkpoint-every",
          std::to_string(checkpoint_every)};
}

std::vector<std::string> resume_words(const std::string& run, int64_t steps) {
  return {"ambidex",
          "train",
          "--resume",
          run,
          "--steps",
          std::to_string(steps),
          "--log-every",
          "1",
          "--threads",
          "1",
          "--checkpoint-every",
          std::to_string(kCheckpointEvery)};
}

/// Every checkpoint loads, and the newest is at most kCheckpointEvery behind the log.
void expect_sound(const std::string& run) {
  const auto checkpoints = list_checkpoints(checkpoints_folder(run));
  if (checkpoints.empty()) return;
  Parameters parameters = make_parameters(load_run(run).model);
  for (const Checkpoint& checkpoint : checkpoints) {
    EXPECT_EQ(load_checkpoint(checkpoint.path, parameters).step, checkpoint.step);
  }
  const auto lines = read_log(log_file(run));
  if (lines.empty()) return;
  EXPECT_GE(checkpoints.back().step, lines.back().step - kCheckpointEvery);
}

/// Goes on with the run, or starts it anew if it was killed before its first checkpoint.
pid_t go_on(const std::string& run, int64_t steps) {
  if (!list_checkpoints(checkpoints_folder(run)).empty()) return start(resume_words(run, steps));
  fs::remove_all(run);
  return start(train_words(run, steps));
}

/// From the start of a run to its first checkpoint, on this machine, now.
double seconds_to_checkpoint(const std::string& run) {
  const auto from = std::chrono::steady_clock::now();
  const pid_t child = start(train_words(run, kNever));
  while (list_checkpoints(checkpoints_folder(run)).empty() &&
         waitpid(child, nullptr, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  kill(child, SIGKILL);
  finish(child);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

TEST(Kill, fifty_times_loses_nothing_but_steps_since_the_last_checkpoint) {
  const ScratchFolder folder;
  const std::string& name = folder.path();
  const std::string quiet = name + "/quiet", killed = name + "/killed";
  const double longest = 2 * seconds_to_checkpoint(killed);
  for (int i = 0; i < kNumKills; ++i) {
    const pid_t child = go_on(killed, kNever);
    const double seconds = random_unit(20261130, static_cast<uint64_t>(i)) * longest;
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    ASSERT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "it ended by itself";
    kill(child, SIGKILL);
    finish(child);
    expect_sound(killed);
  }
  ASSERT_FALSE(list_checkpoints(checkpoints_folder(killed)).empty());
  const int64_t steps = list_checkpoints(checkpoints_folder(killed)).back().step + 10;
  ASSERT_EQ(finish(go_on(killed, steps)), 0);
  ASSERT_EQ(finish(start(train_words(quiet, steps))), 0);
  for (const char* file : {"/weights.safetensors", "/optimizer.safetensors"}) {
    EXPECT_TRUE(text_of_file(newest_checkpoint(quiet) + file) ==
                text_of_file(newest_checkpoint(killed) + file))
        << file;
  }
  for (const auto& entry : fs::directory_iterator(checkpoints_folder(killed))) {
    EXPECT_EQ(entry.path().filename().string().find("tmp"), std::string::npos)
        << entry.path() << " was left behind";
  }
}

TEST(Kill, interrupts_finish_the_step_save_and_exit_130) {
  const ScratchFolder folder;
  const std::string& name = folder.path();
  for (const int signal : {SIGINT, SIGTERM}) {
    const std::string run = fmt::format("{}/run{}", name, signal);
    const pid_t child = start(train_words(run, kNever, kNever));
    while (!fs::exists(log_file(run)) || fs::file_size(log_file(run)) == 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kill(child, signal);
    EXPECT_EQ(finish(child), 130);
    const auto checkpoints = list_checkpoints(checkpoints_folder(run));
    ASSERT_EQ(checkpoints.size(), 1u);
    EXPECT_EQ(checkpoints[0].step, read_log(log_file(run)).back().step);
  }
}

}  // namespace
}  // namespace ambidex
