// SPDX-License-Identifier: Apache-2.0
// ambidex report: the curves of a training run, also of one that is still going on.
#include "ambidex/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "ambidex/base.h"
#include "cli/html.h"
#include "cli/verbs.h"
#include "train/log.h"
#include "train/run_folder.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

struct ReportOptions {
  std::string run;
  std::string html;
  bool json = false;
};

/// A run as its log tells it.
struct RunLog {
  std::string name;
  std::vector<LogLine> train;
  std::vector<LogLine> valid;
  std::vector<LogLine> test;
  int64_t steps = 0;
};

RunLog read_run(const std::string& run) {
  const std::string path = log_file(run);
  RunLog out;
  std::error_code ignored;
  out.name = std::filesystem::weakly_canonical(run, ignored).filename().string();
  for (LogLine& line : read_log(path)) {
    out.steps = std::max(out.steps, line.step);
    auto& lines = line.kind == "train" ? out.train : line.kind == "valid" ? out.valid : out.test;
    lines.push_back(std::move(line));
  }
  if (out.train.empty() && out.valid.empty() && out.test.empty()) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: has no line yet; wait until the run has done some steps", path));
  }
  return out;
}

/// The middle one of those that have a value; NaN if none has.
double median_of(const std::vector<LogLine>& lines, std::string_view name) {
  std::vector<double> values;
  for (const LogLine& line : lines) {
    if (const double value = line.value(name); !std::isnan(value)) values.push_back(value);
  }
  if (values.empty()) return std::nan("");
  const auto middle = values.begin() + std::ssize(values) / 2;
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double seconds_of(const RunLog& log) {
  return log.train.empty() ? std::nan("") : log.train.back().value("seconds");
}

/// Of the highest AUC; nullptr if no line has one.
const LogLine* best_of(const std::vector<LogLine>& lines) {
  const LogLine* best = nullptr;
  for (const LogLine& line : lines) {
    const double auc = line.value("auc");
    if (!std::isnan(auc) && (best == nullptr || auc > best->value("auc"))) best = &line;
  }
  return best;
}

const LogLine* last_of(const std::vector<LogLine>& lines) {
  return lines.empty() ? nullptr : &lines.back();
}

std::string text_of_value(double value, std::string_view format) {
  return std::isnan(value) ? "-" : fmt::format(fmt::runtime(format), value);
}

// ---- JSON

Json json_of_line(const LogLine* line) {
  return line == nullptr ? Json() : Json::parse(json_of(*line));
}

Json json_value(double value) { return std::isnan(value) ? Json() : Json(value); }

std::string json_text(const RunLog& log) {
  const Json json{{"run", log.name},
                  {"steps", log.steps},
                  {"seconds", json_value(seconds_of(log))},
                  {"samples_per_second", json_value(median_of(log.train, "samples_per_second"))},
                  {"last_train", json_of_line(last_of(log.train))},
                  {"best_valid", json_of_line(best_of(log.valid))},
                  {"last_valid", json_of_line(last_of(log.valid))},
                  {"test", json_of_line(last_of(log.test))}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// ---- text

struct MetricColumn {
  std::string_view key;
  std::string_view name;
};
constexpr std::array<MetricColumn, 5> kMetricColumns{{{"auc", "AUC"},
                                                      {"log_loss", "log loss"},
                                                      {"normalized_entropy", "norm. entropy"},
                                                      {"calibration", "calibration"},
                                                      {"accuracy", "accuracy"}}};

Table metrics_table(const RunLog& log) {
  Table table{.columns = {{"samples"}, {"step", true}}};
  for (const MetricColumn& it : kMetricColumns)
    table.columns.push_back({std::string(it.name), true});
  const auto add_row = [&](const std::string& name, const LogLine* line) {
    if (line == nullptr) return;
    std::vector<std::string> row{name, fmt::format("{}", line->step)};
    for (const MetricColumn& it : kMetricColumns) {
      row.push_back(text_of_value(line->value(it.key), "{:.4f}"));
    }
    table.rows.push_back(row);
  };
  add_row("validation, best AUC", best_of(log.valid));
  add_row("validation, last", last_of(log.valid));
  add_row("test", last_of(log.test));
  return table;
}

std::vector<std::string> facts_of(const RunLog& log) {
  std::vector<std::string> facts;
  facts.push_back(fmt::format("{} steps in {} s, {} samples/s (median)", log.steps,
                              text_of_value(seconds_of(log), "{:.1f}"),
                              text_of_value(median_of(log.train, "samples_per_second"), "{:.0f}")));
  if (!log.train.empty()) {
    facts.push_back(fmt::format("training loss {} in the first line, {} in the last",
                                text_of_value(log.train.front().value("loss"), "{:.4f}"),
                                text_of_value(log.train.back().value("loss"), "{:.4f}")));
  }
  return facts;
}

std::string text_of(const RunLog& log) {
  std::string out = log.name + "\n";
  for (const std::string& fact : facts_of(log)) out += fact + "\n";
  const Table table = metrics_table(log);
  return table.rows.empty() ? out : out + "\n" + ambidex::text_of(table);
}

// ---- page

Series series_of(const std::string& name, const std::vector<LogLine>& lines, std::string_view key) {
  Series series{.name = name, .is_emphasised = name != "training"};
  bool has_value = false;
  for (const LogLine& line : lines) {
    const double value = line.value(key);
    has_value |= !std::isnan(value);
    series.points.push_back({static_cast<double>(line.step), value});
  }
  if (!has_value) series.points.clear();
  return series;
}

/// Unless there is nothing to draw.
void add_plot(Page& page, LinePlot plot) {
  const auto is_empty = [](const Series& it) { return it.points.empty(); };
  if (std::all_of(plot.series.begin(), plot.series.end(), is_empty)) return;
  plot.x_label = "step";
  page.parts.emplace_back(std::move(plot));
}

Page page_of(const RunLog& log) {
  Page page{.title = "Training run " + log.name, .facts = facts_of(log)};
  add_plot(page, {.title = "Loss",
                  .y_label = "log loss (nats)",
                  .series = {series_of("training", log.train, "loss"),
                             series_of("validation", log.valid, "log_loss"),
                             series_of("test", log.test, "log_loss")}});
  // A series without points keeps the colours of the others as in the plot of the loss.
  add_plot(page, {.title = "Area under the ROC curve",
                  .y_label = "AUC",
                  .series = {{.name = "training"},
                             series_of("validation", log.valid, "auc"),
                             series_of("test", log.test, "auc")}});
  add_plot(page, {.title = "Throughput",
                  .y_label = "samples/s",
                  .series = {series_of("training", log.train, "samples_per_second")},
                  .from_zero = true});
  add_plot(page, {.title = "Learning rate",
                  .y_label = "factor on learning rates",
                  .series = {series_of("training", log.train, "lr_factor")},
                  .from_zero = true});
  Table table = metrics_table(log);
  table.title = "Metrics";
  if (!table.rows.empty()) page.parts.emplace_back(std::move(table));
  return page;
}

std::string reported(const ReportOptions& options) {
  keep_input(options.html, log_file(options.run));
  const RunLog log = read_run(options.run);
  std::string out = options.json ? json_text(log) : text_of(log);
  if (!options.html.empty()) write_html(options.html, page_of(log));
  return out;
}

}  // namespace

void add_report(CLI::App& app, Console& console) {
  const auto options = std::make_shared<ReportOptions>();
  CLI::App* report = app.add_subcommand("report", "Show the curves of a training run");
  report->add_option("RUN", options->run, "Folder that ambidex train --out made")->required();
  report->add_option("--html", options->html, "Also draw loss, AUC and throughput into this file");
  report->add_flag("--json", options->json, "One JSON document");
  report->callback([options, &console] { console.out = reported(*options); });
}

}  // namespace ambidex
