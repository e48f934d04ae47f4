// SPDX-License-Identifier: Apache-2.0
// Embedding tables in f32, bf16 or f16: pooled lookup, and the update of the rows that a step
// touched. Gradients of one row are summed in f32 in the order of (feature, sample, position), and
// the row is then updated once: exact, whatever the number of threads.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ambidex/model.h"
#include "base/parallel.h"

namespace ambidex {

/// A table and the optimizer's state of its rows; memory of the caller.
struct TableView {
  void* weights = nullptr;  // [rows, dim] of dtype
  float* state1 = nullptr;  // adagrad: sum of squares [rows, dim]; rowwise_adagrad: [rows];
                            // adam, rowwise_adam: first moment [rows, dim]
  float* state2 = nullptr;  // adam: second moment [rows, dim]; rowwise_adam: [rows]
  int64_t rows = 0;
  int64_t dim = 0;
  DType dtype = DType::f32;  // f32, bf16, f16
};

/// One feature of a batch: ids [batch, lookups], -1 is padding.
struct FeatureLookup {
  int32_t table = 0;  // index into the tables
  Pooling pooling = Pooling::sum;
  const int32_t* ids = nullptr;
  int64_t lookups = 1;
  float* pooled = nullptr;  // [batch, dim], rows pooled_stride floats apart; written by
                            // forward. Mean of no ids is 0.
  int64_t pooled_stride = 0;
  const float* gradient = nullptr;  // of pooled, [batch, dim], rows gradient_stride floats apart;
  int64_t gradient_stride = 0;      // read by update
};

/// Fills pooled of every feature.
void embedding_forward(Workers& workers, std::span<const TableView> tables,
                       std::span<const FeatureLookup> features, int64_t batch);

/// What an update needs to know beside the spec.
struct SparseStep {
  double lr_factor = 1;     // of the schedule
  int64_t step = 1;         // from 1: Adam's bias correction
  uint64_t random_key = 0;  // stochastic rounding of bf16 and f16: a function of it, row, column
};

/// Room that an update needs; grows to the largest batch and stays.
struct EmbeddingScratch {
  std::vector<uint64_t> keys;
  std::vector<uint64_t> sorted;
  std::vector<int64_t> begins;
  std::vector<float> scales;  // of mean pooling: 1 / ids of a sample
};

/// Updates the touched rows of every table. optimizers[t] belongs to tables[t].
void embedding_update(Workers& workers, std::span<const TableView> tables,
                      std::span<const OptimizerSpec> optimizers,
                      std::span<const FeatureLookup> features, int64_t batch,
                      const SparseStep& step, EmbeddingScratch& scratch);

namespace twin {
/// Plain loops, sums in double.
void embedding_forward(std::span<const TableView> tables, std::span<const FeatureLookup> features,
                       int64_t batch);
/// Row by row: all gradients of a row found by a search through the batch. f32 tables only.
void embedding_update(std::span<const TableView> tables, std::span<const OptimizerSpec> optimizers,
                      std::span<const FeatureLookup> features, int64_t batch,
                      const SparseStep& step);
}  // namespace twin

}  // namespace ambidex
