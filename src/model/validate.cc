// SPDX-License-Identifier: Apache-2.0
#include "model/validate.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "model/tree.h"

namespace ambidex {
namespace {

constexpr int64_t kMaxInt32 = (int64_t{1} << 31) - 1;

void expect_ratio(const Complain& complain, const std::string& path, double value) {
  if (value >= 0 && value < 1) return;
  complain(path, fmt::format("expected a number from 0 to below 1, got {:g}", value));
}

void validate_optimizer(const std::string& path, const OptimizerSpec& optimizer,
                        const Complain& complain) {
  const auto expect_positive = [&](std::string_view key, double value) {
    if (value > 0 && std::isfinite(value)) return;
    complain(fmt::format("{}.{}", path, key),
             fmt::format("expected a number > 0, got {:g}", value));
  };
  const auto expect_not_negative = [&](std::string_view key, double value) {
    if (value >= 0 && std::isfinite(value)) return;
    complain(fmt::format("{}.{}", path, key),
             fmt::format("expected a number >= 0, got {:g}", value));
  };
  expect_positive("lr", optimizer.lr);
  expect_ratio(complain, path + ".momentum", optimizer.momentum);
  expect_ratio(complain, path + ".beta1", optimizer.beta1);
  expect_ratio(complain, path + ".beta2", optimizer.beta2);
  if (optimizer.kind != OptimizerKind::sgd) expect_positive("eps", optimizer.eps);
  expect_not_negative("initial_accumulator", optimizer.initial_accumulator);
  expect_not_negative("weight_decay", optimizer.weight_decay);
  const bool is_dense = path == "dense_optimizer";
  if (optimizer.momentum > 0 && (!is_dense || optimizer.kind != OptimizerKind::sgd)) {
    complain(path + ".momentum", "only sgd of dense_optimizer has momentum; set it to 0");
  }
}

void validate_schedule(const ScheduleSpec& schedule, const Complain& complain) {
  constexpr int64_t kMaxSteps = int64_t{1} << 53;
  expect_within(complain, "schedule.warmup_steps", schedule.warmup_steps, 0, kMaxSteps);
  if (!(schedule.power > 0 && std::isfinite(schedule.power))) {
    complain("schedule.power", fmt::format("expected a number > 0, got {:g}", schedule.power));
  }
  if (!(schedule.end_ratio >= 0 && schedule.end_ratio <= 1)) {
    complain("schedule.end_ratio",
             fmt::format("expected a number from 0 to 1, got {:g}", schedule.end_ratio));
  }
  if (schedule.kind == ScheduleKind::constant) {
    if (schedule.decay_steps == 0) return;
    complain("schedule.decay_steps",
             fmt::format("{} steps, but a constant schedule does not decay; set schedule.kind, or "
                         "this to 0",
                         schedule.decay_steps));
  }
  expect_within(complain, "schedule.decay_steps", schedule.decay_steps, 1, kMaxSteps);
  expect_within(complain, "schedule.decay_start_step", schedule.decay_start_step, 0, kMaxSteps);
  if (schedule.decay_start_step < schedule.warmup_steps) {
    complain("schedule.decay_start_step",
             fmt::format("{} is before the end of warmup_steps, {}", schedule.decay_start_step,
                         schedule.warmup_steps));
  }
}

void validate_data(const DataSpec& data, const Complain& complain) {
  expect_ratio(complain, "data.split.valid_ratio", data.split.valid_ratio);
  expect_ratio(complain, "data.split.test_ratio", data.split.test_ratio);
  const double held_out_ratio = data.split.valid_ratio + data.split.test_ratio;
  if (data.split.kind != SplitKind::none && held_out_ratio >= 1) {
    complain("data.split",
             fmt::format("valid_ratio + test_ratio is {:g}; nothing is left to train on",
                         held_out_ratio));
  }
  expect_within(complain, "data.split.seed", data.split.seed, 0, INT64_MAX);
  expect_within(complain, "data.shuffle_window", data.shuffle_window, 1, kMaxInt32);
  if (data.label_at_least && !std::isfinite(*data.label_at_least)) {
    complain("data.label_at_least",
             fmt::format("expected a number, got {:g}", *data.label_at_least));
  }
}

void validate_training(const ModelSpec& model, const Complain& complain) {
  validate_optimizer("dense_optimizer", model.dense_optimizer, complain);
  validate_optimizer("sparse_optimizer", model.sparse_optimizer, complain);
  for (const TableSpec& table : model.tables) {
    if (!table.optimizer) continue;
    validate_optimizer(fmt::format("tables.{}.optimizer", table.name), *table.optimizer, complain);
  }
  validate_schedule(model.schedule, complain);
  expect_within(complain, "batch", model.batch, 1, kMaxInt32);
  expect_within(complain, "eval_batch", model.eval_batch, 1, kMaxInt32);
  expect_within(complain, "epochs", model.epochs, 1, 1'000'000);
  expect_within(complain, "early_stop", model.early_stop, 0, kMaxInt32);
  expect_within(complain, "seed", model.seed, 0, INT64_MAX);
  validate_data(model.data, complain);
}

}  // namespace

void expect_within(const Complain& complain, const std::string& path, int64_t value, int64_t least,
                   int64_t most) {
  if (value >= least && value <= most) return;
  complain(path, fmt::format("expected a whole number from {} to {}, got {}", least, most, value));
}

void expect_widths(const Complain& complain, const std::string& path,
                   const std::vector<int64_t>& widths) {
  constexpr size_t kMaxLayers = 64;
  if (widths.size() > kMaxLayers) {
    complain(path, fmt::format("expected at most {} layers, got {}", kMaxLayers, widths.size()));
  }
  for (size_t i = 0; i < widths.size(); ++i) {
    expect_within(complain, fmt::format("{}.{}", path, i), widths[i], 1, kMaxWidth);
  }
}

void validate_with(const ModelSpec& model, const Complain& complain) {
  if (!is_plain_name(model.id)) {
    complain("id",
             fmt::format("expected at most 64 of A-Z, a-z, 0-9, _ and -, got {}", quote(model.id)));
  }
  validate_tables(model, complain);
  if (model.sequence) {
    validate_sequence(model, complain);
  } else {
    validate_towers(model, complain);
  }
  validate_training(model, complain);
}

void validate(const ModelSpec& model) {
  validate_with(model, [](const std::string& path, const std::string& what) {
    throw Error(ErrorKind::bad_input, path.empty() ? what : fmt::format("{}: {}", path, what));
  });
}

}  // namespace ambidex
