// SPDX-License-Identifier: Apache-2.0
#include "port/repair_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/files.h"
#include "port/bundle.h"
#include "port/modules.h"
#include "port/repair_cheats.h"
#include "port/repair_shown.h"
#include "port/repair_writes.h"
#include "port/time_limit.h"
#include "port/trace.h"
#include "port/verification.h"
#include "port/work_done.h"

namespace ambidex::repair {
namespace {

namespace fs = std::filesystem;

Verdict refused(std::string gate, std::string reason) {
  return {.gate = std::move(gate), .reason = reason, .shown = reason, .report = {}};
}

// The same program in another folder.
Program moved(const Program& program, const std::string& from, const std::string& to) {
  Program copy = program;
  const auto move = [&](const std::string& path) {
    const std::string name = name_in(from, path);
    return name.empty() ? path : (fs::path(to) / name).string();
  };
  for (std::string& source : copy.sources) source = move(source);
  for (std::string& argument : copy.arguments) {
    if (argument.starts_with("-I")) argument = "-I" + move(argument.substr(2));
  }
  return copy;
}

// A tree of the candidate's own, written anew, so that nothing of an earlier one is left in it.
std::string written_tree(const Bench& bench, const Patch& patch) {
  const fs::path tree = fs::path(bench.folder) / "candidate";
  std::error_code ignored;
  fs::remove_all(tree, ignored);
  for (const auto& [name, text] : bench.hip) {
    const auto changed = patch.files.find(name);
    fs::create_directories((tree / name).parent_path());
    write_file((tree / name).string(), changed == patch.files.end() ? text : changed->second);
  }
  return tree.string();
}

// Where the bodies are once the patch is in.
std::vector<Body> moved_bodies(const Bench& bench, const Patch& patch) {
  std::vector<Body> bodies = bench.task->bodies;
  for (Body& body : bodies) {
    const Body was = body;
    for (const BodyChange& change : patch.changes) {
      const auto grown = std::ssize(change.after) - std::ssize(change.before);
      if (change.body.file != was.file) continue;
      if (change.body.begin < was.begin) {
        body.head += grown;
        body.begin += grown;
      }
      if (change.body.begin <= was.begin) body.end += grown;
    }
  }
  return bodies;
}

std::string manifest_fault(const Bench& bench, const std::vector<Body>& bodies,
                           const std::string& tree) {
  const auto before = manifest_of(bench.hip, bench.task->bodies);
  const auto after = manifest_of(read_texts(tree), bodies);
  if (before == after) return "";
  for (const auto& [name, hash] : before) {
    const auto found = after.find(name);
    if (found == after.end() || found->second != hash) {
      return fmt::format("{} is changed outside of what may be changed", name);
    }
  }
  return "there are files that were not there before";
}

// Lines of the bodies, whose warnings count as errors.
std::vector<int64_t> touched_lines(const std::vector<Body>& bodies, const std::string& file,
                                   const std::string& text) {
  std::vector<int64_t> lines;
  for (const Body& body : bodies) {
    if (body.file != file) continue;
    const auto line_of = [&](int64_t offset) {
      return 1 + std::count(text.begin(), text.begin() + offset, '\n');
    };
    for (int64_t line = line_of(body.begin); line <= line_of(body.end); ++line) {
      lines.push_back(line);
    }
  }
  return lines;
}

// Of all sources in HIP, up to the first that does not compile.
std::vector<CompiledSource> compiled(const Bench& bench, const Patch& patch,
                                     const std::vector<Body>& bodies, const Program& program,
                                     const std::string& tree) {
  std::vector<CompiledSource> all;
  for (const std::string& source : program.sources) {
    if (fs::path(source).extension() != ".hip") continue;
    const std::string name = name_in(tree, source);
    CompileOptions options{.archs = {"gfx942", "gfx950"},
                           .arguments = program.arguments,
                           .instantiations = {},
                           .touched = {},
                           .output_folder = bench.folder + "/objects"};
    if (const auto changed = patch.files.find(name); changed != patch.files.end()) {
      options.touched[source] = touched_lines(bodies, name, changed->second);
    }
    all.push_back(compile_hip(source, options));
    if (!all.back().ok) break;
  }
  return all;
}

const KernelReport* report_of(const VerifyReport& report, const std::string& kernel) {
  for (const KernelReport& one : report.kernels) {
    if (kernel_base_name(one.kernel) == kernel) return &one;
  }
  return nullptr;
}

bool is_judged(const Task& task, const KernelReport& one) {
  const std::string name = kernel_base_name(one.kernel);
  const KernelReport* const before = report_of(task.report, name);
  return task.kernels.contains(name) ||
         (before != nullptr && before->verdict == KernelVerdict::right);
}

// The first kernel of the task that is not right, or another that has become wrong. Where one is
// wrong, the others may not have been looked at.
const KernelReport* wrong_kernel(const Task& task, const VerifyReport& report) {
  const KernelReport* unverified = nullptr;
  for (const KernelReport& one : report.kernels) {
    if (one.verdict == KernelVerdict::right || !is_judged(task, one)) continue;
    if (one.verdict == KernelVerdict::wrong) return &one;
    unverified = &one;
  }
  return unverified;
}

bool is_right_but_for_unlaunched(const VerifyReport& report) {
  return std::none_of(report.kernels.begin(), report.kernels.end(),
                      [](const KernelReport& one) { return one.verdict == KernelVerdict::wrong; });
}

void judge_report(const Task& task, Verdict& verdict) {
  const VerifyReport& report = verdict.report;
  if (const KernelReport* wrong = wrong_kernel(task, report)) {
    verdict.gate = "verify";
    verdict.reason = fmt::format("{}: {}", wrong->kernel, wrong->reason);
    verdict.shown = fmt::format("{}: {}", wrong->kernel, shown_failure(*wrong));
    return;
  }
  for (const std::string& kernel : task.kernels) {
    if (report_of(report, kernel) != nullptr) continue;
    verdict.gate = "verify";
    verdict.reason = verdict.shown = fmt::format("{} was not verified", kernel);
    return;
  }
  const bool was_different = !task.report.kernels.empty() && !task.report.program.empty();
  if (report.program.empty() || (was_different && !is_right_but_for_unlaunched(report))) return;
  verdict.gate = "verify";
  verdict.reason = report.program;
  verdict.shown = "the program as a whole ends differently than the original";
}

// Files by their names: the candidate's are those of the port, the original's are in original/.
void name_places(VerifyReport& report, const std::string& tree, const std::string& original) {
  const std::string root = fs::path(original).parent_path().string();
  const auto named = [&](const std::string& text) {
    return within_folder(within_folder(text, tree), root);
  };
  report.program = named(report.program);
  for (std::string& remark : report.remarks) remark = named(remark);
  for (KernelReport& kernel : report.kernels) {
    kernel.reason = named(kernel.reason);
    for (VerifyCase& failure : kernel.failures) {
      failure.message = named(failure.message);
      if (failure.place) failure.place->file = named(failure.place->file);
    }
  }
}

// How the programs of a request run by themselves.
RunManner manner_of(const Bench& bench, const VerifyRequest& request, Side side, bool counted) {
  const bool port = side == Side::port;
  const Program& program = port ? request.port : request.original;
  ModuleSources sources = module_sources(program, port ? "hip" : "cuda", request.folder);
  sources.counted = counted;
  const Module module = build_module(sources);
  check(module.ok, "what was verified compiles");
  RunManner how =
      manner_at(port ? 64 : 32, module.path, bench.folder + (counted ? "/work" : "/writes"),
                counted ? 1 : bench.num_workers);
  how.words = request.original.words;
  return how;
}

std::string writes_fault(const Bench& bench, const VerifyRequest& request) {
  if (!request.original.has_main) return "";  // no launch of its own
  return unwritten_in({.original = manner_of(bench, request, Side::original, false),
                       .port = manner_of(bench, request, Side::port, false),
                       .kernels = bench.task->kernels});
}

// Beside the original; a native body is held to tier A, on launches that are not shown.
std::string left_out(const Bench& bench, const VerifyRequest& request) {
  if (!request.original.has_main || bench.tier_a != nullptr) return "";
  return work_fault({.original = manner_of(bench, request, Side::original, true),
                     .port = manner_of(bench, request, Side::port, true),
                     .kernels = bench.task->kernels});
}

void judge_native(const Bench& bench, const VerifyRequest& request, uint64_t key,
                  Verdict& verdict) {
  const TierA& tier_a = *bench.tier_a;
  GainVerdict gain = judge_gain(
      tier_a, native_code_of(request.port, verdict.objects, tier_a.kernel, request.folder), key,
      bench.folder + "/gain");
  verdict.gate = std::move(gain.gate);
  verdict.reason = std::move(gain.reason);
  verdict.shown = std::move(gain.shown);
  verdict.gains = std::move(gain.gains);
}

// Nothing but kernels of the task was wrong: the first wrong thing is the candidate's.
bool has_all_trouble(const Task& task) {
  return !task.report.kernels.empty() &&
         std::none_of(task.report.kernels.begin(), task.report.kernels.end(),
                      [&](const KernelReport& one) {
                        return one.verdict == KernelVerdict::wrong &&
                               !task.kernels.contains(kernel_base_name(one.kernel));
                      });
}

// As the first verification has frozen them on the program's own launches.
std::vector<Contract> contracts_of(const Task& task) {
  std::vector<Contract> contracts;
  if (!task.original.has_main) return contracts;
  for (const Contract& contract : task.report.contracts) {
    if (task.kernels.contains(contract.kernel)) contracts.push_back(contract);
  }
  return contracts;
}

VerifyRequest request_of(const Bench& bench, const std::string& tree, uint64_t key) {
  return {.original = bench.task->original,
          .port = moved(bench.task->port, bench.trees.hip, tree),
          .folder = bench.modules.empty() ? bench.folder + "/verify" : bench.modules,
          .key = key,
          .num_workers = bench.num_workers,
          .trusted = false,
          .use_gpus = false,
          .stop_at_first = has_all_trouble(*bench.task),
          .any_width = bench.tier_a == nullptr,
          .contracts = contracts_of(*bench.task)};
}

// What has been verified, and what its results do not show.
void judge_runs(const Bench& bench, const VerifyRequest& request, uint64_t key, Verdict& verdict) {
  judge_report(*bench.task, verdict);
  if (!verdict.accepted()) return;
  const auto refuse = [&](const char* gate, const std::string& fault, const char* shown) {
    verdict.gate = gate;
    verdict.reason = fault;
    verdict.shown = shown;
  };
  if (std::string fault = writes_fault(bench, request); !fault.empty()) {
    refuse("writes", fault, "it does not write all that the original writes");
  } else if (fault = left_out(bench, request); !fault.empty()) {
    refuse("work", fault, "it does not do the work of the original: results alone are not enough");
  } else if (bench.tier_a != nullptr) {
    judge_native(bench, request, key, verdict);
  }
}

Verdict run_gates(const Bench& bench, const Patch& patch, uint64_t key) {
  const std::string tree = written_tree(bench, patch);
  const std::vector<Body> bodies = moved_bodies(bench, patch);
  if (std::string fault = manifest_fault(bench, bodies, tree); !fault.empty()) {
    return refused("manifest", fault);
  }
  const VerifyRequest request = request_of(bench, tree, key);
  std::vector<CompiledSource> objects = compiled(bench, patch, bodies, request.port, tree);
  if (!objects.empty() && !objects.back().ok) {
    return refused("compile", within_folder(first_compile_error(objects.back()), tree));
  }
  Verdict verdict;
  try {
    verdict.report = verify_port(request);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::bad_input) throw;
    return refused("compile", within_folder(error.what(), tree));
  }
  name_places(verdict.report, tree, bench.trees.original);
  verdict.objects = std::move(objects);
  judge_runs(bench, request, key, verdict);
  if (!verdict.accepted()) return verdict;
  // What has run cannot have changed it; a disk could.
  if (std::string fault = manifest_fault(bench, bodies, tree); !fault.empty()) {
    return refused("manifest", fault);
  }
  return verdict;
}

std::string cheat_fault(const Bench& bench, const Patch& patch) {
  Texts after = bench.hip;
  for (const auto& [name, text] : patch.files) after[name] = text;
  Subject subject{.original = text_of(bench.task->original_bodies, bench.original),
                  .before = text_of(bench.task->bodies, bench.hip),
                  .after = text_of(moved_bodies(bench, patch), after),
                  .sizes = {},
                  .native = bench.tier_a != nullptr};
  for (const nlohmann::json& kernel : bench.task->facts) {
    for (const auto& parameter : kernel.at("parameters")) {
      const auto element = parameter.at("element").get<std::string>();
      const bool integer = element.starts_with('i') || element.starts_with('u');
      const bool is_read = parameter.at("kind") == "pointer" &&
                           parameter.at("type").get<std::string>().starts_with("const ");
      subject.reads_wide |= is_read && (element == "f32" || element == "f64");
      if (parameter.at("kind") == "scalar" && integer) {
        subject.sizes.push_back(parameter.at("name").get<std::string>());
      }
    }
  }
  return cheat_in(subject);
}

}  // namespace

Verdict judge_candidate(const Bench& bench, const Patch& patch, uint64_t key) {
  const TimeLimit limit(bench.max_seconds);
  try {
    return run_gates(bench, patch, key);
  } catch (const Error& error) {
    if (!limit.is_over()) throw;
    return refused("time", fmt::format("it was not done within {:.0f} s: some thread does not end, "
                                       "or work is done many times over",
                                       bench.max_seconds));
  }
}

Verdict judge_patch(const Bench& bench, const Patch& patch, uint64_t key) {
  if (!patch.fault.empty()) return refused("patch", patch.fault);
  if (std::string fault = cheat_fault(bench, patch); !fault.empty()) return refused("words", fault);
  return judge_candidate(bench, patch, key);
}

std::string unnoticed_kernel(const Bench& bench, uint64_t key) {
  for (const std::string& kernel : bench.task->kernels) {
    Patch ghost;
    for (const nlohmann::json& row : bench.task->facts) {
      if (kernel_base_name(row.at("name")) != kernel) continue;
      const std::vector<Body> bodies = bodies_of(row, bench.hip, bench.trees.hip);
      const auto own = std::find_if(bodies.begin(), bodies.end(), [&](const Body& body) {
        return body.line == row.at("line").get<int64_t>();
      });
      if (own == bodies.end() || ghost.files.contains(own->file)) continue;
      std::string text = bench.hip.at(own->file);
      const auto begin = static_cast<size_t>(own->begin);
      const auto size = static_cast<size_t>(own->end - own->begin);
      ghost.changes.push_back({*own, text.substr(begin, size), " "});
      ghost.files[own->file] = text.replace(begin, size, " ");
    }
    const std::string tree = written_tree(bench, ghost);
    const TimeLimit limit(bench.max_seconds);
    try {
      const VerifyReport report = verify_port(request_of(bench, tree, key));
      const KernelReport* one = report_of(report, kernel);
      if (one != nullptr && one->verdict == KernelVerdict::right) return kernel;
    } catch (const Error& error) {
      if (error.kind == ErrorKind::unsupported) throw;  // else it fails, as it should
    }
  }
  return "";
}

}  // namespace ambidex::repair
