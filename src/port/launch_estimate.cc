// SPDX-License-Identifier: Apache-2.0
#include "port/launch_estimate.h"

#include "port/traffic.h"

namespace ambidex {
namespace {

EstimateResources resources_of(const std::vector<CompiledSource>& compiled, const Device& device,
                               const std::string& symbol, int64_t& shared_bytes) {
  for (const CompiledSource& source : compiled) {
    for (const CodeObject& object : source.objects) {
      if (object.arch != device.isa) continue;
      for (const KernelResources& kernel : object.kernels) {
        if (kernel.symbol != symbol) continue;
        shared_bytes = kernel.lds_bytes;
        return {.known = true,
                .registers_per_lane = kernel.num_vgprs,
                .scratch_bytes = kernel.scratch_bytes,
                .num_spills = kernel.num_vgpr_spills + kernel.num_sgpr_spills};
      }
    }
  }
  return {};
}

}  // namespace

LaunchEstimate estimate_launch(const Device& device, const std::vector<ModuleKernel>& kernels,
                               const std::vector<CompiledSource>& compiled,
                               const nlohmann::json& row) {
  LaunchEstimate launch{.device = device.id};
  const std::string symbol = row.at("symbol");
  LaunchCounts& counts = launch.counts;
  counts = {.grid = row.at("grid"),
            .block = row.at("block"),
            .waves = row.at("counts").at("waves"),
            .shuffles = row.at("counts").at("shuffles"),
            .traffic = traffic_of(row.at("traffic"))};
  for (const ModuleKernel& kernel : kernels) {
    if (kernel.symbol == symbol) counts.shared_bytes = kernel.shared_bytes;
  }
  if (device.vendor == Vendor::amd)
    launch.resources = resources_of(compiled, device, symbol, counts.shared_bytes);
  counts.shared_bytes += row.at("dynamic_shared_bytes").get<int64_t>();
  BlockResources block{.threads = counts.num_threads(), .shared_bytes = counts.shared_bytes};
  if (launch.resources.known) block.registers_per_lane = launch.resources.registers_per_lane;
  launch.occupancy = occupancy_of(device, block);
  if (launch.occupancy.groups_per_unit > 0) {
    launch.time = kernel_time(device, counts, launch.occupancy);
  }
  return launch;
}

}  // namespace ambidex
