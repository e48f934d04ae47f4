// SPDX-License-Identifier: Apache-2.0
#include "port/native_gain.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "port/further.h"
#include "port/launch_estimate.h"
#include "port/native_shapes.h"
#include "port/traffic.h"
#include "port/work_done.h"

namespace ambidex::repair {
namespace {

// Of lanes, in the largest launch: about a second of the executor with its checkers on.
constexpr double kMaxInstructions = 8e6;
constexpr double kMaxScale = 64;
constexpr int kNumLaunches = 3;

// Instructions of lanes; nothing if it does not run.
std::optional<double> instructions_of(const NativeCode& code,
                                      const std::optional<TracedLaunch>& launch,
                                      const std::string& folder) {
  if (!launch) return std::nullopt;
  const nlohmann::json row =
      counted_launch(*launch, code.symbol, manner_at(64, code.counted_module, folder));
  if (row.is_null()) return std::nullopt;
  const SimtTraffic traffic = traffic_of(row.at("traffic"));
  const auto& lanes = traffic.arithmetic.lanes;
  return static_cast<double>(std::accumulate(lanes.begin(), lanes.end(), int64_t{0}) +
                             traffic.loads.lanes + traffic.stores.lanes + traffic.shared.lanes);
}

// The largest power of two by which sizes can grow, from what doubling them costs.
double largest_scale(const NativeCode& code, const Contract& contract, const std::string& folder) {
  for (const Scaling scaling : {Scaling::exact, Scaling::largest_alone}) {
    const auto once = instructions_of(code, launch_at(contract, 1, scaling, 0), folder);
    if (!once || *once > kMaxInstructions / 2) continue;
    const auto twice = instructions_of(code, launch_at(contract, 2, scaling, 0), folder);
    if (!twice) continue;
    const double growth = std::max(1.5, *twice / std::max(1.0, *once));
    double scale = 1;
    for (double work = *once * growth; work <= kMaxInstructions && scale < kMaxScale &&
                                       launch_at(contract, 2 * scale, scaling, 0);
         work *= growth) {
      scale *= 2;
    }
    return scale;
  }
  return 1;
}

/// One of the three launches, with what the original makes of it.
struct Probe {
  TracedLaunch launch;
  Variables sizes;
  Replayed original;
};

// A launch that the original takes.
std::optional<Probe> probe_at(const TierA& tier_a, double scale, uint64_t key,
                              const std::string& folder) {
  for (const Scaling scaling : kScalings) {
    auto launch = launch_at(tier_a.contract, scale, scaling, key);
    if (!launch) continue;
    launch->symbol = tier_a.original_symbol;
    Replayed original = replay(*launch, launch->symbol,
                               manner_at(32, tier_a.original_module, folder, tier_a.num_workers));
    if (!is_sound(original, Side::original)) continue;
    return Probe{std::move(*launch), sizes_at(tier_a.contract, scale, scaling, key),
                 std::move(original)};
  }
  return std::nullopt;
}

GainVerdict refused(const char* gate, std::string reason, std::string shown) {
  return {.gate = gate, .reason = std::move(reason), .shown = std::move(shown), .gains = {}};
}

// The results of both on one launch, against the original and against each other.
GainVerdict compare(const TierA& tier_a, const NativeCode& candidate, const Probe& probe,
                    const std::string& folder) {
  const auto run = [&](const NativeCode& code) {
    return replay(probe.launch, code.symbol,
                  manner_at(64, code.checked_module, folder, tier_a.num_workers));
  };
  const Replayed before = run(tier_a.code), after = run(candidate);
  const char* const shown = "in a launch that is not shown it does not compute what it should";
  if (!is_sound(after, Side::port)) {
    const std::string what =
        after.problems.empty() ? after.status : after.problems[0].kind + " was found";
    return refused("tier-a", what, "in a launch that is not shown: " + what);
  }
  Further further;
  const auto judge = [&](const Replayed& measure, const char* name) {
    const Agreement agreement =
        compare_buffers(view_of(tier_a.contract), probe.launch, views(measure), views(after), [&] {
          further.run(probe.launch,
                      manner_at(32, tier_a.original_module, folder, tier_a.num_workers));
          return further.runs();
        });
    return agreement.difference.empty() ? ""
                                        : fmt::format("beside {}: {}", name, agreement.difference);
  };
  std::string difference = judge(probe.original, "the original");
  if (difference.empty() && is_sound(before, Side::port)) difference = judge(before, "tier A");
  return difference.empty() ? GainVerdict{} : refused("tier-a", difference, shown);
}

int64_t input_bytes(const Contract& contract, const Variables& sizes) {
  int64_t bytes = 0;
  for (const ContractParameter& parameter : contract.parameters) {
    const bool is_read = parameter.role == Role::in || parameter.role == Role::inout;
    if (is_read) bytes += formula_value(parameter.bytes, sizes);
  }
  return bytes;
}

// Seconds in which memory could at best bring what the kernel needs and take what it leaves. A
// contract tells how large buffers are, tier A what of them it touches: the smaller counts.
double floor_of(const TierA& tier_a, const Device& device, const WorkDone& before,
                const Variables& sizes) {
  const double needed =
      std::min(before.loaded_bytes, static_cast<double>(input_bytes(tier_a.contract, sizes)));
  return (needed + before.stored_bytes) / require(device.spec.memory.memory_bytes_per_second,
                                                  "spec.memory_bytes_per_second", device);
}

}  // namespace

GainVerdict judge_times(const std::string& kernel, const Device& device,
                        const LaunchEstimate& before, const LaunchEstimate& after,
                        double floor_seconds) {
  if (after.occupancy.groups_per_unit == 0) {
    const auto what = fmt::format("no block of it fits on {}", device.id);
    return refused("gain", what, what);
  }
  const NativeGain gain{.device = device.id,
                        .before_seconds = before.time.seconds - before.time.launch_seconds,
                        .after_seconds = after.time.seconds - after.time.launch_seconds,
                        .floor_seconds = floor_seconds,
                        .before_binds = before.time.binds,
                        .after_binds = after.time.binds};
  if (gain.after_seconds < floor_seconds) {
    return refused(
        "floor",
        fmt::format("{}: predicted {:.3g} us on {}, below the {:.3g} us that memory takes "
                    "at its peak rate for what must be read and written",
                    kernel, gain.after_seconds * 1e6, device.id, floor_seconds * 1e6),
        "it reads or writes less than the kernel must");
  }
  if (gain.before_seconds < kLeastGain * gain.after_seconds) {
    return refused(
        "gain",
        fmt::format("{}: predicted {:.3g} us on {} ({}) where tier A takes {:.3g} us ({}): {:.2f} "
                    "times as fast, and {} is asked for",
                    kernel, gain.after_seconds * 1e6, device.id, name_of(gain.after_binds),
                    gain.before_seconds * 1e6, name_of(gain.before_binds),
                    gain.before_seconds / gain.after_seconds, kLeastGain),
        fmt::format("in a launch that is not shown it is predicted to be {:.2f} times as fast as "
                    "the body of now on {}, and {} is asked for; {} binds it",
                    gain.before_seconds / gain.after_seconds, device.id, kLeastGain,
                    name_of(gain.after_binds)));
  }
  return {.gate = {}, .reason = {}, .shown = {}, .gains = {gain}};
}

namespace {

// Counts of both on one launch, and what they mean on each device.
GainVerdict judge_counts(const TierA& tier_a, const NativeCode& candidate, const Probe& probe,
                         const std::string& folder) {
  const auto count = [&](const NativeCode& code) {
    return counted_launch(probe.launch, code.symbol, manner_at(64, code.counted_module, folder));
  };
  const nlohmann::json before = count(tier_a.code), after = count(candidate);
  if (before.is_null() || after.is_null()) {
    return refused("gain", "it could not be counted", "it does not end where work is counted");
  }
  const WorkDone work = work_done(traffic_of(before.at("traffic")));
  const std::string left_out = work_fault(work, work_done(traffic_of(after.at("traffic"))));
  if (!left_out.empty()) {
    return refused("work", fmt::format("{}: {}", tier_a.kernel, left_out),
                   "it does not do the work of the kernel: results alone are not enough");
  }
  GainVerdict all;
  for (const Device& device : tier_a.devices) {
    const auto estimate = [&](const NativeCode& code, const nlohmann::json& row) {
      return estimate_launch(device, code.kernels, code.compiled, row);
    };
    GainVerdict one =
        judge_times(tier_a.kernel, device, estimate(tier_a.code, before),
                    estimate(candidate, after), floor_of(tier_a, device, work, probe.sizes));
    if (!one.gate.empty()) return one;
    all.gains.insert(all.gains.end(), one.gains.begin(), one.gains.end());
  }
  return all;
}

Module built(const Program& program, const char* dialect, bool counted, const std::string& folder) {
  ModuleSources sources = module_sources(program, dialect, folder);
  sources.counted = counted;
  Module module = build_module(sources);
  check(module.ok, "what was verified compiles");
  return module;
}

std::string symbol_in(const Module& module, const std::string& kernel) {
  for (const ModuleKernel& one : module.kernels) {
    if (kernel_base_name(one.name) == kernel) return one.symbol;
  }
  throw Error(ErrorKind::unsupported, "the module does not have it");
}

}  // namespace

NativeCode native_code_of(const Program& port, std::vector<CompiledSource> compiled,
                          const std::string& kernel, const std::string& folder) {
  const Module counted = built(port, "hip", true, folder);
  return {.checked_module = built(port, "hip", false, folder).path,
          .counted_module = counted.path,
          .kernels = counted.kernels,
          .compiled = std::move(compiled),
          .symbol = symbol_in(counted, kernel)};
}

TierA tier_a_of(const Task& task, const Program& tier_a, std::vector<CompiledSource> compiled,
                std::vector<Device> devices, const std::string& folder) {
  TierA bar;
  bar.kernel = *task.kernels.begin();
  bar.devices = std::move(devices);
  const auto found =
      std::find_if(task.report.contracts.begin(), task.report.contracts.end(),
                   [&](const Contract& contract) { return contract.kernel == bar.kernel; });
  if (found == task.report.contracts.end() || found->launches.empty()) {
    throw Error(ErrorKind::unsupported, "it has no contract, by which launches could be made");
  }
  bar.contract = *found;
  const Module original = built(task.original, "cuda", false, folder);
  bar.original_module = original.path;
  bar.original_symbol = symbol_in(original, bar.kernel);
  bar.code = native_code_of(tier_a, std::move(compiled), bar.kernel, folder);
  bar.scale = largest_scale(bar.code, bar.contract, folder);
  std::set<Variables> sizes;
  for (int i = 0; i < kNumLaunches; ++i) {
    const auto probe = probe_at(bar, std::ldexp(bar.scale, -i), 0, folder);
    if (probe && sizes.insert(probe->sizes).second) continue;
    throw Error(ErrorKind::unsupported,
                "the original takes no three sizes of launches, at which times could be compared");
  }
  return bar;
}

GainVerdict judge_gain(const TierA& tier_a, const NativeCode& candidate, uint64_t key,
                       const std::string& folder) {
  GainVerdict all;
  for (int i = 0; i < kNumLaunches; ++i) {
    const auto probe = probe_at(tier_a, std::ldexp(tier_a.scale, -i), key, folder);
    if (!probe) {
      return refused("gain", "the original takes no three launches with this key",
                     "no launches could be made to compare times; answer again");
    }
    GainVerdict one = compare(tier_a, candidate, *probe, folder);
    if (one.gate.empty()) one = judge_counts(tier_a, candidate, *probe, folder);
    if (!one.gate.empty()) return one;
    all.gains.insert(all.gains.end(), one.gains.begin(), one.gains.end());
  }
  return all;
}

}  // namespace ambidex::repair
