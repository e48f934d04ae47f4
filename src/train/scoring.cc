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

  Scoring(const std::string& run, const TrainData& data, SplitPart part, int32_t threads)
      : model(load_run(run).model),
        workers(threads),
        parameters(make_parameters(model)),
        network(make_network(model, parameters)),
        reader(load_reader(run, data, part)) {}

  DataReader load_reader(const std::string& run, const TrainData& data, SplitPart part) {
    const std::string checkpoint = scoring_checkpoint(run);
    load_checkpoint(checkpoint, parameters);
    return DataReader(model,
                      {.path = data.path,
                       .format = data.format,
                       .part = part,
                       .batch = scoring_batch(model),
                       .skip_bad = data.skip_bad,
                       .seed = model.seed},
                      load_statistics(checkpoint));
  }
};

}  // namespace

Metrics eval_run(const std::string& run, const TrainData& data, SplitPart part, int32_t threads) {
  Scoring scoring(run, data, part, threads);
  return evaluate(scoring.network, scoring.parameters, scoring.reader, scoring.workers);
}

void predict_run(const std::string& run, const TrainData& data, SplitPart part, int32_t threads,
                 const std::function<void(const std::vector<float>& probabilities,
                                          const std::vector<float>& labels)>& write) {
  Scoring scoring(run, data, part, threads);
  std::vector<float> probabilities, truth;
  for_logits(scoring.network, scoring.parameters, scoring.reader, scoring.workers,
             [&](std::span<const float> logits, std::span<const float> labels) {
               probabilities.resize(logits.size());
               sigmoid(scoring.workers, logits.data(), probabilities.data(), std::ssize(logits));
               truth.assign(labels.begin(), labels.end());
               write(probabilities, truth);
             });
}

}  // namespace ambidex
