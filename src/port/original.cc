// SPDX-License-Identifier: Apache-2.0
// The measure: what the CUDA original does, whether it can be trusted, and how far its own results
// move when it runs in another order or rounds in another direction.
#include <fmt/format.h>

#include <algorithm>

#include "port/verification.h"

namespace ambidex {
namespace {

constexpr uint64_t kSeeds[]{1, 2};

// NVIDIA's hardware lets the rest of a warp pass a barrier that some of its threads have left.
bool tolerated_in_original(const TracedProblem& problem) {
  return problem.kind == "partial_exit_barrier";
}

// As a program that wants a word on its command line or a file does, and says so.
bool launches_nothing(const Trace& original) {
  const bool refuses = std::any_of(original.problems.begin(), original.problems.end(),
                                   [](const auto& problem) { return problem.kind == "refused"; });
  return !original.has_launched && !refuses;
}

std::string run_as_text(const std::vector<std::string>& words) {
  return words.empty() ? "run without arguments and files"
                       : fmt::format("run with \"{}\" and without files", fmt::join(words, " "));
}

std::string fault_of(const Trace& original, const std::vector<std::string>& words) {
  if (original.status != "ended") {
    const std::string fault =
        original.problems.empty() ? original.status : text_of(original.problems[0]);
    const bool is_slow = original.status == "deadline";
    return fault + (is_slow ? "; give it less to do, by --args or in main" : "");
  }
  if (const auto* fault = first_fault(original.problems, Side::original)) return text_of(*fault);
  if (original.exit_code != 0) {
    const std::string said = (original.out + original.err).substr(0, 200);
    return fmt::format("it ends with exit code {}, {}{}{}", original.exit_code, run_as_text(words),
                       said.empty() ? "" : ": ", said);
  }
  return original.launches.empty() ? "it launches no kernel" : "";
}

Trace run(const Verification& state, int poison, uint64_t seed, const std::string& rounding) {
  RunManner how = manner(state, Side::original, 32, "original");
  how.poison = kPoisons[poison];
  how.seed = seed;
  how.rounding = rounding;
  return run_program(how);
}

void add_run(std::vector<Trace>& runs, Trace trace) {
  if (trace.status == "ended" && first_fault(trace.problems, Side::original) == nullptr) {
    runs.push_back(std::move(trace));
  }
}

bool same_places(const TracedLaunch& a, const TracedLaunch& b) {
  return a.symbol == b.symbol && a.grid == b.grid && a.buffers.size() == b.buffers.size();
}

// Launch `index` of each run, as far as the run has come to it by the same launches.
std::vector<BufferViews> launches_of(const std::vector<Trace>& runs, const Trace& first,
                                     size_t index) {
  std::vector<BufferViews> views;
  for (const Trace& run : runs) {
    const bool same = run.launches.size() > index &&
                      std::equal(first.launches.begin(),
                                 first.launches.begin() + static_cast<std::ptrdiff_t>(index) + 1,
                                 run.launches.begin(), same_places);
    if (same) views.push_back(after(run.launches[index]));
  }
  return views;
}

// What the hardware that an original was written for makes of its faults, and whether they have
// one.
struct Lenience {
  const char* kind;
  bool Verification::*option;
  const char* remark;
};
constexpr Lenience kLenience[]{
    {"shared_race", &Verification::lockstep_volatile,
     "the original is warp-synchronous: it was run with its volatile accesses in lockstep"},
    {"inactive_lane_read", &Verification::lenient_shuffles,
     "the original shuffles from lanes that take no part: original and port were run with what "
     "NVIDIA's and AMD's hardware gives for them, 0"}};

// Again with the first lenience that makes the original sound; its fault, if none does.
std::string run_leniently(Verification& state, Trace& trace, std::string fault) {
  for (const Lenience& lenience : kLenience) {
    const bool applies = std::any_of(trace.problems.begin(), trace.problems.end(),
                                     [&](const auto& p) { return p.kind == lenience.kind; });
    if (fault.empty() || !applies) continue;
    state.*lenience.option = true;
    Trace again = run(state, 0, 0, "nearest");
    if (!fault_of(again, state.request.original.words).empty()) {
      state.*lenience.option = false;
      continue;
    }
    trace = std::move(again);
    state.report.remarks.emplace_back(lenience.remark);
    fault.clear();
  }
  return fault;
}

}  // namespace

const TracedProblem* first_fault(const std::vector<TracedProblem>& problems, Side side) {
  for (const TracedProblem& problem : problems) {
    if (side == Side::port || !tolerated_in_original(problem)) return &problem;
  }
  return nullptr;
}

OriginalFault run_original(Verification& state) {
  Trace trace = run(state, 0, 0, "nearest");
  OriginalFault fault;
  fault.text = run_leniently(state, trace, fault_of(trace, state.request.original.words));
  fault.launches_nothing = launches_nothing(trace);
  fault.is_beyond_executor = trace.status == "deadline" || trace.status == "sandbox";
  for (const TracedProblem& problem : trace.problems) {
    if (tolerated_in_original(problem)) {
      state.report.remarks.push_back("tolerated in the original: " + text_of(problem));
    }
  }
  add_seen(state.original_seen, trace.decisions);
  state.measures[0] = Measure{.trace = std::move(trace), .orders = {}, .roundings = {}};
  return fault;
}

Measure& measure_of(Verification& state, int poison) {
  auto& measure = state.measures[static_cast<size_t>(poison)];
  if (!measure) {
    measure = Measure{.trace = run(state, poison, 0, "nearest"), .orders = {}, .roundings = {}};
  }
  return *measure;
}

FurtherRuns further_runs(Verification& state, int poison, size_t index) {
  Measure& measure = measure_of(state, poison);
  if (!measure.further_known) {
    for (const uint64_t seed : kSeeds) {
      add_run(measure.orders, run(state, poison, seed, "nearest"));
    }
    for (const char* rounding : {"up", "down", "mixed"}) {  // in the same order
      add_run(measure.roundings, run(state, poison, 0, rounding));
    }
    measure.further_known = true;
  }
  return {.orders = launches_of(measure.orders, measure.trace, index),
          .roundings = launches_of(measure.roundings, measure.trace, index)};
}

}  // namespace ambidex
