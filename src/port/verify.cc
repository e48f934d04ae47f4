// SPDX-License-Identifier: Apache-2.0
#include "port/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "port/cases.h"
#include "port/compare.h"
#include "port/modules.h"
#include "port/replay.h"

namespace ambidex {
namespace {

constexpr int kMaxLaunchesPerKernel = 2;  // with different sizes, that are varied
constexpr int kMaxFailures = 4;           // per kernel, in the report
constexpr std::array<uint64_t, 2> kSeeds{1, 2};

// All that is known while one program is verified.
struct Verification {
  const VerifyRequest& request;
  std::string original_module, port_module;
  nlohmann::json facts;
  KernelViews views;
  Trace original;
  bool lockstep_volatile = false;                   // the original is warp-synchronous
  std::vector<std::vector<bool>> order_dependent;   // by launch and buffer of the original
  std::map<std::string, std::string> port_symbols;  // by base name
  std::map<std::string, KernelReport> reports;      // by base name
  VerifyReport report;
};

RunManner manner(const Verification& state, bool port, int wave_width, uint64_t seed = 0) {
  return {.module = port ? state.port_module : state.original_module,
          .folder = state.request.folder + (port ? "/port" : "/original"),
          .device = port ? "mi300x" : "h200",
          .wave_width = wave_width,
          .seed = seed,
          .lockstep_volatile = !port && state.lockstep_volatile,
          .num_workers = state.request.num_workers,
          .trusted = state.request.trusted};
}

KernelReport& report_of(Verification& state, const std::string& kernel) {
  const std::string name = kernel_base_name(kernel);
  const auto [found, added] = state.reports.try_emplace(name);
  if (added) found->second.kernel = name;
  return found->second;
}

void add_case(KernelReport& report, VerifyCase result, bool bit_identical) {
  ++report.num_cases;
  report.num_bit_identical += bit_identical;
  if (!result.right && static_cast<int>(report.failures.size()) < kMaxFailures) {
    report.failures.push_back(std::move(result));
  }
}

const KernelView& view_of(const Verification& state, const std::string& kernel) {
  static const KernelView kUnknown;
  const auto found = state.views.find(kernel_base_name(kernel));
  return found == state.views.end() ? kUnknown : found->second;
}

std::string text_of(const TracedProblem& problem) {
  return fmt::format("{} at {}: {}", problem.kind, problem.where, problem.message);
}

// NVIDIA's hardware lets the rest of a warp pass a barrier that some of its threads have left.
bool tolerated_in_original(const TracedProblem& problem) {
  return problem.kind == "partial_exit_barrier";
}

const TracedProblem* first_fault(const std::vector<TracedProblem>& problems, bool port) {
  for (const TracedProblem& problem : problems) {
    if (port || !tolerated_in_original(problem)) return &problem;
  }
  return nullptr;
}

// Why the original cannot be the measure; "" if it can.
std::string fault_of(const Trace& original) {
  if (original.status != "ended") {
    return original.problems.empty() ? original.status : text_of(original.problems[0]);
  }
  if (const TracedProblem* fault = first_fault(original.problems, false)) return text_of(*fault);
  if (original.exit_code != 0) {
    return fmt::format("it ends with exit code {}: {}", original.exit_code,
                       (original.out + original.err).substr(0, 200));
  }
  return original.launches.empty() ? "it launches no kernel" : "";
}

// Runs the original; once more as warp-synchronous code if only races within a wave speak
// against it.
std::string run_original(Verification& state) {
  state.original = run_program(manner(state, false, 32));
  std::string fault = fault_of(state.original);
  const bool raced = std::any_of(state.original.problems.begin(), state.original.problems.end(),
                                 [](const auto& p) { return p.kind == "shared_race"; });
  if (!fault.empty() && raced) {
    state.lockstep_volatile = true;
    Trace again = run_program(manner(state, false, 32));
    if (fault_of(again).empty()) {
      state.original = std::move(again);
      state.report.remarks.emplace_back(
          "the original is warp-synchronous: it was run with its volatile accesses in lockstep");
      fault.clear();
    }
  }
  for (const TracedProblem& problem : state.original.problems) {
    if (tolerated_in_original(problem)) {
      state.report.remarks.push_back("tolerated in the original: " + text_of(problem));
    }
  }
  return fault;
}

// Whose results change when the original's blocks and waves come in another order.
void find_order_dependence(Verification& state) {
  for (const TracedLaunch& launch : state.original.launches) {
    state.order_dependent.emplace_back(launch.buffers.size(), false);
  }
  for (const uint64_t seed : kSeeds) {
    const Trace other = run_program(manner(state, false, 32, seed));
    if (other.launches.size() != state.original.launches.size()) continue;
    for (size_t i = 0; i < other.launches.size(); ++i) {
      const auto& now = other.launches[i].buffers;
      const auto& first = state.original.launches[i].buffers;
      for (size_t b = 0; b < now.size() && b < first.size(); ++b) {
        if (now[b].after != first[b].after) state.order_dependent[i][b] = true;
      }
    }
  }
}

bool same_launch(const TracedLaunch& a, const TracedLaunch& b, std::string& difference) {
  if (kernel_base_name(a.kernel) != kernel_base_name(b.kernel)) {
    difference = fmt::format("is of {}, the original's is of {}", b.kernel, a.kernel);
  } else if (a.grid != b.grid || a.block != b.block) {
    difference = fmt::format("has {} blocks of {} threads, the original's has {} of {}",
                             fmt::join(b.grid, "x"), fmt::join(b.block, "x"),
                             fmt::join(a.grid, "x"), fmt::join(a.block, "x"));
  } else if (a.arguments.size() != b.arguments.size() || a.buffers.size() != b.buffers.size()) {
    difference = "has other parameters than the original's";
  }
  return difference.empty();
}

bool same_before(const Verification& state, const TracedLaunch& a, const TracedLaunch& b) {
  for (size_t i = 0; i < a.buffers.size(); ++i) {
    const BufferPair pair{.launch = &a,
                          .buffer = static_cast<int64_t>(i),
                          .original = a.buffers[i].before,
                          .port = b.buffers[i].before};
    if (!compare_buffer(view_of(state, a.kernel), pair).right) return false;
  }
  return true;
}

struct Agreement {
  bool same_bits = true;
  std::string difference;  // the first that is not right; "" if all are
};

// All buffers of a launch after the original and after the port, in order.
Agreement compare_buffers(const Verification& state, size_t index, const TracedLaunch& launch,
                          const std::vector<std::string_view>& original,
                          const std::vector<std::string_view>& port) {
  Agreement agreement;
  for (size_t b = 0; b < original.size(); ++b) {
    const Difference difference = compare_buffer(
        view_of(state, launch.kernel), {.launch = &launch,
                                        .buffer = static_cast<int64_t>(b),
                                        .original = original[b],
                                        .port = port[b],
                                        .order_dependent = state.order_dependent[index][b]});
    agreement.same_bits = agreement.same_bits && difference.same_bits;
    if (!difference.right) {
      agreement.difference = difference.message;
      return agreement;
    }
  }
  return agreement;
}

std::vector<std::string_view> after(const TracedLaunch& launch) {
  std::vector<std::string_view> contents;
  for (const TracedBuffer& buffer : launch.buffers) contents.emplace_back(buffer.after);
  return contents;
}

// One launch of the port's program beside the original's. A kernel is not blamed for what it was
// given.
void compare_launch(Verification& state, size_t index, const TracedLaunch& port,
                    const std::string& run) {
  const TracedLaunch& original = state.original.launches[index];
  KernelReport& report = report_of(state, original.kernel);
  VerifyCase result{.name = fmt::format("launch {}, {}", index, run), .right = true, .message = {}};
  bool same_bits = false;
  if (same_launch(original, port, result.message)) {
    if (!same_before(state, original, port)) return;
    const Agreement agreement =
        compare_buffers(state, index, original, after(original), after(port));
    same_bits = agreement.same_bits;
    result.message = agreement.difference;
  }
  result.right = result.message.empty();
  add_case(report, std::move(result), same_bits);
}

std::string program_difference(const Verification& state, const Trace& port) {
  if (port.status != "ended") return fmt::format("the port's program: {}", port.status);
  if (port.exit_code != state.original.exit_code) {
    return fmt::format("the port's program ends with exit code {}, the original's with {}: {}",
                       port.exit_code, state.original.exit_code,
                       (port.out + port.err).substr(0, 200));
  }
  if (port.launches.size() != state.original.launches.size()) {
    return fmt::format("the port's program makes {} launches, the original's {}",
                       port.launches.size(), state.original.launches.size());
  }
  return "";
}

void run_port(Verification& state, int wave_width, uint64_t seed) {
  const std::string run = fmt::format("width {}, seed {}", wave_width, seed);
  RunManner how = manner(state, true, wave_width, seed);
  how.poison = seed == 0 ? 0xa5 : 0x5a;
  const Trace port = run_program(how);
  for (const TracedProblem& problem : port.problems) {
    add_case(report_of(state, problem.kernel), {run, false, text_of(problem)}, false);
  }
  const std::string difference = program_difference(state, port);
  if (!difference.empty() && state.report.program.empty()) {
    state.report.program = fmt::format("{} ({})", difference, run);
  }
  for (size_t i = 0; i < port.launches.size() && i < state.original.launches.size(); ++i) {
    state.port_symbols.try_emplace(kernel_base_name(port.launches[i].kernel),
                                   port.launches[i].symbol);
    compare_launch(state, i, port.launches[i], run);
  }
}

// The changed launch in the original; nothing if the original itself cannot take it.
std::optional<Replayed> measure(const Verification& state, const LaunchCase& one) {
  Replayed original = replay(one.launch, one.launch.symbol, manner(state, false, 32));
  if (original.status != "ended" || first_fault(original.problems, false) != nullptr) {
    return std::nullopt;
  }
  return original;
}

VerifyCase judge_replay(const Verification& state, size_t index, const LaunchCase& one,
                        const Replayed& original, const Replayed& port, bool& same_bits) {
  if (port.status != "ended" || !port.problems.empty()) {
    same_bits = false;
    return {one.name, false, port.problems.empty() ? port.status : text_of(port.problems[0])};
  }
  const Agreement agreement =
      compare_buffers(state, index, one.launch, {original.buffers.begin(), original.buffers.end()},
                      {port.buffers.begin(), port.buffers.end()});
  same_bits = agreement.same_bits;
  return {one.name, agreement.difference.empty(), agreement.difference};
}

// Whether the original itself would be called wrong with its waves in another order: a size that it
// does not allow may let several threads write one place.
bool contradicts_itself(const Verification& state, size_t index, const LaunchCase& one,
                        const Replayed& original) {
  return std::any_of(kSeeds.begin(), kSeeds.end(), [&](uint64_t seed) {
    const Replayed other = replay(one.launch, one.launch.symbol, manner(state, false, 32, seed));
    bool same_bits = true;
    return !judge_replay(state, index, one, original, other, same_bits).right;
  });
}

void try_case(Verification& state, size_t index, const LaunchCase& one) {
  const auto symbol = state.port_symbols.find(kernel_base_name(one.launch.kernel));
  if (symbol == state.port_symbols.end()) return;
  const auto original = measure(state, one);
  if (!original) return;
  for (const int width : {64, 32}) {
    LaunchCase named = one;
    named.name = fmt::format("launch {}, {}, width {}", index, one.name, width);
    RunManner how = manner(state, true, width, width == 64 ? 1 : 0);
    const Replayed port = replay(one.launch, symbol->second, how);
    bool same_bits = true;
    VerifyCase result = judge_replay(state, index, named, *original, port, same_bits);
    if (!result.right && contradicts_itself(state, index, one, *original)) return;
    add_case(report_of(state, one.launch.kernel), std::move(result), same_bits);
  }
}

std::string geometry(const TracedLaunch& launch) {
  return fmt::format("{} {} {} {}", kernel_base_name(launch.kernel), fmt::join(launch.grid, ","),
                     fmt::join(launch.block, ","), launch.dynamic_shared_bytes);
}

void vary_launches(Verification& state) {
  std::set<std::string> seen;
  std::map<std::string, int> num_varied;
  for (size_t i = 0; i < state.original.launches.size(); ++i) {
    const TracedLaunch& launch = state.original.launches[i];
    if (!seen.insert(geometry(launch)).second ||
        ++num_varied[kernel_base_name(launch.kernel)] > kMaxLaunchesPerKernel) {
      continue;
    }
    const KernelView& view = view_of(state, launch.kernel);
    std::vector<LaunchCase> cases = value_cases(launch, view, state.request.key);
    for (LaunchCase& one : size_cases(launch, view, matching_formulas(state.facts, launch))) {
      cases.push_back(std::move(one));
    }
    for (const LaunchCase& one : cases) try_case(state, i, one);
  }
}

// The path of a program's module.
std::string built(const ModuleSources& sources) {
  const Module module = build_module(sources);
  if (module.ok) return module.path;
  for (const CompilerMessage& message : module.messages) {
    if (message.severity != "error" && message.severity != "fatal") continue;
    throw Error(ErrorKind::bad_input, fmt::format("{}:{}:{}: {}", message.file, message.line,
                                                  message.column, message.message));
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: does not compile", fmt::join(sources.files, ", ")));
}

void conclude(Verification& state) {
  for (const auto& kernel : state.facts.at("kernels")) {  // also those that nothing launches
    report_of(state, kernel.at("name"));
  }
  for (auto& [name, report] : state.reports) {
    if (!report.failures.empty()) {
      report.verdict = KernelVerdict::wrong;
      report.reason = report.failures[0].name + ": " + report.failures[0].message;
    } else if (report.num_cases > 0) {
      report.verdict = KernelVerdict::right;
    } else if (report.reason.empty()) {
      report.reason = "the program does not launch it";
    }
    state.report.kernels.push_back(report);
  }
}

}  // namespace

std::string_view name_of(KernelVerdict verdict) {
  constexpr std::array<std::string_view, 3> kNames{"right", "wrong", "unverified"};
  return kNames[static_cast<size_t>(verdict)];
}

bool VerifyReport::right() const {
  return program.empty() && !kernels.empty() &&
         std::all_of(kernels.begin(), kernels.end(), [](const KernelReport& kernel) {
           return kernel.verdict == KernelVerdict::right;
         });
}

VerifyReport verify_port(const VerifyRequest& request) {
  const auto module_of = [&](const Program& program, const char* dialect) {
    return built({.files = program.sources,
                  .dialect = dialect,
                  .arguments = program.arguments,
                  .checked = true,
                  .folder = request.folder});
  };
  Verification state{.request = request,
                     .original_module = module_of(request.original, "cuda"),
                     .port_module = module_of(request.port, "hip"),
                     .facts = request.original.facts,
                     .views = {},
                     .original = {},
                     .order_dependent = {},
                     .port_symbols = {},
                     .reports = {},
                     .report = {}};
  state.views = views_of(state.facts);
  const std::string fault = run_original(state);
  if (!fault.empty()) {
    state.report.program = "the original itself is not right in the executor: " + fault;
    for (const auto& kernel : state.facts.at("kernels")) {
      report_of(state, kernel.at("name")).reason = state.report.program;
    }
    conclude(state);
    return state.report;
  }
  find_order_dependence(state);
  run_port(state, 64, 0);
  run_port(state, 64, 1);
  run_port(state, 32, 0);
  vary_launches(state);
  conclude(state);
  return state.report;
}

nlohmann::json to_json(const VerifyReport& report) {
  nlohmann::json kernels = nlohmann::json::array();
  for (const KernelReport& kernel : report.kernels) {
    nlohmann::json failures = nlohmann::json::array();
    for (const VerifyCase& failure : kernel.failures) {
      failures.push_back({{"name", failure.name}, {"message", failure.message}});
    }
    kernels.push_back({{"kernel", kernel.kernel},
                       {"verdict", name_of(kernel.verdict)},
                       {"reason", kernel.reason},
                       {"num_cases", kernel.num_cases},
                       {"num_bit_identical", kernel.num_bit_identical},
                       {"failures", std::move(failures)}});
  }
  return {{"right", report.right()},
          {"program", report.program},
          {"kernels", std::move(kernels)},
          {"remarks", report.remarks}};
}

}  // namespace ambidex
