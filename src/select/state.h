// SPDX-License-Identifier: Apache-2.0
// What a GemmSelector owns, and the steps that its calls share.
#pragma once

#include <map>
#include <memory>
#include <shared_mutex>
#include <vector>

#include "select/memo.h"

namespace ambidex {

/// Candidates of all ops with one prepare_key().
struct CandidateSet {
  std::vector<GemmConfig> configs;
  PreparedConfigs prepared;
};

/// One op's candidates with their predicted seconds. The library, if it takes part, is the last.
/// Spans point to memory of the thread, and hold until its next call.
struct Ranking {
  const CandidateSet* set = nullptr;
  std::span<double> seconds;   // of all; infinity: not legal
  std::span<int32_t> fastest;  // indices, fastest first
  int64_t num_legal = 0;
  std::optional<double> library_seconds;
};

struct GemmSelector::State {
  State(const Device& device, KernelTemplate kernel_template, const SelectorSetup& setup);

  GemmModel model;
  GemmModel library;  // null where the library's time is not known, or it is the template
  std::vector<GemmConfig> own_candidates;
  ConfigFilter filter;

  /// throws Error(bad_input)
  void validate(const GemmOp& op, const SelectOptions& options) const;
  /// throws Error(unsupported) if no candidate is legal
  Ranking rank(const GemmOp& op, const SelectOptions& options, int64_t num_fastest) const;
  Selection select(const GemmOp& op, const SelectOptions& options) const;
  GemmConfig config_at(const Ranking& ranking, int32_t index) const;
  Estimate estimate(const GemmOp& op, const GemmConfig& config, int64_t num_units) const;

  /// Why `config` is out, beyond what the device says; empty if it is not.
  std::string_view why_unwanted(const GemmOp& op, const SelectOptions& options,
                                const GemmConfig& config) const;
  std::vector<Rejected> rejected(const GemmOp& op, const SelectOptions& options) const;
  /// "no legal candidate ...: 12 x needs ...; 3 x ..."
  std::string no_candidate(const GemmOp& op, const SelectOptions& options) const;

  mutable Memo memo;

 private:
  const CandidateSet& candidates(const GemmOp& op) const;
  void drop_unwanted(const GemmOp& op, const SelectOptions& options, Ranking& ranking) const;
  void add_library(const GemmOp& op, const SelectOptions& options, Ranking& ranking) const;

  mutable std::shared_mutex sets_mutex_;
  mutable std::map<uint64_t, std::unique_ptr<const CandidateSet>> sets_;
};

}  // namespace ambidex
