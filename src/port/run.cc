// SPDX-License-Identifier: Apache-2.0
#include "port/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "base/files.h"
#include "base/text.h"
#include "port/bundle.h"
#include "port/cut_refused.h"
#include "port/included_headers.h"
#include "port/port_folder.h"
#include "port/programs.h"
#include "port/source_file.h"
#include "port/trace.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kVerdicts{"PASS", "PASS-UNMEASURED", "PARTIAL",
                                                    "REFUSED"};

// A port is made in the folder, of a copy of the original, so that the evidence stands alone; the
// folders of -I that are in the copy are meant there.
fs::path keep_original(PortRunOptions& options) {
  const fs::path copy = fs::path(options.folder) / "original";
  fs::create_directories(copy);
  if (fs::is_directory(options.path)) {
    copy_sources(options.path, copy.string());
    options.arguments = arguments_within(options.arguments, options.path, copy.string());
    return copy;
  }
  const SourceSet set = included_headers(options.path, options.arguments);
  const fs::path source = copy_with_headers(options.path, set, copy);
  options.arguments = arguments_within(options.arguments, set.root.string(), copy.string());
  return source;
}

// Before anything is made.
void check_path(const std::string& path) {
  if (is_port_folder(path)) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: is a port that `ambidex port run` made; name your sources, or the "
                            "original/ in it",
                            quote(path)));
  }
  check_sources(path, "cuda");
  if (is_source_folder(path) || fs::path(path).extension() == ".cu") return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: is no .cu source; rename it, or name a folder", quote(path)));
}

void check_kernels(const std::vector<Program>& programs, const std::string& path) {
  std::string errors;
  for (const Program& program : programs) {
    if (!program.facts.at("kernels").empty()) return;
    for (const auto& error : program.facts.at("errors")) {
      if (errors.empty()) errors = "; clang says: " + error.get<std::string>();
    }
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: no kernel in it, so there is nothing to port{}", quote(path),
                          printable(errors)));
}

std::map<std::string, std::vector<int64_t>> touched_lines(const TranslatedTree& tree,
                                                          const fs::path& hip) {
  std::map<std::string, std::vector<int64_t>> touched;
  for (const TranslatedFile& file : tree.files) {
    for (const TranslateEdit& edit : file.edits) {
      if (!edit.hazard.empty()) touched[(hip / file.new_name).string()].push_back(edit.line);
    }
  }
  return touched;
}

CompiledSource compile_for_gpus(const std::string& source, const Program& port,
                                const fs::path& objects,
                                std::map<std::string, std::vector<int64_t>> touched) {
  return compile_hip(source, {.archs = {"gfx942", "gfx950"},
                              .arguments = port.arguments,
                              .instantiations = {},
                              .touched = std::move(touched),
                              .output_folder = objects.string()});
}

void compile_all(PortRun& run, const PortRunOptions& options, const Program& program) {
  const fs::path hip = fs::path(options.folder) / "hip";
  for (const std::string& source : program.sources) {
    const bool known = std::any_of(run.compiled.begin(), run.compiled.end(),
                                   [&](const CompiledSource& c) { return c.file == source; });
    if (known || fs::path(source).extension() != ".hip") continue;
    run.compiled.push_back(compile_for_gpus(source, program, fs::path(options.folder) / "objects",
                                            touched_lines(run.tree, hip)));
  }
}

std::string first_error(const CompiledSource& compiled) {
  for (const CompileDiagnostic& diagnostic : compiled.diagnostics) {
    if (diagnostic.severity != "error" && diagnostic.severity != "fatal") continue;
    return fmt::format("{} ({}:{}, {})", diagnostic.message, diagnostic.file, diagnostic.line,
                       diagnostic.pass);
  }
  return "it does not compile";
}

struct Span {
  std::string file;
  int64_t line = 0, end_line = 0;
  bool holds(const std::string& where, int64_t at) const {
    return where == file && at >= line && at <= end_line;
  }
};

Span span_of(const nlohmann::json& place) {
  return {.file = plain_path(place.at("file").get<std::string>()),
          .line = place.at("line"),
          .end_line = place.at("end_line")};
}

bool compiles_for_gpus(const Program& port, const fs::path& objects) {
  return std::all_of(port.sources.begin(), port.sources.end(), [&](const std::string& source) {
    return fs::path(source).extension() != ".hip" || compile_for_gpus(source, port, objects, {}).ok;
  });
}

// Refusals that concern a kernel: in its own lines or those of a function that it calls; those in
// no kernel at all concern every kernel of the file. Those of build files are in the report alone.
std::string refusal_of(const nlohmann::json& kernel, const nlohmann::json& facts,
                       const TranslatedTree& tree) {
  std::vector<Span> own{span_of(kernel)}, others;
  for (const auto& function : kernel.at("device_functions")) own.push_back(span_of(function));
  for (const auto& other : facts.at("kernels")) {
    others.push_back(span_of(other));
    for (const auto& function : other.at("device_functions")) others.push_back(span_of(function));
  }
  const auto in_any = [](const std::vector<Span>& spans, const std::string& file, int64_t line) {
    return std::any_of(spans.begin(), spans.end(),
                       [&](const Span& span) { return span.holds(file, line); });
  };
  for (const TranslatedFile& file : tree.files) {
    // Of how it is built, not of what a kernel does.
    if (file.refusals.empty() || is_build_file(file.name)) continue;
    const std::string path = plain_path(file.path);
    for (const TranslateRefusal& refusal : file.refusals) {
      if (in_any(own, path, refusal.line) || !in_any(others, path, refusal.line)) {
        return fmt::format("{}:{}: {}: {}", file.name, refusal.line, refusal.hazard,
                           refusal.reason);
      }
    }
  }
  return "";
}

// Of the first source that does not compile for both GPUs; "" if all do.
std::string compile_fault_of(const Program& port, const std::vector<CompiledSource>& compiled) {
  for (const std::string& source : port.sources) {
    for (const CompiledSource& one : compiled) {
      if (one.file == source && !one.ok) return first_error(one);
    }
  }
  return "";
}

PortedKernel judge_kernel(const PortRun::ProgramRun& program, const KernelReport* report,
                          const nlohmann::json& kernel, const std::string& refusal) {
  PortedKernel ported{.program = program.name,
                      .kernel = kernel_base_name(kernel.at("name")),
                      .verdict = PortVerdict::refused,
                      .reason = refusal};
  if (report != nullptr) {
    ported.num_cases = report->num_cases;
    ported.num_bit_identical = report->num_bit_identical;
    ported.outputs = report->outputs;
  }
  if (!refusal.empty()) return ported;
  if (!program.fault.empty()) {
    ported.reason = program.fault;
  } else if (report == nullptr || report->verdict == KernelVerdict::unverified) {
    ported.verdict = PortVerdict::partial;
    ported.reason = report == nullptr ? "not verified" : report->reason;
  } else if (report->verdict == KernelVerdict::wrong) {
    ported.reason = "the port is wrong: " + report->reason;
  } else if (!program.report.program.empty()) {
    ported.verdict = PortVerdict::partial;
    ported.reason = program.report.program;
  } else {
    ported.verdict = program.report.measured ? PortVerdict::pass : PortVerdict::pass_unmeasured;
  }
  return ported;
}

// Integers have to be the same bits, whatever the class of the kernel's floats.
ErrorClass class_of(const KernelView& view) {
  const bool floats = std::any_of(view.elements.begin(), view.elements.end(), is_float);
  return floats ? view.error_class : ErrorClass::exact;
}

void verify_program(PortRun::ProgramRun& program, const Program& original, const Program& port,
                    const PortRunOptions& options, bool whole_program) {
  try {
    program.report =
        verify_port({.original = original,
                     .port = port,
                     .folder = (fs::path(options.folder) / "work" / original.name).string(),
                     .key = options.key,
                     .num_workers = options.num_workers,
                     .trusted = options.trusted,
                     .whole_program = whole_program});
  } catch (const Error& error) {
    const bool took_too_long = error.kind == ErrorKind::device_failure;
    if (error.kind != ErrorKind::bad_input && !took_too_long) throw;
    program.fault = error.what();
  }
}

// What does not compile may be what is refused: the other kernels are judged without it.
void verify_others(const PortRun& run, PortRun::ProgramRun& program, const Program& original,
                   const PortRunOptions& options) {
  const std::vector<RefusedFunction> refused = refused_functions(original, run.tree);
  if (refused.empty()) return;
  program.fault = fmt::format(
      "shares its sources with {}, which is refused ({}), and the port "
      "does not compile: {}",
      refused[0].name, refused[0].reason, program.fault);
  const fs::path folder = fs::path(options.folder) / "work" / original.name;
  const std::string source = run.tree.is_file ? run.tree.files[0].path : run.tree.root;
  const auto ports = port_without(source, refused, options.arguments, folder.string());
  const Program* const port = ports ? partner_of(original, *ports) : nullptr;
  if (port == nullptr || !compiles_for_gpus(*port, folder / "cut" / "objects")) return;
  PortRun::ProgramRun tried{.name = original.name, .report = {}, .fault = {}};
  verify_program(tried, original, *port, options, false);
  if (!tried.fault.empty()) return;
  tried.report.remarks.push_back(
      fmt::format("{} is refused and does not compile: the other kernels were verified in a copy "
                  "without it, launch by launch",
                  refused[0].name));
  program = std::move(tried);
}

std::string fault_of_original(const std::string& error) {
  if (!error.ends_with("' file not found")) {
    return fmt::format(
        "the original does not compile with the CUDA headers of ambidex, so it cannot be judged: "
        "{}",
        error);
  }
  return fmt::format(
      "it cannot be compiled without a header that is not here, so that nothing of the translation "
      "in hip/ was verified: {}; give its folder with -I",
      error);
}

void run_program(PortRun& run, const Program& original, const Program& port,
                 const PortRunOptions& options) {
  compile_all(run, options, port);
  PortRun::ProgramRun program{.name = original.name, .report = {}, .fault = {}};
  program.fault = compile_fault_of(port, run.compiled);
  const auto& errors = original.facts.at("errors");
  if (program.fault.empty()) {
    verify_program(program, original, port, options, true);
  } else if (!errors.empty()) {
    program.fault = fault_of_original(errors[0].get<std::string>());
  } else {
    verify_others(run, program, original, options);
  }
  judge_program(run, std::move(program), original);
}

}  // namespace

std::string repair_patch_name(int64_t number) { return fmt::format("repair-{}.patch", number); }

std::string native_patch_name(int64_t number) { return fmt::format("native-{}.patch", number); }

std::string name_of_sources(const PortRunOptions& options) {
  if (!options.name.empty()) return options.name;
  const fs::path path = fs::absolute(options.path).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

std::string_view name_of(PortVerdict verdict) { return kVerdicts[static_cast<size_t>(verdict)]; }

int64_t PortRun::count(PortVerdict verdict) const {
  return std::count_if(kernels.begin(), kernels.end(),
                       [&](const PortedKernel& kernel) { return kernel.verdict == verdict; });
}

bool PortRun::all_pass() const {
  return count(PortVerdict::pass) + count(PortVerdict::pass_unmeasured) == std::ssize(kernels);
}

PortRun run_port(const PortRunOptions& asked) {
  PortRunOptions options = asked;  // a folder without "." in it can be told in any message
  options.folder = fs::absolute(options.folder).lexically_normal().string();
  check_path(options.path);
  PortFolder folder(options);
  PortRun run;
  const fs::path original = keep_original(options);
  folder.note();
  const std::vector<Program> programs =
      programs_of(original.string(), "cuda", options.arguments, options.words);
  check_kernels(programs, options.path);
  run.scan = scan({.paths = {original.string()}, .arguments = options.arguments});
  run.tree = translate_tree(original.string(), {.arguments = programs[0].arguments});
  const fs::path hip = fs::path(options.folder) / "hip";
  write_tree(run.tree, hip.string());
  folder.note();
  const std::vector<Program> ports = programs_of(
      hip.string(), "hip", arguments_within(options.arguments, original.string(), hip.string()));
  for (const Program& program : programs) {
    const Program* const port = partner_of(program, ports);
    check(port != nullptr, "a translated tree has the programs of its original");
    run_program(run, program, *port, options);
  }
  run.arguments = options.arguments;
  run.words = options.words;
  write_bundle(run, options);
  folder.finish();
  return run;
}

void judge_program(PortRun& run, PortRun::ProgramRun program, const Program& original) {
  std::erase_if(run.kernels, [&](const auto& kernel) { return kernel.program == program.name; });
  std::erase_if(run.programs, [&](const auto& other) { return other.name == program.name; });
  const nlohmann::json& facts = original.facts;
  const KernelViews views = views_of(facts);
  std::set<std::string> seen;
  for (const auto& kernel : facts.at("kernels")) {
    const std::string name = kernel_base_name(kernel.at("name"));
    if (!seen.insert(name).second) continue;
    const auto& reports = program.report.kernels;
    const auto found = std::find_if(reports.begin(), reports.end(),
                                    [&](const KernelReport& r) { return r.kernel == name; });
    const bool repaired = program.repaired.contains(name);
    run.kernels.push_back(judge_kernel(program, found == reports.end() ? nullptr : &*found, kernel,
                                       repaired ? "" : refusal_of(kernel, facts, run.tree)));
    run.kernels.back().repaired = repaired;
    run.kernels.back().error_class = class_of(views.at(name));
  }
  run.programs.push_back(std::move(program));
}

}  // namespace ambidex
