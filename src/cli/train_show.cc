// SPDX-License-Identifier: Apache-2.0
#include "cli/train_show.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "cli/console.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr auto kBarInterval = std::chrono::milliseconds(100);
constexpr auto kLineInterval = std::chrono::seconds(5);
constexpr int64_t kBarCells = 24;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json json_of(const BayesOptimum& bayes) {
  return {{"auc", bayes.auc}, {"log_loss", bayes.log_loss}, {"label_rate", bayes.label_rate}};
}

double total_seconds(const TrainResult& result) {
  double total = 0;
  for (const OpSeconds& op : result.op_seconds) total += op.seconds;
  return std::max(total, 1e-12);
}

Json profile_json(const TrainResult& result) {
  Json ops = Json::array();
  for (const OpSeconds& op : result.op_seconds) {
    ops.push_back({{"name", op.name},
                   {"count", op.count},
                   {"seconds", op.seconds},
                   {"share_ratio", op.seconds / total_seconds(result)}});
  }
  return ops;
}

std::string profile_text(const TrainResult& result) {
  if (result.op_seconds.empty()) return "";
  std::vector<OpSeconds> ops = result.op_seconds;
  std::ranges::stable_sort(ops, std::greater<>(), &OpSeconds::seconds);
  size_t width = 2;
  for (const OpSeconds& op : ops) width = std::max(width, op.name.size());
  std::string out =
      fmt::format("{:<{}}  {:>9}  {:>10}  {:>6}\n", "op", width, "seconds", "us a step", "share");
  for (const OpSeconds& op : ops) {
    out += fmt::format("{:<{}}  {:>9.3f}  {:>10.1f}  {:>5.1f} %\n", op.name, width, op.seconds,
                       op.seconds * 1e6 / static_cast<double>(op.count),
                       100 * op.seconds / total_seconds(result));
  }
  return out;
}

/// "[#####.....] "
std::string bar(const TrainProgress& progress) {
  if (progress.num_steps <= 0) return "";
  const int64_t done = std::min(kBarCells, kBarCells * progress.step / progress.num_steps);
  return fmt::format("[{}{}] ", std::string(static_cast<size_t>(done), '#'),
                     std::string(static_cast<size_t>(kBarCells - done), '.'));
}

std::string progress_text(const TrainProgress& progress) {
  const std::string of = progress.num_steps > 0 ? fmt::format("/{}", progress.num_steps) : "";
  return fmt::format("step {}{}  epoch {}  loss {:.4f}  {:.0f} samples/s", progress.step, of,
                     progress.epoch + 1, progress.loss, progress.samples_per_second);
}

void write_error(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

constexpr std::string_view kClearLine = "\r\033[K";

}  // namespace

Json json_of(const Metrics& metrics) {
  Json out = Json::object();
  visit_fields(
      [&](std::string_view key, auto value) {
        if constexpr (std::is_floating_point_v<decltype(value)>) {
          out[std::string(key)] = number(value);
        } else {
          out[std::string(key)] = value;
        }
      },
      metrics);
  return out;
}

Json json_of(const ModelSpec& model, const TrainResult& result) {
  Json out = Json::object();
  out["model"] = model.id;
  out["run"] = result.run;
  out["steps"] = result.steps;
  out["epochs"] = result.epochs;
  out["samples"] = result.samples;
  out["seconds"] = result.seconds;
  out["samples_per_second"] = result.samples_per_second;
  out["train"] = {{"log_loss", number(result.loss)}};
  out["valid"] = result.valid ? json_of(*result.valid) : Json();
  out["test"] = result.test ? json_of(*result.test) : Json();
  out["bayes"] = result.bayes ? json_of(*result.bayes) : Json();
  out["seconds_to_target"] = result.seconds_to_target ? Json(*result.seconds_to_target) : Json();
  out["skipped"] = result.num_skipped;
  out["interrupted"] = result.is_interrupted;
  if (!result.op_seconds.empty()) out["profile"] = profile_json(result);
  return out;
}

std::string text_of(const Metrics& metrics) {
  return fmt::format(
      "AUC {:.4f}  log loss {:.4f}  NE {:.4f}  calibration {:.3f}  accuracy {:.4f}  ({} samples)",
      metrics.auc, metrics.log_loss, metrics.normalized_entropy, metrics.calibration,
      metrics.accuracy, metrics.num_samples);
}

std::string text_of(const ModelSpec& model, const TrainResult& result) {
  std::string out = fmt::format(
      "{}: {} steps, {} epochs, {} samples in {:.1f} s, {:.0f} samples/s\n", model.id, result.steps,
      result.epochs, result.samples, result.seconds, result.samples_per_second);
  out += fmt::format("train   log loss {:.4f} (mean of the last epoch, while it learned)\n",
                     result.loss);
  if (result.valid) out += fmt::format("valid   {}\n", text_of(*result.valid));
  if (result.test) out += fmt::format("test    {}\n", text_of(*result.test));
  if (result.bayes) {
    out += fmt::format("bayes   AUC {:.4f}  log loss {:.4f}: no model can do better on this data\n",
                       result.bayes->auc, result.bayes->log_loss);
  }
  if (result.seconds_to_target) {
    out += fmt::format("target  reached after {:.1f} s\n", *result.seconds_to_target);
  }
  if (result.num_skipped > 0) {
    out += fmt::format("skipped {} unreadable samples\n", result.num_skipped);
  }
  out += fmt::format("run     {}\n", result.run);
  if (result.is_interrupted) {
    out += fmt::format("interrupted; ambidex train --resume {} goes on\n", result.run);
  }
  return out + profile_text(result);
}

ProgressLine::ProgressLine() : is_terminal_(isatty(STDERR_FILENO) == 1), shown_(Clock::now()) {}

ProgressLine::~ProgressLine() {
  if (is_drawn_) write_error(std::string(kClearLine));
}

void ProgressLine::show(const TrainProgress& progress) {
  const Clock::time_point now = Clock::now();
  if (is_terminal_) {
    if (now - shown_ < kBarInterval) return;
    write_error(fmt::format("{}{}{}", kClearLine, bar(progress), progress_text(progress)));
    is_drawn_ = true;
  } else {
    if (now - shown_ < kLineInterval) return;
    print_note(progress_text(progress));
  }
  shown_ = now;
}

void ProgressLine::note(const std::string& line) {
  if (is_drawn_) write_error(std::string(kClearLine));
  is_drawn_ = false;
  print_note(line);
}

}  // namespace ambidex
