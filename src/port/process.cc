// SPDX-License-Identifier: Apache-2.0
#include "port/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstring>

#include "ambidex/base.h"
#include "base/interrupt.h"

extern char** environ;

namespace ambidex {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kStopMilliseconds = 50;       // how soon a request to stop is seen
constexpr int kCleanUpMilliseconds = 2000;  // that a child has to clear up in

struct Pipe {
  int read_end = -1;
  int write_end = -1;
  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw Error(ErrorKind::device_failure, fmt::format("pipe: {}", std::strerror(errno)));
    }
    read_end = ends[0];
    write_end = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close_end(read_end);
    close_end(write_end);
  }
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

struct Pipes {
  Pipe in, out, err;
};

// A child that does not read all of its input is no reason to die. Of this thread alone, so that
// several can wait for children.
struct PipeSignalBlocked {
  sigset_t previous{};
  static sigset_t pipe_signal() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGPIPE);
    return set;
  }
  PipeSignalBlocked() {
    const sigset_t set = pipe_signal();
    pthread_sigmask(SIG_BLOCK, &set, &previous);
  }
  PipeSignalBlocked(const PipeSignalBlocked&) = delete;
  PipeSignalBlocked& operator=(const PipeSignalBlocked&) = delete;
  ~PipeSignalBlocked() {
    const sigset_t set = pipe_signal();
    const timespec now{};
    while (sigtimedwait(&set, nullptr, &now) > 0) {
    }
    pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  }
};

pid_t spawn(const std::vector<std::string>& words, Pipes& pipes) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipes.in.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes.out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipes.err.write_end, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  posix_spawnattr_setpgroup(&attributes, 0);  // a group of its own, to be killed as one
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t child = -1;
  const int failure = posix_spawnp(&child, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (failure != 0) {
    throw Error(failure == ENOENT ? ErrorKind::not_found : ErrorKind::device_failure,
                fmt::format("cannot start {}: {}", words[0], std::strerror(failure)));
  }
  return child;
}

// Takes what there is to read; closes the end of a stream that is done.
void drain(int& end, std::string& into) {
  std::array<char, 65536> bytes;
  const ssize_t taken = ::read(end, bytes.data(), bytes.size());
  if (taken > 0) {
    into.append(bytes.data(), static_cast<size_t>(taken));
  } else if (taken == 0 || (errno != EAGAIN && errno != EINTR)) {
    Pipe::close_end(end);
  }
}

// Hands over what the child will take; it may end without having read all.
void feed(int& end, std::string_view& input) {
  const ssize_t taken = ::write(end, input.data(), input.size());
  if (taken > 0) input.remove_prefix(static_cast<size_t>(taken));
  const bool failed = taken < 0 && errno != EAGAIN && errno != EINTR;
  if (failed || input.empty()) Pipe::close_end(end);
}

int milliseconds_until(Clock::time_point deadline) {
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<int64_t>(0, std::min<int64_t>(left + 1, 1 << 30)));
}

// Moves bytes both ways until the child has closed its ends. False once the time is up.
bool exchange(Pipes& pipes, std::string_view input, Clock::time_point deadline,
              const std::stop_token& stop, ProcessResult& result) {
  fcntl(pipes.in.write_end, F_SETFL, O_NONBLOCK);
  if (input.empty()) Pipe::close_end(pipes.in.write_end);
  while (pipes.out.read_end >= 0 || pipes.err.read_end >= 0) {
    std::array<pollfd, 3> ends{{{pipes.out.read_end, POLLIN, 0},
                                {pipes.err.read_end, POLLIN, 0},
                                {pipes.in.write_end, POLLOUT, 0}}};
    const int left = milliseconds_until(deadline);
    if (left == 0 || stop.stop_requested()) return false;
    throw_if_interrupted();
    if (poll(ends.data(), ends.size(), std::min(left, kStopMilliseconds)) <= 0) continue;
    if (ends[0].revents != 0) drain(pipes.out.read_end, result.out);
    if (ends[1].revents != 0) drain(pipes.err.read_end, result.err);
    if (ends[2].revents != 0) feed(pipes.in.write_end, input);
  }
  return true;
}

// The process, and its group: what it has started ends with it.
class Child {
 public:
  explicit Child(pid_t process) : process_(process) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    if (process_ > 0) end(true);
  }

  // Its status as waitpid has it, once it has ended by itself or, if `stop`, was asked to.
  int end(bool stop) {
    int status = 0;
    if (stop) ask_to_end(status);
    while (process_ > 0 && waitpid(process_, &status, 0) < 0 && errno == EINTR) {
    }
    ::kill(-group_, SIGKILL);  // what it has left behind
    process_ = -1;
    return status;
  }

 private:
  void ask_to_end(int& status) {
    ::kill(-group_, SIGTERM);
    constexpr int kStepMilliseconds = 5;
    for (int waited = 0; waited < kCleanUpMilliseconds; waited += kStepMilliseconds) {
      if (waitpid(process_, &status, WNOHANG) == process_) {
        process_ = -1;
        return;
      }
      poll(nullptr, 0, kStepMilliseconds);
    }
    ::kill(-group_, SIGKILL);
  }

  pid_t process_;
  pid_t group_ = process_;
};

}  // namespace

ProcessResult run_process(const std::vector<std::string>& words, std::string_view input,
                          double max_seconds, std::stop_token stop) {
  check(!words.empty() && max_seconds > 0, "run_process needs a program and a time");
  throw_if_interrupted();
  ProcessResult result;
  Pipes pipes;
  const auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(
                         std::chrono::duration<double>(std::min(max_seconds, 1e6)));
  Child child(spawn(words, pipes));
  Pipe::close_end(pipes.in.read_end);
  Pipe::close_end(pipes.out.write_end);
  Pipe::close_end(pipes.err.write_end);
  {
    const PipeSignalBlocked blocked;
    result.timed_out = !exchange(pipes, input, deadline, stop, result);
  }
  const int status = child.end(result.timed_out);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace ambidex
