// SPDX-License-Identifier: Apache-2.0
#include "runner/supervise.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <new>

#include "ambidex/base.h"
#include "base/files.h"
#include "base/json_reply.h"
#include "runner/child.h"
#include "runner/elf.h"
#include "runner/outcome.h"

namespace ambidex::runner {
namespace {

constexpr int64_t kMaxModuleBytes = int64_t{1} << 30;
constexpr double kGraceSeconds = 2;  // for the child to end itself, with a better report

int memory_file(const char* name) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  if (file < 0) {
    throw Error(ErrorKind::device_failure, fmt::format("memfd_create: {}", std::strerror(errno)));
  }
  return file;
}

struct Files {
  Descriptors all;
  Files() {
    for (int* file : {&all.module, &all.answer, &all.blobs, &all.out, &all.err}) {
      *file = memory_file("ambidex");
    }
  }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;
  ~Files() {
    for (const int file : {all.module, all.answer, all.blobs, all.out, all.err}) ::close(file);
  }
};

void fill(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t taken = ::write(file, bytes.data(), bytes.size());
    if (taken <= 0) {
      throw Error(ErrorKind::device_failure,
                  fmt::format("no memory for the module: {}", std::strerror(errno)));
    }
    bytes.remove_prefix(static_cast<size_t>(taken));
  }
}

struct SharedRecord {
  CrashRecord* record;
  SharedRecord() {
    void* memory = mmap(nullptr, sizeof(CrashRecord), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw Error(ErrorKind::device_failure, "no memory for a record");
    record = new (memory) CrashRecord;
  }
  SharedRecord(const SharedRecord&) = delete;
  SharedRecord& operator=(const SharedRecord&) = delete;
  ~SharedRecord() { munmap(record, sizeof(CrashRecord)); }
};

// Whether the child ended by itself within its time.
bool wait_for(pid_t child, double max_seconds, int& status) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  pollfd waiting{handle, POLLIN, 0};
  const int ready = poll(&waiting, 1, static_cast<int>((max_seconds + kGraceSeconds) * 1e3));
  ::close(handle);
  if (ready <= 0) kill(child, SIGKILL);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return ready > 0;
}

}  // namespace

nlohmann::json supervise(const Request& request) {
  const std::string bytes = read_file(request.module, kMaxModuleBytes);
  refuse_loading_code(bytes, request.module);
  const Files files;
  fill(files.all.module, bytes);
  const SharedRecord shared;
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) {
    throw Error(ErrorKind::device_failure, fmt::format("fork: {}", std::strerror(errno)));
  }
  if (child == 0) end_with_parent();
  if (child == 0) run_child(request, files.all, shared.record);
  Ending ending;
  ending.in_time = wait_for(child, request.limits.max_seconds, ending.status);
  ending.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome(request, files.all, *shared.record, ending);
}

}  // namespace ambidex::runner
