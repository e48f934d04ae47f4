// SPDX-License-Identifier: Apache-2.0
// A finished run on data: metrics and predictions.
#include "ambidex/train.h"
#include "base/parallel.h"
#include "kernels/dense.h"
#include "train/checkpoint.h"
#include "train/evaluate.h"
#include "train/network.h"
#include "train/run_folder.h"

namespace ambidex {
namespace {

/// The run's weights and a reader of the data.
struct Scoring {
  ModelSpec model;
  Workers workers;
  Parameters parameters;
  Network network;
  DataReader reader;

  Scoring(const std::string& run, const TrainData& data, SplitPart part, int32_t threads,
          bool labelled)
      : model(load_run(run).model),
        workers(threads),
        parameters(make_parameters(model)),
        network(make_network(model, parameters)),
        reader(load_reader(run, data, part, labelled)) {}

  DataReader load_reader(const std::string& run, const TrainData& data, SplitPart part,
                         bool labelled) {
    const std::string checkpoint = scoring_checkpoint(run);
    load_weights(checkpoint + "/weights.safetensors", parameters);
    return DataReader(model,
                      {.path = data.path,
                       .format = data.format,
                       .part = part,
                       .batch = scoring_batch(model),
                       .skip_bad = data.skip_bad,
                       .seed = model.seed,
                       .labelled = labelled},
                      load_statistics(checkpoint));
  }
};

}  // namespace

Metrics eval_run(const std::string& run, const TrainData& data, SplitPart part, int32_t threads) {
  Scoring scoring(run, data, part, threads, true);
  return evaluate(scoring.network, scoring.parameters, scoring.reader, scoring.workers);
}

void predict_run(const std::string& run, const TrainData& data, SplitPart part, int32_t threads,
                 const std::function<void(const ScoredSamples&)>& write) {
  Scoring scoring(run, data, part, threads, false);
  ScoredSamples samples;
  for_logits(scoring.network, scoring.parameters, scoring.reader, scoring.workers,
             [&](const Batch& batch, std::span<const float> logits) {
               samples.numbers = batch.numbers;
               samples.labels = batch.labels;
               samples.probabilities.resize(logits.size());
               sigmoid(scoring.workers, logits.data(), samples.probabilities.data(),
                       std::ssize(logits));
               write(samples);
             });
}

}  // namespace ambidex
