// SPDX-License-Identifier: Apache-2.0
#include "kernels/dense.h"

#include <cmath>
#include <numbers>
#include <vector>

#include "ambidex/base.h"
#include "base/random.h"
#include "kernels/isa.h"
#include "kernels/optimizers.h"

namespace ambidex {
namespace {

constexpr int64_t kSamples = 512;  // of one task: an exponential takes some 10 ns

double sigmoid_of(double logit) { return 1 / (1 + std::exp(-logit)); }

/// log(1 + e^x) - y x, without overflow.
double bce_of(double logit, double label) {
  return std::max(logit, 0.0) - logit * label + std::log1p(std::exp(-std::abs(logit)));
}

void sgd(const Coefficients& c, const float* __restrict g, float* __restrict w, int64_t size) {
  with_isa([=]() AMBIDEX_INLINE {
    for (int64_t i = 0; i < size; ++i) w[i] -= c.lr * (g[i] + c.decay * w[i]);
  });
}

void sgd_momentum(const Coefficients& c, const float* __restrict g, float* __restrict w,
                  float* __restrict velocity, int64_t size) {
  with_isa([=]() AMBIDEX_INLINE {
    for (int64_t i = 0; i < size; ++i) {
      velocity[i] = c.momentum * velocity[i] + (g[i] + c.decay * w[i]);
      w[i] -= c.lr * velocity[i];
    }
  });
}

void adagrad(const Coefficients& c, const float* __restrict g, float* __restrict w,
             float* __restrict sum, int64_t size) {
  with_isa([=]() AMBIDEX_INLINE {
    for (int64_t i = 0; i < size; ++i) {
      const float slope = g[i] + c.decay * w[i];
      sum[i] += slope * slope;
      w[i] -= c.lr * slope / (std::sqrt(sum[i]) + c.eps);
    }
  });
}

void adam(const Coefficients& c, const float* __restrict g, float* __restrict w,
          float* __restrict first, float* __restrict second, int64_t size) {
  with_isa([=]() AMBIDEX_INLINE {
    for (int64_t i = 0; i < size; ++i) {
      const float slope = g[i] + c.decay * w[i];
      first[i] = c.beta1 * first[i] + c.rest1 * slope;
      second[i] = c.beta2 * second[i] + c.rest2 * (slope * slope);
      w[i] -= c.adam_lr * first[i] / (std::sqrt(second[i]) * c.root2 + c.eps);
    }
  });
}

}  // namespace

double bce_loss(Workers& workers, const float* logits, const float* labels, float* dlogits,
                int64_t batch) {
  if (batch <= 0) return 0;
  std::vector<double> losses(static_cast<size_t>(batch));
  for_blocks(workers, batch, kSamples, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      losses[static_cast<size_t>(i)] = bce_of(logits[i], labels[i]);
      if (dlogits == nullptr) continue;
      dlogits[i] =
          static_cast<float>((sigmoid_of(logits[i]) - labels[i]) / static_cast<double>(batch));
    }
  });
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum / static_cast<double>(batch);
}

void sigmoid(Workers& workers, const float* logits, float* probabilities, int64_t size) {
  for_blocks(workers, size, kSamples, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      probabilities[i] = static_cast<float>(sigmoid_of(logits[i]));
    }
  });
}

void dropout(Workers& workers, float* x, int64_t size, double ratio, uint64_t key) {
  check(ratio >= 0 && ratio < 1, "a dropout ratio in [0, 1)");
  // random_unit(key, i) < ratio in integers.
  const auto threshold = static_cast<uint64_t>(std::ceil(ratio * 0x1p53));
  const auto scale = static_cast<float>(1 / (1 - ratio));
  for_blocks(workers, size, kBlock, [=](int64_t begin, int64_t end) {
    with_isa([=]() AMBIDEX_INLINE {
      for (int64_t i = begin; i < end; ++i) {
        const uint64_t bits = random_bits(key, static_cast<uint64_t>(i)) >> 11;
        x[i] = bits < threshold ? 0.0f : x[i] * scale;
      }
    });
  });
}

void add(Workers& workers, const float* x, float* y, int64_t size) {
  for_blocks(workers, size, kBlock, [=](int64_t begin, int64_t end) {
    const float* __restrict from = x;
    float* __restrict to = y;
    with_isa([=]() AMBIDEX_INLINE {
      for (int64_t i = begin; i < end; ++i) to[i] += from[i];
    });
  });
}

void dense_update(Workers& workers, const OptimizerSpec& optimizer, double lr_factor, int64_t step,
                  const float* gradient, float* w, float* state1, float* state2, int64_t size) {
  const Coefficients c = coefficients(optimizer, lr_factor, step);
  for_blocks(workers, size, kBlock, [&](int64_t begin, int64_t end) {
    const float* g = gradient + begin;
    const int64_t count = end - begin;
    switch (optimizer.kind) {
      case OptimizerKind::sgd:
        return state1 == nullptr ? sgd(c, g, w + begin, count)
                                 : sgd_momentum(c, g, w + begin, state1 + begin, count);
      case OptimizerKind::adagrad:
      case OptimizerKind::rowwise_adagrad:
        return adagrad(c, g, w + begin, state1 + begin, count);
      case OptimizerKind::adam:
      case OptimizerKind::rowwise_adam:
        return adam(c, g, w + begin, state1 + begin, state2 + begin, count);
    }
  });
}

void fill_uniform(Workers& workers, float* w, int64_t size, double bound, uint64_t key) {
  constexpr int32_t kHalf = 1 << 23;
  const float unit = static_cast<float>(bound) * 0x1p-23f;
  for_blocks(workers, size, kBlock, [=](int64_t begin, int64_t end) {
    with_isa([=]() AMBIDEX_INLINE {
      for (int64_t i = begin; i < end; ++i) {
        const auto bits = static_cast<int32_t>(random_bits(key, static_cast<uint64_t>(i)) >> 40);
        w[i] = static_cast<float>(bits - kHalf) * unit;
      }
    });
  });
}

void fill_normal(Workers& workers, float* w, int64_t size, double deviation, uint64_t key) {
  for_blocks(workers, size, kBlock, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const auto counter = 2 * static_cast<uint64_t>(i);
      const double radius = std::sqrt(-2 * std::log(1 - random_unit(key, counter)));
      const double angle = 2 * std::numbers::pi * random_unit(key, counter + 1);
      w[i] = static_cast<float>(deviation * radius * std::cos(angle));
    }
  });
}

}  // namespace ambidex
