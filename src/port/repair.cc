// SPDX-License-Identifier: Apache-2.0
#include "port/repair.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <thread>

#include "base/files.h"
#include "port/bundle.h"
#include "port/native.h"
#include "port/port_folder.h"
#include "port/repair_loop.h"
#include "port/repair_shown.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using namespace repair;
using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 5> kOutcomes{"repaired", "gave-up", "budget", "endpoint",
                                                    "unnoticed"};

Trees trees_of(const RepairOptions& options) {
  const fs::path folder(options.run.folder);
  return {(folder / "original").string(), (folder / "hip").string()};
}

bool is_left(const PortedKernel& kernel) {
  return kernel.verdict != PortVerdict::pass && kernel.verdict != PortVerdict::pass_unmeasured;
}

// What the stages before this one did, and what is missing to go on.
[[noreturn]] void refuse_without_endpoint(const PortRun& run, const RepairOptions& options) {
  std::vector<std::string> left;
  for (const PortedKernel& kernel : run.kernels) {
    if (is_left(kernel)) left.push_back(kernel.kernel);
  }
  const std::string what = left.empty() ? "nothing is left, and native bodies were not asked for"
                                        : fmt::format("left: {}", fmt::join(left, ", "));
  throw Error(ErrorKind::bad_input,
              fmt::format("no model to ask: scan, translate, compile and verify are done, {} of {} "
                          "kernels are PASS-UNMEASURED, the port and its evidence are in {}; {}. "
                          "Set AMBIDEX_REPAIR_URL and "
                          "AMBIDEX_REPAIR_MODEL, and AMBIDEX_REPAIR_KEY if the endpoint wants one, "
                          "or give --endpoint FILE or --replay FILE",
                          run.count(PortVerdict::pass_unmeasured), run.kernels.size(),
                          options.run.folder, what));
}

// How the port as it is fails, as a model may know it.
std::string trouble_of(const Task& task, const PortRun& run, const Trees& trees) {
  for (const CompiledSource& compiled : run.compiled) {
    const bool own = std::find(task.port.sources.begin(), task.port.sources.end(), compiled.file) !=
                     task.port.sources.end();
    if (own && !compiled.ok) return within_folder(first_compile_error(compiled), trees.hip);
  }
  for (const KernelReport& report : task.report.kernels) {
    if (!task.kernels.contains(report.kernel) || report.verdict == KernelVerdict::right) continue;
    return within_folder(shown_failure(report), trees.hip);
  }
  return "";
}

// The port with an accepted patch: its files, objects and verdicts.
void take_over(RepairRun& done, const Task& task, const LoopEnd& end, const Bench& bench,
               const RepairOptions& options) {
  const Patch patch = without_marks(end.patch, bench.hip, task.bodies);
  for (const auto& [name, text] : patch.files) {
    write_file((fs::path(bench.trees.hip) / name).string(), text);
  }
  for (const std::string& source : task.port.sources) {
    if (fs::path(source).extension() != ".hip") continue;
    std::erase_if(done.port.compiled, [&](const auto& other) { return other.file == source; });
    done.port.compiled.push_back(compile_hip(
        source, {.archs = {"gfx942", "gfx950"},
                 .arguments = task.port.arguments,
                 .instantiations = {},
                 .touched = {},
                 .output_folder = (fs::path(options.run.folder) / "objects").string()}));
  }
  PortRun::ProgramRun program{
      .name = task.original.name, .report = end.verdict.report, .fault = {}};
  for (const PortRun::ProgramRun& before : done.port.programs) {
    if (before.name == program.name) program.repaired = before.repaired;
  }
  program.repaired.insert(task.kernels.begin(), task.kernels.end());
  judge_program(done.port, std::move(program), task.original);
  const size_t number = 1 + static_cast<size_t>(std::count_if(
                                done.repairs.begin(), done.repairs.end(), [](const auto& repair) {
                                  return repair.outcome == RepairOutcome::repaired;
                                }));
  write_file((fs::path(options.run.folder) / repair_patch_name(number)).string(),
             diff_of(patch, bench.hip));
}

std::string id_of(const Task& task) {
  return fmt::format("{}: {}", task.original.name, fmt::join(task.kernels, ", "));
}

void repair_all(RepairRun& done, Session& session, const RepairOptions& options) {
  const Trees trees = trees_of(options);
  std::set<std::string> tried;
  for (;;) {  // a repair moves what follows it, so tasks are found anew
    const Tasks all = tasks_of(done.port, trees, options.run.arguments);
    done.leftovers = all.leftovers;
    const auto task = std::find_if(all.tasks.begin(), all.tasks.end(),
                                   [&](const Task& one) { return !tried.contains(id_of(one)); });
    if (task == all.tasks.end()) return;
    tried.insert(id_of(*task));
    const Bench bench{.task = &*task,
                      .trees = trees,
                      .original = read_texts(trees.original),
                      .hip = read_texts(trees.hip),
                      .folder = (fs::path(options.run.folder) / "work" / "repair").string(),
                      .num_workers = options.run.num_workers};
    const LoopEnd end = run_loop(session, bench, trouble_of(*task, done.port, trees));
    if (end.repaired.outcome == RepairOutcome::repaired) {
      take_over(done, *task, end, bench, options);
    }
    done.repairs.push_back(end.repaired);
  }
}

Json repairs_json(const RepairRun& done, const RepairOptions& options) {
  Json repairs = Json::array(), leftovers = Json::array();
  for (const Repaired& one : done.repairs) {
    repairs.push_back({{"program", one.program},
                       {"kernels", one.kernels},
                       {"outcome", name_of(one.outcome)},
                       {"reason", one.reason},
                       {"num_turns", one.num_turns},
                       {"sha256", one.sha256}});
  }
  for (const Leftover& one : done.leftovers) {
    leftovers.push_back({{"program", one.program}, {"kernel", one.kernel}, {"why", one.why}});
  }
  return {{"model", options.endpoint ? options.endpoint->model : ""},
          {"num_turns", done.num_turns},
          {"num_tokens", done.num_tokens},
          {"repairs", std::move(repairs)},
          {"not_repairable", std::move(leftovers)},
          {"native", options.native ? native_json(done, options) : Json()}};
}

Json start_json(const RepairOptions& options, const Trees& trees) {
  return {{"port_sha256", hash_of(read_texts(trees.hip))},
          {"model", options.endpoint ? options.endpoint->model : ""},
          {"protocol", options.endpoint ? name_of(options.endpoint->protocol) : ""},
          {"num_turns", options.budget.num_turns},
          {"num_tokens", options.budget.num_tokens},
          {"max_seconds", options.budget.max_seconds},
          {"native", options.native},
          {"devices", options.devices}};
}

// A replay decides as the session did, so it has its budget.
void take_start(RepairOptions& options, const Replay& replay) {
  const Json& start = replay.start();
  if (!start.is_object()) {
    throw Error(ErrorKind::bad_input, options.replay + ": has no first line of a transcript");
  }
  options.budget.num_turns = start["num_turns"];
  options.budget.num_tokens = start["num_tokens"];
  options.budget.max_seconds = start["max_seconds"];
  options.native = start["native"];
  options.devices = start["devices"].get<std::vector<std::string>>();
  options.endpoint = Endpoint{.url = {}, .model = start["model"], .key = {}};
}

void run_session(RepairRun& done, const RepairOptions& options, Replay* replay) {
  const Clock::time_point begin = Clock::now();
  Json start = start_json(options, trees_of(options));
  if (replay != nullptr) start["protocol"] = replay->start()["protocol"];
  Transcript transcript((fs::path(options.run.folder) / "transcript.jsonl").string(), start);
  Session session{
      .budget = options.budget,
      .endpoint = replay != nullptr ? nullptr : &*options.endpoint,
      .replay = replay,
      .transcript = &transcript,
      .pause = options.pause,
      .deadline = begin + std::chrono::duration_cast<Clock::duration>(
                              std::chrono::duration<double>(options.budget.max_seconds))};
  if (!session.pause) {
    session.pause = [](double seconds) {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    };
  }
  repair_all(done, session, options);
  if (options.native) ask_for_native_bodies(done, session, options);
  done.num_turns = session.num_turns;
  done.num_tokens = session.num_tokens;
  done.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  transcript.finish({{"num_turns", done.num_turns}, {"num_tokens", done.num_tokens}});
}

}  // namespace

std::string_view name_of(RepairOutcome outcome) { return kOutcomes[static_cast<size_t>(outcome)]; }

RepairRun repair_port(const RepairOptions& options) {
  RepairOptions safe = options;
  safe.run.trusted = false;
  safe.run.folder = fs::absolute(safe.run.folder).lexically_normal().string();
  std::optional<Replay> replay;
  if (!safe.replay.empty()) {  // before anything is written: it may be of this folder
    replay.emplace(safe.replay);
    take_start(safe, *replay);
  }
  if (safe.native) check_native_devices(safe.devices);
  RepairRun done{.port = run_port(safe.run), .repairs = {}, .leftovers = {}, .not_native = {}};
  const bool left = std::any_of(done.port.kernels.begin(), done.port.kernels.end(), is_left);
  if (!left && !safe.native) return done;
  if (!safe.endpoint) refuse_without_endpoint(done.port, safe);
  const FolderLock lock(safe.run.folder);
  safe.run.arguments = done.port.arguments;
  run_session(done, safe, replay ? &*replay : nullptr);
  write_file((fs::path(safe.run.folder) / "repair.json").string(),
             repairs_json(done, safe).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  write_bundle(done.port, safe.run);
  return done;
}

}  // namespace ambidex
