// SPDX-License-Identifier: Apache-2.0
// A network's shape and its forward pass; backward.cc has the rest.
#include "train/network.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/random.h"
#include "kernels/columns.h"
#include "kernels/dense.h"
#include "kernels/interaction.h"
#include "kernels/linear.h"

namespace ambidex {
namespace {

std::vector<Layer> make_layers(std::string_view tower, int64_t in, const MlpSpec& mlp,
                               const DenseParameters& dense) {
  std::vector<Layer> layers;
  for (size_t i = 0; i < mlp.widths.size(); ++i) {
    Layer layer{.name = fmt::format("{}.{}", tower, i), .in = in, .out = mlp.widths[i]};
    layer.weight = dense.slice(layer.name + ".weight").begin;
    layer.bias = dense.slice(layer.name + ".bias").begin;
    in = layer.out;
    layers.push_back(std::move(layer));
  }
  return layers;
}

std::vector<CrossLayer> make_cross(const ModelSpec& model, const DenseParameters& dense) {
  std::vector<CrossLayer> layers;
  if (model.interaction.kind != InteractionKind::cross) return layers;
  for (int64_t i = 0; i < model.interaction.layers; ++i) {
    CrossLayer layer{.name = fmt::format("cross.{}", i)};
    layer.v = dense.slice(layer.name + ".v").begin;
    layer.w = dense.slice(layer.name + ".w").begin;
    layer.bias = dense.slice(layer.name + ".bias").begin;
    layers.push_back(std::move(layer));
  }
  return layers;
}

/// Columns of z: of dot the bottom output comes first, else the embeddings do.
void place_columns(Network& network, const ModelSpec& model) {
  const bool bottom_first = model.interaction.kind == InteractionKind::dot;
  int64_t column = bottom_first ? network.bottom_dim : 0;
  for (size_t t = 0; t < model.tables.size(); ++t) {
    for (size_t f = 0; f < model.tables[t].features.size(); ++f) {
      network.feature_columns.push_back(column);
      network.feature_tables.push_back(static_cast<int32_t>(t));
      column += model.tables[t].dim;
    }
  }
  network.bottom_column = bottom_first ? 0 : column;
  network.num_features = std::ssize(network.feature_columns);
}

void grow_for(Network& network, int64_t batch) {
  for (Layer& layer : network.bottom) grow(layer.y, batch * layer.out);
  for (Layer& layer : network.top) grow(layer.y, batch * layer.out);
  for (CrossLayer& layer : network.cross) {
    grow(layer.vx, batch * network.model->interaction.rank);
    grow(layer.u, batch * network.concat_dim);
    grow(layer.y, batch * network.concat_dim);
  }
  grow(network.z, batch * network.concat_dim);
  if (network.model->interaction.kind == InteractionKind::dot) {
    grow(network.interacted, batch * interaction_dim(*network.model));
  }
  if (network.model->first_order) grow(network.first_order, batch * network.num_features);
  grow(network.extra_logits, batch);
  grow(network.logits, batch);
}

/// Points the lookups into `batch` and into z.
void bind_lookups(Network& network, const Batch& batch) {
  network.lookups.clear();
  network.first_lookups.clear();
  const auto num_tables = static_cast<int32_t>(network.model->tables.size());
  const int32_t* ids = batch.ids.data();
  int64_t f = 0;
  for (const TableSpec& table : network.model->tables) {
    for (const SparseFeature& feature : table.features) {
      const FeatureLookup lookup{.table = network.feature_tables[f],
                                 .pooling = table.pooling,
                                 .ids = ids,
                                 .lookups = feature.lookups,
                                 .pooled = network.z.data() + network.feature_columns[f],
                                 .pooled_stride = network.concat_dim};
      network.lookups.push_back(lookup);
      if (network.model->first_order) {
        FeatureLookup first = lookup;
        first.table += num_tables;
        first.pooled = network.first_order.data() + f;
        first.pooled_stride = network.num_features;
        network.first_lookups.push_back(first);
      }
      ids += batch.size * feature.lookups;
      ++f;
    }
  }
  check(ids == batch.ids.data() + batch.ids.size(), "a batch has the ids of every feature");
}

std::vector<TableView> views_of(const Parameters& parameters) {
  std::vector<TableView> views;
  for (const TableParameters& table : parameters.tables) views.push_back(table.view);
  return views;
}

/// extra_logits = first-order weights of the sample's ids + dense . w + bias
void first_order_forward(Network& network, Parameters& parameters, const Batch& batch,
                         Workers& workers) {
  float* extra = network.extra_logits.data();
  DenseParameters& dense = parameters.dense;
  const float* bias = dense.weight("first_order.bias");
  if (network.num_dense > 0) {
    linear_forward(workers, batch.dense.data(), network.num_dense,
                   dense.weight("first_order.dense.weight"), bias, extra, 1, batch.size,
                   network.num_dense, 1, Activation::none);
  } else {
    std::fill_n(extra, batch.size, *bias);
  }
  embedding_forward(workers, views_of(parameters), network.first_lookups, batch.size);
  add_row_sums(workers, network.first_order.data(), network.num_features, extra, batch.size,
               network.num_features);
}

void bottom_forward(Network& network, Parameters& parameters, const Batch& batch, Workers& workers,
                    const uint64_t* dropout_key, Profile* profile) {
  const float* weights = parameters.dense.weights.data();
  const float* x = batch.dense.data();
  float* out = network.z.data() + network.bottom_column;
  for (size_t i = 0; i < network.bottom.size(); ++i) {
    Layer& layer = network.bottom[i];
    const bool is_last = i + 1 == network.bottom.size();
    float* y = is_last ? out : layer.y.data();
    timed(profile, layer.name + ".forward", [&] {
      linear_forward(workers, x, layer.in, weights + layer.weight, weights + layer.bias, y,
                     is_last ? network.concat_dim : layer.out, batch.size, layer.in, layer.out,
                     Activation::relu);
      if (!is_last && dropout_key != nullptr && network.model->bottom_mlp.dropout > 0) {
        dropout(workers, y, batch.size * layer.out, network.model->bottom_mlp.dropout,
                random_key(*dropout_key, i));
      }
    });
    x = y;
  }
}

void run_cross(Network& network, Parameters& parameters, const Batch& batch, Workers& workers,
               Profile* profile) {
  const float* weights = parameters.dense.weights.data();
  const int64_t n = network.concat_dim, rank = network.model->interaction.rank;
  const float* x = network.z.data();
  for (CrossLayer& layer : network.cross) {
    timed(profile, layer.name + ".forward", [&] {
      linear_forward(workers, x, n, weights + layer.v, nullptr, layer.vx.data(), rank, batch.size,
                     n, rank, Activation::none);
      cross_forward(workers, layer.vx.data(), weights + layer.w, weights + layer.bias,
                    network.z.data(), x, layer.u.data(), layer.y.data(), batch.size, rank, n);
    });
    x = layer.y.data();
  }
}

/// Dense features that have no tower go into z as they are.
void place_dense(Network& network, const Batch& batch, Workers& workers) {
  if (network.num_dense == 0 || !network.bottom.empty()) return;
  copy_columns(workers, batch.dense.data(), network.num_dense,
               network.z.data() + network.bottom_column, network.concat_dim, batch.size,
               network.num_dense);
}

void interaction_forward(Network& network, Parameters& parameters, const Batch& batch,
                         Workers& workers, Profile* profile) {
  const InteractionKind kind = network.model->interaction.kind;
  if (kind == InteractionKind::dot) {
    timed(profile, "dot.forward", [&] {
      place_dense(network, batch, workers);
      dot_forward(workers, network.z.data(), network.concat_dim, network.interacted.data(),
                  interaction_dim(*network.model), batch.size,
                  network.concat_dim / network.bottom_dim, network.bottom_dim);
    });
    return;
  }
  timed(profile, "concat.forward", [&] { place_dense(network, batch, workers); });
  if (kind == InteractionKind::cross) run_cross(network, parameters, batch, workers, profile);
  if (kind == InteractionKind::fm) {
    timed(profile, "fm.forward", [&] {
      fm_forward(workers, network.z.data(), network.concat_dim, network.extra_logits.data(),
                 batch.size, network.num_fm_vectors, network.model->tables[0].dim);
    });
  }
}

void top_forward(Network& network, Parameters& parameters, const Batch& batch, Workers& workers,
                 const uint64_t* dropout_key, Profile* profile) {
  const float* weights = parameters.dense.weights.data();
  const float* x = top_input(network);
  for (size_t i = 0; i < network.top.size(); ++i) {
    Layer& layer = network.top[i];
    const bool is_last = i + 1 == network.top.size();
    float* y = is_last ? network.logits.data() : layer.y.data();
    timed(profile, layer.name + ".forward", [&] {
      linear_forward(workers, x, layer.in, weights + layer.weight, weights + layer.bias, y,
                     layer.out, batch.size, layer.in, layer.out,
                     is_last ? Activation::none : Activation::relu);
      if (!is_last && dropout_key != nullptr && network.model->top_mlp.dropout > 0) {
        dropout(workers, y, batch.size * layer.out, network.model->top_mlp.dropout,
                random_key(*dropout_key, network.bottom.size() + i));
      }
    });
    x = y;
  }
}

}  // namespace

Network make_network(const ModelSpec& model, const Parameters& parameters) {
  Network network{.model = &model};
  network.num_dense = std::ssize(model.dense_features);
  network.concat_dim = concat_dim(model);
  network.bottom_dim = bottom_out_dim(model);
  place_columns(network, model);
  if (network.num_dense > 0) {
    network.bottom =
        make_layers("bottom_mlp", network.num_dense, model.bottom_mlp, parameters.dense);
  }
  network.cross = make_cross(model, parameters.dense);
  network.top = make_layers("top_mlp", interaction_dim(model), model.top_mlp, parameters.dense);
  network.num_fm_vectors = num_fm_vectors(model);
  network.has_extra_logits = model.first_order || model.interaction.kind == InteractionKind::fm;
  return network;
}

const float* top_input(const Network& network) {
  if (network.model->interaction.kind == InteractionKind::dot) return network.interacted.data();
  if (!network.cross.empty()) return network.cross.back().y.data();
  return network.z.data();
}

void forward(Network& network, Parameters& parameters, const Batch& batch, Workers& workers,
             const uint64_t* dropout_key, Profile* profile) {
  grow_for(network, batch.size);
  bind_lookups(network, batch);
  if (network.has_extra_logits) std::fill_n(network.extra_logits.data(), batch.size, 0.0F);
  timed(profile, "embedding.forward",
        [&] { embedding_forward(workers, views_of(parameters), network.lookups, batch.size); });
  if (network.model->first_order) {
    timed(profile, "first_order.forward",
          [&] { first_order_forward(network, parameters, batch, workers); });
  }
  bottom_forward(network, parameters, batch, workers, dropout_key, profile);
  interaction_forward(network, parameters, batch, workers, profile);
  top_forward(network, parameters, batch, workers, dropout_key, profile);
  if (network.has_extra_logits) {
    add(workers, network.extra_logits.data(), network.logits.data(), batch.size);
  }
}

}  // namespace ambidex
