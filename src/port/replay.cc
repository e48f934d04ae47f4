// SPDX-License-Identifier: Apache-2.0
#include "port/replay.h"

#include <filesystem>

#include "ambidex/base.h"
#include "port/launch_request.h"
#include "port/modules.h"

namespace ambidex {
namespace {

nlohmann::json common_request(const RunManner& manner, const char* mode) {
  const bool lockstep = manner.wave_width == 64 || manner.lockstep_volatile;
  return {{"module", manner.module},
          {"folder", manner.folder},
          {"mode", mode},
          {"device", manner.device},
          {"wave_width", manner.wave_width},
          {"convergence", lockstep ? "lockstep" : "independent"},
          {"lockstep_volatile", manner.lockstep_volatile},
          {"lenient_shuffles", manner.lenient_shuffles},
          {"seed", manner.seed},
          {"rounding", manner.rounding},
          {"workers", manner.num_workers},
          {"poison", manner.poison},
          {"trusted", manner.trusted},
          {"max_seconds", manner.max_seconds}};
}

Replayed replayed_of(const nlohmann::json& answer) {
  Replayed replayed;
  replayed.status = answer.at("status");
  for (const auto& row : answer.at("problems")) replayed.problems.push_back(problem_of(row));
  replayed.buffers = buffers_of(answer);
  replayed.decisions = answer.value("decisions", "");
  for (const auto& row : answer.value("buffers", nlohmann::json::array())) {
    std::vector<ByteRange>& ranges = replayed.written.emplace_back();
    for (const auto& range : row.value("written", nlohmann::json::array())) {
      ranges.push_back({range.at(0), range.at(1)});
    }
  }
  for (const auto& row : answer.value("last_write", nlohmann::json::array())) {
    replayed.last_write = place_of(row);
  }
  return replayed;
}

// Rows with counts.
nlohmann::json counted_rows(nlohmann::json request, double max_seconds) {
  request["checked"] = false;
  request["counted"] = true;
  nlohmann::json answer = run_module(request, max_seconds);
  nlohmann::json rows = nlohmann::json::array();
  if (answer.at("status") != "ended") return rows;
  for (nlohmann::json& row : answer["launches"]) {
    if (row.contains("traffic")) rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

RunManner manner_at(int wave_width, const std::string& module, const std::string& folder,
                    int num_workers) {
  return {.module = module,
          .folder = folder,
          .device = wave_width == 64 ? "mi300x" : "h200",
          .wave_width = wave_width,
          .num_workers = num_workers};
}

nlohmann::json counted_program(const RunManner& manner) {
  std::filesystem::create_directories(manner.folder);
  nlohmann::json request = common_request(manner, "program");
  request["program"] = {{"arguments", manner.words}};
  return counted_rows(std::move(request), manner.max_seconds);
}

nlohmann::json counted_launch(const TracedLaunch& launch, const std::string& symbol,
                              const RunManner& manner) {
  nlohmann::json request = common_request(manner, "launch");
  request["launch"] = launch_request(launch, symbol, manner.folder, manner.poison);
  nlohmann::json rows = counted_rows(std::move(request), manner.max_seconds);
  return rows.empty() ? nlohmann::json() : rows[0];
}

Trace run_program(const RunManner& manner) {
  nlohmann::json request = common_request(manner, "program");
  request["program"] = {{"record", "contents"}, {"arguments", manner.words}};
  std::filesystem::create_directories(manner.folder);
  return trace_of(run_module(request, manner.max_seconds));
}

Replayed replay(const TracedLaunch& launch, const std::string& symbol, const RunManner& manner,
                const std::optional<ReplayWatch>& watch) {
  nlohmann::json request = common_request(manner, "launch");
  request["launch"] = launch_request(launch, symbol, manner.folder, manner.poison);
  if (watch) {
    request["launch"]["watch"] = {
        {"buffer", watch->buffer}, {"offset", watch->offset}, {"bytes", watch->num_bytes}};
  }
  try {
    return replayed_of(run_module(request, manner.max_seconds));
  } catch (const Error& error) {
    if (error.kind != ErrorKind::bad_input) throw;
    Replayed refused;
    refused.status = "refused";  // as the device's runtime would
    refused.problems.push_back({"refused", launch.kernel, error.what(), {}});
    return refused;
  }
}

}  // namespace ambidex
