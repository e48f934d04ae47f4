// SPDX-License-Identifier: Apache-2.0
// A report as tables and plots. Seconds become microseconds here.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "ambidex/select.h"
#include "ambidex/validate.h"

namespace ambidex {
namespace {

constexpr double kMicro = 1e6;

bool has_choice(const ValidationReport& report) {
  return template_of(report.format) != KernelTemplate::library;
}

std::string cell(std::string_view, int64_t value) { return std::to_string(value); }
std::string cell(std::string_view, const std::optional<int64_t>& value) {
  return value ? std::to_string(*value) : "-";
}
std::string cell(std::string_view key, const std::optional<double>& value) {
  if (!value) return "-";
  const bool is_error = key.find("error") != std::string_view::npos;
  if (is_error) return fmt::format("{:.1f} %", *value * 100);
  return key.starts_with("microseconds") ? fmt::format("{:.1f}", *value)
                                         : fmt::format("{:.3f}", *value);
}

std::optional<double> number(int64_t value) { return static_cast<double>(value); }
std::optional<double> number(const std::optional<int64_t>& value) {
  return value ? number(*value) : std::nullopt;
}
std::optional<double> number(const std::optional<double>& value) { return value; }

/// ">= 0.97 met", or nothing.
std::string target_cell(const std::vector<ValidationTarget>& targets, std::string_view key,
                        const std::optional<double>& value) {
  for (const ValidationTarget& target : targets) {
    if (target.key != key || !value) continue;
    const bool is_met = target.low <= *value && *value <= target.high;
    const std::string text = key.find("error") == std::string_view::npos
                                 ? target.text
                                 : fmt::format("<= {:.0f} %", target.high * 100);
    return fmt::format("{} {}", text, is_met ? "met" : "MISSED");
  }
  return "";
}

double regret_percent(const ShapeTrial& trial) {
  const std::optional<size_t> choice = choice_of(trial);
  if (!choice) return 0;
  return (trial.candidates[*choice].measured_seconds /
              trial.candidates[best_of(trial)].measured_seconds -
          1) *
         100;
}

/// |predicted / measured - 1| of the only candidate.
double error_percent(const ShapeTrial& trial) {
  const Candidate& it = trial.candidates.front();
  return std::abs(it.predicted_seconds / it.measured_seconds - 1) * 100;
}

std::string shape_text(const ShapeTrial& trial) {
  const GemmOp& op = trial.op;
  const std::string batch = op.batch == 1 ? "" : fmt::format(" batch {}", op.batch);
  return fmt::format("{} x {} x {} {}{}", op.m, op.n, op.k, name_of(op.layout), batch);
}

/// Indices of the trials, largest `percent` first.
template <class Percent>
std::vector<size_t> worst_first(const std::vector<ShapeTrial>& trials, Percent percent) {
  std::vector<size_t> order(trials.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return percent(trials[a]) > percent(trials[b]); });
  return order;
}

std::string microseconds(double seconds) { return fmt::format("{:.1f}", seconds * kMicro); }

Table worst_picks(const ValidationReport& report, const Measurements& measured, int64_t num_rows) {
  Table table{.title = "Slowest choices",
              .columns = {{"M x N x K layout"},
                          {"regime"},
                          {"off", true},
                          {"chosen"},
                          {"predicted us", true},
                          {"us", true},
                          {"best"},
                          {"predicted us", true},
                          {"us", true}}};
  const auto text = [&](const Candidate& it) {
    return config_text(measured.configs[static_cast<size_t>(it.config)].config);
  };
  for (const size_t index : worst_first(report.trials, regret_percent)) {
    if (std::ssize(table.rows) == num_rows) break;
    const ShapeTrial& trial = report.trials[index];
    if (!choice_of(trial)) continue;
    const Candidate& choice = trial.candidates[*choice_of(trial)];
    const Candidate& best = trial.candidates[best_of(trial)];
    table.rows.push_back(
        {shape_text(trial), std::string(name_of(trial.regime)),
         fmt::format("{:.1f} %", regret_percent(trial)), text(choice),
         microseconds(choice.predicted_seconds), microseconds(choice.measured_seconds), text(best),
         microseconds(best.predicted_seconds), microseconds(best.measured_seconds)});
  }
  table.caption = "Sizes and tiles of the row-major product.";
  return table;
}

Table worst_errors(const ValidationReport& report, const Measurements& measured, int64_t num_rows) {
  const bool lists_all = std::ssize(report.trials) <= num_rows;
  Table table{.title = lists_all ? "All times, largest error first" : "Largest errors",
              .columns = {{"M x N x K layout"},
                          {"dtype"},
                          {"library"},
                          {"regime"},
                          {"error", true},
                          {"predicted us", true},
                          {"measured us", true}},
              .caption = "Row-major sizes."};
  for (const size_t index : worst_first(report.trials, error_percent)) {
    if (std::ssize(table.rows) == num_rows) break;
    const ShapeTrial& trial = report.trials[index];
    const Candidate& it = trial.candidates.front();
    table.rows.push_back(
        {shape_text(trial), std::string(name_of(trial.op.dtype)),
         measured.configs[static_cast<size_t>(it.config)].identity,
         std::string(name_of(trial.regime)),
         fmt::format("{:+.1f} %", (it.predicted_seconds / it.measured_seconds - 1) * 100),
         microseconds(it.predicted_seconds), microseconds(it.measured_seconds)});
  }
  return table;
}

ScatterPlot scatter_of(const ValidationReport& report) {
  ScatterPlot plot{.title = "Predicted against measured time",
                   .x_label = "measured time (us)",
                   .y_label = "predicted time (us)"};
  for (int i = 0; i < kNumRegimes; ++i) {
    plot.series.push_back({.name = std::string(name_of(static_cast<Regime>(i)))});
  }
  Series best{.name = "fastest of each shape", .is_emphasised = true};
  for (const ShapeTrial& trial : report.trials) {
    Series& series = plot.series[static_cast<size_t>(trial.regime)];
    for (const Candidate& it : trial.candidates) {
      if (std::isinf(it.predicted_seconds)) continue;
      series.points.push_back({it.measured_seconds * kMicro, it.predicted_seconds * kMicro});
    }
    const Candidate& it = trial.candidates[best_of(trial)];
    if (std::isinf(it.predicted_seconds)) continue;
    best.points.push_back({it.measured_seconds * kMicro, it.predicted_seconds * kMicro});
  }
  if (has_choice(report)) plot.series.push_back(std::move(best));
  plot.caption = has_choice(report)
                     ? "One point for each configuration of each shape; the colour says what "
                       "limits the fastest one of its shape."
                     : "One point for each measured time; the colour says what limits it.";
  return plot;
}

BarPlot bars_of(const ValidationReport& report) {
  BarPlot plot{.title = "Regret by shape",
               .x_label = "shapes, worst first",
               .y_label = "regret of the choice (%)",
               .caption =
                   "Time of the chosen configuration over that of the fastest, minus 1. The "
                   "colour says what limits the fastest."};
  if (!has_choice(report)) {
    plot.title = "Error by shape";
    plot.y_label = "|predicted / measured - 1| (%)";
    plot.caption = "Of each measured time.";
  }
  for (int i = 0; i < kNumRegimes; ++i) {
    plot.series.emplace_back(name_of(static_cast<Regime>(i)));
  }
  for (const ShapeTrial& trial : report.trials) {
    plot.bars.push_back({.label = shape_text(trial),
                         .value = has_choice(report) ? regret_percent(trial) : error_percent(trial),
                         .series = static_cast<int32_t>(trial.regime)});
  }
  return plot;
}

std::string model_fact(const ValidationReport& report) {
  const std::string_view name = name_of(template_of(report.format));
  std::string fact = fmt::format("Model: {}, version {}, device data {}", name, kGemmModelVersion,
                                 device_hash(report.device));
  const auto found = report.device.calibration.find(std::string(name));
  if (found == report.device.calibration.end()) return fact + ", not calibrated";
  return fact + fmt::format(". Calibration: {}", found->second.source);
}

}  // namespace

Table summary_table(const ValidationReport& report) {
  Table table{.columns = {{"number"}, {"all", true}}};
  for (int i = 0; i < kNumRegimes; ++i) {
    table.columns.push_back({std::string(name_of(static_cast<Regime>(i))), true});
  }
  const std::vector<ValidationTarget> targets = targets_of(report);
  table.columns.push_back({targets.empty() ? "" : "target"});
  visit_fields(
      [&](std::string_view key, const auto& value) {
        table.rows.push_back({std::string(key), cell(key, value)});
      },
      report.all);
  for (const ValidationMetrics& metrics : report.regimes) {
    size_t row = 0;
    visit_fields(
        [&](std::string_view key, const auto& value) {
          table.rows[row++].push_back(metrics.num_shapes == 0 ? "-" : cell(key, value));
        },
        metrics);
  }
  size_t row = 0;
  visit_fields(
      [&](std::string_view key, const auto& value) {
        table.rows[row++].push_back(target_cell(targets, key, number(value)));
      },
      report.all);
  std::erase_if(table.rows, [&](const auto& cells) {
    const bool repeats_another = !has_choice(report) && cells[0].starts_with("best_");
    return cells[1] == "-" || repeats_another;
  });
  return table;
}

Table worst_table(const ValidationReport& report, const Measurements& measured, int64_t num_rows) {
  return has_choice(report) ? worst_picks(report, measured, num_rows)
                            : worst_errors(report, measured, num_rows);
}

Table libraries_table(const ValidationReport& report) {
  Table table{.title = "By library",
              .columns = {{"library"},
                          {"shapes", true},
                          {"median error", true},
                          {"p90 error", true},
                          {"coverage_80", true}}};
  for (const auto& [name, metrics] : report.libraries) {
    table.rows.push_back({name.empty() ? "(unnamed)" : name, std::to_string(metrics.num_shapes),
                          cell("error", metrics.time.median_abs_log_error),
                          cell("error", metrics.time.p90_abs_log_error),
                          cell("", metrics.doubt.coverage_80)});
  }
  return table;
}

Page page_of(const ValidationReport& report, const Measurements& measured,
             const std::string& source) {
  Page page{.title = fmt::format("Matrix products on {}: predicted against measured",
                                 report.device.name)};
  page.facts = {fmt::format("Measurements: {} ({} format)", source, name_of(report.format)),
                fmt::format("{} shapes, {} timings; {} rows of other devices or kinds skipped, {} "
                            "excluded",
                            report.all.num_shapes, report.all.num_timings, report.num_skipped_rows,
                            report.num_excluded_rows),
                model_fact(report)};
  for (const std::string& note : report.notes) page.facts.push_back("Note: " + note);
  Table summary = summary_table(report);
  summary.title = "Summary";
  summary.caption = "docs/validation.md defines every number.";
  page.parts.emplace_back(std::move(summary));
  page.parts.emplace_back(scatter_of(report));
  page.parts.emplace_back(bars_of(report));
  page.parts.emplace_back(worst_table(report, measured, 15));
  if (!report.libraries.empty()) page.parts.emplace_back(libraries_table(report));
  return page;
}

}  // namespace ambidex
