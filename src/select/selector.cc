// SPDX-License-Identifier: Apache-2.0
// GemmSelector: its calls, and what it says about itself.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "select/grid.h"
#include "select/ranking.h"
#include "select/state.h"

namespace ambidex {
namespace {

// Changes with the candidates, the constraints and the thresholds' meaning.
constexpr std::string_view kSelectVersion = "1";

// An unknown time of the library only means that it is no candidate.
GemmModel library_model(const Device& device, KernelTemplate kernel_template) {
  if (kernel_template == KernelTemplate::library) return nullptr;
  try {
    return make_gemm_model(device, KernelTemplate::library);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::unsupported) throw;
    return nullptr;
  }
}

void expect(bool condition, std::string_view field, std::string_view expected, double got) {
  if (condition) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("options: {}: expected {}, got {:g}", field, expected, got));
}

// FNV-1a: a key for caches has to be the same everywhere, which std::hash need not be.
uint64_t hash_of(std::span<const GemmConfig> configs) {
  uint64_t hash = 0xCBF29CE484222325u;
  for (const GemmConfig& config : configs) {
    for (const ConfigField& field : config_fields(config)) {
      hash = (hash ^ static_cast<uint64_t>(field.value)) * 0x100000001B3u;
    }
  }
  return hash;
}

}  // namespace

std::string_view name_of(Abstained abstained) {
  constexpr std::array<std::string_view, 3> kNames{"none", "library", "measure"};
  return kNames.at(static_cast<size_t>(abstained));
}

void validate(const SelectOptions& options) {
  const auto is_ratio = [](double ratio) { return ratio >= 0 && ratio <= 1; };
  expect(options.num_units >= 0, "num_units", "a count, or 0 for all",
         static_cast<double>(options.num_units));
  expect(options.workspace_bytes >= -1, "workspace_bytes", "a count, or -1 for no cap",
         static_cast<double>(options.workspace_bytes));
  constexpr std::string_view kRatio = "a ratio from 0 to 1";
  expect(is_ratio(options.close_ratio), "close_ratio", kRatio, options.close_ratio);
  expect(is_ratio(options.min_confidence), "min_confidence", kRatio, options.min_confidence);
  expect(is_ratio(options.measure_confidence), "measure_confidence", kRatio,
         options.measure_confidence);
  expect(is_ratio(options.library_slack_ratio), "library_slack_ratio", kRatio,
         options.library_slack_ratio);
}

GemmSelector::State::State(const Device& device, KernelTemplate kernel_template,
                           const SelectorSetup& setup)
    : model(make_gemm_model(device, kernel_template)),
      library(library_model(device, kernel_template)),
      own_candidates(setup.candidates.begin(), setup.candidates.end()),
      filter(setup.filter) {
  for (const GemmConfig& config : own_candidates) {
    if (config.kernel_template == kernel_template) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("candidates: a configuration of {} for a selector of {}; give each "
                            "template a selector of its own",
                            name_of(config.kernel_template), name_of(kernel_template)));
  }
}

GemmSelector::GemmSelector(const Device& device, KernelTemplate kernel_template,
                           const SelectorSetup& setup)
    : state_(std::make_unique<State>(device, kernel_template, setup)) {}
GemmSelector::~GemmSelector() = default;
GemmSelector::GemmSelector(GemmSelector&&) noexcept = default;
GemmSelector& GemmSelector::operator=(GemmSelector&&) noexcept = default;

Selection GemmSelector::select(const GemmOp& op, const SelectOptions& options) const {
  const MemoKey key{op, options};
  const uint64_t hash = hash_of(key);
  Selection selection;
  if (state_->memo.find(key, hash, selection)) return selection;
  state_->validate(op, options);
  selection = state_->select(op, options);
  state_->memo.put(key, hash, selection);
  return selection;
}

int64_t GemmSelector::rank(const GemmOp& op, std::span<Ranked> ranked,
                           const SelectOptions& options) const {
  state_->validate(op, options);
  const Ranking ranking = state_->rank(op, options, static_cast<int64_t>(ranked.size()));
  for (size_t i = 0; i < ranking.fastest.size() && i < ranked.size(); ++i) {
    const int32_t index = ranking.fastest[i];
    ranked[i] = {state_->config_at(ranking, index), ranking.seconds[index]};
  }
  return ranking.num_legal;
}

std::vector<Ranked> GemmSelector::top_k(const GemmOp& op, int64_t k,
                                        const SelectOptions& options) const {
  if (k < 1) {
    throw Error(ErrorKind::bad_input, fmt::format("top_k: expected a count from 1, got {}", k));
  }
  state_->validate(op, options);
  const Ranking ranking = state_->rank(op, options, k);
  std::vector<Ranked> ranked;
  for (const int32_t index : ranking.fastest) {
    if (static_cast<int64_t>(ranked.size()) == k) break;
    ranked.push_back({state_->config_at(ranking, index), ranking.seconds[index]});
  }
  return ranked;
}

std::vector<Rejected> GemmSelector::rejected(const GemmOp& op, const SelectOptions& options) const {
  state_->validate(op, options);
  return state_->rejected(op, options);
}

std::string GemmSelector::uuid() const {
  const GemmModel& model = state_->model;
  std::string uuid = fmt::format("gemm-{}.{}-{}-{}", kGemmModelVersion, kSelectVersion,
                                 name_of(template_of(model)), device_hash(device_of(model)));
  if (!state_->own_candidates.empty())
    uuid += fmt::format("-{:016x}", hash_of(state_->own_candidates));
  return uuid;
}

const GemmModel& GemmSelector::model() const { return state_->model; }

}  // namespace ambidex
