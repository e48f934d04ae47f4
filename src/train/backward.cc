// SPDX-License-Identifier: Apache-2.0
// From the loss back to gradients, and the update of all weights.
#include <algorithm>
#include <utility>

#include "base/random.h"
#include "kernels/columns.h"
#include "kernels/dense.h"
#include "kernels/interaction.h"
#include "kernels/linear.h"
#include "train/network.h"
#include "train/schedule.h"

namespace ambidex {
namespace {

// Purposes of random numbers below model.seed; parameters.cc has others.
constexpr uint64_t kDropoutPurpose = 3;
constexpr uint64_t kRoundingPurpose = 4;

/// What the passes below share.
struct Backward {
  Network& network;
  DenseParameters& dense;
  const Batch& batch;
  Workers& workers;
  const uint64_t* dropout_key;
  Profile* profile;
};

void grow_for(Network& network, int64_t batch) {
  int64_t widest = 1;
  for (const Layer& layer : network.bottom) widest = std::max(widest, layer.out);
  for (const Layer& layer : network.top) widest = std::max(widest, layer.out);
  if (!network.cross.empty()) {
    widest = std::max(widest, network.concat_dim);
    grow(network.dv, batch * network.model->interaction.rank);
  }
  grow(network.dx, batch * widest);
  grow(network.dy, batch * widest);
  grow(network.dz, batch * network.concat_dim);
  grow(network.dlogits, batch);
  const InteractionKind kind = network.model->interaction.kind;
  if (kind == InteractionKind::dot || kind == InteractionKind::cross) {
    grow(network.dinteracted, batch * interaction_dim(*network.model));
  }
}

/// Gradients of one layer's weights from dy [batch, out], contiguous.
void weight_gradients(const Backward& b, const Layer& layer, const float* x, const float* dy) {
  float* gradients = b.dense.gradients.data();
  linear_backward_weight(b.workers, x, layer.in, dy, layer.out, gradients + layer.weight,
                         gradients + layer.bias, b.batch.size, layer.in, layer.out);
}

/// dx of layer i > 0 of a tower: through the layer, the dropout and the ReLU below it.
void input_gradient(const Backward& b, const std::vector<Layer>& tower, size_t i, const float* dy,
                    float* dx, double dropout_ratio, size_t first_key) {
  const Layer& layer = tower[i];
  linear_backward_input(b.workers, dy, layer.out, b.dense.weights.data() + layer.weight, dx,
                        layer.in, tower[i - 1].y.data(), layer.in, b.batch.size, layer.in,
                        layer.out);
  if (b.dropout_key == nullptr || dropout_ratio == 0) return;
  dropout(b.workers, dx, b.batch.size * layer.in, dropout_ratio,
          random_key(*b.dropout_key, first_key + i - 1));
}

/// Down to the gradient of the top tower's input, into dinput.
void top_backward(const Backward& b, float* dinput) {
  Network& network = b.network;
  const float* dy = network.dlogits.data();
  for (size_t i = network.top.size(); i-- > 0;) {
    const Layer& layer = network.top[i];
    timed(b.profile, layer.name + ".backward", [&] {
      const float* x = i == 0 ? top_input(network) : network.top[i - 1].y.data();
      weight_gradients(b, layer, x, dy);
      if (i == 0) {
        linear_backward_input(b.workers, dy, layer.out, b.dense.weights.data() + layer.weight,
                              dinput, layer.in, nullptr, 0, b.batch.size, layer.in, layer.out);
        return;
      }
      input_gradient(b, network.top, i, dy, network.dx.data(), network.model->top_mlp.dropout,
                     network.bottom.size());
    });
    std::swap(network.dx, network.dy);
    dy = network.dy.data();
  }
}

/// From the gradient of the last x, in dinteracted, to dz. With x' = x0 * u + x and
/// u = W (V x) + b: du = x0 * dx', dx0 += u * dx', dx = dx' + V^T W^T du.
void backward_through_cross(const Backward& b) {
  Network& network = b.network;
  const float* weights = b.dense.weights.data();
  float* gradients = b.dense.gradients.data();
  const int64_t batch = b.batch.size, n = network.concat_dim;
  const int64_t rank = network.model->interaction.rank;
  float* dnext = network.dinteracted.data();
  float* du = network.dy.data();
  for (size_t i = network.cross.size(); i-- > 0;) {
    const CrossLayer& layer = network.cross[i];
    const float* x = i == 0 ? network.z.data() : network.cross[i - 1].y.data();
    timed(b.profile, layer.name + ".backward", [&] {
      const CrossPlace place{.is_first = i == 0, .is_last = i + 1 == network.cross.size()};
      cross_backward(b.workers, network.z.data(), layer.u.data(), dnext, du, network.dz.data(),
                     batch, n, place);
      linear_backward_weight(b.workers, layer.vx.data(), rank, du, n, gradients + layer.w,
                             gradients + layer.bias, batch, rank, n);
      linear_backward_input(b.workers, du, n, weights + layer.w, network.dv.data(), rank, nullptr,
                            0, batch, rank, n);
      linear_backward_weight(b.workers, x, n, network.dv.data(), rank, gradients + layer.v, nullptr,
                             batch, n, rank);
      float* dx = i == 0 ? network.dz.data() : dnext;
      linear_backward_input(b.workers, network.dv.data(), rank, weights + layer.v, dx, n, nullptr,
                            0, batch, n, rank, true);
    });
  }
}

/// Gradient of the bottom tower's last layer, out of dz and through its ReLU, into dy.
void take_bottom_gradient(const Backward& b) {
  Network& network = b.network;
  if (network.bottom.empty()) return;
  copy_columns_masked(b.workers, network.dz.data() + network.bottom_column, network.concat_dim,
                      network.z.data() + network.bottom_column, network.concat_dim,
                      network.dy.data(), network.bottom_dim, b.batch.size, network.bottom_dim);
}

/// From the gradient of the top tower's input to dz, and from there to dy.
void interaction_backward(const Backward& b) {
  Network& network = b.network;
  const InteractionKind kind = network.model->interaction.kind;
  if (kind == InteractionKind::dot) {
    timed(b.profile, "dot.backward", [&] {
      dot_backward(b.workers, network.z.data(), network.concat_dim, network.dinteracted.data(),
                   interaction_dim(*network.model), network.dz.data(), network.concat_dim,
                   b.batch.size, network.concat_dim / network.bottom_dim, network.bottom_dim);
      take_bottom_gradient(b);
    });
    return;
  }
  if (kind == InteractionKind::cross) backward_through_cross(b);
  if (kind == InteractionKind::fm) {
    timed(b.profile, "fm.backward", [&] {
      fm_backward(b.workers, network.z.data(), network.concat_dim, network.dlogits.data(),
                  network.dz.data(), network.concat_dim, b.batch.size, network.num_fm_vectors,
                  network.model->tables[0].dim);
    });
  }
  timed(b.profile, "concat.backward", [&] { take_bottom_gradient(b); });
}

void bottom_backward(const Backward& b) {
  Network& network = b.network;
  const auto& tower = network.bottom;
  for (size_t i = tower.size(); i-- > 0;) {
    timed(b.profile, tower[i].name + ".backward", [&] {
      const float* x = i == 0 ? b.batch.dense.data() : tower[i - 1].y.data();
      weight_gradients(b, tower[i], x, network.dy.data());
      if (i == 0) return;
      input_gradient(b, tower, i, network.dy.data(), network.dx.data(),
                     network.model->bottom_mlp.dropout, 0);
    });
    std::swap(network.dx, network.dy);
  }
}

void first_order_backward(const Backward& b) {
  Network& network = b.network;
  const float* dlogits = network.dlogits.data();
  float* dbias = b.dense.gradient("first_order.bias");
  if (network.num_dense > 0) {
    linear_backward_weight(b.workers, b.batch.dense.data(), network.num_dense, dlogits, 1,
                           b.dense.gradient("first_order.dense.weight"), dbias, b.batch.size,
                           network.num_dense, 1);
    return;
  }
  *dbias = 0;
  for (int64_t s = 0; s < b.batch.size; ++s) *dbias += dlogits[s];
}

void update_tables(Network& network, Parameters& parameters, const Batch& batch,
                   const SparseStep& step, Workers& workers) {
  std::vector<TableView> views;
  std::vector<OptimizerSpec> optimizers;
  for (const TableParameters& table : parameters.tables) {
    views.push_back(table.view);
    optimizers.push_back(table.optimizer);
  }
  std::vector<FeatureLookup> features = network.lookups;
  for (size_t f = 0; f < features.size(); ++f) {
    features[f].gradient = network.dz.data() + network.feature_columns[f];
    features[f].gradient_stride = network.concat_dim;
  }
  for (FeatureLookup first : network.first_lookups) {
    first.gradient = network.dlogits.data();
    first.gradient_stride = 1;
    features.push_back(first);
  }
  embedding_update(workers, views, optimizers, features, batch.size, step, network.scratch);
}

}  // namespace

double backward(Network& network, Parameters& parameters, const Batch& batch, Workers& workers,
                const uint64_t* dropout_key, Profile* profile) {
  grow_for(network, batch.size);
  double loss = 0;
  timed(profile, "loss", [&] {
    loss = bce_loss(workers, network.logits.data(), batch.labels.data(), network.dlogits.data(),
                    batch.size);
  });
  const Backward b{network, parameters.dense, batch, workers, dropout_key, profile};
  const InteractionKind kind = network.model->interaction.kind;
  const bool in_place = kind == InteractionKind::concat || kind == InteractionKind::fm;
  top_backward(b, in_place ? network.dz.data() : network.dinteracted.data());
  interaction_backward(b);
  bottom_backward(b);
  if (network.model->first_order) {
    timed(profile, "first_order.backward", [&] { first_order_backward(b); });
  }
  return loss;
}

double train_step(Network& network, Parameters& parameters, const Batch& batch, int64_t step,
                  Workers& workers, Profile* profile) {
  const ModelSpec& model = *network.model;
  const auto seed = static_cast<uint64_t>(model.seed);
  const uint64_t dropout_key =
      random_key(random_key(seed, kDropoutPurpose), static_cast<uint64_t>(step));
  forward(network, parameters, batch, workers, &dropout_key, profile);
  const double loss = backward(network, parameters, batch, workers, &dropout_key, profile);
  const double factor = lr_factor(model.schedule, step);
  timed(profile, "embedding.update", [&] {
    const uint64_t rounding_key =
        random_key(random_key(seed, kRoundingPurpose), static_cast<uint64_t>(step));
    update_tables(network, parameters, batch,
                  {.lr_factor = factor, .step = step + 1, .random_key = rounding_key}, workers);
  });
  timed(profile, "dense.update", [&] {
    DenseParameters& dense = parameters.dense;
    dense_update(workers, model.dense_optimizer, factor, step + 1, dense.gradients.data(),
                 dense.weights.data(), dense.state1.empty() ? nullptr : dense.state1.data(),
                 dense.state2.empty() ? nullptr : dense.state2.data(), std::ssize(dense.weights));
  });
  return loss;
}

}  // namespace ambidex
