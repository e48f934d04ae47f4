// SPDX-License-Identifier: Apache-2.0
#include "runner/outcome.h"

#include <fmt/format.h>
#include <seccomp.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "ambidex/base.h"
#include "base/files.h"
#include "runner/symbols.h"

namespace ambidex::runner {
namespace {

constexpr int64_t kMaxAnswerBytes = int64_t{256} << 20;

std::string bytes_of(int file, int64_t at, int64_t count) {
  std::string bytes(static_cast<size_t>(count), '\0');
  int64_t done = 0;
  while (done < count) {
    const ssize_t taken =
        pread(file, bytes.data() + done, static_cast<size_t>(count - done), at + done);
    if (taken <= 0) break;
    done += taken;
  }
  bytes.resize(static_cast<size_t>(done));
  return bytes;
}

int64_t size_of(int file) {
  struct stat about {};
  return fstat(file, &about) == 0 ? about.st_size : 0;
}

std::string stream_text(int file, int64_t max_bytes) {
  return bytes_of(file, 0, std::min(size_of(file), max_bytes));
}

nlohmann::json problem(const char* kind, const CrashRecord& record, const std::string& message) {
  const std::string kernel(record.kernel, strnlen(record.kernel, sizeof record.kernel));
  return {{"kind", kind},
          {"kernel", kernel},
          {"launch", -1},
          {"block", record.block},
          {"thread", record.thread},
          {"program_counter", record.program_counter},
          {"other_program_counter", 0},
          {"message", message}};
}

std::string call_name(const CrashRecord& record) {
  if (record.call[0] != '\0') return std::string(record.call, strnlen(record.call, 31));
  if (record.system_call < 0) return "a system function with its signals blocked";
  char* name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, record.system_call);
  const std::string text =
      name != nullptr ? name : fmt::format("system call {}", record.system_call);
  std::free(name);
  return text;
}

std::string ending_of(const CrashRecord& record, int signal, int status) {
  if (signal == 0) {
    return fmt::format("ended by itself with status {} and without an answer", WEXITSTATUS(status));
  }
  if (record.stack_is_full) {
    return "its stack is full: a recursion without end, or local arrays that are too large";
  }
  return fmt::format("{} at address {:#x}", strsignal(signal), record.address);
}

// {status, problem} of a run that left no answer.
nlohmann::json failed_run(const CrashRecord& record, const Ending& ending, double max_seconds) {
  const int signal = record.signal != 0           ? record.signal
                     : WIFSIGNALED(ending.status) ? WTERMSIG(ending.status)
                                                  : 0;
  const char* status = "crash";
  std::string message = record.in_kernel ? "the kernel crashed: " : "the host's code crashed: ";
  message += ending_of(record, signal, ending.status);
  if (!ending.in_time) {
    status = "deadline";
    message = fmt::format("the run took longer than its {:g} s", max_seconds);
  } else if (signal == SIGSYS) {
    status = "sandbox";
    message = fmt::format("the program called {}, which it may not", call_name(record));
  }
  return {{"launches", nlohmann::json::array()},
          {"launched", signal == 0 || record.has_launched},
          {"status", status},
          {"problems", {problem(status, record, message)}}};
}

[[noreturn]] void rethrow(const nlohmann::json& error) {
  const std::string kind = error.value("kind", "");
  for (const ErrorKind known : {ErrorKind::bad_input, ErrorKind::not_found, ErrorKind::unsupported,
                                ErrorKind::device_failure}) {
    if (name_of(known) == kind) throw Error(known, error.value("message", ""));
  }
  throw Error(ErrorKind::internal, error.value("message", ""));
}

// Replaces {at, bytes} by the name of a file with these bytes.
void write_contents(nlohmann::json& place, const std::string& name, const Request& request,
                    int blobs) {
  const int64_t at = place.at("at").get<int64_t>(), count = place.at("bytes").get<int64_t>();
  const int64_t all = size_of(blobs);
  if (at < 0 || count < 0 || at > all || count > all - at) {
    throw Error(ErrorKind::bad_input, "the run names contents that it has not left");
  }
  std::filesystem::create_directories(request.folder);
  const std::string path = fmt::format("{}/{}", request.folder, name);
  write_file(path, bytes_of(blobs, at, count));
  place = path;
}

void write_all_contents(nlohmann::json& answer, const Request& request, int blobs) {
  if (answer.contains("buffers")) {
    int64_t index = 0;
    for (nlohmann::json& buffer : answer["buffers"]) {
      write_contents(buffer.at("contents"), fmt::format("buffer{}.bin", index++), request, blobs);
    }
  }
  int64_t launch = 0;
  for (nlohmann::json& row : answer["launches"]) {
    int64_t number = 0;
    for (nlohmann::json& buffer : row.at("buffers")) {
      for (const char* key : {"before", "after"}) {
        if (!buffer.contains(key)) continue;
        write_contents(buffer[key], fmt::format("launch{}_buffer{}_{}.bin", launch, number, key),
                       request, blobs);
      }
      ++number;
    }
    ++launch;
  }
}

// All at once: the module's lines are read for each call.
void symbolise_sites(nlohmann::json& launches, const std::string& module) {
  nlohmann::json all = nlohmann::json::array();
  for (const nlohmann::json& launch : launches) {
    if (!launch.contains("traffic")) continue;
    for (const nlohmann::json& site : launch["traffic"].at("sites")) all.push_back(site);
  }
  if (all.empty()) return;
  symbolise(all, module);
  size_t next = 0;
  for (nlohmann::json& launch : launches) {
    if (!launch.contains("traffic")) continue;
    for (nlohmann::json& site : launch["traffic"]["sites"]) site = std::move(all[next++]);
  }
}

}  // namespace

nlohmann::json outcome(const Request& request, const Descriptors& files, const CrashRecord& record,
                       const Ending& ending) {
  const bool ended = ending.in_time && record.signal == 0 && WIFEXITED(ending.status) &&
                     WEXITSTATUS(ending.status) == 0;
  nlohmann::json answer;
  if (ended) {
    const int64_t num_bytes = std::min(size_of(files.answer), kMaxAnswerBytes);
    answer = nlohmann::json::parse(bytes_of(files.answer, 0, num_bytes), nullptr, false);
  }
  if (!ended || !answer.is_object()) {
    answer = failed_run(record, ending, request.limits.max_seconds);
  } else {
    if (answer.contains("error")) rethrow(answer["error"]);
    answer["status"] = "ended";
    write_all_contents(answer, request, files.blobs);
  }
  symbolise(answer["problems"], request.module);
  if (answer.contains("last_write")) symbolise(answer["last_write"], request.module);
  symbolise_sites(answer["launches"], request.module);
  answer["stdout"] = stream_text(files.out, request.limits.max_output_bytes);
  answer["stderr"] = stream_text(files.err, request.limits.max_output_bytes);
  answer["seconds"] = ending.seconds;
  return answer;
}

}  // namespace ambidex::runner
