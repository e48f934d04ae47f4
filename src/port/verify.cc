// SPDX-License-Identifier: Apache-2.0
#include "port/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "base/text.h"
#include "port/modules.h"
#include "port/verification.h"

namespace ambidex {
namespace {

constexpr const char* kFirstArch = "gfx942";  // the others are looked at where their code differs

Module built(const ModuleSources& sources) {
  Module module = build_module(sources);
  if (module.ok) return module;
  if (const CompilerMessage* const error = first_error(module)) {
    const std::string place =
        error->file.empty()
            ? ""
            : fmt::format("{}:{}:{}: ", printable(error->file), error->line, error->column);
    throw Error(ErrorKind::bad_input, place + printable(error->message));
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: does not compile", fmt::join(sources.files, ", ")));
}

Module port_module(const VerifyRequest& request, const std::string& arch) {
  ModuleSources sources = module_sources(request.port, "hip", request.folder);
  sources.arch = arch;
  return built(sources);
}

std::map<std::string, std::string> symbols_of(const Module& module) {
  std::map<std::string, std::string> symbols;
  for (const ModuleKernel& kernel : module.kernels) {
    symbols.try_emplace(kernel_base_name(kernel.name), kernel.symbol);
  }
  return symbols;
}

std::vector<const ModuleKernel*> instances_of(const Module& module, const std::string& stem) {
  std::vector<const ModuleKernel*> kernels;
  for (const ModuleKernel& kernel : module.kernels) {
    if (kernel_stem(kernel.name) == stem) kernels.push_back(&kernel);
  }
  return kernels;
}

// The port's kernels by the original's names: a template's instances may be named by types that HIP
// calls otherwise, and then come in the same order.
std::map<std::string, std::string> port_symbols_of(const Module& original, const Module& port) {
  std::map<std::string, std::string> symbols = symbols_of(port);
  for (const ModuleKernel& kernel : original.kernels) {
    const std::string name = kernel_base_name(kernel.name);
    if (symbols.contains(name)) continue;
    const std::string stem = kernel_stem(kernel.name);
    const auto own = instances_of(original, stem), others = instances_of(port, stem);
    if (own.size() != others.size()) continue;
    for (size_t i = 0; i < own.size(); ++i) {
      if (own[i] == &kernel) symbols.emplace(name, others[i]->symbol);
    }
  }
  return symbols;
}

// A kernel that is right on waves of 32 lanes and wrong on those of 64.
bool fails_by_width(const KernelReport& report) {
  return std::all_of(report.failures.begin(), report.failures.end(), [](const VerifyCase& failed) {
    return failed.name.find("width 64") != std::string::npos;
  });
}

// What the port alone compares with is looked at too: a branch on one size that the original lacks.
void add_compared(KernelViews& views, const KernelViews& port) {
  for (auto& [name, view] : views) {
    for (const auto& [other, its] : port) {
      if (kernel_stem(other) == kernel_stem(name)) {
        view.compared.insert(its.compared.begin(), its.compared.end());
        for (const auto& [parameter, values] : its.choices) {
          view.choices[parameter].insert(values.begin(), values.end());
        }
      }
    }
  }
}

// An output of which no case has shown a number; a kernel may be made to fill it with infinities.
void note_numberless(Verification& state, const KernelReport& report) {
  for (const OutputSeen& output : report.outputs) {
    if (!has_no_number({&output, 1})) continue;
    state.report.remarks.push_back(
        fmt::format("{}: every float that it leaves in {} is NaN or infinite, in every case",
                    report.kernel, output.name));
  }
}

void conclude(Verification& state) {
  state.report.remarks.insert(state.report.remarks.end(), state.notes.begin(), state.notes.end());
  for (const auto& kernel : state.request.original.facts.at("kernels")) {
    report_of(state, kernel.at("name"));  // also those that nothing launches
  }
  std::map<std::string, std::string> undecided = undecided_kernels(state);
  undecided.merge(unseen_faults(state));
  for (auto& [name, report] : state.reports) {
    if (is_of_library(name)) {
      if (!report.failures.empty() && state.report.program.empty()) {
        state.report.program = fmt::format("a call of a library: {}: {}", report.failures[0].name,
                                           report.failures[0].message);
      }
      continue;
    }
    if (!report.failures.empty()) {
      report.verdict = KernelVerdict::wrong;
      report.reason = report.failures[0].name + ": " + report.failures[0].message;
      if (fails_by_width(report) && !state.request.stop_at_first && state.request.any_width) {
        state.report.remarks.push_back(
            fmt::format("{} is right on waves of 32 lanes: it depends on the width", name));
      }
    } else if (report.num_cases > 0 && undecided.contains(name)) {
      report.reason = undecided.at(name);
    } else if (report.num_cases > 0 && report.takes_floats && has_no_number(report.outputs)) {
      report.reason =
          "every float that it leaves is NaN or infinite, in every case: how it computes was not "
          "compared; give it other data";
    } else if (report.num_cases > 0) {
      note_numberless(state, report);
      report.verdict = KernelVerdict::right;
      report.reason.clear();  // of a launch that could not be judged
    } else if (report.reason.empty()) {
      report.reason = is_decided(state) ? "not looked at, since something else is wrong already"
                                        : "the program does not launch it";
    }
    state.report.kernels.push_back(report);
  }
}

// Both programs from their main, then the launches that they make, changed.
void verify_program(Verification& state) {
  struct PortRun {
    int wave_width;
    uint64_t seed;
    int poison;
  };
  for (const PortRun& run : {PortRun{64, 0, 0}, PortRun{64, 1, 1}, PortRun{32, 0, 0}}) {
    if (is_decided(state)) return;
    if (!state.request.whole_program) break;
    if (run.wave_width == 32 && !state.request.any_width) continue;
    run_port(state, run.wave_width, run.seed, run.poison);
  }
  if (!is_decided(state)) vary_launches(state);
  if (state.request.use_gpus && state.request.whole_program) verify_on_gpus(state);
}

// Contracts of kernels that nothing launches, not even another instance of their template.
void suggest_contracts(Verification& state) {
  std::set<std::string> launched;
  for (const auto& launches : {state.original().launches, launches_of_siblings(state)}) {
    for (const TracedLaunch& launch : launches) launched.insert(kernel_base_name(launch.kernel));
  }
  for (const auto& kernel : state.request.original.facts.at("kernels")) {
    const std::string name = kernel_base_name(kernel.at("name"));
    const bool is_known = state.contracts.contains(name) || launched.contains(name) ||
                          is_of_library(name) || !state.original_symbols.contains(name);
    if (!is_known) report_of(state, name).reason = propose_by_signature(state, kernel);
  }
}

// What the kernels do, by contracts; there is nothing to run.
void verify_kernels(Verification& state) {
  state.measures[0] = Measure{.trace = {}, .orders = {}, .roundings = {}};
  hold_contracts(state);
  suggest_contracts(state);
  vary_launches(state);
}

// A main that wants words or files that it is not given says nothing of its kernels.
void verify_without_main(Verification& state, const std::string& fault) {
  state.report.library = fmt::format(
      "main launches nothing ({}), so its kernels were verified as a library's, on generated "
      "inputs; give it arguments with --args",
      single_line(fault));
  state.report.remarks.push_back(state.report.library);
  verify_kernels(state);
}

void judge_program(Verification& state) {
  const OriginalFault fault = run_original(state);
  if (fault.text.empty()) {
    hold_contracts(state);
    if (!state.request.stop_at_first) {
      freeze_contracts(state);
      suggest_contracts(state);
    }
    verify_program(state);
    return;
  }
  if (fault.launches_nothing) {
    verify_without_main(state, fault.text);
    return;
  }
  state.report.program = fault.is_beyond_executor
                             ? "the executor cannot run the original: " + fault.text
                             : "the original itself is not right in the executor: " + fault.text;
  for (const auto& kernel : state.request.original.facts.at("kernels")) {
    report_of(state, kernel.at("name")).reason = state.report.program;
  }
}

nlohmann::json json_of(const VerifyCase& failed) {
  nlohmann::json row{{"name", failed.name}, {"message", failed.message}};
  if (failed.place) {
    row["place"] = {{"file", failed.place->file},
                    {"line", failed.place->line},
                    {"block", failed.place->block},
                    {"thread", failed.place->thread}};
  }
  if (failed.first) {
    row["element"] = {{"buffer", failed.first->name},
                      {"index", failed.first->index},
                      {"expected", failed.first->expected},
                      {"actual", failed.first->actual}};
  }
  return row;
}

VerifyReport verify_modules(const VerifyRequest& request, const Module& original,
                            const Module& port) {
  Verification state{.request = request,
                     .original_module = original.path,
                     .port_module = port.path,
                     .views = views_of(request.original.facts),
                     .measures = {},
                     .original_symbols = symbols_of(original),
                     .port_symbols = port_symbols_of(original, port),
                     .contracts = {},
                     .reports = {},
                     .notes = {},
                     .original_decisions = original.decisions,
                     .port_decisions = port.decisions,
                     .original_seen = {},
                     .port_seen = {},
                     .port_seen_by_kernel = {},
                     .report = {}};
  if (request.port.facts.contains("kernels")) {  // a mutant comes without
    add_compared(state.views, views_of(request.port.facts));
  }
  take_contracts(state);
  if (request.original.has_main) {
    judge_program(state);
  } else {
    verify_kernels(state);
  }
  conclude(state);
  for (const auto& [kernel, contract] : state.contracts) state.report.contracts.push_back(contract);
  return state.report;
}

// A port is right if it is on every arch.
void add_arch(VerifyReport& report, const std::string& arch, const VerifyReport& other) {
  if (report.program.empty() && !other.program.empty()) {
    report.program = fmt::format("on {}: {}", arch, other.program);
  }
  for (const KernelReport& its : other.kernels) {
    const auto known = std::find_if(report.kernels.begin(), report.kernels.end(),
                                    [&](const auto& own) { return own.kernel == its.kernel; });
    if (known == report.kernels.end()) {
      report.kernels.push_back(its);
      continue;
    }
    const int64_t num_cases = known->num_cases + its.num_cases;
    const int64_t num_bit_identical = known->num_bit_identical + its.num_bit_identical;
    const bool worse =
        its.verdict == KernelVerdict::wrong ||
        (its.verdict == KernelVerdict::unverified && known->verdict == KernelVerdict::right);
    if (known->verdict != KernelVerdict::wrong && worse) {
      *known = its;
      known->reason = fmt::format("on {}: {}", arch, its.reason);
    }
    known->num_cases = num_cases;
    known->num_bit_identical = num_bit_identical;
    for (const OutputSeen& output : its.outputs) add_output(known->outputs, output);
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
  const Module original = built(module_sources(request.original, "cuda", request.folder));
  const Module port = port_module(request, kFirstArch);
  VerifyReport report = verify_modules(request, original, port);
  for (const OtherArch& other : port.other_archs) {
    if (request.stop_at_first && !report.right()) break;
    report.remarks.push_back(fmt::format("{} gets other code than {} ({}:{}): each was verified",
                                         other.arch, kFirstArch, other.file, other.line));
    add_arch(report, other.arch,
             verify_modules(request, original, port_module(request, other.arch)));
  }
  return report;
}

nlohmann::json to_json(const VerifyReport& report) {
  nlohmann::json kernels = nlohmann::json::array(), contracts = nlohmann::json::array();
  for (const KernelReport& kernel : report.kernels) {
    nlohmann::json failures = nlohmann::json::array();
    for (const VerifyCase& failure : kernel.failures) failures.push_back(json_of(failure));
    kernels.push_back({{"kernel", kernel.kernel},
                       {"verdict", name_of(kernel.verdict)},
                       {"reason", kernel.reason},
                       {"num_cases", kernel.num_cases},
                       {"num_bit_identical", kernel.num_bit_identical},
                       {"outputs", to_json(kernel.outputs)},
                       {"failures", std::move(failures)}});
  }
  for (const Contract& contract : report.contracts) {
    contracts.push_back({{"kernel", contract.kernel}, {"hash", contract_hash(contract)}});
  }
  return {{"right", report.right()},           {"program", report.program},
          {"library", report.library},         {"kernels", std::move(kernels)},
          {"contracts", std::move(contracts)}, {"remarks", report.remarks}};
}

}  // namespace ambidex
