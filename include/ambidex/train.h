// SPDX-License-Identifier: Apache-2.0
// Training on the CPU: the reference that every accelerator must agree with. The same model, data
// and seed give the same bits on any number of threads, and after any interruption.
//
//   using namespace ambidex;
//   ModelSpec model = load_model("dlrm_small");
//   TrainResult result = train(model, {.data = {.path = "synthetic:"}, .saving = {.out = "run"}});
//   std::vector<float> p = ...;  // or eval_run("run", {.path = "more.tsv"})
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/base.h"
#include "ambidex/data.h"
#include "ambidex/model.h"

namespace ambidex {

/// How well logits rank and calibrate. NaN stands for "has no value" and is null in JSON:
/// everything without samples or with a NaN among the logits; auc and normalized_entropy of one
/// class alone; calibration without positives.
struct Metrics {
  int64_t num_samples = 0;
  double auc = 0;                 // chance that a positive ranks above a negative, ties a half
  double log_loss = 0;            // mean cross entropy in nats; infinite if a logit is wrongly so
  double normalized_entropy = 0;  // log_loss / that of predicting label_rate always
  double calibration = 0;         // mean probability / label rate
  double accuracy = 0;            // share on their side of probability 1/2, which counts as 1
  double label_rate = 0;          // share of positives
};

template <class Visit>
void visit_fields(Visit&& visit, const Metrics& it) {
  visit(std::string_view("num_samples"), it.num_samples);
  visit(std::string_view("auc"), it.auc);
  visit(std::string_view("log_loss"), it.log_loss);
  visit(std::string_view("normalized_entropy"), it.normalized_entropy);
  visit(std::string_view("calibration"), it.calibration);
  visit(std::string_view("accuracy"), it.accuracy);
  visit(std::string_view("label_rate"), it.label_rate);
}

struct TrainData {
  std::string path;        // as DataOptions::path
  std::string valid_path;  // empty: the validation part of `path`, as model.data.split says
  std::string test_path;   // empty: its test part
  std::string format;      // empty: the model's, else found out
  int64_t skip_bad = 0;    // unreadable samples of each file set that are tolerated
  bool operator==(const TrainData&) const = default;
};

/// When training ends: at the first of these. All 0: after model.epochs.
struct TrainLength {
  int64_t epochs = 0;
  int64_t steps = 0;
  double until_auc = 0;  // of the validation part
};

/// What is left at 0 is, in a run that is resumed, what it was before.
struct TrainSaving {
  std::string out;               // folder of the run; made
  int64_t checkpoint_every = 0;  // steps; 0: at the end of each epoch
  int64_t keep = 0;              // newest checkpoints that stay; 0: 3
  int64_t eval_every = 0;        // steps; 0: at the end of each epoch
  int64_t log_every = 0;         // steps; 0: 1, 2, 5, 10, 20, 50, 100, then every 100
};

struct TrainOptions {
  TrainData data;
  TrainLength length;
  TrainSaving saving;
  std::string weights;  // a safetensors file to start from; empty: random by model.seed
  int32_t threads = 0;  // 0: as many as the process may use
  bool profile = false;
};

struct TrainProgress {
  int64_t step = 0;       // steps done
  int64_t num_steps = 0;  // of the whole run; 0: not known yet
  int64_t epoch = 0;      // passes that are complete
  double loss = 0;        // mean of the last steps
  double samples_per_second = 0;
};

/// Seconds of an op over a run, under its name in ops_of(model).
struct OpSeconds {
  std::string name;
  int64_t count = 0;
  double seconds = 0;
};

/// One run of an op, for a timeline.
struct OpSpan {
  int32_t op = 0;            // index into TrainResult::op_seconds
  double start_seconds = 0;  // since training began
  double seconds = 0;
};

struct TrainResult {
  std::string run;  // folder
  int64_t steps = 0;
  int64_t epochs = 0;   // passes over the data that are complete
  int64_t samples = 0;  // trained on
  double seconds = 0;   // of training, evaluation and saving left out
  double samples_per_second = 0;
  double loss = 0;  // mean over the last epoch, or what there was of it
  std::optional<Metrics> valid;
  std::optional<Metrics> test;
  std::optional<BayesOptimum> bayes;        // of synthetic data
  std::optional<double> seconds_to_target;  // of length.until_auc, evaluations counted
  int64_t num_skipped = 0;                  // unreadable samples of a pass
  bool is_interrupted = false;
  std::vector<OpSeconds> op_seconds;  // with options.profile
  std::vector<OpSpan> op_spans;       // the first of them
};

/// What a caller may hear and say while training runs.
struct TrainHooks {
  std::function<void(const TrainProgress&)> progress;  // after each step
  std::function<void(std::string_view part, int64_t step, const Metrics&)> evaluated;
  std::function<bool()> stop;     // true: finish the step, save, return
  std::function<void()> trained;  // after the last step, when all is saved; the test follows
};

/// Trains `model` and leaves checkpoints, metrics and events in options.saving.out.
///   throws Error(bad_input) with file and line on bad data; Error(unsupported) for sequence models
TrainResult train(const ModelSpec& model, const TrainOptions& options,
                  const TrainHooks& hooks = {});

/// Goes on with the run in `options.saving.out` from its last checkpoint, with its model and data;
/// of options.data only skip_bad counts. The bits are those of a run that was never interrupted.
///   throws Error(not_found) if there is no run or no checkpoint
TrainResult resume_training(const TrainOptions& options, const TrainHooks& hooks = {});

/// What a run was made of.
struct RunInfo {
  ModelSpec model;
  TrainData data;
  TrainLength length;
  TrainSaving saving;  // without `out`
};
RunInfo load_run(const std::string& run);

/// Metrics of the run's best or last weights on data.
///   part   of `data.path`, by the model's split
Metrics eval_run(const std::string& run, const TrainData& data, SplitPart part,
                 int32_t threads = 0);

/// Scores of some samples, in the order of the data.
struct ScoredSamples {
  std::vector<int64_t> numbers;      // places in the data, unreadable samples counted
  std::vector<float> probabilities;  // of a label 1
  std::vector<float> labels;         // NaN where the data has none
};

/// Scores data, labelled or not; `write` gets one block after another.
///   throws what eval_run and `write` throw
void predict_run(const std::string& run, const TrainData& data, SplitPart part, int32_t threads,
                 const std::function<void(const ScoredSamples&)>& write);

}  // namespace ambidex
