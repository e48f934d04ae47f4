// SPDX-License-Identifier: Apache-2.0
// The reasons of a selection, for a person.
#include <fmt/format.h>

#include <algorithm>

#include "select/state.h"

namespace ambidex {
namespace {

constexpr int64_t kNumLosers = 6;

std::string micros(double seconds) { return fmt::format("{:.2f} us", seconds * 1e6); }

std::string header(const GemmModel& model, const GemmOp& op) {
  std::string batch = op.batch > 1 ? fmt::format(" x {}", op.batch) : "";
  return fmt::format("{}, {}: {}x{}x{}{} {} {}, operands {}\n", device_of(model).id,
                     name_of(template_of(model)), op.m, op.n, op.k, batch, name_of(op.dtype),
                     name_of(op.layout), op.cold ? "cold" : "warm");
}

std::string terms_text(const Estimate& estimate) {
  std::string out = "terms, each alone (they overlap)\n";
  for (int i = 0; i < kNumTerms; ++i) {
    const double seconds = estimate.term_seconds[i];
    if (seconds <= 0) continue;
    const auto term = static_cast<Term>(i);
    out += fmt::format("  {:<14} {:>12} {:>4.0f} %{}\n", name_of(term), micros(seconds),
                       100 * seconds / estimate.seconds, term == estimate.binds ? "  binds" : "");
  }
  return out;
}

std::string work_text(const GemmOp& op, const Estimate& estimate) {
  std::string out = fmt::format("rate        {:.1f} TFLOP/s, {:.2f} TB/s of compulsory bytes\n",
                                gemm_flop(op) / estimate.seconds / 1e12,
                                gemm_compulsory_bytes(op) / estimate.seconds / 1e12);
  if (estimate.num_groups == 0) return out;
  return out + fmt::format(
                   "work        {} work-groups, {} at once on a unit, {:.0f} % of the "
                   "products useful\n",
                   estimate.num_groups, estimate.groups_per_unit, 100 * estimate.useful_ratio);
}

std::string choice_text(const GemmOp& op, const Selection& selection) {
  const Estimate& estimate = selection.estimate;
  std::string out = fmt::format("choice      {}\n", config_text(selection.config));
  out += fmt::format("predicted   {}, with 80 % odds {} to {}\n", micros(estimate.seconds),
                     micros(estimate.low_seconds), micros(estimate.high_seconds));
  out += work_text(op, estimate);
  out += fmt::format("reason      {}\n", reason_text(estimate));
  return out + terms_text(estimate);
}

std::string doubt_text(const Selection& selection, const SelectOptions& options) {
  std::string out = fmt::format(
      "confidence  {:.0f} % that the fastest predicted is within {:.0f} % of the best of {}; "
      "threshold {:.0f} %\n",
      100 * selection.confidence, 100 * options.close_ratio, selection.num_candidates,
      100 * options.min_confidence);
  if (selection.abstained == Abstained::library) {
    return out + "abstained   in doubt, and the library is predicted to lose little\n";
  }
  return out + fmt::format("{}   the first {} hold one that close with {:.0f} %\n",
                           selection.abstained == Abstained::measure ? "measure  " : "to be sure",
                           selection.measure_k, 100 * options.measure_confidence);
}

/// The term that costs a loser most beside the choice.
std::string why_it_loses(const Estimate& loser, const Estimate& choice) {
  if (loser.seconds == choice.seconds) return "as fast, but later in the order";
  int worst = 0;
  double most = 0;
  for (int i = 0; i < kNumTerms; ++i) {
    const double more = loser.term_seconds[i] - choice.term_seconds[i];
    if (more > most) {
      most = more;
      worst = i;
    }
  }
  if (most <= 0) return "no term is larger; its terms overlap less";
  return fmt::format("{} +{}", name_of(static_cast<Term>(worst)), micros(most));
}

}  // namespace

std::string reason_text(const Estimate& estimate) {
  const auto share = [&](int term) { return 100 * estimate.term_seconds[term] / estimate.seconds; };
  const int first = static_cast<int>(estimate.binds);
  int next = first == 0 ? 1 : 0;
  for (int i = 0; i < kNumTerms; ++i) {
    if (i != first && estimate.term_seconds[i] > estimate.term_seconds[next]) next = i;
  }
  return fmt::format("{} binds: alone it takes {:.0f} % of the time; next is {}, {:.0f} %",
                     name_of(estimate.binds), share(first), name_of(static_cast<Term>(next)),
                     share(next));
}

std::string GemmSelector::explain(const GemmOp& op, const SelectOptions& options) const {
  const Selection selection = select(op, options);
  std::string out = header(state_->model, op) + choice_text(op, selection);
  out += doubt_text(selection, options) + "the others\n";
  const double best = selection.estimate.seconds;
  for (const Ranked& other : top_k(op, kNumLosers, options)) {
    if (other.config == selection.config) continue;
    const Estimate estimate = state_->estimate(op, other.config, options.num_units);
    out += fmt::format("  {:>12} {:>+6.1f} %  {:<52} {}\n", micros(other.seconds),
                       100 * (other.seconds / best - 1), config_text(other.config),
                       why_it_loses(estimate, selection.estimate));
  }
  const std::vector<Rejected> groups = state_->rejected(op, options);
  if (!groups.empty()) out += "rejected\n";
  for (const Rejected& group : groups) {
    out += fmt::format("  {:>4} x {}\n", group.num_candidates, group.reason);
  }
  return out;
}

}  // namespace ambidex
