// SPDX-License-Identifier: Apache-2.0
#include "port/verification.h"

#include <fmt/format.h>

#include <algorithm>

#include "port/cases.h"

namespace ambidex {
namespace {

constexpr int kMaxFailures = 4;  // per kernel, in the report

// As a number, or in a buffer that it leaves as it was.
bool is_given_floats(const KernelView& view, const TracedLaunch& launch,
                     const std::vector<OutputSeen>& outputs) {
  if (!float_scalars(launch, view).empty()) return true;
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    const auto buffer = static_cast<int64_t>(i);
    const std::string name = name_of_buffer(view, launch, buffer);
    const bool changed = std::any_of(outputs.begin(), outputs.end(),
                                     [&](const OutputSeen& o) { return o.name == name; });
    if (!changed && is_float(element_of_buffer(view, launch, buffer)) &&
        !written_part(launch.buffers[i]).empty()) {
      return true;
    }
  }
  return false;
}

}  // namespace

RunManner manner(const Verification& state, Side side, int wave_width, const std::string& place) {
  const bool port = side == Side::port;
  return {.module = port ? state.port_module : state.original_module,
          .folder = fmt::format("{}/{}", state.request.folder, place),
          .words = state.request.original.words,
          .device = port ? "mi300x" : "h200",
          .wave_width = wave_width,
          .lockstep_volatile = !port && state.lockstep_volatile,
          .lenient_shuffles = state.lenient_shuffles,
          .num_workers = state.request.num_workers,
          .trusted = state.request.trusted};
}

const KernelView& view_of(const Verification& state, const std::string& kernel) {
  static const KernelView kUnknown;
  const auto found = state.views.find(kernel_base_name(kernel));
  return found == state.views.end() ? kUnknown : found->second;
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
  if (!result.right && has_room(report)) report.failures.push_back(std::move(result));
}

void add_outputs(Verification& state, const TracedLaunch& launch,
                 const std::vector<OutputSeen>& outputs) {
  KernelReport& report = report_of(state, launch.kernel);
  for (const OutputSeen& output : outputs) add_output(report.outputs, output);
  report.takes_floats =
      report.takes_floats || is_given_floats(view_of(state, launch.kernel), launch, outputs);
}

bool has_room(const KernelReport& report) {
  return static_cast<int>(report.failures.size()) < kMaxFailures;
}

void note_unbound(Verification& state, const std::string& kernel,
                  const std::vector<std::string>& unbound) {
  for (const std::string& buffers : unbound) {
    state.notes.insert(fmt::format(
        "{}: the original leaves {} in an order that is nobody's, and not together: whether they "
        "belong together was not compared",
        kernel_base_name(kernel), buffers));
  }
}

bool is_decided(const Verification& state) {
  return state.request.stop_at_first &&
         (!state.report.program.empty() ||
          std::any_of(state.reports.begin(), state.reports.end(),
                      [](const auto& row) { return !row.second.failures.empty(); }));
}

std::string text_of(const TracedProblem& problem) {
  if (!problem.kernel.empty()) {
    return fmt::format("{} at {}: {}", problem.kind, text_of(problem.place), problem.message);
  }
  // Of the host, which has no blocks and threads.
  const std::string place = problem.place.file.empty()
                                ? ""
                                : fmt::format(" at {}:{}", problem.place.file, problem.place.line);
  return fmt::format("{}{}: {}", problem.kind, place, problem.message);
}

}  // namespace ambidex
