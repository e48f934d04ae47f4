// SPDX-License-Identifier: Apache-2.0
// The port's program beside the original's, launch by launch.
#include <fmt/format.h>

#include <algorithm>
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

bool same_geometry(const TracedLaunch& a, const TracedLaunch& b) {
  return kernel_stem(a.kernel) == kernel_stem(b.kernel) && a.grid == b.grid && a.block == b.block;
}

bool same_sequence(const Trace& a, const Trace& b) {
  return std::equal(a.launches.begin(), a.launches.end(), b.launches.begin(), b.launches.end(),
                    same_geometry);
}

// How often a host's loop launches until nothing changes, and with how many blocks, depends on the
// order of the threads. Then the original's own sequence differs in another order, too.
bool sequence_is_free(Verification& state, const Trace& port, int poison) {
  const Trace& original = measure_of(state, poison).trace;
  if (port.status != "ended" || same_sequence(original, port)) return false;
  further_runs(state, poison, 0);
  const std::vector<Trace>& orders = measure_of(state, poison).orders;
  return std::any_of(orders.begin(), orders.end(),
                     [&](const Trace& other) { return !same_sequence(original, other); });
}

/// Indices of launches that stand for each other.
struct LaunchPair {
  size_t original = 0, port = 0;
};

// The n-th launch of a kernel is the n-th of it in the other program, whatever comes between. With
// as many of each kernel it is the place that counts, or an exchange would not be seen.
std::vector<LaunchPair> launch_pairs(const Trace& original, const Trace& port, bool is_free) {
  std::map<std::string, std::vector<size_t>> own, others;
  for (size_t i = 0; i < original.launches.size(); ++i) {
    own[kernel_stem(original.launches[i].kernel)].push_back(i);
  }
  for (size_t i = 0; i < port.launches.size(); ++i) {
    others[kernel_stem(port.launches[i].kernel)].push_back(i);
  }
  const bool as_many = std::equal(own.begin(), own.end(), others.begin(), others.end(),
                                  [](const auto& a, const auto& b) {
                                    return a.first == b.first && a.second.size() == b.second.size();
                                  });
  std::vector<LaunchPair> pairs;
  if (as_many && !is_free) {
    for (size_t i = 0; i < original.launches.size(); ++i) pairs.push_back({i, i});
    return pairs;
  }
  for (const auto& [stem, places] : others) {
    const std::vector<size_t>& known = own[stem];
    for (size_t n = 0; n < places.size() && n < known.size(); ++n) {
      pairs.push_back({known[n], places[n]});
    }
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const LaunchPair& a, const LaunchPair& b) { return a.original < b.original; });
  return pairs;
}

// A run of the port's program, and whether its sequence of launches is nobody's.
struct ProgramRun {
  std::string name;
  RunManner how;
  int poison = 0;
  bool is_free = false;
};

// One launch of the port's program. A kernel is not blamed for what it was given.
void compare_launch(Verification& state, size_t index, const TracedLaunch& port,
                    const ProgramRun& run) {
  const int poison = run.poison;
  const TracedLaunch& original = measure_of(state, poison).trace.launches[index];
  VerifyCase result{.name = fmt::format("launch {}, {}", index, run.name),
                    .message = launch_difference(original, port),
                    .first = {},
                    .place = {}};
  if (run.is_free && !same_geometry(original, port)) {
    report_of(state, original.kernel).reason =
        "how it is launched depends on the order of the threads, in the original too";
    return;
  }
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
    locate(state, original, port, run.how, result);
  }
  add_case(report_of(state, original.kernel), std::move(result), same_bits);
}

// Of the port's kernels, by those that its launches stand for.
std::map<std::string, std::string> names_of_original(const Trace& original, const Trace& port,
                                                     const std::vector<LaunchPair>& pairs) {
  std::map<std::string, std::string> names;
  for (const LaunchPair& pair : pairs) {
    const std::string& own = port.launches[pair.port].kernel;
    const std::string& name = original.launches[pair.original].kernel;
    if (kernel_stem(own) == kernel_stem(name)) names.emplace(own, name);
  }
  return names;
}

std::string never_launched(const Trace& original, const Trace& port) {
  for (const TracedLaunch& launch : original.launches) {
    const std::string stem = kernel_stem(launch.kernel);
    const bool known =
        std::any_of(port.launches.begin(), port.launches.end(),
                    [&](const TracedLaunch& other) { return kernel_stem(other.kernel) == stem; });
    if (!known) return fmt::format("the port's program never launches {}", stem);
  }
  return "";
}

std::string program_difference(const Trace& original, const Trace& port, bool is_free) {
  if (port.status != "ended") {
    return "the port's program: " +
           (port.problems.empty() ? port.status : text_of(port.problems[0]));
  }
  if (port.exit_code != original.exit_code) {
    return fmt::format("the port's program ends with exit code {}, the original's with {}: {}",
                       port.exit_code, original.exit_code, (port.out + port.err).substr(0, 200));
  }
  if (is_free) return never_launched(original, port);
  if (port.launches.size() != original.launches.size()) {
    return fmt::format("the port's program makes {} launches, the original's {}",
                       port.launches.size(), original.launches.size());
  }
  return lost_wait(original, port);
}

}  // namespace

void run_port(Verification& state, int wave_width, uint64_t seed, int poison) {
  ProgramRun run{.name = fmt::format("width {}, seed {}", wave_width, seed),
                 .how = manner(state, Side::port, wave_width, "port"),
                 .poison = poison};
  run.how.seed = seed;
  run.how.poison = kPoisons[poison];
  const Trace port = run_program(run.how);
  run.is_free = sequence_is_free(state, port, poison);
  if (run.is_free) {
    state.notes.insert(
        "how often kernels are launched, or with how many blocks, depends on the order of the "
        "threads, in the original too: launches were compared where they are given the same");
  }
  add_seen(state.port_seen, port.decisions);
  const Trace& original = measure_of(state, poison).trace;
  const std::vector<LaunchPair> pairs = launch_pairs(original, port, run.is_free);
  const std::map<std::string, std::string> names = names_of_original(original, port, pairs);
  for (const TracedProblem& problem : port.problems) {
    if (problem.kernel.empty()) continue;  // the host's: the program's difference tells it
    const auto known = names.find(problem.kernel);
    add_case(report_of(state, known == names.end() ? problem.kernel : known->second),
             {.name = run.name, .message = text_of(problem), .first = {}, .place = problem.place},
             false);
  }
  if (port.out != original.out && wave_width == 64 && seed == 0) {
    state.report.remarks.emplace_back(
        "the programs print different texts, which are not judged: look at what they print");
  }
  std::string difference = program_difference(original, port, run.is_free);
  for (const TracedProblem& problem : port.problems) {
    if (difference.empty() && problem.kernel.empty()) difference = text_of(problem);
  }
  if (!difference.empty() && state.report.program.empty()) {
    state.report.program = fmt::format("{} ({})", difference, run.name);
  }
  for (const LaunchPair& pair : pairs) {
    const TracedLaunch &launch = original.launches[pair.original],
                       &ported = port.launches[pair.port];
    if (kernel_stem(launch.kernel) == kernel_stem(ported.kernel)) {
      state.port_symbols[kernel_base_name(launch.kernel)] = ported.symbol;
    }
    compare_launch(state, pair.original, ported, run);
  }
}

}  // namespace ambidex
