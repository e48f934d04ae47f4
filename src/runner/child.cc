// SPDX-License-Identifier: Apache-2.0
#include "runner/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "ambidex/base.h"
#include "runner/host_calls.h"
#include "runner/sandbox.h"
#include "runner/single.h"
#include "runner/state.h"

namespace ambidex::runner {
namespace {

void take_streams(const Descriptors& files) {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(files.out, STDOUT_FILENO);
  dup2(files.err, STDERR_FILENO);
}

void close_others(const Descriptors& files) {
  const int last = std::max(files.answer, files.blobs);
  for (int file = 3; file <= last; ++file) {
    if (file != files.answer && file != files.blobs) ::close(file);
  }
  syscall(SYS_close_range, last + 1, ~0u, 0);
}

// What libraries would open a file for later, they do now.
void prepare_libraries() {
  clearenv();
  tzset();
  mallopt(M_ARENA_MAX, 1);
  std::setvbuf(stdout, nullptr, _IOFBF, 1 << 16);
}

// Twice the device's memory is what is known of it; the rest is for code, threads and the host.
int64_t address_space(const Limits& limits) {
  return 4 * limits.max_memory_bytes + (int64_t{64} << 30);
}

void close_sandbox(const Request& request) {
  if (!request.limits.sandbox) return;
  try {
    enter_sandbox();
  } catch (const Error& error) {
    if (error.kind != ErrorKind::unsupported || !request.limits.trusted) throw;
  }
}

// In the form of problems, for their addresses are looked up as theirs are; empty if nobody wrote.
nlohmann::json write_text(const std::optional<SimtWrite>& write) {
  nlohmann::json rows = nlohmann::json::array();
  if (!write) return rows;
  rows.push_back({{"block", write->block},
                  {"thread", write->thread},
                  {"program_counter", write->program_counter},
                  {"other_program_counter", 0}});
  return rows;
}

nlohmann::json run_request(Runtime& state) {
  const Request& request = state.request;
  nlohmann::json answer;
  if (request.mode == Mode::program) {
    close_sandbox(request);
    const ProgramRequest& program = request.program;
    answer["exit_code"] = run_program(state.module, program.function, program.arguments);
  } else {
    const SingleLaunch single = prepare_launch(state);
    close_sandbox(request);
    run_constructors(state.module);
    answer["buffers"] = run_launch(state, single);
  }
  if (request.launch.watch.buffer >= 0) answer["last_write"] = write_text(state.last_write);
  answer["launches"] = std::move(state.launches);
  answer["host_order"] = std::move(state.host_order);
  answer["problems"] = std::move(state.problems);
  return answer;
}

// Addresses of the module as its file has them; those of the executor itself are of no use.
void make_relative(nlohmann::json& places, const Module& module) {
  for (nlohmann::json& place : places) {
    for (const char* key : {"program_counter", "other_program_counter"}) {
      if (!place.contains(key)) continue;
      const auto address = place.at(key).get<uint64_t>();
      const bool inside = address >= module.base && address < module.end;
      place[key] = inside ? address - module.base : 0;
    }
  }
}

void make_relative_sites(nlohmann::json& launches, const Module& module) {
  for (nlohmann::json& launch : launches) {
    if (launch.contains("traffic")) make_relative(launch["traffic"]["sites"], module);
  }
}

nlohmann::json error_text(ErrorKind kind, std::string_view message) {
  return {{"error", {{"kind", name_of(kind)}, {"message", message}}}};
}

nlohmann::json answer_of(const Request& request, const Descriptors& files, CrashRecord* record) {
  Runtime state(request);
  set_runtime(&state);
  state.limits = device_limits(request.device);
  state.blobs.descriptor = files.blobs;
  state.memory = std::make_unique<SimtMemory>(request.limits.max_memory_bytes);
  state.module = open_module(files.module);
  if (request.options.counted && !state.module.counted) {
    throw Error(ErrorKind::bad_input,
                "counted: the module does not tell its instructions; build it with counted: true");
  }
  add_variables(state);
  prepare_libraries();
  take_streams(files);
  close_others(files);
  watch_crashes(record, state.module.base, state.module.end);
  nlohmann::json answer = run_request(state);
  make_relative(answer["problems"], state.module);
  if (answer.contains("last_write")) make_relative(answer["last_write"], state.module);
  make_relative_sites(answer["launches"], state.module);
  answer["decisions"] = decisions_of(state.module);
  return answer;
}

}  // namespace

void run_child(const Request& request, const Descriptors& files, CrashRecord* record) {
  nlohmann::json answer;
  try {
    limit_resources(address_space(request.limits), request.limits.max_seconds,
                    4 * request.limits.max_memory_bytes);
    answer = answer_of(request, files, record);
  } catch (const Error& error) {
    answer = error_text(error.kind, error.what());
  } catch (const std::exception& error) {
    answer = error_text(ErrorKind::bad_input, fmt::format("the program threw: {}", error.what()));
  }
  std::fflush(stdout);
  std::fflush(stderr);
  const std::string text =
      answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t taken = ::write(files.answer, text.data() + written, text.size() - written);
    if (taken <= 0) end_process(71);
    written += static_cast<size_t>(taken);
  }
  end_process(0);
}

}  // namespace ambidex::runner
