// SPDX-License-Identifier: Apache-2.0
// The op list of a sequence model: the stack and its head, at the full length.
#include <fmt/format.h>

#include <utility>

#include "model/dims.h"

namespace ambidex {
namespace {

constexpr double kFloat = 4;

using Ops = std::vector<ModelOp>;

/// Tokens that ask and that are asked, and the pairs among them that meet.
struct Tokens {
  double queries = 0;
  double keys = 0;
  double pairs = 0;
};

Tokens tokens_of(const SequenceSpec& sequence, size_t layer) {
  const std::vector<int64_t>& pyramid = sequence.tokens_per_layer;
  Tokens out;
  out.keys =
      static_cast<double>(pyramid.empty() || layer == 0 ? sequence.max_length : pyramid[layer - 1]);
  out.queries = static_cast<double>(pyramid.empty() ? sequence.max_length : pyramid[layer]);
  // Causal, the queries being the last of the keys; context tokens see what comes after, too.
  const auto context = static_cast<double>(sequence.context_tokens);
  out.pairs = out.queries * (out.keys - out.queries) + out.queries * (out.queries + 1) / 2 +
              context * out.keys - context * (context + 1) / 2;
  return out;
}

ModelOp attention_op(const SequenceSpec& sequence, std::string name, const Tokens& tokens) {
  const auto heads = static_cast<double>(sequence.heads);
  const auto qk = static_cast<double>(sequence.qk_dim);
  const auto v = static_cast<double>(sequence.linear_dim);
  return {.name = std::move(name),
          .flop = 2 * heads * (qk + v) * tokens.pairs,
          .read_bytes = kFloat * heads * (qk * tokens.queries + (qk + v) * tokens.keys),
          .write_bytes = kFloat * heads * v * tokens.queries};
}

void add_hstu_layer(Ops& ops, const SequenceSpec& sequence, size_t layer) {
  const Tokens tokens = tokens_of(sequence, layer);
  const int64_t gated = sequence.heads * sequence.linear_dim;
  const int64_t inputs = sequence.concat_output ? 3 * gated : gated;
  const int64_t uvqk = 2 * sequence.heads * (sequence.linear_dim + sequence.qk_dim);
  const std::string prefix = fmt::format("layer.{}.", layer);
  ModelOp in = linear_op(prefix + "uvqk.forward", tokens.queries, sequence.model_dim, uvqk);
  in.parameters += 2 * sequence.model_dim;  // layer norm
  ModelOp out = linear_op(prefix + "output.forward", tokens.queries, inputs, sequence.model_dim);
  out.parameters += 2 * gated - sequence.model_dim;  // layer norm; no bias
  ops.push_back(std::move(in));
  ops.push_back(attention_op(sequence, prefix + "attention.forward", tokens));
  ops.push_back(std::move(out));
}

void add_onetrans_layer(Ops& ops, const SequenceSpec& sequence, size_t layer) {
  const Tokens tokens = tokens_of(sequence, layer);
  const int64_t width = sequence.model_dim;
  const int64_t qk = sequence.heads * sequence.qk_dim;
  const int64_t v = sequence.heads * sequence.linear_dim;
  const std::string prefix = fmt::format("layer.{}.", layer);
  ModelOp qkv = linear_op(prefix + "qkv.forward", tokens.keys, width, qk + v);
  const ModelOp q = linear_op("", tokens.queries, width, qk);
  qkv.flop += q.flop;
  qkv.write_bytes += q.write_bytes;
  qkv.parameters += q.parameters;
  ModelOp up =
      linear_op(prefix + "feed_forward.forward", tokens.queries, width, sequence.feed_forward);
  const ModelOp down = linear_op("", tokens.queries, sequence.feed_forward, width);
  up.flop += down.flop;
  up.read_bytes += down.read_bytes;
  up.write_bytes += down.write_bytes;
  up.parameters += down.parameters;
  ops.push_back(std::move(qkv));
  ops.push_back(attention_op(sequence, prefix + "attention.forward", tokens));
  ops.push_back(linear_op(prefix + "output.forward", tokens.queries, v, width));
  ops.push_back(std::move(up));
}

Ops stack_ops(const SequenceSpec& sequence) {
  Ops ops;
  for (size_t i = 0; i < static_cast<size_t>(sequence.layers); ++i) {
    if (sequence.kind == SequenceKind::hstu) {
      add_hstu_layer(ops, sequence, i);
    } else {
      add_onetrans_layer(ops, sequence, i);
    }
  }
  int64_t in = sequence.model_dim;
  for (size_t i = 0; i < sequence.head_widths.size(); ++i) {
    ops.push_back(linear_op(fmt::format("head.{}.forward", i), 1, in, sequence.head_widths[i]));
    in = sequence.head_widths[i];
  }
  return ops;
}

ModelOp backward_op(const SequenceSpec& sequence, const ModelOp& forward) {
  ModelOp op = linear_backward_op(forward);
  if (!forward.name.ends_with("attention.forward")) return op;
  // The scores are computed again; then two products for each of the two of forward.
  const auto qk = static_cast<double>(sequence.qk_dim);
  const auto v = static_cast<double>(sequence.linear_dim);
  op.flop = forward.flop * (3 * qk + 2 * v) / (qk + v);
  op.read_bytes = forward.read_bytes + forward.write_bytes;
  return op;
}

/// Sampled softmax scores each token's target and negatives, forward and backward.
ModelOp sequence_loss_op(const SequenceSpec& sequence) {
  ModelOp op = loss_op();
  if (sequence.num_negatives == 0) {
    op.flop *= static_cast<double>(sequence.num_tasks);
    return op;
  }
  const auto tokens = static_cast<double>(sequence.max_length);
  const auto width = static_cast<double>(sequence.model_dim);
  const auto scored = static_cast<double>(1 + sequence.num_negatives);
  op.flop = 6 * tokens * scored * width;
  op.read_bytes = 2 * kFloat * tokens * width * (1 + scored);
  op.write_bytes = kFloat * tokens * width * (1 + scored);
  return op;
}

}  // namespace

std::vector<ModelOp> sequence_ops(const ModelSpec& model) {
  const SequenceSpec& sequence = *model.sequence;
  const Ops forward = stack_ops(sequence);
  Ops ops = {embedding_forward_op(model)};
  ops.insert(ops.end(), forward.begin(), forward.end());
  ops.push_back(sequence_loss_op(sequence));
  for (size_t i = forward.size(); i-- > 0;) ops.push_back(backward_op(sequence, forward[i]));
  ops.push_back(embedding_update_op(model));
  ops.push_back(dense_update_op(model, sum_of_parameters(forward)));
  return ops;
}

}  // namespace ambidex
