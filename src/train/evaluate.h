// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include "ambidex/train.h"
#include "train/network.h"

namespace ambidex {

/// Samples of one forward pass where nothing is learned. The model's eval_batch is a device's; the
/// result does not depend on it, and memory of activations does.
int64_t scoring_batch(const ModelSpec& model);

/// Runs the rest of the reader's epoch through the network without dropout.
///   visit   gets a batch and its logits, [batch]
void for_logits(
    Network& network, Parameters& parameters, DataReader& reader, Workers& workers,
    const std::function<void(const Batch& batch, std::span<const float> logits)>& visit);

/// Metrics of the rest of the reader's epoch.
Metrics evaluate(Network& network, Parameters& parameters, DataReader& reader, Workers& workers);

}  // namespace ambidex
