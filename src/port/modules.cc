// SPDX-License-Identifier: Apache-2.0
#include "port/modules.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>

#include "ambidex/base.h"
#include "base/files.h"
#include "port/frontend.h"
#include "port/missing_name.h"
#include "port/sha256.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxModuleBytes = int64_t{1} << 30;

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
  for (const auto& row : answer.at("decisions")) {
    module.decisions.push_back({row.at("file").get<std::string>(), row.at("line").get<int64_t>(),
                                row.at("column").get<int64_t>(),
                                row.at("asks").get<std::string>()});
  }
  for (const auto& row : answer.at("other_archs")) {
    module.other_archs.push_back({row.at("arch").get<std::string>(),
                                  row.at("file").get<std::string>(), row.at("line").get<int64_t>(),
                                  row.at("message").get<std::string>()});
  }
  return module;
}

nlohmann::json request_of(const ModuleSources& sources) {
  return {{"files", sources.files},         {"dialect", sources.dialect},
          {"arguments", sources.arguments}, {"checked", sources.checked},
          {"counted", sources.counted},     {"arch", sources.arch}};
}

// Empty if it cannot be read.
std::string file_hash(const std::string& path) {
  try {
    return sha256(read_file(path, kMaxModuleBytes));
  } catch (const Error&) {
    return "";
  }
}

// Of the files that a compilation has read.
std::string inputs_hash(const nlohmann::json& inputs) {
  std::string all;
  for (const auto& input : inputs) {
    const std::string path = input.get<std::string>();
    all += path + '\0' + file_hash(path);
  }
  return sha256(all);
}

/// A module that this process has built.
struct Kept {
  nlohmann::json inputs;
  std::string inputs_hash, module_hash;
  Module module;
};

// What lies in a folder from an earlier process vouches for nothing: it may have been changed or
// cut short, and a header may since have appeared where that compilation looked in vain.
class Cache {
 public:
  // A module of the same request whose sources, and which itself, are as they were.
  std::optional<Module> find(const std::string& stem) {
    const std::lock_guard lock(mutex_);
    for (const Kept& kept : modules_[stem]) {
      if (inputs_hash(kept.inputs) != kept.inputs_hash) continue;
      if (file_hash(kept.module.path) == kept.module_hash) return kept.module;
    }
    return std::nullopt;
  }

  void add(const std::string& stem, Kept kept) {
    const std::lock_guard lock(mutex_);
    modules_[stem].push_back(std::move(kept));
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<Kept>> modules_;
};

Cache& cache() {
  static Cache the_cache;
  return the_cache;
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
  check(!sources.folder.empty(), "a module is built into a folder");
  for (const std::string& file : sources.files) {
    if (!std::filesystem::exists(file)) {
      throw Error(ErrorKind::not_found, fmt::format("{}: no such file", file));
    }
  }
  std::filesystem::create_directories(sources.folder);
  nlohmann::json request = request_of(sources);
  const std::string stem =
      fmt::format("{}/{}", sources.folder, sha256(request.dump()).substr(0, 32));
  if (const std::optional<Module> known = cache().find(stem)) return *known;
  const std::string draft = fmt::format("{}.part-{}", stem, getpid());
  request["output"] = draft;
  const nlohmann::json answer = ask_frontend("module", request);
  if (!answer.at("ok").get<bool>()) return module_of(answer, "");
  Kept kept{.inputs = answer.at("inputs"),
            .inputs_hash = inputs_hash(answer.at("inputs")),
            .module_hash = file_hash(draft),
            .module = {}};
  const std::string path = fmt::format("{}-{}.so", stem, kept.module_hash.substr(0, 32));
  std::filesystem::rename(draft, path);
  kept.module = module_of(answer, path);
  cache().add(stem, kept);
  return kept.module;
}

nlohmann::json run_module(const nlohmann::json& request, double max_seconds) {
  nlohmann::json timed = request;
  timed["max_seconds"] = max_seconds;
  // It ends the run itself; beyond that there are contents to be written.
  return ask_program("ambidex-simt", {}, timed, max_seconds + 60);
}

}  // namespace ambidex
