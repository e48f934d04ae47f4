// SPDX-License-Identifier: Apache-2.0
#include "port/compile.h"

namespace ambidex {
namespace {

using nlohmann::json;

json to_json(const KernelResources& kernel) {
  json arguments = json::array();
  for (const KernelArgument& argument : kernel.arguments) {
    arguments.push_back({{"name", argument.name},
                         {"type", argument.type},
                         {"kind", argument.kind},
                         {"offset_bytes", argument.offset_bytes},
                         {"num_bytes", argument.num_bytes}});
  }
  return {{"symbol", kernel.symbol},
          {"name", kernel.name},
          {"num_vgprs", kernel.num_vgprs},
          {"num_agprs", kernel.num_agprs},
          {"num_sgprs", kernel.num_sgprs},
          {"num_vgpr_spills", kernel.num_vgpr_spills},
          {"num_sgpr_spills", kernel.num_sgpr_spills},
          {"scratch_bytes", kernel.scratch_bytes},
          {"lds_bytes", kernel.lds_bytes},
          {"max_threads", kernel.max_threads},
          {"wave_width", kernel.wave_width},
          {"max_waves_per_simd", kernel.max_waves_per_simd},
          {"argument_bytes", kernel.argument_bytes},
          {"argument_align_bytes", kernel.argument_align_bytes},
          {"arguments", std::move(arguments)}};
}

json number_or_null(int64_t value) { return value < 0 ? json() : json(value); }

json to_json(const LaunchResources& launch) {
  return {{"arch", launch.arch},
          {"symbol", launch.symbol},
          {"file", launch.file},
          {"line", launch.line},
          {"threads", number_or_null(launch.threads)},
          {"static_lds_bytes", launch.static_lds_bytes},
          {"dynamic_lds_bytes", number_or_null(launch.dynamic_lds_bytes)},
          {"waves_per_simd", number_or_null(launch.waves_per_simd)}};
}

}  // namespace

json to_json(const CompiledSource& compiled) {
  json objects = json::array(), launches = json::array(), diagnostics = json::array();
  for (const CodeObject& object : compiled.objects) {
    json kernels = json::array();
    for (const KernelResources& kernel : object.kernels) kernels.push_back(to_json(kernel));
    objects.push_back({{"arch", object.arch},
                       {"ok", object.ok},
                       {"path", object.path.empty() ? json() : json(object.path)},
                       {"kernels", std::move(kernels)},
                       {"undefined", object.undefined}});
  }
  for (const LaunchResources& launch : compiled.launches) launches.push_back(to_json(launch));
  for (const CompileDiagnostic& row : compiled.diagnostics) {
    diagnostics.push_back({{"severity", row.severity},
                           {"pass", row.pass},
                           {"file", row.file},
                           {"line", row.line},
                           {"column", row.column},
                           {"message", row.message},
                           {"flag", row.flag}});
  }
  return {{"file", compiled.file},
          {"ok", compiled.ok},
          {"objects", std::move(objects)},
          {"launches", std::move(launches)},
          {"diagnostics", std::move(diagnostics)}};
}

}  // namespace ambidex
