// SPDX-License-Identifier: Apache-2.0
#include "port/repair_task.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "port/trace.h"

namespace ambidex::repair {
namespace {

bool holds(const std::vector<Body>& bodies, const std::string& file, int64_t line) {
  return std::any_of(bodies.begin(), bodies.end(), [&](const Body& body) {
    return body.file == file && line >= body.line && line <= body.end_line;
  });
}

// Facts of every kernel of that base name: one for each instantiation.
std::vector<nlohmann::json> facts_of(const Program& program, const std::string& kernel) {
  std::vector<nlohmann::json> rows;
  for (const auto& row : program.facts.at("kernels")) {
    if (kernel_base_name(row.at("name")) == kernel) rows.push_back(row);
  }
  return rows;
}

std::vector<Body> merged_bodies(const std::vector<nlohmann::json>& facts, const Texts& texts,
                                const std::string& folder) {
  std::vector<Body> all;
  for (const nlohmann::json& row : facts) {
    for (Body& body : bodies_of(row, texts, folder)) {
      if (std::find(all.begin(), all.end(), body) == all.end()) all.push_back(std::move(body));
    }
  }
  std::sort(all.begin(), all.end(), [](const Body& a, const Body& b) {
    return std::tie(a.file, a.begin) < std::tie(b.file, b.begin);
  });
  return all;
}

struct Sources {
  Trees trees;
  Texts original, hip;
};

Task task_of(const Program& original, const Program& port, const std::string& kernel,
             const Sources& sources) {
  Task task{.original = original,
            .port = port,
            .kernels = {kernel},
            .bodies = {},
            .original_bodies = {},
            .facts = facts_of(port, kernel),
            .hazards = {},
            .reasons = {},
            .report = {}};
  const std::vector<nlohmann::json> facts = facts_of(original, kernel);
  if (facts.empty() || task.facts.empty()) {
    throw Error(ErrorKind::unsupported, "the compiler does not tell where it is");
  }
  task.bodies = merged_bodies(task.facts, sources.hip, sources.trees.hip);
  task.original_bodies = merged_bodies(facts, sources.original, sources.trees.original);
  return task;
}

// Refusals within the kernel's functions go into the task; "" or the one that concerns it from
// outside of all kernels of its program.
std::string take_refusals(Task& task, const PortRun& run, const Sources& sources) {
  std::vector<Body> others;
  for (const auto& row : task.original.facts.at("kernels")) {
    try {
      for (Body& body : bodies_of(row, sources.original, sources.trees.original)) {
        others.push_back(std::move(body));
      }
    } catch (const Error&) {  // written by a macro: its refusals count as outside
    }
  }
  for (const TranslatedFile& file : run.tree.files) {
    if (is_build_file(file.name)) continue;
    for (const TranslateRefusal& refusal : file.refusals) {
      if (holds(task.original_bodies, file.name, refusal.line)) {
        task.hazards.push_back(refusal.hazard);
        task.reasons.push_back(
            fmt::format("{}:{}: {}: {}", file.name, refusal.line, refusal.hazard, refusal.reason));
      } else if (!holds(others, file.name, refusal.line)) {
        return fmt::format("{}:{}: {}: {}", file.name, refusal.line, refusal.hazard,
                           refusal.reason);
      }
    }
  }
  return "";
}

void add_findings(Task& task, const PortRun& run, const Trees& trees) {
  for (const Finding& finding : run.scan.findings) {
    const bool grave = finding.severity == Severity::s0 || finding.severity == Severity::s1;
    if (grave && holds(task.original_bodies, name_in(trees.original, finding.file), finding.line)) {
      task.hazards.push_back(finding.id);
    }
  }
  std::vector<std::string> unique;
  for (std::string& id : task.hazards) {
    if (std::find(unique.begin(), unique.end(), id) == unique.end()) {
      unique.push_back(std::move(id));
    }
  }
  task.hazards = std::move(unique);
}

const CompileDiagnostic* error_outside(const PortRun& run, const Task& task, const Trees& trees) {
  for (const CompiledSource& source : run.compiled) {
    for (const CompileDiagnostic& row : source.diagnostics) {
      if (row.severity != "error" && row.severity != "fatal") continue;
      if (!holds(task.bodies, name_in(trees.hip, row.file), row.line)) return &row;
    }
  }
  return nullptr;
}

bool has_error_in(const PortRun& run, const Task& task, const Trees& trees) {
  for (const CompiledSource& source : run.compiled) {
    for (const CompileDiagnostic& row : source.diagnostics) {
      const bool error = row.severity == "error" || row.severity == "fatal";
      if (error && holds(task.bodies, name_in(trees.hip, row.file), row.line)) return true;
    }
  }
  return false;
}

void merge(Task& into, Task&& from) {
  into.kernels.merge(from.kernels);
  for (Body& body : from.bodies) {
    if (std::find(into.bodies.begin(), into.bodies.end(), body) == into.bodies.end()) {
      into.bodies.push_back(std::move(body));
    }
  }
  std::sort(into.bodies.begin(), into.bodies.end(), [](const Body& a, const Body& b) {
    return std::tie(a.file, a.begin) < std::tie(b.file, b.begin);
  });
  const auto append = [](auto& to, auto& values) {
    to.insert(to.end(), values.begin(), values.end());
  };
  append(into.original_bodies, from.original_bodies);
  append(into.facts, from.facts);
  append(into.hazards, from.hazards);
  append(into.reasons, from.reasons);
}

std::string unrepairable(const PortedKernel& kernel, const PortRun::ProgramRun& program) {
  if (kernel.verdict != PortVerdict::partial) return "";
  return program.report.program.empty()
             ? "no launch shows whether a repair is right: " + kernel.reason
             : "the kernel is right; what differs is the program around it: " + kernel.reason;
}

// Programs by name, of both trees.
struct Pair {
  Program original, port;
};

Pair pair_of(const std::string& name, const Trees& trees, const std::vector<std::string>& arguments,
             const std::vector<std::string>& words) {
  Pair pair;
  for (Program& program : programs_of(trees.original, "cuda", arguments, words)) {
    if (program.name == name) pair.original = std::move(program);
  }
  for (Program& program :
       programs_of(trees.hip, "hip", arguments_within(arguments, trees.original, trees.hip))) {
    if (program.name == name) pair.port = std::move(program);
  }
  check(!pair.original.sources.empty() && !pair.port.sources.empty(),
        "a translated tree has the programs of its original");
  return pair;
}

bool is_left(const PortedKernel& kernel) {
  return kernel.verdict != PortVerdict::pass && kernel.verdict != PortVerdict::pass_unmeasured;
}

// The kernel's task, or why there is none.
std::string make_task(const PortRun& run, const PortRun::ProgramRun& program,
                      const PortedKernel& kernel, const Pair& pair, const Sources& sources,
                      Task& task) {
  if (std::string why = unrepairable(kernel, program); !why.empty()) return why;
  try {
    task = task_of(pair.original, pair.port, kernel.kernel, sources);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::unsupported) throw;
    return error.what();
  }
  if (const std::string why = take_refusals(task, run, sources); !why.empty()) {
    return "what is refused lies outside of kernels: " + why;
  }
  if (!program.fault.empty() && !has_error_in(run, task, sources.trees)) {
    return "another part of the program does not compile: " + program.fault;
  }
  add_findings(task, run, sources.trees);
  task.report = program.report;
  return "";
}

// Kernels that do not compile are one task: none of them could be verified alone.
void add_broken(Tasks& all, const PortRun& run, const Trees& trees, std::vector<Task> broken) {
  for (size_t i = 1; i < broken.size(); ++i) merge(broken[0], std::move(broken[i]));
  const CompileDiagnostic* const row = error_outside(run, broken[0], trees);
  if (row == nullptr) {
    all.tasks.push_back(std::move(broken[0]));
    return;
  }
  for (const std::string& kernel : broken[0].kernels) {
    all.leftovers.push_back(
        {broken[0].original.name, kernel,
         fmt::format("the program does not compile outside of kernels: {}:{}: {}",
                     name_in(trees.hip, row->file), row->line, row->message)});
  }
}

void add_program(Tasks& all, const PortRun& run, const PortRun::ProgramRun& program,
                 const Sources& sources, const std::vector<std::string>& arguments) {
  const Pair pair = pair_of(program.name, sources.trees, arguments, run.words);
  std::vector<Task> broken;
  for (const PortedKernel& kernel : run.kernels) {
    if (kernel.program != program.name || !is_left(kernel)) continue;
    Task task;
    std::string why = make_task(run, program, kernel, pair, sources, task);
    if (!why.empty()) {
      all.leftovers.push_back({program.name, kernel.kernel, std::move(why)});
    } else {
      (program.fault.empty() ? all.tasks : broken).push_back(std::move(task));
    }
  }
  if (!broken.empty()) add_broken(all, run, sources.trees, std::move(broken));
}

}  // namespace

Tasks tasks_of(const PortRun& run, const Trees& trees, const std::vector<std::string>& arguments) {
  const Sources sources{trees, read_texts(trees.original), read_texts(trees.hip)};
  Tasks all;
  for (const PortRun::ProgramRun& program : run.programs) {
    const bool left = std::any_of(run.kernels.begin(), run.kernels.end(), [&](const auto& kernel) {
      return kernel.program == program.name && is_left(kernel);
    });
    if (left) add_program(all, run, program, sources, arguments);
  }
  return all;
}

namespace {

// Without functions that another kernel has, too.
void keep_own_bodies(Task& task, const Sources& sources) {
  for (const auto& row : task.port.facts.at("kernels")) {
    if (task.kernels.contains(kernel_base_name(row.at("name")))) continue;
    try {
      for (const Body& body : bodies_of(row, sources.hip, sources.trees.hip)) {
        std::erase(task.bodies, body);
      }
    } catch (const Error&) {  // written by a macro: it has no bodies
    }
  }
}

// Why there is no task; "" with `task` if there is one.
std::string make_native_task(const PortRun::ProgramRun& program, const PortedKernel& kernel,
                             const Pair& pair, const Sources& sources, Task& task) {
  if (!pair.original.has_main) return "nothing launches it, so there is no time to predict";
  try {
    task = task_of(pair.original, pair.port, kernel.kernel, sources);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::unsupported) throw;
    return error.what();
  }
  task.report = program.report;
  keep_own_bodies(task, sources);
  return task.bodies.empty() ? "other kernels share all of its functions" : "";
}

}  // namespace

Tasks native_tasks_of(const PortRun& run, const Trees& trees,
                      const std::vector<std::string>& arguments) {
  const Sources sources{trees, read_texts(trees.original), read_texts(trees.hip)};
  Tasks all;
  for (const PortRun::ProgramRun& program : run.programs) {
    const Pair pair = pair_of(program.name, sources.trees, arguments, run.words);
    for (const PortedKernel& kernel : run.kernels) {
      if (kernel.program != program.name || is_left(kernel)) continue;
      Task task;
      std::string why = make_native_task(program, kernel, pair, sources, task);
      if (why.empty()) {
        all.tasks.push_back(std::move(task));
      } else {
        all.leftovers.push_back({program.name, kernel.kernel, std::move(why)});
      }
    }
  }
  return all;
}

std::string text_of(const std::vector<Body>& bodies, const Texts& texts) {
  std::string out;
  for (const Body& body : bodies) {
    const std::string& text = texts.at(body.file);
    const auto end = static_cast<size_t>(body.end) + 1;  // with its brace
    out += text.substr(static_cast<size_t>(body.head), end - static_cast<size_t>(body.head));
    out += "\n";
  }
  return out;
}

}  // namespace ambidex::repair
