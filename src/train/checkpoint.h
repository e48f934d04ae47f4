// SPDX-License-Identifier: Apache-2.0
// Everything that a run needs to go on as if it had never stopped: weights, the optimizers' state,
// the reader's place. Random numbers are functions of seed and step and need no saving.
//
//   CHECKPOINT/weights.safetensors    names as in weight_tensors()
//   CHECKPOINT/optimizer.safetensors  names as in state_tensors()
//   CHECKPOINT/state.json             TrainState
#pragma once

#include <cstdint>
#include <string>

#include "ambidex/data.h"
#include "train/parameters.h"

namespace ambidex {

struct TrainState {
  int64_t step = 0;  // steps done
  int64_t samples = 0;
  double seconds = 0;        // of training
  double other_seconds = 0;  // of evaluations and checkpoints
  DataPosition position;
  double epoch_loss_sum = 0;  // of this epoch's steps
  int64_t epoch_steps = 0;
  double log_loss_sum = 0;  // since the last line of the log
  int64_t log_steps = 0;
  int64_t log_samples = 0;
  double log_seconds = 0;
  double best_auc = 0;  // of the validation part, 0: none yet
  int64_t best_step = 0;
  int64_t num_worse = 0;   // evaluations since the best
  int64_t valid_step = 0;  // of the last evaluation
  double last_loss = 0;    // mean of the last epoch that is complete
  bool operator==(const TrainState&) const = default;
};

/// Writes the folder PATH in one step: it is there whole or not at all.
///   throws Error(bad_input) if the disk refuses; what was there stays
void save_checkpoint(const std::string& path, Parameters& parameters, const TrainState& state,
                     const DataStatistics& statistics);

/// Fills `parameters`, made for the same model.
///   throws Error(bad_input) if it is of another model, naming the first tensor that differs
TrainState load_checkpoint(const std::string& path, Parameters& parameters);

/// Only what a reader needs of it.
DataStatistics load_statistics(const std::string& path);

/// Weights alone, from any safetensors file with the same tensors.
///   throws Error(bad_input) naming the first tensor that is missing or differs
void load_weights(const std::string& file, Parameters& parameters);

}  // namespace ambidex
