// SPDX-License-Identifier: Apache-2.0
// ambidex data: what is in a data set.
#include "ambidex/data.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "ambidex/report.h"
#include "cli/verbs.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

struct InspectOptions {
  std::string path;
  std::string format;
  std::string model;
  std::vector<std::string> overrides;
  int64_t max_samples = 1'000'000;
  bool json = false;
};

bool is_number(const FieldSummary& field) { return field.kind == "dense" || field.kind == "label"; }

Json json_of(const FieldSummary& field) {
  Json json{{"name", field.name},
            {"kind", field.kind},
            {"num_values", field.num_values},
            {"num_blank", field.num_blank}};
  if (is_number(field)) {
    json["minimum"] = field.minimum;
    json["maximum"] = field.maximum;
    json["mean"] = field.mean;
  } else {
    json["num_distinct"] = field.num_distinct;
    json["is_estimate"] = field.is_estimate;
    json["top_share_ratio"] = field.top_share_ratio;
    json["zipf_exponent"] = field.zipf_exponent;
  }
  json["maps_to"] = field.maps_to;
  return json;
}

Json json_of(const DataSummary& summary) {
  Json fields = Json::array();
  for (const FieldSummary& field : summary.fields) fields.push_back(json_of(field));
  return Json{{"format", summary.format},           {"files", summary.files},
              {"num_samples", summary.num_samples}, {"is_whole", summary.is_whole},
              {"label_rate", summary.label_rate},   {"num_bad", summary.num_bad},
              {"first_bad", summary.first_bad},     {"fields", fields}};
}

std::vector<std::string> row_of(const FieldSummary& field) {
  std::vector<std::string> row{field.name, field.kind, fmt::format("{}", field.num_values),
                               fmt::format("{}", field.num_blank)};
  if (is_number(field)) {
    row.push_back(fmt::format("{:.6g}", field.minimum));
    row.push_back(fmt::format("{:.4g}", field.mean));
    row.push_back(fmt::format("{:.6g}", field.maximum));
    row.insert(row.end(), 3, "");
  } else {
    row.insert(row.end(), 3, "");
    row.push_back(fmt::format("{}{}", field.is_estimate ? "~" : "", field.num_distinct));
    row.push_back(fmt::format("{:.2f}", 100 * field.top_share_ratio));
    row.push_back(field.zipf_exponent > 0 ? fmt::format("{:.2f}", field.zipf_exponent) : "");
  }
  row.push_back(field.maps_to);
  return row;
}

std::string text_of(const DataSummary& summary) {
  std::string out =
      fmt::format("format {}, {} file{}, {} samples{}", summary.format, summary.files.size(),
                  summary.files.size() == 1 ? "" : "s", summary.num_samples,
                  summary.is_whole ? "" : " read, there are more");
  for (const FieldSummary& field : summary.fields) {
    if (field.kind != "label") continue;
    out += fmt::format(", label rate {:.4f}", summary.label_rate);
    break;
  }
  out += "\n";
  if (summary.num_bad > 0) {
    out += fmt::format("{} unreadable, the first: {}\n", summary.num_bad, summary.first_bad);
  }
  Table table{.columns = {{"field"},
                          {"kind"},
                          {"values", true},
                          {"blank", true},
                          {"min", true},
                          {"mean", true},
                          {"max", true},
                          {"distinct", true},
                          {"top %", true},
                          {"zipf", true},
                          {"maps to"}}};
  for (const FieldSummary& field : summary.fields) table.rows.push_back(row_of(field));
  return out + text_of(table);
}

DataSummary summary_of(const InspectOptions& options) {
  if (options.max_samples < 1) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--max-samples: expected 1 or more, got {}", options.max_samples));
  }
  if (!options.model.empty()) {
    const ModelSpec model = load_model(options.model, options.overrides);
    return inspect_data(model, options.path, options.format, options.max_samples);
  }
  if (!options.overrides.empty()) {
    throw Error(ErrorKind::bad_input,
                "--set without --model: it changes a model's values; name the model too");
  }
  return inspect_data(options.path, options.format, options.max_samples);
}

}  // namespace

void add_data(CLI::App& app, Console& console) {
  CLI::App* data = app.add_subcommand("data", "Look into data sets");
  data->require_subcommand(1);
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* inspect = data->add_subcommand(
      "inspect", "Fields, counts, label rate, id skew, and what they would map to");
  inspect->add_option("PATH", options->path, "File, folder, or prefix of .inter")->required();
  inspect->add_option("--format", options->format,
                      "criteo, csv, recbole, npy, hugectr, synthetic; else found out");
  inspect->add_option("--model", options->model, "Map as this model does: a preset or a file");
  inspect
      ->add_option("--set", options->overrides,
                   "KEY=VALUE in the model, as tables.*.rows=1000 or data.label=rating")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  inspect->add_option("--max-samples", options->max_samples, "Stop after so many");
  inspect->add_flag("--json", options->json, "One JSON document");
  inspect->callback([options, &console] {
    const DataSummary summary = summary_of(*options);
    constexpr auto kReplace = Json::error_handler_t::replace;  // fields may not be UTF-8
    console.out =
        options->json ? json_of(summary).dump(2, ' ', false, kReplace) + "\n" : text_of(summary);
  });
}

}  // namespace ambidex
