// SPDX-License-Identifier: Apache-2.0
// What is left of a step in f32 on the CPU: loss, dropout, the dense optimizers, initial weights.
#pragma once

#include <cstdint>

#include "ambidex/model.h"
#include "base/parallel.h"

namespace ambidex {

/// Mean binary cross entropy of logits, in double, summed in sample order.
///   logits, labels [batch]; dlogits [batch] written: (sigmoid(logit) - label) / batch; may be null
double bce_loss(Workers& workers, const float* logits, const float* labels, float* dlogits,
                int64_t batch);

/// probabilities[i] = sigmoid(logits[i])
void sigmoid(Workers& workers, const float* logits, float* probabilities, int64_t size);

/// Zeroes x[i] where random_unit(key, i) < ratio and scales the others by 1 / (1 - ratio). Backward
/// is the same call on the gradient with the same key.
void dropout(Workers& workers, float* x, int64_t size, double ratio, uint64_t key);

/// y[i] += x[i]
void add(Workers& workers, const float* x, float* y, int64_t size);

/// One step on one dense parameter. state1: momentum of sgd (null if momentum is 0), sum of squares
/// of adagrad, first moment of adam; state2: second moment of adam. rowwise kinds are for tables:
/// a dense parameter takes adagrad for rowwise_adagrad and adam for rowwise_adam.
///   w, gradient, state1, state2 [size]; step counts from 1
void dense_update(Workers& workers, const OptimizerSpec& optimizer, double lr_factor, int64_t step,
                  const float* gradient, float* w, float* state1, float* state2, int64_t size);

/// w[i] uniform in [-bound, bound), a function of key and i.
void fill_uniform(Workers& workers, float* w, int64_t size, double bound, uint64_t key);

/// w[i] normal with this deviation (Box-Muller of two counters), a function of key and i.
void fill_normal(Workers& workers, float* w, int64_t size, double deviation, uint64_t key);

namespace twin {
double bce_loss(const float* logits, const float* labels, float* dlogits, int64_t batch);
void dense_update(const OptimizerSpec& optimizer, double lr_factor, int64_t step,
                  const float* gradient, float* w, float* state1, float* state2, int64_t size);
}  // namespace twin

}  // namespace ambidex
