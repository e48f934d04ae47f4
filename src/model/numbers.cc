// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "model/dims.h"

namespace ambidex {
namespace {

bool is_matrix_work(const ModelOp& op) {
  const std::string_view name = op.name;
  return (name.ends_with(".forward") || name.ends_with(".backward")) &&
         !name.starts_with("embedding.") && !name.starts_with("first_order.");
}

void add_table(ModelNumbers& numbers, const ModelSpec& model, const TableSpec& table) {
  const auto rows = static_cast<double>(table.rows);
  const OptimizerKind kind = optimizer_of(model, table).kind;
  numbers.table_rows += table.rows;
  numbers.table_parameters += table.rows * table.dim;
  numbers.table_bytes +=
      rows * static_cast<double>(table.dim) * static_cast<double>(dtype_bytes(table.dtype));
  numbers.table_optimizer_bytes += rows * state_bytes_per_row(kind, table.dim);
  if (!model.first_order) return;
  numbers.table_parameters += table.rows;
  numbers.table_bytes += rows * static_cast<double>(dtype_bytes(DType::f32));
  numbers.table_optimizer_bytes += rows * state_bytes_per_row(kind, 1);
}

}  // namespace

int64_t num_features(const ModelSpec& model) {
  int64_t count = 0;
  for (const TableSpec& table : model.tables) count += std::ssize(table.features);
  return count;
}

int64_t num_lookups(const ModelSpec& model) {
  int64_t count = 0;
  for (const TableSpec& table : model.tables) {
    for (const SparseFeature& feature : table.features) count += feature.lookups;
  }
  return count;
}

int64_t bottom_out_dim(const ModelSpec& model) {
  if (model.dense_features.empty() || model.bottom_mlp.widths.empty()) {
    return std::ssize(model.dense_features);
  }
  return model.bottom_mlp.widths.back();
}

int64_t num_fm_vectors(const ModelSpec& model) {
  const bool has_tower = !model.dense_features.empty() && !model.bottom_mlp.widths.empty();
  return num_features(model) + (has_tower ? 1 : 0);
}

int64_t concat_dim(const ModelSpec& model) {
  int64_t width = bottom_out_dim(model);
  for (const TableSpec& table : model.tables) width += std::ssize(table.features) * table.dim;
  return width;
}

int64_t interaction_dim(const ModelSpec& model) {
  if (model.interaction.kind != InteractionKind::dot) return concat_dim(model);
  const int64_t vectors = num_features(model) + 1;
  return bottom_out_dim(model) + vectors * (vectors - 1) / 2;
}

ModelNumbers numbers_of(const ModelSpec& model) {
  ModelNumbers numbers;
  for (const TableSpec& table : model.tables) add_table(numbers, model, table);
  numbers.num_lookups = num_lookups(model);
  for (const ModelOp& op : ops_of(model)) {
    if (op.name == "dense.update") numbers.dense_parameters = op.parameters;
    if (!is_matrix_work(op)) continue;
    numbers.training_flop_per_sample += op.flop;
    if (op.name.ends_with(".forward")) numbers.forward_flop_per_sample += op.flop;
  }
  return numbers;
}

}  // namespace ambidex
