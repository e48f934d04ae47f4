// SPDX-License-Identifier: Apache-2.0
// Where the kernel gives no sandbox, `port repair` runs nothing that a model wrote and asks none.
#include <errno.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "base/files.h"
#include "scratch.h"
#include "scripted_model.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

// This process and its children find no seccomp, neither by its own call nor by prctl.
bool take_seccomp_away() {
  constexpr uint32_t kNumber = offsetof(seccomp_data, nr);
  constexpr uint32_t kFirst = offsetof(seccomp_data, args);
  std::array<sock_filter, 7> program{{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kNumber),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 3, 0),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 3),
                                      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFirst),
                                      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PR_SET_SECCOMP, 0, 1),
                                      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
                                      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog filter{program.size(), program.data()};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

struct Ended {
  int exit_code = -1;
  std::string err;
};

Ended repair_without_seccomp(const std::string& source, const ScratchFolder& scratch,
                             const ScriptedModel& model) {
  const std::string folder = scratch.path("port"), err = scratch.path("err");
  const std::string url = "AMBIDEX_REPAIR_URL=" + model.url();
  const std::string binary = AMBIDEX_BINARY_DIR "/ambidex";
  const std::array<const char*, 8> arguments{
      binary.c_str(), "port", "repair", source.c_str(), "-o", folder.c_str(), "--native", nullptr};
  const std::array<const char*, 4> environment{url.c_str(), "AMBIDEX_REPAIR_MODEL=m",
                                               "PATH=/usr/bin:/bin", nullptr};
  const pid_t child = ::fork();
  if (child == 0) {
    const int file = ::open(err.c_str(), O_CREAT | O_WRONLY, 0600);
    if (file < 0 || ::dup2(file, 2) < 0 || !take_seccomp_away()) ::_exit(99);
    ::execve(arguments[0], const_cast<char**>(arguments.data()),
             const_cast<char**>(environment.data()));
    ::_exit(98);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of_file(err)};
}

TEST(RepairSandbox, without_one_repair_refuses_and_asks_nobody) {
  const ScratchFolder scratch;
  const ScriptedModel model({});
  const Ended ended =
      repair_without_seccomp(AMBIDEX_SOURCE_DIR "/tests/corpus/vector_add.cu", scratch, model);
  EXPECT_EQ(ended.exit_code, 4) << ended.err;  // unsupported
  EXPECT_THAT(ended.err, HasSubstr("no sandbox here"));
  EXPECT_EQ(model.num_requests(), 0u);
  EXPECT_FALSE(std::filesystem::exists(scratch.path("port/transcript.jsonl")));
}

}  // namespace
}  // namespace ambidex
