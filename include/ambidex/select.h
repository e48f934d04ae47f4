// SPDX-License-Identifier: Apache-2.0
// The kernel configuration for a matrix product, from the cost model alone: no launch, no GPU
// header. The same pick on every machine; docs/gemm.md has the measured regret.
//
//   using namespace ambidex;
//   GemmSelector selector(load_device("mi350x"), KernelTemplate::triton);
//   Selection selection = selector.select({.m = 8192, .n = 1024, .k = 512});
//   selection.config.tile.m, selection.estimate.seconds, selection.abstained ...
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/base.h"
#include "ambidex/cost.h"
#include "ambidex/devices.h"

namespace ambidex {

/// The legal configurations of the model's template for `op`, in a fixed order: by tile m, n, k,
/// then warps, stages, split-K, and what only one vendor has. Some hundreds for a generated
/// template, one for the library.
std::vector<GemmConfig> enumerate(const GemmModel& model, const GemmOp& op);

/// Bytes of scratch memory that a launch needs: f32 partial sums of split-K, unless they can be
/// added up in the output itself, and the partial tiles of Stream-K.
int64_t workspace_bytes(const GemmModel& model, const GemmOp& op, const GemmConfig& config);

/// A field of a configuration under the template's own name: BLOCK_M, num_warps, SPLIT_K, ...
struct ConfigField {
  std::string_view name;
  int64_t value = 0;
};
/// Empty for the library.
std::vector<ConfigField> config_fields(const GemmConfig& config);
/// "128x128x64 warps 8 stages 3 group 8", on one line; "library".
std::string config_text(const GemmConfig& config);
/// "memory binds: alone it takes 83 % of the time; next is matrix, 60 %"
std::string reason_text(const Estimate& estimate);
/// What a product of `dtype` is stored as unless one says so: bf16 where dtype has one byte.
DType default_out_dtype(DType dtype);

struct SelectOptions {
  int64_t num_units = 0;              // compute units that are free; 0: all
  bool deterministic = false;         // no sums in the order of arrival: no split-K by atomics
  int64_t workspace_bytes = -1;       // cap on workspace_bytes(); -1: none
  bool allow_library = true;          // the vendor's library is a candidate where its time is known
  double close_ratio = 0.03;          // so much slower than the best is as good as the best
  double min_confidence = 0.5;        // below: abstain
  double measure_confidence = 0.9;    // what the best of Selection::measure_k has to reach
  double library_slack_ratio = 0.05;  // when in doubt, take the library if it loses no more
  bool operator==(const SelectOptions&) const = default;
};

/// throws Error(bad_input) on a negative count or a ratio that is none
void validate(const SelectOptions& options);

/// Whether to believe the choice.
enum class Abstained : uint8_t {
  none,     // run the choice
  library,  // in doubt, and the library is predicted to lose little: it is the choice
  measure,  // in doubt: time the first measure_k of top_k() and keep the fastest
};
std::string_view name_of(Abstained abstained);

struct Ranked {
  GemmConfig config;
  double seconds = 0;
};

struct Selection {
  GemmConfig config;           // .kernel_template == library: call the vendor's library
  Estimate estimate;           // of the choice
  int64_t num_candidates = 0;  // legal ones, the library included
  Abstained abstained = Abstained::none;
  double confidence = 0;  // chance that the first of top_k() is within close_ratio of the best
  int64_t measure_k = 1;  // so many of top_k() hold one that close with measure_confidence
  std::optional<Ranked> runner_up;        // fastest predicted candidate but the choice
  std::optional<double> library_seconds;  // predicted, whether chosen or not
};

/// Candidates that were ruled out, by reason.
struct Rejected {
  std::string reason;  // of the first one
  int64_t num_candidates = 0;
};

/// Asked for every legal candidate of an op, from any thread; must answer the same every time, and
/// must not call a selector: the ranking that asks is in memory of the thread.
struct ConfigFilter {
  bool (*accepts)(void* context, const GemmOp& op, const GemmConfig& config) = nullptr;
  void* context = nullptr;
};

struct SelectorSetup {
  std::span<const GemmConfig> candidates;  // copied; empty: those of enumerate()
  ConfigFilter filter;                     // one more condition, of the caller
};

/// Chooses for one device and template. Any number of threads may use one. Once a kind of op has
/// been seen, no call but explain(), rejected() and the vector form of top_k() allocates.
class GemmSelector {
 public:
  /// throws Error(unsupported) if the device lacks a number that the template's model reads
  GemmSelector(const Device& device, KernelTemplate kernel_template,
               const SelectorSetup& setup = {});
  ~GemmSelector();
  GemmSelector(GemmSelector&&) noexcept;
  GemmSelector& operator=(GemmSelector&&) noexcept;

  /// Remembers its answers.
  ///   throws Error(bad_input) on sizes or options that make no sense,
  ///   Error(unsupported) with the reasons if no candidate is legal
  Selection select(const GemmOp& op, const SelectOptions& options = {}) const;

  /// Fills `ranked` with the fastest candidates, fastest first, equals in the order of
  /// enumerate(), the library behind its equals. Returns the number of all legal candidates, of
  /// which `ranked` may hold fewer; throws as select().
  int64_t rank(const GemmOp& op, std::span<Ranked> ranked, const SelectOptions& options = {}) const;

  /// The `k` fastest candidates or as many as there are; throws as select().
  std::vector<Ranked> top_k(const GemmOp& op, int64_t k, const SelectOptions& options = {}) const;

  /// Candidates that are not legal for `op`, by reason, most frequent first.
  std::vector<Rejected> rejected(const GemmOp& op, const SelectOptions& options = {}) const;

  /// Some lines of text for a person: terms, what binds, why the others lose; throws as select().
  std::string explain(const GemmOp& op, const SelectOptions& options = {}) const;

  /// Key for caches of the answers: model version, device data, template, own candidates. A
  /// filter does not enter it.
  std::string uuid() const;

  const GemmModel& model() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ambidex
