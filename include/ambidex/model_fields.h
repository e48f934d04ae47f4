// SPDX-License-Identifier: Apache-2.0
// The keys of the structs in model.h, once: reading, YAML and JSON all walk these lists. A visitor
// is called as v(Field, reference).
#pragma once

#include "ambidex/model.h"

namespace ambidex {

template <class V, MaybeConst<OptimizerSpec> T>
void visit_fields(V&& v, T& x) {
  v("kind", x.kind);
  v("lr", x.lr);
  v("momentum", x.momentum);
  v("beta1", x.beta1);
  v("beta2", x.beta2);
  v("eps", x.eps);
  v("initial_accumulator", x.initial_accumulator);
  v("weight_decay", x.weight_decay);
}

template <class V, MaybeConst<ScheduleSpec> T>
void visit_fields(V&& v, T& x) {
  v("kind", x.kind);
  v("warmup_steps", x.warmup_steps);
  v("decay_start_step", x.decay_start_step);
  v("decay_steps", x.decay_steps);
  v("power", x.power);
  v("end_ratio", x.end_ratio);
}

template <class V, MaybeConst<DenseFeature> T>
void visit_fields(V&& v, T& x) {
  v("name", x.name);
  v("field", x.field);
  v("transform", x.transform);
}

template <class V, MaybeConst<SparseFeature> T>
void visit_fields(V&& v, T& x) {
  v("name", x.name);
  v("field", x.field);
  v("lookups", x.lookups);
  v("encoding", x.encoding);
}

template <class V, MaybeConst<TableSpec> T>
void visit_fields(V&& v, T& x) {
  v("name", x.name);
  v("rows", x.rows);
  v("dim", x.dim);
  v("pooling", x.pooling);
  v("dtype", x.dtype);
  v("init", x.init);
  v("optimizer", x.optimizer);
  v("features", x.features);
}

template <class V, MaybeConst<MlpSpec> T>
void visit_fields(V&& v, T& x) {
  v("widths", x.widths);
  v("dropout", x.dropout);
}

template <class V, MaybeConst<InteractionSpec> T>
void visit_fields(V&& v, T& x) {
  v("kind", x.kind);
  v("layers", x.layers);
  v("rank", x.rank);
}

template <class V, MaybeConst<SplitSpec> T>
void visit_fields(V&& v, T& x) {
  v("kind", x.kind);
  v("valid_ratio", x.valid_ratio);
  v("test_ratio", x.test_ratio);
  v("seed", x.seed);
}

template <class V, MaybeConst<DataSpec> T>
void visit_fields(V&& v, T& x) {
  v("format", x.format);
  v("label", x.label);
  v("label_at_least", x.label_at_least);
  v("split", x.split);
  v("shuffle_window", x.shuffle_window);
}

template <class V, MaybeConst<SequenceSpec> T>
void visit_fields(V&& v, T& x) {
  v("kind", x.kind);
  v("layers", x.layers);
  v("heads", x.heads);
  v("model_dim", x.model_dim);
  v("qk_dim", x.qk_dim);
  v("linear_dim", x.linear_dim);
  v("max_length", x.max_length);
  v("context_tokens", x.context_tokens);
  v("concat_output", x.concat_output);
  v("feed_forward", x.feed_forward);
  v("num_negatives", x.num_negatives);
  v("tokens_per_layer", x.tokens_per_layer);
  v("head_widths", x.head_widths);
  v("num_tasks", x.num_tasks);
}

template <class V, MaybeConst<ModelSpec> T>
void visit_fields(V&& v, T& x) {
  v("id", x.id);
  v("description", x.description);
  v("source", x.source);
  v("dense_features", x.dense_features);
  v("tables", x.tables);
  v("bottom_mlp", x.bottom_mlp);
  v("interaction", x.interaction);
  v("top_mlp", x.top_mlp);
  v("loss", x.loss);
  v("first_order", x.first_order);
  v("dense_optimizer", x.dense_optimizer);
  v("sparse_optimizer", x.sparse_optimizer);
  v("schedule", x.schedule);
  v("batch", x.batch);
  v("eval_batch", x.eval_batch);
  v("epochs", x.epochs);
  v("early_stop", x.early_stop);
  v("seed", x.seed);
  v("data", x.data);
  v("sequence", x.sequence);
}

}  // namespace ambidex
