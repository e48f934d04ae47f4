// SPDX-License-Identifier: Apache-2.0
#include "port/estimate.h"
#include "port/traffic.h"

namespace ambidex {
namespace {

using nlohmann::json;

json to_json(const std::vector<EstimateNote>& notes) {
  json rows = json::array();
  for (const EstimateNote& note : notes) {
    rows.push_back({{"id", note.id.empty() ? json() : json(note.id)},
                    {"severity", "S3"},
                    {"message", note.message},
                    {"file", note.file.empty() ? json() : json(note.file)},
                    {"line", note.line == 0 ? json() : json(note.line)}});
  }
  return rows;
}

json to_json(const EstimateResources& resources) {
  if (!resources.known) return nullptr;
  return {{"registers_per_lane", resources.registers_per_lane},
          {"scratch_bytes", resources.scratch_bytes},
          {"num_spills", resources.num_spills}};
}

json to_json(const KernelTime& time) {
  json terms = json::object();
  for (int i = 0; i < kNumTimeTerms; ++i) {
    terms[std::string(name_of(static_cast<TimeTerm>(i)))] =
        time.term_seconds[static_cast<size_t>(i)];
  }
  return terms;
}

json to_json(const LaunchEstimate& launch) {
  const bool fits = launch.occupancy.groups_per_unit > 0;
  json row = {{"device", launch.device},
              {"grid", launch.counts.grid},
              {"block", launch.counts.block},
              {"shared_memory_bytes", launch.counts.shared_bytes},
              {"occupancy",
               {{"ratio", launch.occupancy.ratio},
                {"groups_per_unit", launch.occupancy.groups_per_unit},
                {"waves_per_unit", launch.occupancy.waves_per_unit},
                {"limit", name_of(launch.occupancy.limit)}}},
              {"resources", to_json(launch.resources)},
              {"waves", launch.counts.waves},
              {"shuffles", launch.counts.shuffles},
              {"counts", to_json(launch.counts.traffic)},
              {"notes", to_json(launch.notes)}};
  row["counts"].erase("sites");
  row["seconds"] = fits ? json(launch.time.seconds) : json();
  if (!fits) return row;
  row["launch_seconds"] = launch.time.launch_seconds;
  row["fill_seconds"] = launch.time.fill_seconds;
  row["binds"] = name_of(launch.time.binds);
  row["term_seconds"] = to_json(launch.time);
  row["memory_bytes"] = launch.time.memory_bytes;
  row["l2_bytes"] = launch.time.l2_bytes;
  return row;
}

json to_json(const ProgramEstimate& program) {
  json kernels = json::array();
  for (const KernelEstimate& kernel : program.kernels) {
    json devices = json::array();
    for (const LaunchEstimate& launch : kernel.devices) devices.push_back(to_json(launch));
    kernels.push_back({{"kernel", kernel.kernel},
                       {"num_launches", kernel.num_launches},
                       {"devices", std::move(devices)}});
  }
  return {{"program", program.program},
          {"fault", program.fault.empty() ? json() : json(program.fault)},
          {"notes", to_json(program.notes)},
          {"library_launches", program.num_library_launches},
          {"kernels", std::move(kernels)}};
}

}  // namespace

json to_json(const EstimateReport& report) {
  json programs = json::array();
  for (const ProgramEstimate& program : report.programs) programs.push_back(to_json(program));
  return {
      {"measured", false}, {"assumptions", report.assumptions}, {"programs", std::move(programs)}};
}

}  // namespace ambidex
