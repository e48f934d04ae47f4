// SPDX-License-Identifier: Apache-2.0
// What the op lists and the numbers of a model are made of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ambidex/model.h"

namespace ambidex {

/// Optimizer of a table: its own, else the model's.
const OptimizerSpec& optimizer_of(const ModelSpec& model, const TableSpec& table);

/// Bytes of optimizer state of a row of `dim` weights.
double state_bytes_per_row(OptimizerKind kind, int64_t dim);

/// "top_mlp.0.backward" for "top_mlp.0.forward".
std::string backward_name(std::string_view forward);

// Ops that all kinds of model have.
ModelOp embedding_forward_op(const ModelSpec& model);
ModelOp embedding_update_op(const ModelSpec& model);
ModelOp dense_update_op(const ModelSpec& model, int64_t parameters);
/// y = x W + b, `rows` of them in a sample.
ModelOp linear_op(std::string name, double rows, int64_t in, int64_t out);
ModelOp linear_backward_op(const ModelOp& forward);
ModelOp loss_op();

int64_t sum_of_parameters(const std::vector<ModelOp>& ops);

/// The ops of a sequence model.
std::vector<ModelOp> sequence_ops(const ModelSpec& model);

}  // namespace ambidex
