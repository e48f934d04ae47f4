// SPDX-License-Identifier: Apache-2.0
#include "cli/select_show.h"

#include <fmt/format.h>

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

std::string epilogue_text(const Epilogue& epilogue) {
  std::string out;
  if (epilogue.bias) out += " +bias";
  if (epilogue.residual) out += " +residual";
  if (epilogue.relu) out += " +relu";
  if (epilogue.bias_gradient) out += " +bias_gradient";
  return out;
}

std::string margin_text(const Selection& selection) {
  if (!selection.runner_up) return "runner-up  none\n";
  return fmt::format("runner-up  {} {:+.1f} %: {}\n", seconds_text(selection.runner_up->seconds),
                     100 * (selection.runner_up->seconds / selection.estimate.seconds - 1),
                     config_text(selection.runner_up->config));
}

std::string doubt_text(const Selection& selection, const SelectOptions& options) {
  const std::string odds =
      fmt::format("{:.0f} % that the fastest predicted is within {:.0f} % of the best",
                  100 * selection.confidence, 100 * options.close_ratio);
  switch (selection.abstained) {
    case Abstained::none:
      return fmt::format("confidence {}\n", odds);
    case Abstained::library:
      return fmt::format("abstained  for the library: only {}, threshold {:.0f} %\n", odds,
                         100 * options.min_confidence);
    case Abstained::measure:
      return fmt::format("abstained  measure the first {} of --top: only {}, threshold {:.0f} %\n",
                         selection.measure_k, odds, 100 * options.min_confidence);
  }
  return "";
}

std::string top_text(std::span<const Ranked> top, double best) {
  std::string out = fmt::format("{:>4} {:>10} {:>8}  {}\n", "rank", "us", "margin", "candidate");
  int64_t rank = 0;
  for (const Ranked& candidate : top) {
    out += fmt::format("{:>4} {:>10.2f} {:>+6.1f} %  {}\n", ++rank, candidate.seconds * 1e6,
                       100 * (candidate.seconds / best - 1), config_text(candidate.config));
  }
  return out;
}

double total_seconds(std::span<const ShapeSelection> rows) {
  double total = 0;
  for (const ShapeSelection& row : rows) {
    total += static_cast<double>(row.shape.count) * row.selection.estimate.seconds;
  }
  return total;
}

std::string title(const GemmSelector& selector) {
  return fmt::format("{}, {}", device_of(selector.model()).name,
                     name_of(template_of(selector.model())));
}

}  // namespace

std::string seconds_text(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.2f} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.2f} ms", seconds * 1e3);
  return fmt::format("{:.2f} s", seconds);
}

std::string op_text(const GemmOp& op) {
  std::string out = fmt::format("{}x{}x{} {}", op.m, op.n, op.k, name_of(op.dtype));
  if (op.out_dtype != op.dtype) out += fmt::format("->{}", name_of(op.out_dtype));
  out += fmt::format(" {}{}", name_of(op.layout), epilogue_text(op.epilogue));
  if (op.batch > 1) out += fmt::format(", {} times", op.batch);
  return out + (op.cold ? ", cold" : "");
}

Json json_of(const GemmOp& op) {
  Json epilogue = Json::array();
  if (op.epilogue.bias) epilogue.push_back("bias");
  if (op.epilogue.relu) epilogue.push_back("relu");
  if (op.epilogue.residual) epilogue.push_back("residual");
  if (op.epilogue.bias_gradient) epilogue.push_back("bias_gradient");
  return {{"m", op.m},
          {"n", op.n},
          {"k", op.k},
          {"batch", op.batch},
          {"dtype", name_of(op.dtype)},
          {"out_dtype", name_of(op.out_dtype)},
          {"layout", name_of(op.layout)},
          {"cold", op.cold},
          {"epilogue", epilogue}};
}

Json json_of(const GemmConfig& config) {
  Json fields = Json::object();
  for (const ConfigField& field : config_fields(config)) {
    fields[std::string(field.name)] = field.value;
  }
  return {{"template", name_of(config.kernel_template)}, {"config", fields}};
}

Json json_of(const Estimate& estimate) {
  Json terms = Json::object();
  for (int i = 0; i < kNumTerms; ++i) {
    terms[std::string(name_of(static_cast<Term>(i)))] = estimate.term_seconds[i];
  }
  return {{"seconds", estimate.seconds},
          {"interval_seconds", {estimate.low_seconds, estimate.high_seconds}},
          {"binds", name_of(estimate.binds)},
          {"terms", terms}};
}

std::string text_of(const GemmSelector& selector, const GemmOp& op, const SelectOptions& options,
                    std::span<const Ranked> top, const Selection& selection) {
  const Estimate& estimate = selection.estimate;
  std::string out = fmt::format("{}: {}\n", title(selector), op_text(op));
  out += fmt::format("choice     {}\n", config_text(selection.config));
  out += fmt::format("predicted  {}, 80 % odds for {} to {}; {:.1f} TFLOP/s\n",
                     seconds_text(estimate.seconds), seconds_text(estimate.low_seconds),
                     seconds_text(estimate.high_seconds), gemm_flop(op) / estimate.seconds / 1e12);
  out += fmt::format("reason     {}\n", reason_text(estimate));
  out += margin_text(selection) + doubt_text(selection, options);
  if (top.empty()) return out;
  return out + fmt::format("the first of {} candidates\n", selection.num_candidates) +
         top_text(top, estimate.seconds);
}

Json json_of(const GemmSelector& selector, const GemmOp& op, const SelectOptions& options,
             std::span<const Ranked> top, const Selection& selection) {
  Json out{{"device", device_of(selector.model()).id},
           {"op", json_of(op)},
           {"choice", json_of(selection.config)}};
  out.update(json_of(selection.estimate));
  out["num_candidates"] = selection.num_candidates;
  out["abstained"] = selection.abstained != Abstained::none;
  out["confidence"] = selection.confidence;
  out["min_confidence"] = options.min_confidence;
  out["measure_k"] = selection.measure_k;
  out["top"] = Json::array();
  for (const Ranked& candidate : top) {
    Json row = json_of(candidate.config);
    row["seconds"] = candidate.seconds;
    out["top"].push_back(row);
  }
  out["uuid"] = selector.uuid();
  return out;
}

std::string text_of(const GemmSelector& selector, std::span<const ShapeSelection> rows) {
  std::string out = fmt::format("{}\n{:>6} {:<34} {:>10} {:>10} {:<14} {}\n", title(selector),
                                "count", "product", "us each", "us", "binds", "choice");
  for (const auto& [shape, selection] : rows) {
    const double micros = selection.estimate.seconds * 1e6;
    out += fmt::format("{:>6} {:<34} {:>10.2f} {:>10.2f} {:<14} {}{}\n", shape.count,
                       op_text(shape.op), micros, micros * static_cast<double>(shape.count),
                       name_of(selection.estimate.binds), config_text(selection.config),
                       selection.abstained == Abstained::none ? "" : " (in doubt)");
  }
  return out + fmt::format("total      {}\n", seconds_text(total_seconds(rows)));
}

Json json_of(const GemmSelector& selector, std::span<const ShapeSelection> rows) {
  Json list = Json::array();
  for (const auto& [shape, selection] : rows) {
    Json row{
        {"op", json_of(shape.op)}, {"count", shape.count}, {"choice", json_of(selection.config)}};
    row.update(json_of(selection.estimate));
    row["num_candidates"] = selection.num_candidates;
    row["abstained"] = selection.abstained != Abstained::none;
    list.push_back(row);
  }
  return {{"device", device_of(selector.model()).id},
          {"rows", list},
          {"total_seconds", total_seconds(rows)},
          {"uuid", selector.uuid()}};
}

}  // namespace ambidex
