// SPDX-License-Identifier: Apache-2.0
// Forward, backward and update of a model on one batch, on the CPU. docs/training.md has the
// formulas; ops run in the order and under the names of ops_of(model).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ambidex/data.h"
#include "ambidex/model.h"
#include "base/parallel.h"
#include "train/parameters.h"
#include "train/profile.h"

namespace ambidex {

/// One fully connected layer of a tower, or of a cross network.
struct Layer {
  std::string name;  // "top_mlp.0"
  int64_t in = 0;
  int64_t out = 0;
  int64_t weight = 0;  // begin of its slices in DenseParameters
  int64_t bias = 0;
  Floats y;  // [batch, out], after the activation
};

struct CrossLayer {
  std::string name;
  int64_t v = 0, w = 0, bias = 0;  // begins of slices
  Floats vx;                       // [batch, rank]
  Floats u;                        // [batch, dim]: w (v x) + bias
  Floats y;                        // [batch, dim]: x0 * u + x
};

/// Activations and gradients of a batch; grow to the largest batch and stay.
struct Network {
  const ModelSpec* model = nullptr;
  int64_t num_dense = 0;
  int64_t num_features = 0;
  int64_t concat_dim = 0;
  int64_t bottom_column = 0;   // where z holds the bottom tower's output
  int64_t bottom_dim = 0;      // 0 without dense features
  int64_t num_fm_vectors = 0;  // of z: the embeddings, then a bottom tower's output
  bool has_extra_logits = false;
  std::vector<int64_t> feature_columns;  // where z holds each feature's embedding
  std::vector<int32_t> feature_tables;
  std::vector<Layer> bottom;
  std::vector<CrossLayer> cross;
  std::vector<Layer> top;
  Floats z;                                  // [batch, concat_dim]: embeddings and bottom output
  Floats interacted;                         // dot: [batch, interaction_dim]
  Floats first_order;                        // [batch, features]
  Floats extra_logits;                       // [batch], of first-order weights and the fm
  Floats logits;                             // [batch]
  Floats dlogits;                            // [batch]
  Floats dz;                                 // as z
  Floats dinteracted;                        // as the top tower's input
  Floats dx, dy, dv;                         // gradients on the way
  std::vector<FeatureLookup> lookups;        // of a batch, with pointers into it
  std::vector<FeatureLookup> first_lookups;  // of first-order weights
  EmbeddingScratch scratch;
};

Network make_network(const ModelSpec& model, const Parameters& parameters);

/// [batch, interaction_dim], after a forward pass.
const float* top_input(const Network& network);

/// Logits of `batch` into network.logits.
///   dropout_key   of this step; dropout is off without one, as in evaluation
void forward(Network& network, Parameters& parameters, const Batch& batch, Workers& workers,
             const uint64_t* dropout_key = nullptr, Profile* profile = nullptr);

/// Mean loss; gradients of all dense weights into parameters.dense.gradients, those of pooled
/// embeddings into network.dz.
double backward(Network& network, Parameters& parameters, const Batch& batch, Workers& workers,
                const uint64_t* dropout_key = nullptr, Profile* profile = nullptr);

/// One step of training: forward, backward, update. Returns the mean loss before it.
///   step   from 0; schedule, bias correction, dropout and stochastic rounding are functions of it
double train_step(Network& network, Parameters& parameters, const Batch& batch, int64_t step,
                  Workers& workers, Profile* profile = nullptr);

}  // namespace ambidex
