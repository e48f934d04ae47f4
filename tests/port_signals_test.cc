// SPDX-License-Identifier: Apache-2.0
// Ctrl-C in the middle of a port: nothing is left behind that was not asked for, and what was asked
// for does not look complete.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "base/files.h"
#include "scratch.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

// Runs for minutes, if nobody stops it.
constexpr const char* kEndless = R"(#include <cuda_runtime.h>
__global__ void add(float* x) { x[threadIdx.x] += 1; }
int main() {
  float* x;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMemset(x, 0, 64 * sizeof(float));
  add<<<1, 64>>>(x);
  cudaDeviceSynchronize();
  for (volatile int i = 0;; i = 1) {}
}
)";

struct Running {
  pid_t process = -1;
  int input = -1;  // its stdin, which is kept open
};

// Starts `ambidex WORDS` with its temporary files below `temporary`.
Running start(const std::vector<std::string>& words, const std::string& temporary) {
  std::vector<std::string> all{AMBIDEX_BINARY_DIR "/ambidex"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> argv, variables;
  for (std::string& word : all) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::string setting = "TMPDIR=" + temporary;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (std::string_view(*variable).substr(0, 7) != "TMPDIR=") variables.push_back(*variable);
  }
  variables.push_back(setting.data());
  variables.push_back(nullptr);
  int ends[2];
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
  Running running{.input = ends[1]};
  EXPECT_EQ(
      posix_spawn(&running.process, argv[0], &actions, nullptr, argv.data(), variables.data()), 0);
  posix_spawn_file_actions_destroy(&actions);
  ::close(ends[0]);
  return running;
}

// Until the module is built, so that the endless program runs, or will at once.
void wait_for_module(const std::string& folder) {
  for (int i = 0; i < 3000; ++i) {
    std::error_code ignored;
    for (fs::recursive_directory_iterator at(folder, ignored), end; at != end;
         at.increment(ignored)) {
      if (ignored) break;
      if (at->path().extension() == ".so") return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL() << "no module in " << folder;
}

int exit_code_after(const Running& running, int signal) {
  kill(running.process, signal);
  int status = 0;
  waitpid(running.process, &status, 0);
  ::close(running.input);
  EXPECT_TRUE(WIFEXITED(status)) << status;
  return WEXITSTATUS(status);
}

class PortSignals : public testing::Test {
 protected:
  PortSignals() {
    fs::create_directory(temporary());
    std::string text = kEndless;
    write_file(scratch_.path("a.cu"), text);
    text.replace(text.find("cuda_runtime.h"), 14, "hip/hip_runtime.h");
    for (size_t at = 0; (at = text.find("cuda", at)) != std::string::npos;) {
      text.replace(at, 4, "hip");
    }
    write_file(scratch_.path("a.hip"), text);
  }
  std::string temporary() const { return scratch_.path("tmp"); }
  ScratchFolder scratch_;
};

TEST_F(PortSignals, verify_leaves_no_folder_behind) {
  for (const auto& [signal, exit_code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}) {
    const Running running =
        start({"port", "verify", scratch_.path("a.cu"), scratch_.path("a.hip")}, temporary());
    wait_for_module(temporary());
    EXPECT_EQ(exit_code_after(running, signal), exit_code);
    EXPECT_TRUE(fs::is_empty(temporary())) << fs::directory_iterator(temporary())->path();
  }
}

TEST_F(PortSignals, the_folder_of_a_run_goes_with_it_and_is_made_again) {
  const std::string port = scratch_.path("port");
  const std::vector<std::string> words{"port", "run", scratch_.path("a.cu"), "-o", port};
  const Running running = start(words, temporary());
  wait_for_module(port);
  EXPECT_EQ(exit_code_after(running, SIGTERM), 143);
  EXPECT_TRUE(fs::is_empty(temporary()));
  EXPECT_FALSE(fs::exists(port));
  const Running again = start(words, temporary());
  wait_for_module(port);
  EXPECT_EQ(exit_code_after(again, SIGINT), 130);
}

TEST_F(PortSignals, the_server_ends_its_calls_and_they_clear_up) {
  const Running running = start({"mcp"}, temporary());
  const std::string call =
      R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"verify","arguments":)"
      R"({"original":")" +
      scratch_.path("a.cu") + R"(","port":")" + scratch_.path("a.hip") + "\"}}}\n";
  ASSERT_EQ(::write(running.input, call.data(), call.size()), std::ssize(call));
  wait_for_module(temporary());
  EXPECT_EQ(exit_code_after(running, SIGTERM), 143);
  EXPECT_TRUE(fs::is_empty(temporary()));
}

}  // namespace
}  // namespace ambidex
