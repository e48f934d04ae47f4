// SPDX-License-Identifier: Apache-2.0
// The steps of a selection: candidates, seconds, constraints, order, doubt.
#include "select/state.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "select/grid.h"
#include "select/ranking.h"

namespace ambidex {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr GemmConfig kLibrary{.kernel_template = KernelTemplate::library};

// Memory of the thread, so that a ranking allocates only while these grow.
struct Scratch {
  std::vector<double> seconds;
  std::vector<int32_t> order;
};

Scratch& scratch_for(size_t num_candidates) {
  thread_local Scratch scratch;
  if (scratch.seconds.size() < num_candidates) {
    scratch.seconds.resize(num_candidates);
    scratch.order.resize(num_candidates);
  }
  return scratch;
}

// Sums in the order of arrival differ from run to run. Stream-K adds up in a fixed one.
bool sums_by_arrival(const GemmConfig& config) {
  return config.kernel_template == KernelTemplate::triton && config.split_k > 1;
}

// Reasons that differ only in numbers are one reason.
std::string without_numbers(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    if (!is_digit) out += c;
    if (is_digit && (out.empty() || out.back() != '#')) out += '#';
  }
  return out;
}

void count(std::string_view reason, std::map<std::string, Rejected>& groups) {
  Rejected& group = groups[without_numbers(reason)];
  if (group.num_candidates++ == 0) group.reason = reason;
}

}  // namespace

void GemmSelector::State::validate(const GemmOp& op, const SelectOptions& options) const {
  ambidex::validate(op);
  ambidex::validate(options);
  const Device& device = device_of(model);
  const int64_t num_units =
      require(device.spec.compute.num_compute_units, "spec.num_compute_units", device);
  if (options.num_units <= num_units) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("options: num_units: {} has {} compute units, got {}", device.id,
                          num_units, options.num_units));
}

const CandidateSet& GemmSelector::State::candidates(const GemmOp& op) const {
  const uint64_t key = prepare_key(op);
  {
    const std::shared_lock lock(sets_mutex_);
    const auto found = sets_.find(key);
    if (found != sets_.end()) return *found->second;
  }
  auto set = std::make_unique<CandidateSet>();
  set->configs =
      own_candidates.empty() ? without_hopeless(model, op, grid(model, op)) : own_candidates;
  set->prepared = prepare(model, op, set->configs);
  const std::lock_guard lock(sets_mutex_);
  return *sets_.try_emplace(key, std::move(set)).first->second;  // the first one stays
}

Ranking GemmSelector::State::rank(const GemmOp& op, const SelectOptions& options,
                                  int64_t num_fastest) const {
  Ranking ranking{.set = &candidates(op)};
  const size_t num_configs = ranking.set->configs.size();
  Scratch& scratch = scratch_for(num_configs + 1);
  ranking.seconds = std::span(scratch.seconds).first(num_configs + 1);
  gemm_seconds(model, ranking.set->prepared, op, options.num_units,
               ranking.seconds.first(num_configs));
  drop_unwanted(op, options, ranking);
  add_library(op, options, ranking);
  ranking.num_legal = std::count_if(ranking.seconds.begin(), ranking.seconds.end(),
                                    [](double seconds) { return seconds < kInfinity; });
  if (ranking.num_legal == 0) throw Error(ErrorKind::unsupported, no_candidate(op, options));
  const size_t room = std::min(static_cast<size_t>(num_fastest), num_configs + 1);
  const auto order = std::span(scratch.order).first(room);
  ranking.fastest = order.first(static_cast<size_t>(sort_fastest(ranking.seconds, order)));
  return ranking;
}

void GemmSelector::State::drop_unwanted(const GemmOp& op, const SelectOptions& options,
                                        Ranking& ranking) const {
  const bool is_free = !options.deterministic && options.workspace_bytes < 0;
  if (is_free && filter.accepts == nullptr) return;
  for (size_t i = 0; i < ranking.set->configs.size(); ++i) {
    double& seconds = ranking.seconds[i];
    if (seconds == kInfinity) continue;
    if (!why_unwanted(op, options, ranking.set->configs[i]).empty()) seconds = kInfinity;
  }
}

std::string_view GemmSelector::State::why_unwanted(const GemmOp& op, const SelectOptions& options,
                                                   const GemmConfig& config) const {
  if (options.deterministic && sums_by_arrival(config)) {
    return "split-K adds up by atomics, in the order of arrival";
  }
  if (options.workspace_bytes >= 0 &&
      workspace_bytes(model, op, config) > options.workspace_bytes) {
    return "needs more workspace than the caller allows";
  }
  const bool is_refused = filter.accepts != nullptr && !filter.accepts(filter.context, op, config);
  return is_refused ? "the caller's filter refuses it" : "";
}

void GemmSelector::State::add_library(const GemmOp& op, const SelectOptions& options,
                                      Ranking& ranking) const {
  ranking.seconds.back() = kInfinity;
  if (library == nullptr || !options.allow_library) return;
  if (!why_illegal(library, op, kLibrary).empty()) return;
  ranking.library_seconds = gemm_estimate(library, op, kLibrary, options.num_units).seconds;
  ranking.seconds.back() = *ranking.library_seconds;
}

GemmConfig GemmSelector::State::config_at(const Ranking& ranking, int32_t index) const {
  const std::vector<GemmConfig>& configs = ranking.set->configs;
  return static_cast<size_t>(index) < configs.size() ? configs[index] : kLibrary;
}

Estimate GemmSelector::State::estimate(const GemmOp& op, const GemmConfig& config,
                                       int64_t num_units) const {
  const bool is_library = config.kernel_template == KernelTemplate::library && library != nullptr;
  return gemm_estimate(is_library ? library : model, op, config, num_units);
}

Selection GemmSelector::State::select(const GemmOp& op, const SelectOptions& options) const {
  const Ranking ranking = rank(op, options, kMaxMeasured);
  int32_t choice = ranking.fastest[0];
  Selection selection{.config = config_at(ranking, choice)};
  selection.estimate = estimate(op, selection.config, options.num_units);
  selection.num_candidates = ranking.num_legal;
  selection.library_seconds = ranking.library_seconds;
  const Confidence confidence =
      confidence_of(ranking.seconds, ranking.fastest, selection.estimate.sigma, options);
  selection.confidence = confidence.first;
  selection.measure_k = confidence.measure_k;
  if (confidence.first < options.min_confidence) {
    selection.abstained = Abstained::measure;
    const double limit = ranking.seconds[choice] * (1 + options.library_slack_ratio);
    if (ranking.library_seconds && *ranking.library_seconds <= limit) {
      selection.abstained = Abstained::library;
      choice = static_cast<int32_t>(ranking.seconds.size()) - 1;
      selection.config = kLibrary;
      selection.estimate = estimate(op, kLibrary, options.num_units);
    }
  }
  for (const int32_t other : ranking.fastest) {
    if (other == choice) continue;
    selection.runner_up = {config_at(ranking, other), ranking.seconds[other]};
    break;
  }
  return selection;
}

std::vector<Rejected> GemmSelector::State::rejected(const GemmOp& op,
                                                    const SelectOptions& options) const {
  std::map<std::string, Rejected> groups;
  for (const GemmConfig& config : own_candidates.empty() ? grid(model, op) : own_candidates) {
    const std::string reason = why_illegal(model, op, config);
    if (!reason.empty()) {
      count(reason, groups);
    } else if (const auto unwanted = why_unwanted(op, options, config); !unwanted.empty()) {
      count(unwanted, groups);
    }
  }
  std::vector<Rejected> rejected;
  for (const auto& [key, group] : groups) rejected.push_back(group);
  std::stable_sort(rejected.begin(), rejected.end(), [](const Rejected& a, const Rejected& b) {
    return a.num_candidates > b.num_candidates;
  });
  return rejected;
}

std::string GemmSelector::State::no_candidate(const GemmOp& op,
                                              const SelectOptions& options) const {
  std::string out = fmt::format("{}: no legal {} candidate for {}x{}x{} {} {}", device_of(model).id,
                                name_of(template_of(model)), op.m, op.n, op.k, name_of(op.dtype),
                                name_of(op.layout));
  const std::vector<Rejected> groups = rejected(op, options);
  if (groups.empty()) return out + ": the template can generate none for this type";
  std::string_view separator = ": ";
  for (const Rejected& group : groups) {
    out += fmt::format("{}{} x {}", separator, group.num_candidates, group.reason);
    separator = "; ";
  }
  return out;
}

}  // namespace ambidex
