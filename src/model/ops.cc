// SPDX-License-Identifier: Apache-2.0
// The op list of a ranking model; docs/models.md says how each op is counted.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/dims.h"

namespace ambidex {
namespace {

constexpr double kFloat = 4;  // bytes of an activation or a gradient

using Ops = std::vector<ModelOp>;

void add_tower(Ops& ops, std::string_view tower, int64_t in, const MlpSpec& mlp) {
  for (size_t i = 0; i < mlp.widths.size(); ++i) {
    ops.push_back(linear_op(fmt::format("{}.{}.forward", tower, i), 1, in, mlp.widths[i]));
    in = mlp.widths[i];
  }
}

ModelOp first_order_op(const ModelSpec& model) {
  const auto lookups = static_cast<double>(num_lookups(model));
  const auto dense = static_cast<double>(model.dense_features.size());
  return {.name = "first_order.forward",
          .flop = lookups + 2 * dense,
          .read_bytes = kFloat * (2 * lookups + dense),  // ids and weights; values
          .write_bytes = kFloat,
          .parameters = std::ssize(model.dense_features) + 1};
}

ModelOp concat_op(const ModelSpec& model) {
  const double bytes = kFloat * static_cast<double>(concat_dim(model));
  return {.name = "concat.forward", .read_bytes = bytes, .write_bytes = bytes};
}

ModelOp dot_op(const ModelSpec& model) {
  const auto vectors = static_cast<double>(num_features(model) + 1);
  const auto dim = static_cast<double>(model.tables.front().dim);
  return {.name = "dot.forward",
          .flop = 2 * vectors * vectors * dim,
          .read_bytes = kFloat * vectors * dim,
          .write_bytes = kFloat * static_cast<double>(interaction_dim(model))};
}

ModelOp fm_op(const ModelSpec& model) {
  const auto vectors = static_cast<double>(num_fm_vectors(model));
  const auto dim = static_cast<double>(model.tables.front().dim);
  return {.name = "fm.forward",
          .flop = 3 * vectors * dim + 2 * dim,
          .read_bytes = kFloat * vectors * dim,
          .write_bytes = kFloat};
}

ModelOp cross_op(const ModelSpec& model, int64_t layer) {
  const int64_t width = concat_dim(model);
  const int64_t rank = model.interaction.rank;
  const auto n = static_cast<double>(width);
  const auto r = static_cast<double>(rank);
  return {.name = fmt::format("cross.{}.forward", layer),
          .flop = 4 * n * r + 3 * n,
          .read_bytes = kFloat * (4 * n + r),  // x; V x; x_0, W V x + b and x
          .write_bytes = kFloat * (2 * n + r),
          .parameters = 2 * width * rank + width};
}

void add_interaction(Ops& ops, const ModelSpec& model) {
  if (model.interaction.kind == InteractionKind::dot) {
    ops.push_back(dot_op(model));
    return;
  }
  ops.push_back(concat_op(model));
  if (model.interaction.kind == InteractionKind::fm) ops.push_back(fm_op(model));
  if (model.interaction.kind != InteractionKind::cross) return;
  for (int64_t i = 0; i < model.interaction.layers; ++i) ops.push_back(cross_op(model, i));
}

Ops forward_ops(const ModelSpec& model) {
  Ops ops = {embedding_forward_op(model)};
  if (model.first_order) ops.push_back(first_order_op(model));
  add_tower(ops, "bottom_mlp", std::ssize(model.dense_features), model.bottom_mlp);
  add_interaction(ops, model);
  add_tower(ops, "top_mlp", interaction_dim(model), model.top_mlp);
  return ops;
}

/// Twice the FLOP. Reads what forward read and the gradient of what it wrote, writes the gradient
/// of what it read: right for all but products and cross layers, which go over some of it twice.
ModelOp mirrored(const ModelOp& forward) {
  return {.name = backward_name(forward.name),
          .flop = 2 * forward.flop,
          .read_bytes = forward.read_bytes + forward.write_bytes,
          .write_bytes = forward.read_bytes,
          .parameters = forward.parameters};
}

ModelOp backward_op(const ModelSpec& model, const ModelOp& forward) {
  ModelOp op = mirrored(forward);
  const std::string_view name = forward.name;
  if (name.starts_with("bottom_mlp.") || name.starts_with("top_mlp.")) {
    return linear_backward_op(forward);
  }
  if (name.starts_with("cross.")) {
    const auto n = static_cast<double>(concat_dim(model));
    const auto r = static_cast<double>(model.interaction.rank);
    op.read_bytes = kFloat * (8 * n + 3 * r);
    op.write_bytes = kFloat * (3 * n + r);
  }
  if (name == "concat.forward") op.read_bytes = forward.write_bytes;
  if (name == "first_order.forward") {
    const auto dense = static_cast<double>(model.dense_features.size());
    op.flop = 2 * dense;
    op.read_bytes = kFloat * (1 + dense);
    op.write_bytes = 0;  // gradients of weights are one a step
  }
  return op;
}

}  // namespace

std::string backward_name(std::string_view forward) {
  return fmt::format("{}.backward", forward.substr(0, forward.rfind('.')));
}

ModelOp linear_op(std::string name, double rows, int64_t in, int64_t out) {
  return {.name = std::move(name),
          .flop = 2 * rows * static_cast<double>(in) * static_cast<double>(out),
          .read_bytes = kFloat * rows * static_cast<double>(in),
          .write_bytes = kFloat * rows * static_cast<double>(out),
          .parameters = in * out + out};
}

ModelOp linear_backward_op(const ModelOp& forward) {
  ModelOp op = mirrored(forward);
  op.read_bytes *= 2;  // both products read the gradient; the input counts again as ReLU's mask
  return op;
}

ModelOp loss_op() {
  return {.name = "loss", .flop = 10, .read_bytes = 2 * kFloat, .write_bytes = kFloat};
}

std::vector<ModelOp> ops_of(const ModelSpec& model) {
  if (model.sequence) return sequence_ops(model);
  const Ops forward = forward_ops(model);
  Ops ops = forward;
  ops.push_back(loss_op());
  // The first-order weights are last of all, whatever runs between.
  const auto is_tower = [](const ModelOp& op) {
    return op.name != "embedding.forward" && op.name != "first_order.forward";
  };
  for (size_t i = forward.size(); i-- > 0;) {
    if (is_tower(forward[i])) ops.push_back(backward_op(model, forward[i]));
  }
  if (model.first_order) ops.push_back(backward_op(model, forward[1]));
  ops.push_back(embedding_update_op(model));
  ops.push_back(dense_update_op(model, sum_of_parameters(forward)));
  return ops;
}

}  // namespace ambidex
