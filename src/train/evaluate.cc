// SPDX-License-Identifier: Apache-2.0
#include "train/evaluate.h"

#include <algorithm>

#include "train/metrics.h"

namespace ambidex {

int64_t scoring_batch(const ModelSpec& model) {
  constexpr int64_t kMost = 8192;
  return std::min(model.eval_batch, kMost);
}

void for_logits(
    Network& network, Parameters& parameters, DataReader& reader, Workers& workers,
    const std::function<void(const Batch& batch, std::span<const float> logits)>& visit) {
  Batch batch;
  while (reader.next(batch)) {
    forward(network, parameters, batch, workers);
    visit(batch, {network.logits.data(), static_cast<size_t>(batch.size)});
  }
}

Metrics evaluate(Network& network, Parameters& parameters, DataReader& reader, Workers& workers) {
  StreamedMetrics metrics;
  for_logits(network, parameters, reader, workers,
             [&](const Batch& batch, std::span<const float> logits) {
               metrics.add(logits, batch.labels);
             });
  return metrics.metrics();
}

}  // namespace ambidex
