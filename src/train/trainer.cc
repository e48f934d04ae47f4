// SPDX-License-Identifier: Apache-2.0
// The training loop: batches through train_step, and between steps what is due: a line of the log,
// an evaluation, a checkpoint.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

#include "ambidex/train.h"
#include "base/parallel.h"
#include "train/checkpoint.h"
#include "train/evaluate.h"
#include "train/files.h"
#include "train/journal.h"
#include "train/network.h"
#include "train/parts.h"
#include "train/run_folder.h"
#include "train/schedule.h"

namespace ambidex {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kKeep = 3;  // checkpoints, unless the caller says

double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

/// All that a run holds while it trains.
struct Training {
  ModelSpec model;
  TrainOptions options;
  const TrainHooks& hooks;
  Workers workers;
  Parameters parameters;
  Network network;
  TrainState state;
  std::optional<DataReader> reader;
  std::optional<DataReader> valid_reader;  // opened by the first evaluation
  std::optional<Journal> journal;
  std::unique_ptr<Profile> profile;
  TrainResult result;
  Batch batch;
  bool is_batch_ready = false;  // read, but not trained on
  int64_t steps_per_epoch = 0;  // 0: no epoch is complete yet

  Training(ModelSpec spec, TrainOptions train_options, const TrainHooks& train_hooks)
      : model(std::move(spec)),
        options(std::move(train_options)),
        hooks(train_hooks),
        workers(options.threads),
        parameters(make_parameters(model)),
        network(make_network(model, parameters)) {
    if (options.profile) profile = std::make_unique<Profile>();
    result.run = options.saving.out;
  }
};

int64_t num_epochs(const Training& t) {
  if (t.options.length.epochs > 0) return t.options.length.epochs;
  return t.options.length.steps > 0 ? INT64_MAX : t.model.epochs;
}

bool is_log_step(int64_t step, int64_t log_every) {
  if (log_every > 0) return step % log_every == 0;
  constexpr std::array<int64_t, 6> kFirst{1, 2, 5, 10, 20, 50};
  return step % 100 == 0 || std::ranges::find(kFirst, step) != kFirst.end();
}

void report_progress(Training& t, double loss) {
  if (!t.hooks.progress) return;
  TrainProgress progress{.step = t.state.step, .epoch = t.state.position.epoch, .loss = loss};
  const int64_t epochs = num_epochs(t);
  if (t.options.length.steps > 0) {
    progress.num_steps = t.options.length.steps;
  } else if (t.steps_per_epoch > 0) {
    progress.num_steps = epochs * t.steps_per_epoch;
  }
  progress.samples_per_second =
      static_cast<double>(t.state.samples) / std::max(t.state.seconds, 1e-9);
  t.hooks.progress(progress);
}

void log_step(Training& t) {
  TrainState& state = t.state;
  if (!is_log_step(state.step, t.options.saving.log_every)) return;
  t.journal->add({.step = state.step,
                  .kind = "train",
                  .values = {{"loss", state.log_loss_sum / static_cast<double>(state.log_steps)},
                             {"seconds", state.seconds},
                             {"samples_per_second", static_cast<double>(state.log_samples) /
                                                        std::max(state.log_seconds, 1e-9)},
                             {"lr_factor", lr_factor(t.model.schedule, state.step - 1)}}});
  state.log_loss_sum = 0;
  state.log_steps = 0;
  state.log_samples = 0;
  state.log_seconds = 0;
}

[[noreturn]] void fail_diverged(const Training& t, const std::string& what) {
  throw Error(
      ErrorKind::bad_input,
      fmt::format("{}: step {}: {}; training has diverged. Lower the learning rates, as with "
                  "--set dense_optimizer.lr={:g}",
                  t.model.id, t.state.step + 1, what, t.model.dense_optimizer.lr / 10));
}

void save(Training& t) {
  if (!is_finite(t.parameters.dense)) fail_diverged(t, "a weight is not a finite number");
  const Clock::time_point from = Clock::now();
  const std::string folder = checkpoints_folder(t.result.run);
  save_checkpoint(checkpoint_folder(folder, t.state.step), t.parameters, t.state,
                  t.reader->statistics());
  prune_checkpoints(folder, t.options.saving.keep > 0 ? t.options.saving.keep : kKeep);
  t.state.other_seconds += seconds_since(from);
}

/// Metrics of a part, if there is one.
///   is_news   of weights that no line of the log has told of
std::optional<Metrics> evaluate_part(Training& t, SplitPart part, bool is_news = true) {
  const std::optional<DataOptions> options = part_options(t.model, t.options.data, part);
  if (!options) return std::nullopt;
  const Clock::time_point from = Clock::now();
  std::optional<DataReader> once;
  std::optional<DataReader>& reader = part == SplitPart::valid ? t.valid_reader : once;
  if (reader) {
    reader->start_epoch();
  } else {
    reader.emplace(t.model, *options, t.reader->statistics());
  }
  const Metrics metrics = evaluate(t.network, t.parameters, *reader, t.workers);
  const std::string name(name_of(part));
  if (is_news) {
    t.journal->add(t.state.step, name, metrics);
    if (t.hooks.evaluated) t.hooks.evaluated(name, t.state.step, metrics);
  }
  t.state.other_seconds += seconds_since(from);
  return metrics;
}

/// Evaluates and keeps the best. True: training shall end.
bool evaluate_step(Training& t) {
  TrainState& state = t.state;
  t.result.valid = evaluate_part(t, SplitPart::valid);
  state.valid_step = state.step;
  if (!t.result.valid) return false;
  const double auc = t.result.valid->auc;
  if (auc > state.best_auc) {
    state.best_auc = auc;
    state.best_step = state.step;
    state.num_worse = 0;
    if (t.model.early_stop > 0) {
      save_checkpoint(best_folder(t.result.run), t.parameters, state, t.reader->statistics());
    }
  } else {
    ++state.num_worse;
  }
  const double until = t.options.length.until_auc;
  if (until > 0 && auc >= until) {
    t.result.seconds_to_target = state.seconds + state.other_seconds;
    return true;
  }
  return t.model.early_stop > 0 && state.num_worse >= t.model.early_stop;
}

/// What was learned before data that cannot be read is not lost.
bool next_batch(Training& t) {
  try {
    return t.reader->next(t.batch);
  } catch (const Error& error) {
    if (t.state.step == 0) throw;
    save(t);
    throw Error(error.kind, fmt::format("{}; step {} is saved: --resume {} goes on from there",
                                        error.what(), t.state.step, t.result.run));
  }
}

/// One batch. False at the end of the epoch.
bool step_once(Training& t) {
  const Clock::time_point from = Clock::now();
  if (!std::exchange(t.is_batch_ready, false) && !next_batch(t)) return false;
  TrainState& state = t.state;
  const Batch& batch = t.batch;
  const double loss =
      train_step(t.network, t.parameters, batch, state.step, t.workers, t.profile.get());
  if (!std::isfinite(loss)) fail_diverged(t, fmt::format("the loss is {}", loss));
  const double seconds = seconds_since(from);
  state.seconds += seconds;
  state.log_seconds += seconds;
  state.log_samples += batch.size;
  ++state.step;
  state.samples += batch.size;
  state.epoch_loss_sum += loss;
  ++state.epoch_steps;
  state.log_loss_sum += loss;
  ++state.log_steps;
  state.position = t.reader->position();
  log_step(t);
  report_progress(t, loss);
  return true;
}

double epoch_loss(const TrainState& state) {
  return state.epoch_steps > 0 ? state.epoch_loss_sum / static_cast<double>(state.epoch_steps) : 0;
}

/// Of the pass that met most of them: every pass meets the same.
void note_skipped(Training& t) {
  t.result.num_skipped = std::max(t.result.num_skipped, t.reader->num_skipped());
}

void end_epoch(Training& t) {
  t.state.last_loss = epoch_loss(t.state);
  t.steps_per_epoch = t.state.epoch_steps;
  t.state.epoch_loss_sum = 0;
  t.state.epoch_steps = 0;
  note_skipped(t);
  t.reader->start_epoch();
  t.state.position = t.reader->position();
}

enum class Ending : uint8_t { none, done, interrupted };

/// What is due after a step.
Ending after_step(Training& t) {
  const TrainSaving& saving = t.options.saving;
  const int64_t step = t.state.step;
  const bool is_last = saving.eval_every > 0 && step % saving.eval_every == 0 && evaluate_step(t);
  if (saving.checkpoint_every > 0 && step % saving.checkpoint_every == 0) save(t);
  if (is_last || step == t.options.length.steps) return Ending::done;
  return t.hooks.stop && t.hooks.stop() ? Ending::interrupted : Ending::none;
}

/// What is due after a pass over the data.
Ending after_epoch(Training& t) {
  end_epoch(t);
  const TrainSaving& saving = t.options.saving;
  const bool is_last = saving.eval_every == 0 && evaluate_step(t);
  if (saving.checkpoint_every == 0) save(t);
  return is_last || t.state.position.epoch >= num_epochs(t) ? Ending::done : Ending::none;
}

/// Of a run that is resumed: whether it had come to its end.
bool is_over(const Training& t) {
  const int64_t steps = t.options.length.steps;
  return t.state.position.epoch >= num_epochs(t) || (steps > 0 && t.state.step >= steps) ||
         (t.model.early_stop > 0 && t.state.num_worse >= t.model.early_stop) ||
         (t.options.length.until_auc > 0 && t.state.best_auc >= t.options.length.until_auc);
}

Ending run_steps(Training& t) {
  if (is_over(t)) return Ending::done;
  while (true) {
    const Ending ending = step_once(t) ? after_step(t) : after_epoch(t);
    if (ending != Ending::none) return ending;
  }
}

void fill_result(Training& t) {
  TrainResult& result = t.result;
  result.steps = t.state.step;
  result.epochs = t.state.position.epoch;
  result.samples = t.state.samples;
  result.seconds = t.state.seconds;
  result.samples_per_second =
      static_cast<double>(t.state.samples) / std::max(t.state.seconds, 1e-9);
  result.loss = t.state.epoch_steps > 0 ? epoch_loss(t.state) : t.state.last_loss;
  note_skipped(t);
  if (!t.profile) return;
  result.op_seconds = t.profile->ops;
  result.op_spans = t.profile->spans;
}

/// The final words on the best or last weights.
void test(Training& t) {
  const TrainState& state = t.state;
  const bool is_back =
      t.model.early_stop > 0 && state.best_step > 0 && state.best_step != state.step;
  if (is_back) load_checkpoint(best_folder(t.result.run), t.parameters);
  const bool is_told = is_back || state.valid_step == state.step;
  if (is_back || !is_told || !t.result.valid) {
    t.result.valid = evaluate_part(t, SplitPart::valid, !is_told);
  }
  t.result.test = evaluate_part(t, SplitPart::test);
  if (t.options.data.path.starts_with("synthetic:")) {
    t.result.bayes = bayes_optimum(t.model, t.options.data.path);
  }
}

TrainResult run(Training& t) {
  const Ending ending = run_steps(t);
  const std::vector<Checkpoint> saved = list_checkpoints(checkpoints_folder(t.result.run));
  if (saved.empty() || saved.back().step != t.state.step) save(t);
  fill_result(t);
  if (t.hooks.trained) t.hooks.trained();
  if (ending == Ending::interrupted) {
    t.result.is_interrupted = true;
  } else {
    test(t);
  }
  return std::move(t.result);
}

/// What the caller says, and for the rest what the run was started with.
TrainOptions resumed_options(const RunInfo& info, const TrainOptions& options) {
  TrainOptions whole = options;
  whole.data = info.data;
  if (options.data.skip_bad > 0) whole.data.skip_bad = options.data.skip_bad;
  TrainLength& length = whole.length;
  if (length.epochs == 0 && length.steps == 0) {
    length.epochs = info.length.epochs;
    length.steps = info.length.steps;
  }
  if (length.until_auc == 0) length.until_auc = info.length.until_auc;
  TrainSaving& saving = whole.saving;
  const auto inherit = [](int64_t& value, int64_t before) {
    if (value == 0) value = before;
  };
  inherit(saving.checkpoint_every, info.saving.checkpoint_every);
  inherit(saving.keep, info.saving.keep);
  inherit(saving.eval_every, info.saving.eval_every);
  inherit(saving.log_every, info.saving.log_every);
  return whole;
}

void refuse_sequences(const ModelSpec& model) {
  if (!model.sequence) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("{}: sequence models are shown and planned, but not trained yet; "
                          "ambidex model list names the others",
                          model.id));
}

}  // namespace

TrainResult train(const ModelSpec& model, const TrainOptions& options, const TrainHooks& hooks) {
  validate(model);
  refuse_sequences(model);
  Training t(model, options, hooks);
  // Before the folder is made: what cannot be read or started leaves nothing behind.
  t.reader.emplace(t.model, training_options(t.model, options.data));
  t.is_batch_ready = t.reader->next(t.batch);
  try_parts(t.model, options.data, t.reader->statistics());
  initialize(t.parameters, t.model, t.workers);
  if (!options.weights.empty()) {
    load_weights(options.weights, t.parameters);
    if (!is_finite(t.parameters.dense)) {
      throw Error(ErrorKind::bad_input, fmt::format("{}: has weights that are no finite numbers; "
                                                    "start from others",
                                                    options.weights));
    }
  }
  create_run(options.saving.out, {t.model, options.data, options.length, options.saving});
  const RunLock lock(t.result.run);
  t.journal.emplace(t.result.run);
  return run(t);
}

TrainResult resume_training(const TrainOptions& options, const TrainHooks& hooks) {
  const RunInfo info = load_run(options.saving.out);
  const TrainOptions whole = resumed_options(info, options);
  const std::string& run_path = options.saving.out;
  const RunLock lock(run_path);
  remove_dead_drafts(run_path);
  remove_dead_drafts(checkpoints_folder(run_path));
  const std::string checkpoint = newest_checkpoint(run_path);
  Training t(info.model, whole, hooks);
  t.state = load_checkpoint(checkpoint, t.parameters);
  t.reader.emplace(t.model, training_options(t.model, whole.data), load_statistics(checkpoint));
  t.reader->restore(t.state.position);
  cut_log(log_file(run_path), t.state.step);
  write_info(run_path, {info.model, whole.data, whole.length, whole.saving});
  t.journal.emplace(run_path);
  return run(t);
}

}  // namespace ambidex
