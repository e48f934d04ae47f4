// SPDX-License-Identifier: Apache-2.0
// Lookups of tables, and the optimizers' work.
#include <algorithm>
#include <array>

#include "model/dims.h"

namespace ambidex {
namespace {

constexpr double kId = 4;
constexpr double kFloat = 4;

/// What one kind of optimizer costs, in the order of OptimizerKind.
struct UpdateCost {
  double flop_per_weight;
  double state_bytes_per_weight;
  double state_bytes_per_row;
};

constexpr std::array<UpdateCost, 5> kUpdateCosts{{
    {2, 0, 0},   // sgd: scale, subtract
    {7, 4, 0},   // adagrad: square, add; root, eps, divide; scale, subtract
    {4, 0, 4},   // rowwise_adagrad: square, add; scale, subtract
    {12, 8, 0},  // adam: two moments, 3 and 4; root, eps, divide, scale, subtract
    {8, 4, 4},   // rowwise_adam: moment, 3; square, add; scale twice, subtract
}};

const UpdateCost& cost_of(OptimizerKind kind) { return kUpdateCosts[static_cast<size_t>(kind)]; }

double lookups_of(const TableSpec& table) {
  double lookups = 0;
  for (const SparseFeature& feature : table.features) {
    lookups += static_cast<double>(feature.lookups);
  }
  return lookups;
}

/// Vectors of a table that the towers see: one a feature, or one an id in a sequence.
double vectors_of(const ModelSpec& model, const TableSpec& table) {
  return model.sequence ? lookups_of(table) : static_cast<double>(table.features.size());
}

}  // namespace

const OptimizerSpec& optimizer_of(const ModelSpec& model, const TableSpec& table) {
  return table.optimizer ? *table.optimizer : model.sparse_optimizer;
}

double state_bytes_per_row(OptimizerKind kind, int64_t dim) {
  const UpdateCost& cost = cost_of(kind);
  return cost.state_bytes_per_weight * static_cast<double>(dim) + cost.state_bytes_per_row;
}

ModelOp embedding_forward_op(const ModelSpec& model) {
  ModelOp op{.name = "embedding.forward"};
  for (const TableSpec& table : model.tables) {
    const auto dim = static_cast<double>(table.dim);
    const double lookups = lookups_of(table);
    const auto element_bytes = static_cast<double>(dtype_bytes(table.dtype));
    op.flop += model.sequence ? 0 : lookups * dim;
    op.read_bytes += lookups * (kId + dim * element_bytes);
    op.write_bytes += vectors_of(model, table) * dim * kFloat;
  }
  return op;
}

ModelOp embedding_update_op(const ModelSpec& model) {
  ModelOp op{.name = "embedding.update"};
  for (const TableSpec& table : model.tables) {
    const auto dim = static_cast<double>(table.dim);
    const double lookups = lookups_of(table);
    const OptimizerKind kind = optimizer_of(model, table).kind;
    const auto element_bytes = static_cast<double>(dtype_bytes(table.dtype));
    double row_bytes = dim * element_bytes + state_bytes_per_row(kind, table.dim);
    double row_weights = dim;
    if (model.first_order) {
      row_bytes += kFloat + state_bytes_per_row(kind, 1);
      row_weights += 1;
    }
    op.flop += lookups * row_weights * (1 + cost_of(kind).flop_per_weight);
    op.read_bytes += lookups * (kId + row_bytes) + vectors_of(model, table) * dim * kFloat;
    op.write_bytes += lookups * row_bytes;
  }
  return op;
}

ModelOp dense_update_op(const ModelSpec& model, int64_t parameters) {
  OptimizerKind kind = model.dense_optimizer.kind;
  if (kind == OptimizerKind::rowwise_adagrad) kind = OptimizerKind::adagrad;
  if (kind == OptimizerKind::rowwise_adam) kind = OptimizerKind::adam;
  const double momentum_bytes = model.dense_optimizer.momentum > 0 ? kFloat : 0;
  const double state_bytes = cost_of(kind).state_bytes_per_weight + momentum_bytes;
  const double per_sample =
      static_cast<double>(parameters) / static_cast<double>(std::max<int64_t>(model.batch, 1));
  return {.name = "dense.update",
          .flop = per_sample * (cost_of(kind).flop_per_weight + (momentum_bytes > 0 ? 2 : 0)),
          .read_bytes = per_sample * (2 * kFloat + state_bytes),  // weight, gradient, state
          .write_bytes = per_sample * (kFloat + state_bytes),
          .parameters = parameters};
}

int64_t sum_of_parameters(const std::vector<ModelOp>& ops) {
  int64_t sum = 0;
  for (const ModelOp& op : ops) sum += op.parameters;
  return sum;
}

}  // namespace ambidex
