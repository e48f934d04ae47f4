// SPDX-License-Identifier: Apache-2.0
#include "port/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "port/modules.h"
#include "port/verification.h"

namespace ambidex {
namespace {

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

std::string module_of(const VerifyRequest& request, const Program& program, const char* dialect) {
  return built({.files = program.sources,
                .dialect = dialect,
                .arguments = program.arguments,
                .checked = true,
                .folder = request.folder});
}

// A kernel that is right on waves of 32 lanes and wrong on those of 64.
bool fails_by_width(const KernelReport& report) {
  return std::all_of(report.failures.begin(), report.failures.end(), [](const VerifyCase& failed) {
    return failed.name.find("width 64") != std::string::npos;
  });
}

void conclude(Verification& state) {
  for (const auto& kernel : state.request.original.facts.at("kernels")) {
    report_of(state, kernel.at("name"));  // also those that nothing launches
  }
  for (auto& [name, report] : state.reports) {
    if (!report.failures.empty()) {
      report.verdict = KernelVerdict::wrong;
      report.reason = report.failures[0].name + ": " + report.failures[0].message;
      if (fails_by_width(report) && !state.request.stop_at_first) {
        state.report.remarks.push_back(
            fmt::format("{} is right on waves of 32 lanes: it depends on the width", name));
      }
    } else if (report.num_cases > 0) {
      report.verdict = KernelVerdict::right;
    } else if (report.reason.empty()) {
      report.reason = "the program does not launch it";
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
    run_port(state, run.wave_width, run.seed, run.poison);
  }
  if (!is_decided(state)) vary_launches(state);
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
  Verification state{.request = request,
                     .original_module = module_of(request, request.original, "cuda"),
                     .port_module = module_of(request, request.port, "hip"),
                     .views = views_of(request.original.facts),
                     .measures = {},
                     .port_symbols = {},
                     .reports = {},
                     .report = {}};
  if (const std::string fault = run_original(state); !fault.empty()) {
    state.report.program = "the original itself is not right in the executor: " + fault;
    for (const auto& kernel : request.original.facts.at("kernels")) {
      report_of(state, kernel.at("name")).reason = state.report.program;
    }
  } else {
    verify_program(state);
  }
  conclude(state);
  return state.report;
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
                       {"failures", std::move(failures)}});
  }
  return {{"right", report.right()},
          {"program", report.program},
          {"kernels", std::move(kernels)},
          {"contracts", std::move(contracts)},
          {"remarks", report.remarks}};
}

}  // namespace ambidex
