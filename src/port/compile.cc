// SPDX-License-Identifier: Apache-2.0
#include "port/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "port/frontend.h"
#include "port/missing_name.h"
#include "port/source_file.h"
#include "port/trace.h"

namespace ambidex {
namespace {

using nlohmann::json;

struct Limits {
  int64_t lds_bytes;
  int64_t lds_step_bytes;  // LDS is given out in multiples of this
};

// Sizes: AMD's ISA documents of CDNA3 and CDNA4; steps: LLVM's tables of the same processors.
Limits limits_of(const std::string& arch) {
  if (arch == "gfx942") return {65536, 512};
  if (arch == "gfx950") return {163840, 1280};
  const std::array<std::string, 2> known{"gfx942", "gfx950"};
  throw Error(ErrorKind::unsupported, unknown_name("arch", arch, known));
}

KernelResources read_kernel(const json& row, const json& parameters) {
  KernelResources kernel{.symbol = row.at("symbol"),
                         .name = row.at("name"),
                         .num_vgprs = row.at("vgprs"),
                         .num_agprs = row.at("agprs"),
                         .num_sgprs = row.at("sgprs"),
                         .num_vgpr_spills = row.at("vgpr_spills"),
                         .num_sgpr_spills = row.at("sgpr_spills"),
                         .scratch_bytes = row.at("scratch_bytes"),
                         .lds_bytes = row.at("lds_bytes"),
                         .max_threads = row.at("max_threads"),
                         .wave_width = row.at("wave_width"),
                         .max_waves_per_simd = row.at("waves_per_simd"),
                         .argument_bytes = row.at("argument_bytes"),
                         .argument_align_bytes = row.at("argument_align")};
  const auto known = parameters.find(kernel.symbol);
  for (const json& argument : row.at("arguments")) {
    KernelArgument& added = kernel.arguments.emplace_back();
    added.kind = argument.at("kind");
    added.offset_bytes = argument.at("offset");
    added.num_bytes = argument.at("bytes");
    const size_t index = kernel.arguments.size() - 1;
    if (known == parameters.end() || index >= known->size()) continue;
    added.name = (*known)[index].at("name");
    added.type = (*known)[index].at("type");
  }
  return kernel;
}

CompiledSource read_answer(const std::string& file, const json& answer) {
  CompiledSource compiled{.file = file, .ok = answer.at("ok")};
  const json parameters = answer.at("host").value("parameters", json::object());
  for (const json& row : answer.at("objects")) {
    CodeObject& object = compiled.objects.emplace_back();
    object.arch = row.at("arch");
    object.ok = row.at("ok");
    if (row.at("path").is_string()) object.path = row.at("path");
    object.undefined = row.value("undefined", std::vector<std::string>{});
    for (const json& kernel : row.value("kernels", json::array())) {
      if (is_of_library(kernel.at("name"))) continue;  // a stand-in, which hipcc does not see
      object.kernels.push_back(read_kernel(kernel, parameters));
    }
  }
  for (const json& row : answer.at("diagnostics")) {
    compiled.diagnostics.push_back(
        {row.at("severity"), row.at("pass"), row.at("file"), row.at("line"), row.at("column"),
         with_missing_name(row.at("message").get<std::string>()), row.at("flag")});
  }
  return compiled;
}

void add_error(CompiledSource& compiled, const LaunchResources& launch, const char* flag,
               std::string message) {
  compiled.diagnostics.push_back(
      {"error", launch.arch, launch.file, launch.line, 0, std::move(message), flag});
  compiled.ok = false;
}

void judge(CompiledSource& compiled, const LaunchResources& launch, const KernelResources& kernel) {
  const int64_t limit = limits_of(launch.arch).lds_bytes;
  const int64_t dynamic_bytes = std::max<int64_t>(0, launch.dynamic_lds_bytes);
  if (launch.static_lds_bytes + dynamic_bytes > limit) {
    add_error(compiled, launch, "lds",
              fmt::format("{} is launched with {} static + {} dynamic bytes of LDS, and {} has {}; "
                          "use smaller tiles",
                          kernel.name, launch.static_lds_bytes, dynamic_bytes, launch.arch, limit));
  }
  if (launch.threads > kernel.max_threads) {
    add_error(compiled, launch, "threads",
              fmt::format("{} is launched with blocks of {} threads, and is compiled for at most "
                          "{}; raise __launch_bounds__ or use smaller blocks",
                          kernel.name, launch.threads, kernel.max_threads));
  }
}

void add_launches(CompiledSource& compiled, const json& sites) {
  const std::vector<CodeObject> objects = compiled.objects;
  for (const CodeObject& object : objects) {
    for (const json& site : sites) {
      const auto kernel = std::find_if(object.kernels.begin(), object.kernels.end(),
                                       [&](const KernelResources& row) {
                                         return row.symbol == site.at("symbol").get<std::string>();
                                       });
      if (kernel == object.kernels.end()) continue;  // defined in another source
      LaunchResources launch{.arch = object.arch,
                             .symbol = kernel->symbol,
                             .file = site.at("file"),
                             .line = site.at("line"),
                             .threads = site.at("threads"),
                             .static_lds_bytes = kernel->lds_bytes,
                             .dynamic_lds_bytes = site.at("dynamic_bytes")};
      if (launch.threads > 0 && launch.dynamic_lds_bytes >= 0) {
        launch.waves_per_simd =
            resident_waves_per_simd(object.arch, kernel->max_waves_per_simd, launch.threads,
                                    launch.static_lds_bytes + launch.dynamic_lds_bytes);
      }
      judge(compiled, launch, *kernel);
      compiled.launches.push_back(std::move(launch));
    }
  }
}

}  // namespace

int64_t resident_waves_per_simd(const std::string& arch, int64_t max_waves_per_simd,
                                int64_t threads, int64_t lds_bytes) {
  constexpr int64_t kSimds = 4;
  const Limits limits = limits_of(arch);
  const int64_t waves_per_block = (threads + 63) / 64;
  int64_t blocks = kSimds * max_waves_per_simd / waves_per_block;
  if (lds_bytes > 0) {
    const int64_t given =
        (lds_bytes + limits.lds_step_bytes - 1) / limits.lds_step_bytes * limits.lds_step_bytes;
    blocks = std::min(blocks, limits.lds_bytes / given);
  }
  return (blocks * waves_per_block + kSimds - 1) / kSimds;
}

CompiledSource compile_hip(const std::string& file, const CompileOptions& options) {
  for (const std::string& arch : options.archs) limits_of(arch);
  check_source(file);
  const std::filesystem::path folder = options.output_folder.empty() ? "." : options.output_folder;
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: cannot be made: {}", folder.string(), failure.message()));
  }
  const json request = {{"file", file},
                        {"archs", options.archs},
                        {"arguments", options.arguments},
                        {"instantiations", options.instantiations},
                        {"touched", options.touched},
                        {"output", (folder / std::filesystem::path(file).stem()).string()}};
  const json answer = ask_frontend("object", request);
  CompiledSource compiled = read_answer(file, answer);
  add_launches(compiled, answer.at("host").at("launches"));
  return compiled;
}

}  // namespace ambidex
