// SPDX-License-Identifier: Apache-2.0
// Changed launches, each in the original and in the port, as many at a time as there are cores.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <set>

#include "base/parallel.h"
#include "base/random.h"
#include "port/cases.h"
#include "port/further.h"
#include "port/verification.h"

namespace ambidex {
namespace {

constexpr int kMaxLaunchesPerKernel = 2;      // with different sizes, that are varied
constexpr int64_t kMaxGrownBytes = 32 << 20;  // of a launch that is tried at larger sizes
constexpr int64_t kManyThreads = 1 << 17;     // of a launch that is not varied as a whole
constexpr double kLeastSeconds = 10;          // for one changed launch
constexpr double kSecondsOfRecorded = 20;     // times what the recorded one took

// A changed launch and what came of it.
struct Trial {
  std::string kernel;
  std::string port_symbol;
  LaunchCase one;
  int poison = 0;
  struct Run {
    VerifyCase result;
    bool same_bits = true;
    RunManner how;  // the port
    std::vector<std::string> unbound;
    std::vector<OutputSeen> outputs;
  };
  std::vector<Run> runs;                 // at 64 and at 32; none if the original cannot take it
  std::string original_seen, port_seen;  // comparisons
};

struct TrialFolder {
  std::string name;
  std::filesystem::path path;
  TrialFolder(const Verification& state, size_t number)
      : name(fmt::format("case{}", number)),
        path(std::filesystem::path(state.request.folder) / name) {}
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;
  ~TrialFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

RunManner manner_of(const Verification& state, Side side, int width, const Trial& trial,
                    const TrialFolder& folder) {
  RunManner how = manner(state, side, width, folder.name);
  how.poison = kPoisons[trial.poison];
  how.max_seconds = std::max(kLeastSeconds, kSecondsOfRecorded * trial.one.launch.seconds);
  return how;
}

void judge_port(const Verification& state, Trial& trial, const TrialFolder& folder, int width,
                const Replayed& original, Further& further) {
  const TracedLaunch& launch = trial.one.launch;
  RunManner how = manner_of(state, Side::port, width, trial, folder);
  how.seed = width == 64 ? 1 : 0;
  const Replayed port = replay(launch, trial.port_symbol, how);
  Trial::Run run{.result = {.name = fmt::format("{}, width {}", trial.one.name, width),
                            .first = {},
                            .place = {}},
                 .how = {},
                 .unbound = {},
                 .outputs = {}};
  if (!is_sound(port, Side::port)) {
    run.same_bits = false;
    run.result.message = port.problems.empty() ? port.status : text_of(port.problems[0]);
    if (!port.problems.empty()) run.result.place = port.problems[0].place;
  } else {
    const RunManner again = manner_of(state, Side::original, 32, trial, folder);
    const auto compare = [&] {
      return compare_buffers(view_of(state, trial.kernel), launch, views(original), views(port),
                             [&] {
                               further.run(launch, again);
                               return further.runs();
                             });
    };
    Agreement agreement = compare();
    if (!agreement.difference.empty()) {
      further.run_more(launch, again);
      agreement = compare();
    }
    if (agreement.difference.empty() && !agreement.contradicted.empty()) return;
    run.same_bits = agreement.same_bits;
    run.unbound = agreement.unbound;
    run.outputs = std::move(agreement.outputs);
    run.result.message = agreement.difference;
    run.result.first = agreement.first;
    if (run.result.message.empty()) {
      run.result.message = writes_beyond(state, launch, original, port);
    }
  }
  add_seen(trial.port_seen, port.decisions);
  run.result.right = run.result.message.empty();
  run.how = how;
  trial.runs.push_back(std::move(run));
}

// All that a drawn number has led to is NaN or infinite: another such would be as good.
bool leaves_no_number(const Verification& state, const TracedLaunch& launch,
                      const Replayed& original) {
  const BufferViews after = views(original);
  const Agreement itself = compare_buffers(view_of(state, launch.kernel), launch, after, after,
                                           [] { return FurtherRuns{}; });
  return has_no_number(itself.outputs);
}

void try_launch(const Verification& state, Trial& trial, size_t number) {
  const TrialFolder folder(state, number);
  const TracedLaunch& launch = trial.one.launch;
  const Replayed original =
      replay(launch, launch.symbol, manner_of(state, Side::original, 32, trial, folder));
  if (!is_sound(original, Side::original)) return;
  if (trial.one.needs_number && leaves_no_number(state, launch, original)) return;
  add_seen(trial.original_seen, original.decisions);
  Further further;
  for (const int width : {64, 32}) {
    if (width == 32 && !state.request.any_width) continue;
    judge_port(state, trial, folder, width, original, further);
  }
}

std::string geometry(const TracedLaunch& launch) {
  return fmt::format("{} {} {} {}", kernel_base_name(launch.kernel), fmt::join(launch.grid, ","),
                     fmt::join(launch.block, ","), launch.dynamic_shared_bytes);
}

// Sizes above the recorded ones that nobody can foresee, where the contract tells how large buffers
// must be.
std::vector<LaunchCase> larger_cases(const Verification& state, const TracedLaunch& launch) {
  std::vector<LaunchCase> cases;
  const auto found = state.contracts.find(kernel_base_name(launch.kernel));
  if (found == state.contracts.end() || !found->second.aliases.empty()) return cases;
  int64_t num_bytes = 0;
  for (const TracedBuffer& buffer : launch.buffers) {
    num_bytes += static_cast<int64_t>(buffer.before.size());
  }
  if (num_bytes > kMaxGrownBytes) return cases;
  const Variables recorded = scalars_of(launch, view_of(found->second));
  for (uint64_t draw = 0; draw < 2 && !recorded.empty(); ++draw) {
    Variables sizes;
    std::string name = "larger";
    for (const auto& [parameter, value] : recorded) {
      const uint64_t bits = random_bits(random_key(state.request.key, draw), sizes.size());
      sizes[parameter] =
          value < 2 ? value : value + static_cast<int64_t>(bits % static_cast<uint64_t>(value));
      name += fmt::format(", {} = {}", parameter, sizes[parameter]);
    }
    try {
      cases.push_back({name, generate_launch(found->second, found->second.launches[0], sizes,
                                             random_key(state.request.key, draw))});
      cases.back().launch.symbol = launch.symbol;
    } catch (const Error&) {
      break;  // it has parameters that no launch can be made for
    }
  }
  return cases;
}

int64_t num_threads(const TracedLaunch& launch) {
  int64_t threads = 1;
  for (const uint32_t n : launch.grid) threads *= n;
  for (const uint32_t n : launch.block) threads *= n;
  return threads;
}

// The launch that gets other values: of a large one the largest of its smaller ones, since what a
// value brings about shows there too, and in less than a tenth of the time.
LaunchCase base_of_values(const TracedLaunch& launch, const std::vector<LaunchCase>& sizes) {
  LaunchCase base{.name = "", .launch = launch};
  if (num_threads(launch) <= kManyThreads) return base;
  int64_t most = 0;
  for (const LaunchCase& one : sizes) {
    const int64_t threads = num_threads(one.launch);
    if (threads > kManyThreads || threads <= most) continue;
    most = threads;
    base = {.name = one.name + ", ", .launch = one.launch};
  }
  return base;
}

std::vector<LaunchCase> cases_of(const Verification& state, const TracedLaunch& launch) {
  const KernelView& view = view_of(state, launch.kernel);
  // The launch itself, on the original's input: in the port's program it may have had another.
  std::vector<LaunchCase> cases{{.name = "as recorded", .launch = launch}};
  const auto add = [&](std::vector<LaunchCase> more) {
    std::move(more.begin(), more.end(), std::back_inserter(cases));
  };
  std::vector<LaunchCase> sizes =
      size_cases(launch, view, formulas_of(state, launch), state.request.key);
  const LaunchCase base = base_of_values(launch, sizes);
  std::vector<LaunchCase> values = value_cases(base.launch, view, state.request.key);
  for (LaunchCase& one : float_cases(base.launch, view, state.request.key)) {
    values.push_back(std::move(one));
  }
  for (LaunchCase& one : values) one.name = base.name + one.name;
  add(std::move(values));
  add(std::move(sizes));
  if (num_threads(launch) <= kManyThreads) add(larger_cases(state, launch));
  return cases;
}

// Of an instance that nothing launches there are no sizes: how they make its geometry is not known.
std::vector<LaunchCase> cases_of_sibling(const Verification& state, const TracedLaunch& launch) {
  std::vector<LaunchCase> cases{{.name = "as another instance", .launch = launch}};
  const KernelView& view = view_of(state, launch.kernel);
  for (const auto& more : {value_cases(launch, view, state.request.key),
                           float_cases(launch, view, state.request.key)}) {
    cases.insert(cases.end(), more.begin(), more.end());
  }
  return cases;
}

std::vector<Trial> trials_of(Verification& state) {
  std::vector<Trial> trials;
  std::set<std::string> seen;
  std::map<std::string, int> num_varied;
  std::vector<TracedLaunch> launches = state.original().launches;
  for (TracedLaunch& launch : launches_by_contract(state)) launches.push_back(std::move(launch));
  const size_t num_own = launches.size();
  for (TracedLaunch& launch : launches_of_siblings(state)) {
    state.report.remarks.push_back(
        fmt::format("nothing launches {}: it was launched as another instance of its template was",
                    launch.kernel));
    launches.push_back(std::move(launch));
  }
  for (size_t i = 0; i < launches.size(); ++i) {
    if (is_of_library(launches[i].kernel)) continue;  // not the user's
    const std::string kernel = kernel_base_name(launches[i].kernel);
    const auto symbol = state.port_symbols.find(kernel);
    const auto report = state.reports.find(kernel);
    if (report != state.reports.end() && !report->second.failures.empty()) continue;
    if (!seen.insert(geometry(launches[i])).second || symbol == state.port_symbols.end() ||
        ++num_varied[kernel] > kMaxLaunchesPerKernel) {
      continue;
    }
    std::vector<LaunchCase> cases =
        i < num_own ? cases_of(state, launches[i]) : cases_of_sibling(state, launches[i]);
    for (LaunchCase& one : cases) {
      one.name = fmt::format("launch {}, {}", i, one.name);
      trials.push_back({.kernel = kernel,
                        .port_symbol = symbol->second,
                        .one = std::move(one),
                        .poison = static_cast<int>(trials.size() % kNumPoisons),
                        .runs = {},
                        .original_seen = {},
                        .port_seen = {}});
    }
  }
  return trials;
}

// Of what is wrong only the first few are looked into.
void take(Verification& state, const Trial& trial, Trial::Run& run) {
  note_unbound(state, trial.kernel, run.unbound);
  add_outputs(state, trial.one.launch, run.outputs);
  KernelReport& report = report_of(state, trial.kernel);
  if (run.result.first && has_room(report)) {
    TracedLaunch in_port = trial.one.launch;
    in_port.symbol = trial.port_symbol;
    locate(state, trial.one.launch, in_port, run.how, run.result);
  }
  add_case(report, std::move(run.result), run.same_bits);
}

}  // namespace

void vary_launches(Verification& state) {
  std::vector<Trial> trials = trials_of(state);
  std::atomic<bool> decided = false;
  Workers workers;
  workers.run(static_cast<int64_t>(trials.size()), [&](int64_t i) {
    if (decided) return;
    Trial& trial = trials[static_cast<size_t>(i)];
    try_launch(state, trial, static_cast<size_t>(i));
    for (const Trial::Run& run : trial.runs) {
      if (!run.result.right && state.request.stop_at_first) decided = true;
    }
  });
  for (Trial& trial : trials) {
    add_seen(state.original_seen, trial.original_seen);
    add_seen(state.port_seen, trial.port_seen);
    add_seen(state.port_seen_by_kernel[trial.kernel], trial.port_seen);
    for (Trial::Run& run : trial.runs) take(state, trial, run);
  }
}

}  // namespace ambidex
