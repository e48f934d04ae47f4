// SPDX-License-Identifier: Apache-2.0
#include "port/estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/temporary_folder.h"
#include "port/compile.h"
#include "port/estimate_notes.h"
#include "port/included_headers.h"
#include "port/launch_estimate.h"
#include "port/modules.h"
#include "port/programs.h"
#include "port/scan.h"
#include "port/source_file.h"
#include "port/source_notes.h"
#include "port/trace.h"
#include "port/translate.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

bool runs_port(const Device& device) { return device.vendor == Vendor::amd; }

std::vector<Device> load_devices(const std::vector<std::string>& names) {
  std::vector<Device> devices;
  for (const std::string& name : names) {
    Device device = load_device(name);
    if (device.vendor != Vendor::nvidia && device.vendor != Vendor::amd) {
      throw Error(ErrorKind::bad_input,
                  fmt::format("device {}: expected one of NVIDIA, which runs the original, or of "
                              "AMD, which runs the port; got one of {}",
                              device.id, name_of(device.vendor)));
    }
    devices.push_back(std::move(device));
  }
  if (devices.empty()) throw Error(ErrorKind::bad_input, "devices: expected at least one");
  return devices;
}

/// Both forms of one program, and what the compiler says of the port.
struct Pair {
  const Program* original = nullptr;
  const Program* port = nullptr;  // null if no device asks for it
  std::vector<CompiledSource> compiled;
};

/// A program on one device: what it launched, or why not.
struct Run {
  std::string fault;
  json launches = json::array();
  int64_t num_library_launches = 0;  // left out of `launches`
  std::vector<ModuleKernel> kernels;
};

std::string first_error_of(const Module& module) {
  const CompilerMessage* const error = first_error(module);
  return error == nullptr ? "no reason is given"
                          : fmt::format("{} ({}:{})", error->message, error->file, error->line);
}

// Its answer's launches, without those that the device refused or that a problem cut short, whose
// counts are of a part.
json launches_of(json& answer) {
  std::set<int64_t> cut;
  for (const json& problem : answer.at("problems"))
    cut.insert(problem.value("launch", int64_t{-1}));
  json launches = json::array();
  int64_t index = 0;
  for (json& launch : answer["launches"]) {
    if (launch.contains("traffic") && cut.count(index) == 0) launches.push_back(std::move(launch));
    ++index;
  }
  return launches;
}

// A program that stops at the code of a launch that failed says less than the launch's problem.
std::string fault_of(const std::string& what, const json& answer) {
  for (const json& problem : answer.at("problems")) {
    const std::string kernel = kernel_base_name(problem.value("kernel", ""));
    const bool cut = problem.value("kind", "") == "deadline";
    return fmt::format("{}: {}{}{}{}", what, kernel, kernel.empty() ? "" : ": ",
                       problem.value("message", ""),
                       cut ? "; estimate a smaller size, or give it more with --max-seconds" : "");
  }
  const std::string status = answer.at("status");
  if (status != "ended") return fmt::format("{}: {}", what, status);
  const int code = answer.value("exit_code", 0);
  return code == 0 ? "" : fmt::format("{} ended with exit code {}", what, code);
}

Run run_on(const Device& device, const std::string& name, const Program& program,
           const EstimateRequest& request) {
  const bool port = runs_port(device);
  ModuleSources sources = module_sources(program, port ? "hip" : "cuda",
                                         (fs::path(request.folder) / "modules").string());
  sources.counted = true;
  const Module module = build_module(sources);
  const std::string what = fmt::format("{} on {}", port ? "the port" : "the original", device.id);
  Run run;
  if (!module.ok) {
    run.fault = fmt::format("{} does not compile: {}", what, first_error_of(module));
    return run;
  }
  json answer =
      run_module({{"module", module.path},
                  {"device", name},
                  {"wave_width", require(device.spec.waves.wave_width, "spec.wave_width", device)},
                  {"program", {{"arguments", request.words}}},
                  {"checked", false},
                  {"counted", true},
                  {"trusted", request.trusted}},
                 request.max_seconds);
  for (const json& row : launches_of(answer)) {
    if (is_of_library(row.at("kernel"))) {
      ++run.num_library_launches;
    } else {
      run.launches.push_back(row);
    }
  }
  run.kernels = module.kernels;
  run.fault = fault_of(what, answer);
  return run;
}

bool same_kernel(const json& a, const json& b) {  // types are spelled differently
  return kernel_stem(a.at("kernel")) == kernel_stem(b.at("kernel"));
}

// Launches that the model cannot tell apart: the same kernel in the same shape.
std::string shape_of(const json& row) {
  const json shape = {row.at("symbol"), row.at("grid"), row.at("block"),
                      row.at("dynamic_shared_bytes")};
  return shape.dump();
}

const LaunchEstimate* original_of(const KernelEstimate& kernel,
                                  const std::vector<Device>& devices) {
  for (const LaunchEstimate& launch : kernel.devices) {
    for (const Device& device : devices) {
      if (device.id == launch.device && !runs_port(device)) return &launch;
    }
  }
  return nullptr;
}

KernelEstimate estimate_kernel(const std::vector<Device>& devices, const Pair& pair,
                               const std::vector<Run>& runs, size_t index, const json& first) {
  KernelEstimate kernel{.kernel = kernel_base_name(first.at("kernel")), .num_launches = 1};
  for (size_t i = 0; i < devices.size(); ++i) {
    if (index >= runs[i].launches.size() || !same_kernel(first, runs[i].launches[index])) continue;
    kernel.devices.push_back(
        estimate_launch(devices[i], runs[i].kernels, pair.compiled, runs[i].launches[index]));
  }
  const LaunchEstimate* original = original_of(kernel, devices);
  size_t next = 0;
  for (size_t i = 0; i < devices.size() && next < kernel.devices.size(); ++i) {
    LaunchEstimate& launch = kernel.devices[next];
    if (launch.device != devices[i].id) continue;
    launch.notes = launch_notes(devices[i], launch, original,
                                runs[i].launches[index].at("traffic").at("sites"));
    ++next;
  }
  return kernel;
}

void estimate_kernels(ProgramEstimate& program, const std::vector<Device>& devices,
                      const Pair& pair, const std::vector<Run>& runs) {
  // The first device whose program ran leads; the others' launches come in the same order.
  const auto leading = std::find_if(runs.begin(), runs.end(), [](const Run& run) {
    return !run.launches.empty() || run.num_library_launches != 0;
  });
  if (leading == runs.end()) return;
  program.num_library_launches = leading->num_library_launches;
  std::map<std::string, size_t> known;
  for (size_t i = 0; i < leading->launches.size(); ++i) {
    const json& row = leading->launches[i];
    const auto [found, is_new] = known.try_emplace(shape_of(row), program.kernels.size());
    if (is_new) {
      program.kernels.push_back(estimate_kernel(devices, pair, runs, i, row));
    } else {
      ++program.kernels[found->second].num_launches;
    }
  }
}

void compile_port(Pair& pair, const std::vector<Device>& devices, const EstimateRequest& request) {
  std::set<std::string> archs;
  for (const Device& device : devices) {
    if (runs_port(device)) archs.insert(device.isa);
  }
  if (pair.port == nullptr) return;
  for (const std::string& source : pair.port->sources) {
    if (fs::path(source).extension() != ".hip") continue;
    pair.compiled.push_back(
        compile_hip(source, {.archs = {archs.begin(), archs.end()},
                             .arguments = pair.port->arguments,
                             .instantiations = {},
                             .touched = {},
                             .output_folder = (fs::path(request.folder) / "objects").string()}));
  }
}

ProgramEstimate estimate_pair(const std::vector<Device>& devices, Pair pair,
                              const EstimateRequest& request) {
  ProgramEstimate program{.program = pair.original->name};
  if (!pair.original->has_main) {
    program.fault = "no source of it has a main that could be run";
    return program;
  }
  try {
    compile_port(pair, devices, request);
    std::vector<Run> runs;
    for (size_t i = 0; i < devices.size(); ++i) {
      const Program& which = runs_port(devices[i]) ? *pair.port : *pair.original;
      runs.push_back(run_on(devices[i], request.devices[i], which, request));
      if (program.fault.empty()) program.fault = runs.back().fault;
    }
    estimate_kernels(program, devices, pair, runs);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::bad_input) throw;
    program.fault = error.what();
  }
  return program;
}

/// The port of all programs, and what the scan says of the original.
struct Ported {
  TranslatedTree tree;
  std::vector<Program> programs;
  std::vector<Finding> findings;
};

Ported port_programs(const EstimateRequest& request, const std::vector<std::string>& arguments) {
  Ported ported;
  ported.tree = translate_tree(request.path, {.arguments = arguments});
  const fs::path hip = fs::path(request.folder) / "hip";
  write_tree(ported.tree, hip.string());
  ported.programs = programs_of(hip.string(), "hip",
                                arguments_within(request.arguments, request.path, hip.string()));
  ported.findings = scan({.paths = {request.path}, .arguments = request.arguments}).findings;
  return ported;
}

std::vector<std::string> assumptions_of(const std::vector<Device>& devices) {
  std::vector<std::string> assumptions{
      "caches are cold: what fits into them comes from memory once",
      "a wave has at most 8 loads under way, and waits for them where its lanes meet"};
  const bool nvidia = !std::all_of(devices.begin(), devices.end(), runs_port);
  if (nvidia) {
    assumptions.emplace_back(
        "registers of the original are unknown, for nvcc is not asked: they do not limit its "
        "occupancy");
  }
  return assumptions;
}

// A source with headers of its own is taken as the folder that it makes with them.
EstimateRequest with_headers(EstimateRequest request, const TemporaryFolder& copy) {
  if (is_source_folder(request.path)) return request;
  const SourceSet set = included_headers(request.path, request.arguments);
  if (set.headers.empty()) return request;
  request.path = copy_with_headers(request.path, set, copy.path()).string();
  request.arguments = arguments_within(request.arguments, set.root.string(), request.path);
  return request;
}

}  // namespace

ProgramEstimate estimate_program(const Program& original, const Program& port,
                                 const EstimateRequest& request) {
  return estimate_pair(load_devices(request.devices),
                       {.original = &original, .port = &port, .compiled = {}}, request);
}

EstimateReport estimate_port(const EstimateRequest& asked) {
  const TemporaryFolder copy;
  const EstimateRequest request = with_headers(asked, copy);
  const std::vector<Device> devices = load_devices(request.devices);
  const std::vector<Program> originals = programs_of(request.path, "cuda", request.arguments);
  EstimateReport report{.programs = {}, .assumptions = assumptions_of(devices)};
  Ported ported;
  if (std::any_of(devices.begin(), devices.end(), runs_port)) {
    ported = port_programs(request, originals[0].arguments);
  }
  for (const Program& original : originals) {
    Pair pair{.original = &original, .port = nullptr, .compiled = {}};
    if (!ported.programs.empty()) {
      pair.port = partner_of(original, ported.programs);
      check(pair.port != nullptr, "a translated tree has the programs of its original");
    }
    ProgramEstimate program = estimate_pair(devices, std::move(pair), request);
    program.notes = source_notes(original, ported.findings, ported.tree);
    report.programs.push_back(std::move(program));
  }
  return report;
}

}  // namespace ambidex
