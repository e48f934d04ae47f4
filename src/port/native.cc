// SPDX-License-Identifier: Apache-2.0
#include "port/native.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "port/estimate.h"
#include "port/native_prompt.h"

namespace ambidex {

double least_gain(const std::vector<NativeGain>& gains) {
  double least = 0;
  for (const NativeGain& gain : gains) {
    const double ratio = gain.before_seconds / gain.after_seconds;
    least = least == 0 ? ratio : std::min(least, ratio);
  }
  return least;
}

}  // namespace ambidex

namespace ambidex::repair {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kNative = "native";  // the tree, in the folder of a port

/// What tier A of a kernel costs.
struct Cost {
  double seconds = 0;                     // of all launches of the program, on the first device
  std::vector<LaunchEstimate> estimates;  // of the launch that takes most, on each device
  double most_seconds = 0;
};

/// Tier A of the port, once for all tasks.
struct Baseline {
  std::vector<Device> devices;
  std::map<std::string, Program> programs;                    // in hip/, by name
  std::map<std::pair<std::string, std::string>, Cost> costs;  // by program and kernel
  std::map<std::string, std::string> faults;                  // of programs without an estimate
};

void add_costs(Baseline& baseline, const ProgramEstimate& program) {
  for (const KernelEstimate& kernel : program.kernels) {
    if (kernel.devices.empty()) continue;
    Cost& cost = baseline.costs[{program.program, kernel.kernel}];
    const double seconds =
        kernel.devices[0].time.seconds * static_cast<double>(kernel.num_launches);
    cost.seconds += seconds;
    if (seconds < cost.most_seconds) continue;
    cost.most_seconds = seconds;
    cost.estimates = kernel.devices;
  }
}

Baseline baseline_of(const PortRun& run, const Trees& tier_a, const RepairOptions& options) {
  Baseline baseline;
  for (const std::string& name : options.devices) baseline.devices.push_back(load_device(name));
  const auto& arguments = options.run.arguments;
  const std::vector<Program> originals = programs_of(tier_a.original, "cuda", arguments);
  for (const Program& port :
       programs_of(tier_a.hip, "hip", arguments_within(arguments, tier_a.original, tier_a.hip))) {
    baseline.programs[port.name] = port;
  }
  const auto passes = [&](const std::string& name) {
    return std::any_of(run.kernels.begin(), run.kernels.end(), [&](const PortedKernel& kernel) {
      return kernel.program == name && (kernel.verdict == PortVerdict::pass ||
                                        kernel.verdict == PortVerdict::pass_unmeasured);
    });
  };
  for (const Program& original : originals) {
    const auto port = baseline.programs.find(original.name);
    if (port == baseline.programs.end() || !passes(original.name)) continue;
    const ProgramEstimate program =
        estimate_program(original, port->second,
                         {.path = {},
                          .folder = (fs::path(options.run.folder) / "work" / "estimate").string(),
                          .devices = options.devices,
                          .arguments = arguments,
                          .words = options.run.words});
    if (!program.fault.empty()) baseline.faults[original.name] = program.fault;
    add_costs(baseline, program);
  }
  return baseline;
}

std::string kernel_of(const Task& task) { return *task.kernels.begin(); }

std::pair<std::string, std::string> id_of(const Task& task) {
  return {task.original.name, kernel_of(task)};
}

std::vector<CompiledSource> objects_of(const PortRun& run, const Program& program) {
  std::vector<CompiledSource> own;
  for (const CompiledSource& compiled : run.compiled) {
    if (std::find(program.sources.begin(), program.sources.end(), compiled.file) !=
        program.sources.end()) {
      own.push_back(compiled);
    }
  }
  return own;
}

NativeKernel result_of(const Task& task, const LoopEnd& end) {
  const Repaired& loop = end.repaired;
  NativeKernel result{.program = task.original.name,
                      .kernel = kernel_of(task),
                      .taken = loop.outcome == RepairOutcome::repaired,
                      .outcome = std::string(name_of(loop.outcome)),
                      .reason = loop.reason,
                      .num_turns = loop.num_turns,
                      .sha256 = loop.sha256,
                      .gains = {}};
  if (!result.taken) return result;
  result.outcome = "taken";
  result.gains = end.verdict.gains;
  for (const KernelReport& report : end.verdict.report.kernels) {
    if (report.kernel != result.kernel) continue;
    result.num_cases = report.num_cases;
    result.num_bit_identical = report.num_bit_identical;
  }
  return result;
}

void keep(const RepairRun& done, const LoopEnd& end, const Bench& bench,
          const RepairOptions& options) {
  const fs::path folder(options.run.folder);
  for (const auto& [name, text] : end.patch.files) {
    write_file((fs::path(bench.trees.hip) / name).string(), text);
  }
  fs::create_directories(folder / "objects" / kNative);
  for (const CompiledSource& source : end.verdict.objects) {
    for (const CodeObject& object : source.objects) {
      if (object.path.empty()) continue;
      fs::copy_file(object.path, folder / "objects" / kNative / fs::path(object.path).filename(),
                    fs::copy_options::overwrite_existing);
    }
  }
  const auto number = 1 + std::count_if(done.port.natives.begin(), done.port.natives.end(),
                                        [](const NativeKernel& kernel) { return kernel.taken; });
  write_file((folder / native_patch_name(number)).string(), diff_of(end.patch, bench.hip));
}

/// One task. Why it cannot be asked; "" if it was.
std::string ask(RepairRun& done, Session& session, const Task& task, const Baseline& baseline,
                const Trees& trees, const RepairOptions& options) {
  if (session.num_turns >= session.budget.num_turns || Clock::now() >= session.deadline) {
    LoopEnd end;
    end.repaired.outcome = RepairOutcome::budget;
    end.repaired.reason = "turns or seconds were used before it was its turn";
    done.port.natives.push_back(result_of(task, end));
    return "";
  }
  const auto cost = baseline.costs.find(id_of(task));
  const auto fault = baseline.faults.find(task.original.name);
  if (cost == baseline.costs.end() || fault != baseline.faults.end()) {
    return fault == baseline.faults.end() ? "it has no estimate" : "no estimate: " + fault->second;
  }
  const fs::path work = fs::path(options.run.folder) / "work";
  const std::string modules = (work / task.original.name).string();  // where verification has some
  const Program& port = baseline.programs.at(task.original.name);
  TierA tier_a;
  try {
    tier_a = tier_a_of(task, port, objects_of(done.port, port), baseline.devices, modules);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::unsupported) throw;
    return error.what();
  }
  tier_a.num_workers = options.run.num_workers;
  const Bench bench{.task = &task,
                    .trees = trees,
                    .original = read_texts(trees.original),
                    .hip = read_texts(trees.hip),
                    .folder = (work / kNative).string(),
                    .modules = modules,
                    .num_workers = options.run.num_workers,
                    .tier_a = &tier_a};
  const LoopEnd end =
      run_loop(session, bench, native_question(bench, baseline.devices, cost->second.estimates));
  if (end.repaired.outcome == RepairOutcome::repaired) keep(done, end, bench, options);
  done.port.natives.push_back(result_of(task, end));
  return "";
}

// The one with most predicted time, of those that were not tried.
const Task* next_task(const Tasks& all, const Baseline& baseline,
                      const std::set<std::pair<std::string, std::string>>& tried) {
  const Task* next = nullptr;
  double most = -1;
  for (const Task& task : all.tasks) {
    const auto cost = baseline.costs.find(id_of(task));
    const double seconds = cost == baseline.costs.end() ? 0 : cost->second.seconds;
    if (tried.contains(id_of(task)) || seconds <= most) continue;
    next = &task;
    most = seconds;
  }
  return next;
}

Json to_json(const NativeKernel& kernel) {
  Json launches = Json::array();
  for (const NativeGain& gain : kernel.gains) {
    launches.push_back({{"device", gain.device},
                        {"before_seconds", gain.before_seconds},
                        {"after_seconds", gain.after_seconds},
                        {"floor_seconds", gain.floor_seconds},
                        {"before_binds", name_of(gain.before_binds)},
                        {"after_binds", name_of(gain.after_binds)}});
  }
  return {{"program", kernel.program},
          {"kernel", kernel.kernel},
          {"outcome", kernel.outcome},
          {"reason", kernel.reason},
          {"num_turns", kernel.num_turns},
          {"sha256", kernel.sha256},
          {"num_cases", kernel.num_cases},
          {"num_bit_identical", kernel.num_bit_identical},
          {"least_gain", kernel.taken ? Json(least_gain(kernel.gains)) : Json()},
          {"launches", std::move(launches)}};
}

}  // namespace

void check_native_devices(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const Device device = load_device(name);
    if (device.id == name && (device.isa == "gfx942" || device.isa == "gfx950")) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("--device {}: expected the name of an AMD device with gfx942 or gfx950 "
                            "in `ambidex devices`, such as mi300x or mi355x",
                            quote(name)));
  }
}

void ask_for_native_bodies(RepairRun& done, Session& session, const RepairOptions& options) {
  const fs::path folder(options.run.folder);
  const Trees tier_a{(folder / "original").string(), (folder / "hip").string()};
  const Trees trees{tier_a.original, (folder / kNative).string()};
  const Baseline baseline = baseline_of(done.port, tier_a, options);
  fs::copy(tier_a.hip, trees.hip, fs::copy_options::recursive);
  std::set<std::pair<std::string, std::string>> tried;
  for (;;) {  // a body that is taken moves what follows it, so tasks are found anew
    const Tasks all = native_tasks_of(done.port, trees, options.run.arguments);
    if (tried.empty()) done.not_native = all.leftovers;
    const Task* const task = next_task(all, baseline, tried);
    if (task == nullptr) break;
    tried.insert(id_of(*task));
    const std::string why = ask(done, session, *task, baseline, trees, options);
    if (!why.empty()) done.not_native.push_back({task->original.name, kernel_of(*task), why});
  }
  const bool taken = std::any_of(done.port.natives.begin(), done.port.natives.end(),
                                 [](const NativeKernel& kernel) { return kernel.taken; });
  if (!taken) fs::remove_all(trees.hip);  // it would be tier A once more
}

Json native_json(const RepairRun& done, const RepairOptions& options) {
  Json kernels = Json::array(), not_asked = Json::array();
  for (const NativeKernel& kernel : done.port.natives) kernels.push_back(to_json(kernel));
  for (const Leftover& one : done.not_native) {
    not_asked.push_back({{"program", one.program}, {"kernel", one.kernel}, {"why", one.why}});
  }
  return {{"measured", false},
          {"least_gain", kLeastGain},
          {"devices", options.devices},
          {"kernels", std::move(kernels)},
          {"not_asked", std::move(not_asked)}};
}

}  // namespace ambidex::repair
