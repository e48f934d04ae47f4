// SPDX-License-Identifier: Apache-2.0
// What real GPUs say, where there are some: NVIDIA's of the executor, AMD's of the port.
#include <fmt/format.h>

#include <filesystem>

#include "port/compile.h"
#include "port/gpu.h"
#include "port/verification.h"

namespace ambidex {
namespace {

std::vector<GpuLaunch> launches_for(Verification& state, Side side) {
  std::vector<GpuLaunch> launches;
  const std::vector<TracedLaunch>& recorded = state.original().launches;
  for (size_t i = 0; i < recorded.size(); ++i) {
    const std::string name = kernel_base_name(recorded[i].kernel);
    launches.push_back(
        {.launch = &recorded[i],
         .symbol = side == Side::original ? recorded[i].symbol : state.port_symbols[name],
         .view = &view_of(state, name),
         .further = [&state, i] { return further_runs(state, 0, i); }});
  }
  return launches;
}

std::vector<std::string> objects_for_amd(const Verification& state, const std::string& folder) {
  std::vector<std::string> objects;
  for (const std::string& source : state.request.port.sources) {
    if (std::filesystem::path(source).extension() != ".hip") continue;
    const CompiledSource compiled =
        compile_hip(source, {.arguments = state.request.port.arguments, .output_folder = folder});
    for (const CodeObject& object : compiled.objects) {
      if (!object.path.empty()) objects.push_back(object.path);
    }
  }
  return objects;
}

// "NVIDIA H200: 12 of 12 launches as in the executor, 9 of them bit for bit"
std::string text_of(const GpuComparison& comparison, const char* as) {
  std::string text =
      fmt::format("{}: {} of {} launches {}, {} of them bit for bit", comparison.device,
                  comparison.num_right, comparison.num_launches, as, comparison.num_bit_identical);
  if (!comparison.difference.empty()) text += "; " + comparison.difference;
  if (!comparison.not_run.empty()) text += "; not run: " + comparison.not_run;
  return text;
}

void hold_executor_to_gpu(Verification& state, const Gpu& gpu) {
  const std::string folder = state.request.folder + "/nvidia";
  std::vector<std::string> objects;
  try {
    objects = compile_with_nvcc(state.request.original, gpu, folder);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::not_found && error.kind != ErrorKind::bad_input) throw;
    state.report.remarks.push_back(
        fmt::format("{}: the original was not run on it: {}", gpu.name, error.what()));
    return;
  }
  const GpuComparison comparison =
      compare_on_gpu(gpu, objects, launches_for(state, Side::original), folder);
  state.report.remarks.push_back(text_of(comparison, "as in the executor"));
  if (!comparison.difference.empty() && state.report.program.empty()) {
    state.report.program = fmt::format("the executor is not what the GPU is: {}: {}",
                                       comparison.device, comparison.difference);
  }
}

void run_port_on_gpu(Verification& state, const Gpu& gpu) {
  const std::string folder = state.request.folder + "/amd";
  const GpuComparison comparison =
      compare_on_gpu(gpu, objects_for_amd(state, folder), launches_for(state, Side::port), folder);
  state.report.remarks.push_back(text_of(comparison, "as the original"));
  if (!comparison.difference.empty() && state.report.program.empty()) {
    state.report.program =
        fmt::format("the port is wrong on {}: {}", comparison.device, comparison.difference);
  }
  state.report.measured =
      comparison.num_launches > 0 && comparison.difference.empty() && comparison.not_run.empty();
}

}  // namespace

void verify_on_gpus(Verification& state) {
  if (is_decided(state)) return;
  for (const Gpu& gpu : gpus()) {
    if (gpu.vendor == "nvidia") {
      hold_executor_to_gpu(state, gpu);
    } else {
      run_port_on_gpu(state, gpu);
    }
  }
}

}  // namespace ambidex
