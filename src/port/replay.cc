// SPDX-License-Identifier: Apache-2.0
#include "port/replay.h"

#include <fmt/format.h>

#include <filesystem>

#include "ambidex/base.h"
#include "base/files.h"
#include "port/modules.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxContentBytes = int64_t{4} << 30;

nlohmann::json common_request(const RunManner& manner, const char* mode) {
  return {{"module", manner.module},
          {"folder", manner.folder},
          {"mode", mode},
          {"device", manner.device},
          {"wave_width", manner.wave_width},
          {"convergence", manner.wave_width == 64 ? "lockstep" : "independent"},
          {"lockstep_volatile", manner.lockstep_volatile},
          {"seed", manner.seed},
          {"rounding", manner.rounding},
          {"workers", manner.num_workers},
          {"poison", manner.poison},
          {"trusted", manner.trusted},
          {"max_seconds", manner.max_seconds}};
}

std::string hex_of(const std::string& bytes) {
  std::string digits;
  for (const char byte : bytes) digits += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return digits;
}

nlohmann::json argument_of(const TracedLaunch& launch, size_t index) {
  nlohmann::json pointers = nlohmann::json::array();
  for (const TracedPointer& pointer : launch.pointers) {
    if (pointer.parameter != static_cast<int64_t>(index) || pointer.buffer < 0) continue;
    pointers.push_back(
        {{"at", pointer.at}, {"buffer", pointer.buffer}, {"offset", pointer.offset}});
  }
  return {{"hex", hex_of(launch.arguments[index])}, {"pointers", std::move(pointers)}};
}

// Contents go by file. What nothing had written stays poison, so that a read of it is seen.
nlohmann::json buffer_of(const TracedBuffer& buffer, size_t index, const RunManner& manner) {
  const int64_t written = buffer.first_uninitialised < 0
                              ? static_cast<int64_t>(buffer.before.size())
                              : buffer.first_uninitialised;
  const std::string path = fmt::format("{}/in{}.bin", manner.folder, index);
  write_file(path, std::string_view(buffer.before).substr(0, static_cast<size_t>(written)));
  return {{"name", buffer.name},
          {"variable", buffer.variable},
          {"bytes", buffer.before.size()},
          {"file", path},
          {"poison", manner.poison}};
}

Replayed replayed_of(const nlohmann::json& answer) {
  Replayed replayed;
  replayed.status = answer.at("status");
  for (const auto& row : answer.at("problems")) replayed.problems.push_back(problem_of(row));
  for (const auto& row : answer.value("buffers", nlohmann::json::array())) {
    replayed.buffers.push_back(read_file(row.at("contents").get<std::string>(), kMaxContentBytes));
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

}  // namespace

Trace run_program(const RunManner& manner) {
  nlohmann::json request = common_request(manner, "program");
  request["program"] = {{"record", "contents"}};
  std::filesystem::create_directories(manner.folder);
  return trace_of(run_module(request, manner.max_seconds));
}

Replayed replay(const TracedLaunch& launch, const std::string& symbol, const RunManner& manner,
                const std::optional<ReplayWatch>& watch) {
  std::filesystem::create_directories(manner.folder);
  nlohmann::json request = common_request(manner, "launch");
  nlohmann::json arguments = nlohmann::json::array(), buffers = nlohmann::json::array();
  for (size_t i = 0; i < launch.arguments.size(); ++i) arguments.push_back(argument_of(launch, i));
  for (size_t i = 0; i < launch.buffers.size(); ++i) {
    buffers.push_back(buffer_of(launch.buffers[i], i, manner));
  }
  request["launch"] = {{"kernel", symbol},
                       {"grid", launch.grid},
                       {"block", launch.block},
                       {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
                       {"cooperative", launch.cooperative},
                       {"arguments", std::move(arguments)},
                       {"buffers", std::move(buffers)}};
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
