// SPDX-License-Identifier: Apache-2.0
#include "port/modules.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "ambidex/base.h"
#include "base/files.h"
#include "port/frontend.h"
#include "port/missing_name.h"
#include "port/sha256.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxSourceBytes = int64_t{64} << 20;
constexpr int kCacheVersion = 2;  // of what is kept; AMBIDEX_VERSION is that of the compiler

ModuleType type_of(const nlohmann::json& row) {
  return {row.at("type").get<std::string>(), row.at("class").get<std::string>(),
          row.at("bytes").get<int64_t>()};
}

ModuleParameter parameter_of(const nlohmann::json& row) {
  ModuleParameter parameter{
      row.at("name").get<std::string>(), type_of(row), row.at("align").get<int64_t>(), {}};
  for (const auto& pointer : row.at("pointers")) {
    parameter.pointers.push_back({pointer.at("offset").get<int64_t>(),
                                  pointer.at("const").get<bool>(), type_of(pointer.at("element"))});
  }
  return parameter;
}

ModuleKernel kernel_of(const nlohmann::json& row) {
  ModuleKernel kernel;
  kernel.name = row.at("name").get<std::string>();
  kernel.symbol = row.at("symbol").get<std::string>();
  kernel.file = row.at("source").get<std::string>();
  kernel.line = row.at("line").get<int64_t>();
  for (const auto& parameter : row.at("parameters")) {
    kernel.parameters.push_back(parameter_of(parameter));
  }
  kernel.max_threads = row.at("max_threads").get<int64_t>();
  kernel.min_blocks = row.at("min_blocks").get<int64_t>();
  kernel.shared_bytes = row.at("shared_bytes").get<int64_t>();
  kernel.dynamic_shared = row.at("dynamic_shared").get<bool>();
  return kernel;
}

Module module_of(const nlohmann::json& answer, const std::string& path) {
  Module module;
  module.ok = answer.at("ok").get<bool>();
  for (const auto& row : answer.at("diagnostics")) {
    module.messages.push_back({row.at("severity").get<std::string>(),
                               row.at("file").get<std::string>(), row.at("line").get<int64_t>(),
                               row.at("column").get<int64_t>(),
                               with_missing_name(row.at("message").get<std::string>())});
  }
  if (!module.ok) return module;
  module.path = path;
  for (const auto& row : answer.at("kernels")) module.kernels.push_back(kernel_of(row));
  return module;
}

nlohmann::json request_of(const ModuleSources& sources) {
  return {{"files", sources.files},
          {"dialect", sources.dialect},
          {"arguments", sources.arguments},
          {"checked", sources.checked},
          {"counted", sources.counted}};
}

// Of the files that a compilation has read; empty if one is gone.
std::string inputs_hash(const nlohmann::json& inputs) {
  std::string all;
  for (const auto& input : inputs) {
    const std::string path = input.get<std::string>();
    try {
      all += path + '\0' + sha256(read_file(path, kMaxSourceBytes));
    } catch (const Error&) {
      return "";
    }
  }
  return sha256(all);
}

// {inputs, hash, answer} of an earlier compilation that would give the same; null if there is none.
nlohmann::json kept(const std::string& note) {
  std::error_code failure;
  if (!std::filesystem::exists(note, failure)) return nullptr;
  auto json = nlohmann::json::parse(read_file(note, kMaxSourceBytes), nullptr, false);
  if (!json.is_object() || !json.contains("inputs") ||
      !json.value("hash", nlohmann::json()).is_string()) {
    return nullptr;
  }
  if (inputs_hash(json["inputs"]) != json["hash"].get<std::string>()) return nullptr;
  return json;
}

}  // namespace

const CompilerMessage* first_error(const Module& module) {
  const auto found = std::find_if(
      module.messages.begin(), module.messages.end(), [](const CompilerMessage& message) {
        return message.severity == "error" || message.severity == "fatal";
      });
  return found == module.messages.end() ? nullptr : &*found;
}

Module build_module(const ModuleSources& sources) {
  check(!sources.folder.empty(), "a module is built into a cache folder");
  for (const std::string& file : sources.files) {
    if (!std::filesystem::exists(file)) {
      throw Error(ErrorKind::not_found, fmt::format("{}: no such file", file));
    }
  }
  std::filesystem::create_directories(sources.folder);
  nlohmann::json request = request_of(sources);
  const std::string key =
      sha256(fmt::format("{} {} {}", AMBIDEX_VERSION, kCacheVersion, request.dump()));
  const std::string stem = fmt::format("{}/{}", sources.folder, key.substr(0, 32));
  const auto path_of = [&](const std::string& hash) {
    return fmt::format("{}-{}.so", stem, hash.substr(0, 32));
  };
  if (const auto note = kept(stem + ".json"); note.is_object()) {
    const std::string path = path_of(note["hash"].get<std::string>());
    if (std::filesystem::exists(path)) return module_of(note["answer"], path);
  }
  const std::string draft = fmt::format("{}.part-{}", stem, getpid());
  request["output"] = draft;
  const nlohmann::json answer = ask_frontend("module", request);
  if (!answer.at("ok").get<bool>()) return module_of(answer, "");
  const std::string hash = inputs_hash(answer.at("inputs"));
  const std::string path = path_of(hash);
  std::filesystem::rename(draft, path);
  const nlohmann::json note = {{"inputs", answer.at("inputs")}, {"hash", hash}, {"answer", answer}};
  write_file(stem + ".json", note.dump());
  return module_of(answer, path);
}

nlohmann::json run_module(const nlohmann::json& request, double max_seconds) {
  nlohmann::json timed = request;
  timed["max_seconds"] = max_seconds;
  // It ends the run itself; beyond that there are contents to be written.
  return ask_program("ambidex-simt", {}, timed, max_seconds + 60);
}

}  // namespace ambidex
