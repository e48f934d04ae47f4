// SPDX-License-Identifier: Apache-2.0
#include "port/work_done.h"

#include <fmt/format.h>

#include <map>

#include "port/traffic.h"

namespace ambidex {
namespace {

constexpr double kLeastFlop = 256;  // with fewer, rounding up to waves decides
constexpr double kLeastBytes = 64;

// By the kernel's base name; nothing if the program does not end as it should.
std::map<std::string, WorkDone> work_of_program(const RunManner& manner) {
  std::map<std::string, WorkDone> work;
  for (const auto& launch : counted_program(manner)) {
    work[kernel_base_name(launch.at("kernel"))] += work_done(traffic_of(launch.at("traffic")));
  }
  return work;
}

}  // namespace

WorkDone& WorkDone::operator+=(const WorkDone& other) {
  flop += other.flop;
  loaded_bytes += other.loaded_bytes;
  stored_bytes += other.stored_bytes;
  return *this;
}

WorkDone work_done(const SimtTraffic& traffic) {
  WorkDone work{.flop = 0,
                .loaded_bytes = static_cast<double>(traffic.loads.distinct_bytes),
                .stored_bytes = static_cast<double>(traffic.stores.distinct_bytes)};
  for (const int64_t flop : traffic.arithmetic.flop) work.flop += static_cast<double>(flop);
  for (const auto& [type, flop] : traffic.arithmetic.matrix_flop) {
    work.flop += static_cast<double>(flop);
  }
  return work;
}

std::string work_fault(const WorkDone& before, const WorkDone& candidate) {
  const auto few = [](const char* what, double had, double has) {
    return fmt::format("{:.0f} {} where there were {:.0f}: work is left out", has, what, had);
  };
  if (before.flop >= kLeastFlop && candidate.flop < kFewestFlop * before.flop) {
    return few("floating-point operations", before.flop, candidate.flop);
  }
  if (before.flop >= kLeastFlop && candidate.flop > kMostFlop * before.flop) {
    return fmt::format(
        "{:.0f} floating-point operations where there were {:.0f}: work is done "
        "many times over",
        candidate.flop, before.flop);
  }
  if (before.loaded_bytes >= kLeastBytes &&
      candidate.loaded_bytes < kFewestBytes * before.loaded_bytes) {
    return few("bytes of memory are read", before.loaded_bytes, candidate.loaded_bytes);
  }
  if (before.stored_bytes >= kLeastBytes &&
      candidate.stored_bytes < kFewestBytes * before.stored_bytes) {
    return few("bytes of memory are written", before.stored_bytes, candidate.stored_bytes);
  }
  return "";
}

std::string work_fault(const WorkRequest& request) {
  const std::map<std::string, WorkDone> original = work_of_program(request.original);
  if (original.empty()) return "";
  const std::map<std::string, WorkDone> port = work_of_program(request.port);
  for (const auto& [kernel, before] : original) {
    const auto after = port.find(kernel);
    if (!request.kernels.contains(kernel) || after == port.end()) continue;
    if (std::string fault = work_fault(before, after->second); !fault.empty()) {
      return fmt::format("{}: {}", kernel, fault);
    }
  }
  return "";
}

}  // namespace ambidex
