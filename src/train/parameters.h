// SPDX-License-Identifier: Apache-2.0
// Everything that training changes: dense weights, tables, and the optimizers' state of both.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ambidex/model.h"
#include "base/parallel.h"
#include "kernels/embedding.h"
#include "train/memory.h"

namespace ambidex {

/// A named piece of DenseParameters' buffers.
struct DenseSlice {
  std::string name;  // "top_mlp.0.weight"
  std::vector<int64_t> shape;
  int64_t begin = 0;  // a multiple of 16 floats
  int64_t size = 0;
  double deviation = 0;  // of the initial weights; 0: they start at 0
};

/// All dense weights in one buffer, so that an optimizer's step is one loop. Floats between slices
/// stay 0.
struct DenseParameters {
  std::vector<DenseSlice> slices;
  Floats weights;
  Floats gradients;
  Floats state1;  // empty if the optimizer has none
  Floats state2;

  /// Of a slice that exists, else a bug.
  const DenseSlice& slice(const std::string& name) const;
  float* weight(const std::string& name) { return weights.data() + slice(name).begin; }
  float* gradient(const std::string& name) { return gradients.data() + slice(name).begin; }
};

/// A table and its state; `view` points into the blocks.
struct TableParameters {
  std::string name;  // "tables.C1"; of first-order weights "first_order.tables.C1"
  double init = 0;   // weights start uniform in +-init
  OptimizerSpec optimizer;
  Memory weights;
  Memory state1;
  Memory state2;
  TableView view;
};

struct Parameters {
  DenseParameters dense;
  std::vector<TableParameters> tables;  // model.tables, then, with first_order, their weights
};

/// Sized for `model` and zero.
///   throws Error(bad_input) if a table does not fit the machine
Parameters make_parameters(const ModelSpec& model);

/// Sets the weights, a function of model.seed alone, and the initial accumulators.
void initialize(Parameters& parameters, const ModelSpec& model, Workers& workers);

/// Whether every dense weight is a finite number. Tables are not looked at: their steps are those
/// of gradients that went through the dense ones.
bool is_finite(const DenseParameters& dense);

/// A tensor as checkpoints name it; memory of the parameters.
struct NamedTensor {
  std::string name;  // "tables.C1.weight", "top_mlp.0.weight"; of state, ".state1", ".state2" more
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  void* data = nullptr;
};
std::vector<NamedTensor> weight_tensors(Parameters& parameters);
std::vector<NamedTensor> state_tensors(Parameters& parameters);

}  // namespace ambidex
