// SPDX-License-Identifier: Apache-2.0
// The port's program beside the original's, launch by launch.
#include <fmt/format.h>

#include <map>

#include "port/verification.h"

namespace ambidex {
namespace {

// What the port was given is what the original was given.
bool same_before(const Verification& state, const TracedLaunch& a, const TracedLaunch& b) {
  for (size_t i = 0; i < a.buffers.size(); ++i) {
    const BufferPair pair{.launch = &a,
                          .buffer = static_cast<int64_t>(i),
                          .original = a.buffers[i].before,
                          .port = b.buffers[i].before,
                          .orders = {},
                          .roundings = {}};
    if (!compare_buffer(view_of(state, a.kernel), pair).right) return false;
  }
  return true;
}

// An update that has lost its atomic shows in no order of threads here, for a thread finishes its
// load and its store before another comes. Headers take one to three accesses for an update.
std::string lost_atomics(const Verification& state, const TracedLaunch& original,
                         const TracedLaunch& port) {
  constexpr int64_t kMostAccesses = 4;
  if (state.lockstep_volatile ||  // whose accesses the port orders by barriers
      port.num_ordered_accesses * kMostAccesses >= original.num_ordered_accesses) {
    return "";
  }
  return fmt::format(
      "makes {} atomic or volatile accesses, the original {}: what threads add to one "
      "place may be lost",
      port.num_ordered_accesses, original.num_ordered_accesses);
}

// One launch of the port's program. A kernel is not blamed for what it was given.
void compare_launch(Verification& state, size_t index, const TracedLaunch& port,
                    const std::string& run, const RunManner& how, int poison) {
  const TracedLaunch& original = measure_of(state, poison).trace.launches[index];
  VerifyCase result{.name = fmt::format("launch {}, {}", index, run),
                    .message = launch_difference(original, port),
                    .first = {},
                    .place = {}};
  bool same_bits = false;
  if (result.message.empty()) result.message = lost_atomics(state, original, port);
  if (result.message.empty()) {
    if (!same_before(state, original, port)) {
      report_of(state, original.kernel).reason =
          "what it is given differs from what the original's is given";
      return;
    }
    const Agreement agreement =
        compare_buffers(view_of(state, original.kernel), original, after(original), after(port),
                        [&] { return further_runs(state, poison, index); });
    if (agreement.difference.empty() && !agreement.contradicted.empty()) {
      report_of(state, original.kernel).reason = agreement.contradicted;
      return;
    }
    note_unbound(state, original.kernel, agreement.unbound);
    add_outputs(state, original, agreement.outputs);
    same_bits = agreement.same_bits;
    result.message = agreement.difference;
    result.first = agreement.first;
  }
  result.right = result.message.empty();
  if (result.first && has_room(report_of(state, original.kernel))) {
    locate(state, original, port, how, result);
  }
  add_case(report_of(state, original.kernel), std::move(result), same_bits);
}

// Of the port's kernels, by those that its launches stand for.
std::map<std::string, std::string> names_of_original(const Trace& original, const Trace& port) {
  std::map<std::string, std::string> names;
  for (size_t i = 0; i < port.launches.size() && i < original.launches.size(); ++i) {
    const std::string& own = port.launches[i].kernel;
    const std::string& name = original.launches[i].kernel;
    if (kernel_stem(own) == kernel_stem(name)) names.emplace(own, name);
  }
  return names;
}

std::string program_difference(const Trace& original, const Trace& port) {
  if (port.status != "ended") {
    return "the port's program: " +
           (port.problems.empty() ? port.status : text_of(port.problems[0]));
  }
  if (port.exit_code != original.exit_code) {
    return fmt::format("the port's program ends with exit code {}, the original's with {}: {}",
                       port.exit_code, original.exit_code, (port.out + port.err).substr(0, 200));
  }
  if (port.launches.size() != original.launches.size()) {
    return fmt::format("the port's program makes {} launches, the original's {}",
                       port.launches.size(), original.launches.size());
  }
  return lost_wait(original, port);
}

}  // namespace

void run_port(Verification& state, int wave_width, uint64_t seed, int poison) {
  const std::string run = fmt::format("width {}, seed {}", wave_width, seed);
  RunManner how = manner(state, Side::port, wave_width, "port");
  how.seed = seed;
  how.poison = kPoisons[poison];
  const Trace port = run_program(how);
  add_seen(state.port_seen, port.decisions);
  const Trace& original = measure_of(state, poison).trace;
  const std::map<std::string, std::string> names = names_of_original(original, port);
  for (const TracedProblem& problem : port.problems) {
    if (problem.kernel.empty()) continue;  // the host's: the program's difference tells it
    const auto known = names.find(problem.kernel);
    add_case(report_of(state, known == names.end() ? problem.kernel : known->second),
             {.name = run, .message = text_of(problem), .first = {}, .place = problem.place},
             false);
  }
  if (port.out != original.out && wave_width == 64 && seed == 0) {
    state.report.remarks.emplace_back(
        "the programs print different texts, which are not judged: look at what they print");
  }
  std::string difference = program_difference(original, port);
  for (const TracedProblem& problem : port.problems) {
    if (difference.empty() && problem.kernel.empty()) difference = text_of(problem);
  }
  if (!difference.empty() && state.report.program.empty()) {
    state.report.program = fmt::format("{} ({})", difference, run);
  }
  for (size_t i = 0; i < port.launches.size() && i < original.launches.size(); ++i) {
    const TracedLaunch& launch = original.launches[i];
    if (kernel_stem(launch.kernel) == kernel_stem(port.launches[i].kernel)) {
      state.port_symbols[kernel_base_name(launch.kernel)] = port.launches[i].symbol;
    }
    compare_launch(state, i, port.launches[i], run, how, poison);
  }
}

}  // namespace ambidex
