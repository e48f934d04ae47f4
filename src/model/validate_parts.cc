// SPDX-License-Identifier: Apache-2.0
// Tables, towers and sequence stacks that cannot be.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "model/tree.h"
#include "model/validate.h"

namespace ambidex {
namespace {

// Ids are 32 bits wide where a model is trained.
constexpr int64_t kMaxRows = (int64_t{1} << 31) - 1;
constexpr int64_t kMaxSequenceRows = int64_t{1} << 40;
constexpr int64_t kMaxDim = 1 << 16;
constexpr int64_t kMaxLookups = 1 << 20;
constexpr int64_t kMaxParameters = int64_t{1} << 60;  // so that bytes of state fit, too

/// Adds a name to those seen; `path` is by index, as a name that is wrong cannot be in it.
void expect_new_name(const Complain& complain, const std::string& path, const std::string& name,
                     std::set<std::string>& seen) {
  if (!is_plain_name(name)) {
    complain(path, fmt::format("expected a name of at most 64 of A-Z, a-z, 0-9, _ and -, got {}; a "
                               "field of the data with another name goes into `field`",
                               quote(name)));
  }
  if (!seen.insert(name).second) {
    complain(path, fmt::format("the name {} is given twice", quote(name)));
  }
}

void validate_names(const ModelSpec& model, const Complain& complain) {
  std::set<std::string> features;
  std::set<std::string> tables;
  for (size_t i = 0; i < model.dense_features.size(); ++i) {
    expect_new_name(complain, fmt::format("dense_features.{}.name", i),
                    model.dense_features[i].name, features);
  }
  for (size_t t = 0; t < model.tables.size(); ++t) {
    const TableSpec& table = model.tables[t];
    expect_new_name(complain, fmt::format("tables.{}.name", t), table.name, tables);
    for (size_t f = 0; f < table.features.size(); ++f) {
      expect_new_name(complain, fmt::format("tables.{}.features.{}.name", t, f),
                      table.features[f].name, features);
    }
  }
}

void validate_counts(const ModelSpec& model, const Complain& complain) {
  const auto expect_at_most = [&](const std::string& path, int64_t count, int64_t most) {
    if (count > most) complain(path, fmt::format("expected at most {}, got {}", most, count));
  };
  expect_at_most("tables", std::ssize(model.tables), kMaxTables);
  expect_at_most("dense_features", std::ssize(model.dense_features), kMaxFeatures);
  int64_t num_sparse = 0;
  for (const TableSpec& table : model.tables) num_sparse += std::ssize(table.features);
  expect_at_most("tables.*.features", num_sparse, kMaxFeatures);
}

void validate_table(const TableSpec& table, int64_t max_rows, const Complain& complain) {
  const std::string path = "tables." + table.name;
  expect_within(complain, path + ".rows", table.rows, 1, max_rows);
  expect_within(complain, path + ".dim", table.dim, 1, kMaxDim);
  if (table.dtype != DType::f32 && table.dtype != DType::f16 && table.dtype != DType::bf16) {
    complain(path + ".dtype",
             fmt::format("expected f32, f16 or bf16, got {}", name_of(table.dtype)));
  }
  if (!(table.init >= 0 && std::isfinite(table.init))) {
    complain(path + ".init", fmt::format("expected a number >= 0, got {:g}", table.init));
  }
  if (table.features.empty()) complain(path + ".features", "expected at least one");
  for (const SparseFeature& feature : table.features) {
    expect_within(complain, fmt::format("{}.features.{}.lookups", path, feature.name),
                  feature.lookups, 1, kMaxLookups);
  }
}

void expect_equal_dims(const ModelSpec& model, const Complain& complain) {
  const std::string kind(name_of(model.interaction.kind));
  if (model.tables.empty()) complain("tables", fmt::format("the interaction {} needs one", kind));
  for (const TableSpec& table : model.tables) {
    if (table.dim == model.tables.front().dim) continue;
    complain(fmt::format("tables.{}.dim", table.name),
             fmt::format("{}, but that of {} is {}; the interaction {} multiplies them, so they "
                         "must be equal",
                         table.dim, model.tables.front().name, model.tables.front().dim, kind));
  }
}

/// The bottom tower's output is one of the vectors that are multiplied.
void expect_bottom_dim(const ModelSpec& model, const Complain& complain) {
  const int64_t dim = model.tables.front().dim;
  if (bottom_out_dim(model) == dim) return;
  complain("bottom_mlp.widths",
           fmt::format("the tower is {} wide at its end, but tables are {}; the interaction {} "
                       "multiplies them, so they must be equal",
                       bottom_out_dim(model), dim, name_of(model.interaction.kind)));
}

void validate_dot(const ModelSpec& model, const Complain& complain) {
  expect_equal_dims(model, complain);
  if (model.dense_features.empty()) {
    complain("interaction.kind", "dot needs dense features: their tower gives one of its vectors");
  }
  expect_bottom_dim(model, complain);
}

void validate_fm(const ModelSpec& model, const Complain& complain) {
  expect_equal_dims(model, complain);
  if (num_fm_vectors(model) > num_features(model)) expect_bottom_dim(model, complain);
}

void validate_interaction(const ModelSpec& model, const Complain& complain) {
  switch (model.interaction.kind) {
    case InteractionKind::concat:
      return;
    case InteractionKind::dot:
      return validate_dot(model, complain);
    case InteractionKind::cross:
      expect_within(complain, "interaction.layers", model.interaction.layers, 1, 64);
      return expect_within(complain, "interaction.rank", model.interaction.rank, 1, kMaxWidth);
    case InteractionKind::fm:
      return validate_fm(model, complain);
  }
}

void validate_mlp(const std::string& path, const MlpSpec& mlp, const Complain& complain) {
  expect_widths(complain, path + ".widths", mlp.widths);
  if (mlp.dropout >= 0 && mlp.dropout < 1) return;
  complain(path + ".dropout",
           fmt::format("expected a number from 0 to below 1, got {:g}", mlp.dropout));
}

void validate_hstu(const SequenceSpec& sequence, const Complain& complain) {
  if (!sequence.tokens_per_layer.empty()) {
    complain("sequence.tokens_per_layer", "only onetrans has it; remove it");
  }
  expect_within(complain, "sequence.feed_forward", sequence.feed_forward, 0, 0);
  expect_within(complain, "sequence.context_tokens", sequence.context_tokens, 0,
                sequence.max_length);
}

void validate_onetrans(const SequenceSpec& sequence, const Complain& complain) {
  expect_within(complain, "sequence.feed_forward", sequence.feed_forward, 1, kMaxWidth);
  expect_within(complain, "sequence.context_tokens", sequence.context_tokens, 0, 0);
  if (sequence.concat_output) complain("sequence.concat_output", "only hstu has it; remove it");
  const std::vector<int64_t>& tokens = sequence.tokens_per_layer;
  if (tokens.empty()) return;
  if (std::ssize(tokens) != sequence.layers) {
    complain("sequence.tokens_per_layer", fmt::format("expected one for each of {} layers, got {}",
                                                      sequence.layers, tokens.size()));
  }
  for (size_t i = 0; i < tokens.size(); ++i) {
    const int64_t most = i == 0 ? sequence.max_length : tokens[i - 1];
    expect_within(complain, fmt::format("sequence.tokens_per_layer.{}", i), tokens[i], 1, most);
  }
}

void validate_head(const SequenceSpec& sequence, const Complain& complain) {
  expect_within(complain, "sequence.num_negatives", sequence.num_negatives, 0, kMaxLookups);
  expect_within(complain, "sequence.num_tasks", sequence.num_tasks, 1, kMaxWidth);
  expect_widths(complain, "sequence.head_widths", sequence.head_widths);
  if (sequence.head_widths.empty()) {
    if (sequence.num_negatives > 0) return;
    complain("sequence.head_widths", "expected widths, or num_negatives for a sampled softmax");
  }
  if (sequence.head_widths.back() != sequence.num_tasks) {
    complain("sequence.head_widths", fmt::format("expected them to end in num_tasks, {}, got {}",
                                                 sequence.num_tasks, sequence.head_widths.back()));
  }
}

}  // namespace

void validate_tables(const ModelSpec& model, const Complain& complain) {
  validate_counts(model, complain);
  validate_names(model, complain);
  int64_t parameters = 0;
  for (const TableSpec& table : model.tables) {
    validate_table(table, model.sequence ? kMaxSequenceRows : kMaxRows, complain);
    parameters += table.rows * (table.dim + 1);  // 1: first_order
    if (parameters <= kMaxParameters) continue;
    complain(fmt::format("tables.{}.rows", table.name),
             fmt::format("more than {} parameters up to this table", kMaxParameters));
  }
}

void validate_towers(const ModelSpec& model, const Complain& complain) {
  validate_mlp("bottom_mlp", model.bottom_mlp, complain);
  validate_mlp("top_mlp", model.top_mlp, complain);
  if (model.tables.empty() && model.dense_features.empty()) {
    complain("", "expected tables or dense_features, got neither");
  }
  if (model.dense_features.empty() && !model.bottom_mlp.widths.empty()) {
    complain("bottom_mlp.widths", "a tower without dense_features; add some, or remove it");
  }
  validate_interaction(model, complain);
  if (model.top_mlp.widths.empty() || model.top_mlp.widths.back() != 1) {
    complain("top_mlp.widths", "expected widths that end in 1, the logit");
  }
}

void validate_sequence(const ModelSpec& model, const Complain& complain) {
  const SequenceSpec& sequence = *model.sequence;
  const bool has_towers = !model.bottom_mlp.widths.empty() || !model.top_mlp.widths.empty() ||
                          !model.dense_features.empty() || model.first_order;
  if (has_towers) {
    complain(
        "sequence",
        "such a model has no dense_features, bottom_mlp, top_mlp and first_order; remove them");
  }
  if (model.tables.empty()) complain("tables", "a sequence model needs one");
  expect_within(complain, "sequence.layers", sequence.layers, 1, 1024);
  expect_within(complain, "sequence.heads", sequence.heads, 1, 1024);
  expect_within(complain, "sequence.model_dim", sequence.model_dim, 1, kMaxDim);
  expect_within(complain, "sequence.qk_dim", sequence.qk_dim, 1, kMaxDim);
  expect_within(complain, "sequence.linear_dim", sequence.linear_dim, 1, kMaxDim);
  expect_within(complain, "sequence.max_length", sequence.max_length, 1, 1 << 24);
  if (sequence.kind == SequenceKind::hstu) {
    validate_hstu(sequence, complain);
  } else {
    validate_onetrans(sequence, complain);
  }
  validate_head(sequence, complain);
}

}  // namespace ambidex
