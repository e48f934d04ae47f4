// SPDX-License-Identifier: Apache-2.0
#include "port/gpu.h"

#include <fmt/format.h>

#include <filesystem>

#include "ambidex/base.h"
#include "port/frontend.h"
#include "port/launch_request.h"
#include "port/process.h"

namespace ambidex {
namespace {

constexpr int kPoison = 0xa5;
constexpr double kMaxSeconds = 120;
constexpr double kMaxCompileSeconds = 600;

nlohmann::json ask_gpu(const nlohmann::json& request) {
  return ask_program("ambidex-gpu", {}, request, kMaxSeconds);
}

// Why a launch does not count; "" if it does.
std::string fault_of(const Replayed& replayed) {
  if (!replayed.problems.empty()) return replayed.problems[0].message;
  return replayed.status == "ended" ? "" : replayed.status;
}

void compare_launch(const GpuLaunch& asked, const Replayed& replayed, GpuComparison& comparison) {
  ++comparison.num_launches;
  Agreement agreement;
  std::string difference = fault_of(replayed);
  if (difference.empty()) {
    agreement = compare_buffers(*asked.view, *asked.launch, after(*asked.launch),
                                {replayed.buffers.begin(), replayed.buffers.end()}, asked.further);
    difference = agreement.difference;
  }
  if (difference.empty()) {
    ++comparison.num_right;
    comparison.num_bit_identical += agreement.same_bits;
  } else if (comparison.difference.empty()) {
    comparison.difference = fmt::format("{}: {}", asked.launch->kernel, difference);
  }
}

// Those of the GPU are others, and what they lead to would have to lie there.
bool holds_addresses(const TracedLaunch& launch) {
  return std::any_of(launch.buffers.begin(), launch.buffers.end(), [](const auto& buffer) {
    return buffer.addresses && !buffer.addresses->empty();
  });
}

}  // namespace

std::vector<Gpu> gpus() {
  const auto request = nlohmann::json::object({{"mode", "devices"}});
  std::vector<Gpu> found;
  try {
    const nlohmann::json answer = ask_gpu(request);
    for (const auto& row : answer.at("devices")) {
      found.push_back({row.at("vendor"), row.at("name"), row.at("architecture")});
    }
  } catch (const Error& error) {
    if (error.kind != ErrorKind::unsupported) throw;  // not built
  }
  return found;
}

std::vector<std::string> compile_with_nvcc(const Program& program, const Gpu& gpu,
                                           const std::string& folder) {
  std::filesystem::create_directories(folder);
  std::vector<std::string> objects;
  for (const std::string& source : program.sources) {
    if (std::filesystem::path(source).extension() != ".cu") continue;
    objects.push_back(fmt::format("{}/{}.cubin", folder, objects.size()));
    std::vector<std::string> words{
        "nvcc", "-std=c++17",  "-cubin", "-fmad=false", "-arch=" + gpu.architecture,
        "-o",   objects.back()};
    words.insert(words.end(), program.arguments.begin(), program.arguments.end());
    words.push_back(std::filesystem::absolute(source).string());
    const ProcessResult result = run_process(words, "", kMaxCompileSeconds);
    if (result.exit_code != 0) {
      throw Error(ErrorKind::bad_input, fmt::format("{}: nvcc does not compile it: {}", source,
                                                    (result.err + result.out).substr(0, 300)));
    }
  }
  return objects;
}

Replayed replay_on_gpu(const TracedLaunch& launch, const std::string& symbol, const Gpu& gpu,
                       const std::vector<std::string>& objects, const std::string& folder) {
  Replayed replayed;
  try {
    const nlohmann::json answer =
        ask_gpu({{"mode", "launch"},
                 {"vendor", gpu.vendor},
                 {"module", ""},
                 {"objects", objects},
                 {"folder", folder},
                 {"launch", launch_request(launch, symbol, folder, kPoison)}});
    replayed.status = answer.at("status");
    for (const auto& row : answer.at("problems")) {
      replayed.problems.push_back({row.at("kind"), launch.kernel, row.at("message"), {}});
    }
    replayed.buffers = buffers_of(answer);
  } catch (const Error& error) {
    const bool crashed = dynamic_cast<const CrashedError*>(&error) != nullptr;
    if (error.kind == ErrorKind::internal || crashed) throw;
    replayed.status = "refused";
    replayed.problems.push_back({"refused", launch.kernel, error.what(), {}});
  }
  return replayed;
}

GpuComparison compare_on_gpu(const Gpu& gpu, const std::vector<std::string>& objects,
                             const std::vector<GpuLaunch>& launches, const std::string& folder) {
  GpuComparison comparison{.device = gpu.name};
  for (const GpuLaunch& asked : launches) {
    if (holds_addresses(*asked.launch)) {
      comparison.not_run =
          fmt::format("{}: there are addresses in its memory", asked.launch->kernel);
      continue;
    }
    const Replayed replayed = replay_on_gpu(*asked.launch, asked.symbol, gpu, objects, folder);
    if (replayed.status == "refused") {
      if (comparison.not_run.empty()) {
        comparison.not_run = fmt::format("{}: {}", asked.launch->kernel, fault_of(replayed));
      }
      continue;
    }
    compare_launch(asked, replayed, comparison);
  }
  return comparison;
}

}  // namespace ambidex
