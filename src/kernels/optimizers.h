// SPDX-License-Identifier: Apache-2.0
// The arithmetic of the optimizers in f32; docs/training.md has the formulas.
#pragma once

#include <cmath>
#include <cstdint>

#include "ambidex/model.h"

namespace ambidex {

/// An optimizer's numbers as the loops use them.
struct Coefficients {
  float lr = 0;
  float momentum = 0;
  float beta1 = 0;
  float beta2 = 0;
  float rest1 = 0;    // 1 - beta1
  float rest2 = 0;    // 1 - beta2
  float adam_lr = 0;  // lr / (1 - beta1^step)
  float root2 = 0;    // 1 / sqrt(1 - beta2^step)
  float eps = 0;
  float decay = 0;
};

inline Coefficients coefficients(const OptimizerSpec& spec, double lr_factor, int64_t step) {
  const double lr = spec.lr * lr_factor;
  const auto steps = static_cast<double>(step);
  return {.lr = static_cast<float>(lr),
          .momentum = static_cast<float>(spec.momentum),
          .beta1 = static_cast<float>(spec.beta1),
          .beta2 = static_cast<float>(spec.beta2),
          .rest1 = static_cast<float>(1 - spec.beta1),
          .rest2 = static_cast<float>(1 - spec.beta2),
          .adam_lr = static_cast<float>(lr / (1 - std::pow(spec.beta1, steps))),
          .root2 = static_cast<float>(1 / std::sqrt(1 - std::pow(spec.beta2, steps))),
          .eps = static_cast<float>(spec.eps),
          .decay = static_cast<float>(spec.weight_decay)};
}

}  // namespace ambidex
