// SPDX-License-Identifier: Apache-2.0
// Plain loops, sums in double: what the kernels are tested against.
#include <algorithm>
#include <cmath>
#include <vector>

#include "ambidex/base.h"
#include "kernels/dense.h"
#include "kernels/embedding.h"
#include "kernels/interaction.h"
#include "kernels/linear.h"
#include "kernels/vectors.h"

namespace ambidex::twin {

void linear_forward(const float* x, int64_t x_stride, const float* w, const float* bias, float* y,
                    int64_t y_stride, int64_t batch, int64_t in, int64_t out,
                    Activation activation) {
  for (int64_t s = 0; s < batch; ++s) {
    for (int64_t o = 0; o < out; ++o) {
      double sum = bias == nullptr ? 0 : bias[o];
      for (int64_t i = 0; i < in; ++i)
        sum += static_cast<double>(x[s * x_stride + i]) * w[o * in + i];
      if (activation == Activation::relu) sum = std::max(sum, 0.0);
      y[s * y_stride + o] = static_cast<float>(sum);
    }
  }
}

void linear_backward_input(const float* dy, int64_t dy_stride, const float* w, float* dx,
                           int64_t dx_stride, const float* x_mask, int64_t mask_stride,
                           int64_t batch, int64_t in, int64_t out, bool accumulate) {
  for (int64_t s = 0; s < batch; ++s) {
    for (int64_t i = 0; i < in; ++i) {
      double sum = accumulate ? dx[s * dx_stride + i] : 0;
      for (int64_t o = 0; o < out; ++o) {
        sum += static_cast<double>(dy[s * dy_stride + o]) * w[o * in + i];
      }
      const bool is_passed = x_mask == nullptr || x_mask[s * mask_stride + i] > 0;
      dx[s * dx_stride + i] = is_passed ? static_cast<float>(sum) : 0.0f;
    }
  }
}

void linear_backward_weight(const float* x, int64_t x_stride, const float* dy, int64_t dy_stride,
                            float* dw, float* dbias, int64_t batch, int64_t in, int64_t out) {
  for (int64_t o = 0; o < out; ++o) {
    for (int64_t i = 0; i < in; ++i) {
      double sum = 0;
      for (int64_t s = 0; s < batch; ++s) {
        sum += static_cast<double>(dy[s * dy_stride + o]) * x[s * x_stride + i];
      }
      dw[o * in + i] = static_cast<float>(sum);
    }
    if (dbias == nullptr) continue;
    double sum = 0;
    for (int64_t s = 0; s < batch; ++s) sum += dy[s * dy_stride + o];
    dbias[o] = static_cast<float>(sum);
  }
}

double bce_loss(const float* logits, const float* labels, float* dlogits, int64_t batch) {
  double sum = 0;
  for (int64_t s = 0; s < batch; ++s) {
    const double logit = logits[s];
    const double probability = 1 / (1 + std::exp(-logit));
    // Of a wrong and very sure answer the logarithm would be infinite.
    sum += labels[s] * std::log1p(std::exp(-std::abs(logit))) + labels[s] * std::max(-logit, 0.0) +
           (1 - labels[s]) * (std::log1p(std::exp(-std::abs(logit))) + std::max(logit, 0.0));
    if (dlogits != nullptr) {
      dlogits[s] = static_cast<float>((probability - labels[s]) / static_cast<double>(batch));
    }
  }
  return batch == 0 ? 0 : sum / static_cast<double>(batch);
}

namespace {

/// What one step takes off a weight, in double; `first` and `second` are its state.
double change(const OptimizerSpec& spec, double lr, int64_t step, double g, double& first,
              double& second) {
  const auto steps = static_cast<double>(step);
  switch (spec.kind) {
    case OptimizerKind::sgd:
      first = spec.momentum * first + g;
      return lr * first;
    case OptimizerKind::adagrad:
    case OptimizerKind::rowwise_adagrad:
      first += g * g;
      return lr * g / (std::sqrt(first) + spec.eps);
    case OptimizerKind::adam:
    case OptimizerKind::rowwise_adam: {
      first = spec.beta1 * first + (1 - spec.beta1) * g;
      second = spec.beta2 * second + (1 - spec.beta2) * g * g;
      const double mean = first / (1 - std::pow(spec.beta1, steps));
      const double square = second / (1 - std::pow(spec.beta2, steps));
      return lr * mean / (std::sqrt(square) + spec.eps);
    }
  }
  return 0;
}

}  // namespace

void dense_update(const OptimizerSpec& optimizer, double lr_factor, int64_t step,
                  const float* gradient, float* w, float* state1, float* state2, int64_t size) {
  for (int64_t i = 0; i < size; ++i) {
    double first = state1 == nullptr ? 0 : state1[i];
    double second = state2 == nullptr ? 0 : state2[i];
    const double slope = gradient[i] + optimizer.weight_decay * w[i];
    const double off = change(optimizer, optimizer.lr * lr_factor, step, slope, first, second);
    w[i] = static_cast<float>(w[i] - off);
    if (state1 != nullptr) state1[i] = static_cast<float>(first);
    if (state2 != nullptr) state2[i] = static_cast<float>(second);
  }
}

namespace {

double element(const TableView& table, int64_t index) {
  switch (table.dtype) {
    case DType::bf16:
      return to_float(static_cast<const Bf16*>(table.weights)[index]);
    case DType::f16:
      return to_float(static_cast<const F16*>(table.weights)[index]);
    default:
      return static_cast<const float*>(table.weights)[index];
  }
}

int64_t num_ids(const FeatureLookup& feature, int64_t sample) {
  const int32_t* ids = feature.ids + sample * feature.lookups;
  return std::count_if(ids, ids + feature.lookups, [](int32_t id) { return id >= 0; });
}

/// The gradient of one row: every place of the batch is looked at.
std::vector<double> row_gradient(const TableView& table, size_t number, int64_t row,
                                 std::span<const FeatureLookup> features, int64_t batch,
                                 bool& is_touched) {
  std::vector<double> sum(static_cast<size_t>(table.dim));
  for (const FeatureLookup& feature : features) {
    if (static_cast<size_t>(feature.table) != number) continue;
    for (int64_t i = 0; i < batch * feature.lookups; ++i) {
      if (feature.ids[i] != row) continue;
      is_touched = true;
      const int64_t sample = i / feature.lookups;
      const double share = feature.pooling == Pooling::mean
                               ? 1.0 / static_cast<double>(num_ids(feature, sample))
                               : 1;
      for (int64_t c = 0; c < table.dim; ++c) {
        sum[static_cast<size_t>(c)] +=
            share * feature.gradient[sample * feature.gradient_stride + c];
      }
    }
  }
  return sum;
}

void update_row(const TableView& table, const OptimizerSpec& spec, const SparseStep& step,
                int64_t row, std::vector<double> g) {
  float* w = static_cast<float*>(table.weights) + row * table.dim;
  double squares = 0;
  for (size_t c = 0; c < g.size(); ++c) {
    g[c] += spec.weight_decay * w[c];
    squares += g[c] * g[c] / static_cast<double>(table.dim);
  }
  const double lr = spec.lr * step.lr_factor;
  const auto steps = static_cast<double>(step.step);
  double row_state = 0;
  if (spec.kind == OptimizerKind::rowwise_adagrad) {
    row_state = table.state1[row] + squares;
    table.state1[row] = static_cast<float>(row_state);
  }
  if (spec.kind == OptimizerKind::rowwise_adam) {
    row_state = spec.beta2 * table.state2[row] + (1 - spec.beta2) * squares;
    table.state2[row] = static_cast<float>(row_state);
  }
  for (size_t c = 0; c < g.size(); ++c) {
    const size_t at = static_cast<size_t>(row * table.dim) + c;
    double off = 0;
    if (spec.kind == OptimizerKind::sgd) {
      off = lr * g[c];
    } else if (spec.kind == OptimizerKind::rowwise_adagrad) {
      off = lr * g[c] / (std::sqrt(row_state) + spec.eps);
    } else if (spec.kind == OptimizerKind::rowwise_adam) {
      const double first = spec.beta1 * table.state1[at] + (1 - spec.beta1) * g[c];
      table.state1[at] = static_cast<float>(first);
      off = lr * first / (1 - std::pow(spec.beta1, steps)) /
            (std::sqrt(row_state / (1 - std::pow(spec.beta2, steps))) + spec.eps);
    } else {
      double first = table.state1[at];
      double second = table.state2 == nullptr ? 0 : table.state2[at];
      off = change(spec, lr, step.step, g[c], first, second);
      table.state1[at] = static_cast<float>(first);
      if (table.state2 != nullptr) table.state2[at] = static_cast<float>(second);
    }
    w[c] = static_cast<float>(w[c] - off);
  }
}

}  // namespace

void embedding_forward(std::span<const TableView> tables, std::span<const FeatureLookup> features,
                       int64_t batch) {
  for (const FeatureLookup& feature : features) {
    const TableView& table = tables[static_cast<size_t>(feature.table)];
    for (int64_t s = 0; s < batch; ++s) {
      for (int64_t c = 0; c < table.dim; ++c) {
        double sum = 0;
        for (int64_t l = 0; l < feature.lookups; ++l) {
          const int64_t id = feature.ids[s * feature.lookups + l];
          if (id >= 0) sum += element(table, id * table.dim + c);
        }
        const auto count = static_cast<double>(num_ids(feature, s));
        if (feature.pooling == Pooling::mean && count > 0) sum /= count;
        feature.pooled[s * feature.pooled_stride + c] = static_cast<float>(sum);
      }
    }
  }
}

void embedding_update(std::span<const TableView> tables, std::span<const OptimizerSpec> optimizers,
                      std::span<const FeatureLookup> features, int64_t batch,
                      const SparseStep& step) {
  for (size_t t = 0; t < tables.size(); ++t) {
    for (int64_t row = 0; row < tables[t].rows; ++row) {
      bool is_touched = false;
      auto g = row_gradient(tables[t], t, row, features, batch, is_touched);
      if (is_touched) update_row(tables[t], optimizers[t], step, row, std::move(g));
    }
  }
}

void dot_forward(const float* z, int64_t z_stride, float* out, int64_t out_stride, int64_t batch,
                 int64_t num_vectors, int64_t dim) {
  for (int64_t s = 0; s < batch; ++s) {
    const float* sample = z + s * z_stride;
    float* to = std::copy(sample, sample + dim, out + s * out_stride);
    for (int64_t i = 0; i < num_vectors; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        double sum = 0;
        for (int64_t d = 0; d < dim; ++d) {
          sum += static_cast<double>(sample[i * dim + d]) * sample[j * dim + d];
        }
        *to++ = static_cast<float>(sum);
      }
    }
  }
}

void dot_backward(const float* z, int64_t z_stride, const float* dout, int64_t dout_stride,
                  float* dz, int64_t dz_stride, int64_t batch, int64_t num_vectors, int64_t dim) {
  for (int64_t s = 0; s < batch; ++s) {
    const float* sample = z + s * z_stride;
    const float* gradient = dout + s * dout_stride;
    std::vector<double> sum(static_cast<size_t>(num_vectors * dim));
    for (int64_t d = 0; d < dim; ++d) sum[static_cast<size_t>(d)] = gradient[d];
    const float* pair = gradient + dim;
    for (int64_t i = 0; i < num_vectors; ++i) {
      for (int64_t j = 0; j < i; ++j, ++pair) {
        for (int64_t d = 0; d < dim; ++d) {
          const double g = *pair;
          sum[static_cast<size_t>(i * dim + d)] += g * sample[j * dim + d];
          sum[static_cast<size_t>(j * dim + d)] += g * sample[i * dim + d];
        }
      }
    }
    std::copy(sum.begin(), sum.end(), dz + s * dz_stride);
  }
}

void fm_forward(const float* z, int64_t z_stride, float* logit, int64_t batch, int64_t num_vectors,
                int64_t dim) {
  for (int64_t s = 0; s < batch; ++s) {
    const float* sample = z + s * z_stride;
    double sum = logit[s];
    for (int64_t i = 0; i < num_vectors; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        for (int64_t d = 0; d < dim; ++d) {
          sum += static_cast<double>(sample[i * dim + d]) * sample[j * dim + d];
        }
      }
    }
    logit[s] = static_cast<float>(sum);
  }
}

void fm_backward(const float* z, int64_t z_stride, const float* dlogit, float* dz,
                 int64_t dz_stride, int64_t batch, int64_t num_vectors, int64_t dim) {
  for (int64_t s = 0; s < batch; ++s) {
    for (int64_t i = 0; i < num_vectors; ++i) {
      for (int64_t d = 0; d < dim; ++d) {
        double sum = 0;
        for (int64_t j = 0; j < num_vectors; ++j) {
          if (j != i) sum += z[s * z_stride + j * dim + d];
        }
        float& to = dz[s * dz_stride + i * dim + d];
        to = static_cast<float>(to + dlogit[s] * sum);
      }
    }
  }
}

void cross_forward(const float* vx, const float* w, const float* bias, const float* x0,
                   const float* x, float* u, float* next, int64_t batch, int64_t rank,
                   int64_t dim) {
  linear_forward(vx, rank, w, bias, u, dim, batch, rank, dim, Activation::none);
  for (int64_t i = 0; i < batch * dim; ++i) next[i] = x0[i] * u[i] + x[i];
}

void cross_backward(const float* x0, const float* u, const float* dnext, float* du, float* dx0,
                    int64_t batch, int64_t dim, CrossPlace place) {
  for (int64_t i = 0; i < batch * dim; ++i) {
    du[i] = dnext[i] * x0[i];
    if (place.is_last) dx0[i] = 0;
    dx0[i] += dnext[i] * u[i];
    if (place.is_first) dx0[i] += dnext[i];
  }
}

}  // namespace ambidex::twin
