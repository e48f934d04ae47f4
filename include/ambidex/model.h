// SPDX-License-Identifier: Apache-2.0
// A recommender as data: features, tables, towers, interaction, loss, optimizers, and where its
// samples come from. One YAML file drives the trainer and the planner.
//
//   using namespace ambidex;
//   ModelSpec model = load_model("mlperf_dlrm_dcnv2", {"tables.*.rows=100000", "batch=2048"});
//   ModelNumbers numbers = numbers_of(model);  // parameters, bytes, FLOP per sample
//   for (const ModelOp& op : ops_of(model)) { ... }
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ambidex/base.h"

namespace ambidex {

enum class OptimizerKind : uint8_t { sgd, adagrad, rowwise_adagrad, adam, rowwise_adam };
std::string_view name_of(OptimizerKind kind);

/// How a gradient changes a weight; docs/training.md has the formulas. Fields that a kind does not
/// use keep their defaults.
struct OptimizerSpec {
  OptimizerKind kind = OptimizerKind::sgd;
  double lr = 0.01;                // learning rate before the schedule, > 0
  double momentum = 0;             // sgd of dense weights
  double beta1 = 0.9;              // adam, rowwise_adam
  double beta2 = 0.999;            // adam, rowwise_adam
  double eps = 1e-8;               // all but sgd
  double initial_accumulator = 0;  // adagrad, rowwise_adagrad
  double weight_decay = 0;         // L2: added to the gradient as weight_decay * weight; of tables,
                                   // in the rows that a step touches
  bool operator==(const OptimizerSpec&) const = default;
};

enum class ScheduleKind : uint8_t { constant, polynomial, cosine };
std::string_view name_of(ScheduleKind kind);

/// Factor on every learning rate: rises linearly over warmup_steps, is 1 until decay_start_step,
/// falls to end_ratio over decay_steps, and stays there.
struct ScheduleSpec {
  ScheduleKind kind = ScheduleKind::constant;
  int64_t warmup_steps = 0;
  int64_t decay_start_step = 0;  // >= warmup_steps
  int64_t decay_steps = 0;       // > 0 unless constant
  double power = 1;              // polynomial
  double end_ratio = 0;          // in [0, 1]
  bool operator==(const ScheduleSpec&) const = default;
};

/// From a number of a field to the number a tower sees. Blank is 0 after the transform.
enum class DenseTransform : uint8_t {
  log,          // log(max(x, 0) + 1)
  none,         // x
  standard,     // (x - mean) / standard deviation, both of the training data
  log_shifted,  // log(x - min + 2), min of the training part: TorchRec's preparation of Criteo
  log_squared,  // floor(log(x)^2) for x > 2, else x: a winner of the Criteo challenge
};
std::string_view name_of(DenseTransform transform);

struct DenseFeature {
  std::string name;
  std::string field;  // of the data; empty: the name, or by position in data without names
  DenseTransform transform = DenseTransform::log;
  bool operator==(const DenseFeature&) const = default;
};

/// From a field's text to a row of a table.
enum class IdEncoding : uint8_t {
  automatic,   // as the format has it: hex for Criteo, integer for binary forms, vocabulary for
               // tokens
  hex,         // hexadecimal, modulo rows; blank is 0
  integer,     // decimal, modulo rows; blank is 0
  hash,        // 64-bit hash of the text, modulo rows; blank is 0
  vocabulary,  // numbered from 1 in order of appearance in the data; blank and unknown are 0
};
std::string_view name_of(IdEncoding encoding);

/// One lookup field. Features that share a table are listed under it.
struct SparseFeature {
  std::string name;
  std::string field;    // as in DenseFeature
  int64_t lookups = 1;  // ids of one sample at most; more are cut, fewer are padded
  IdEncoding encoding = IdEncoding::automatic;
  bool operator==(const SparseFeature&) const = default;
};

enum class Pooling : uint8_t { sum, mean };
std::string_view name_of(Pooling pooling);

struct TableSpec {
  std::string name;
  int64_t rows = 0;
  int64_t dim = 0;
  Pooling pooling = Pooling::sum;
  DType dtype = DType::f32;                // f32, or bf16/f16 stored with stochastic rounding
  double init = 0;                         // weights start uniform in +-init; 0: 1 / sqrt(rows)
  std::optional<OptimizerSpec> optimizer;  // else the model's sparse_optimizer
  std::vector<SparseFeature> features;     // empty in a file: one, named as the table
  bool operator==(const TableSpec&) const = default;
};

/// Fully connected layers of these output widths, ReLU after each; the last of a top tower has
/// none. Empty: the input goes through.
struct MlpSpec {
  std::vector<int64_t> widths;
  double dropout = 0;  // share of hidden activations dropped in training, in [0, 1)
  bool operator==(const MlpSpec&) const = default;
};

enum class InteractionKind : uint8_t {
  concat,  // pooled embeddings in feature order, then the bottom tower's output
  dot,     // bottom output, then the products of all pairs of {bottom output, embeddings}
  cross,   // low-rank cross network v2 on the concatenation:
           // x_{l+1} = x_0 * (W_l (V_l x_l) + b_l) + x_l
  fm,      // factorisation machine over the pooled embeddings and, if the bottom tower has
           // layers, its output: its logit is added to the top tower's, which sees the
           // concatenation
};
std::string_view name_of(InteractionKind kind);

struct InteractionSpec {
  InteractionKind kind = InteractionKind::concat;
  int64_t layers = 3;  // cross
  int64_t rank = 512;  // cross
  bool operator==(const InteractionSpec&) const = default;
};

enum class LossKind : uint8_t { bce };  // binary cross entropy of a logit
std::string_view name_of(LossKind kind);

/// How the samples of one data set are divided.
enum class SplitKind : uint8_t {
  none,    // everything trains; evaluation needs data of its own
  random,  // by a hash of seed and sample number
  tail,    // in order: train, then validation, then test
};
std::string_view name_of(SplitKind kind);

enum class SplitPart : uint8_t { train, valid, test, all };
std::string_view name_of(SplitPart part);

struct SplitSpec {
  SplitKind kind = SplitKind::none;
  double valid_ratio = 0.1;
  double test_ratio = 0.1;
  int64_t seed = 42;
  bool operator==(const SplitSpec&) const = default;
};

/// How data becomes samples; `ambidex train` needs only a path beside it.
struct DataSpec {
  std::string format;                    // empty: found out from the files
  std::string label;                     // field; empty: the format's own
  std::optional<double> label_at_least;  // label is 1 from here on; absent: it is 0 or 1
  SplitSpec split;
  int64_t shuffle_window = 65536;  // samples; 1: no shuffling
  bool operator==(const DataSpec&) const = default;
};

/// A model of user histories, for the planner: loads, validates and shows its numbers, but is not
/// trained yet. docs/models.md says which field is whose.
enum class SequenceKind : uint8_t { hstu, onetrans };
std::string_view name_of(SequenceKind kind);

struct SequenceSpec {
  SequenceKind kind = SequenceKind::hstu;
  int64_t layers = 0;
  int64_t heads = 0;
  int64_t model_dim = 0;                  // width of a token in the stack
  int64_t qk_dim = 0;                     // of one head
  int64_t linear_dim = 0;                 // of one head: u and v; onetrans: v
  int64_t max_length = 0;                 // tokens of a sequence, context included
  int64_t context_tokens = 0;             // hstu: first tokens, which see the whole sequence
  bool concat_output = false;             // hstu: the last product of a layer sees (u, attention,
                                          // u * attention), not the last of these alone
  int64_t feed_forward = 0;               // onetrans: inner width
  int64_t num_negatives = 0;              // sampled softmax; 0: none
  std::vector<int64_t> tokens_per_layer;  // onetrans pyramid: queries of each layer; else empty
  std::vector<int64_t> head_widths;       // prediction head
  int64_t num_tasks = 1;
  bool operator==(const SequenceSpec&) const = default;
};

struct ModelSpec {
  std::string id;
  std::string description;
  std::string source;  // where the numbers come from
  std::vector<DenseFeature> dense_features;
  std::vector<TableSpec> tables;
  MlpSpec bottom_mlp;
  InteractionSpec interaction;
  MlpSpec top_mlp;  // ends in width 1
  LossKind loss = LossKind::bce;
  bool first_order = false;  // adds one weight per row, per dense feature, and a bias to the logit
  OptimizerSpec dense_optimizer;
  OptimizerSpec sparse_optimizer;
  ScheduleSpec schedule;
  int64_t batch = 2048;  // samples of a step over all devices
  int64_t eval_batch = 16384;
  int64_t epochs = 1;
  int64_t early_stop = 0;  // evaluations without a better AUC until training ends; 0: never
  int64_t seed = 1;
  DataSpec data;
  std::optional<SequenceSpec> sequence;
  bool operator==(const ModelSpec&) const = default;
};

/// Names of the models that are compiled in, sorted.
std::vector<std::string> model_ids();

/// A preset by name, or a file: a path with "/" or ending in ".yaml". `overrides` are
/// "path.to.key=value" and act on the file's tree before it is read; "*" stands for every entry of
/// a list or map, a list entry also answers to its `name` or its index. "path<=value" lowers what
/// is greater.
///   throws Error(not_found) with the nearest names, Error(bad_input) with file, line and, for a
///   key that does not exist, the nearest key
ModelSpec load_model(const std::string& name_or_path,
                     const std::vector<std::string>& overrides = {});

/// The same from text; `where` is the name that messages carry.
ModelSpec parse_model(std::string_view yaml, const std::string& where,
                      const std::vector<std::string>& overrides = {});

/// The model as YAML, every field written out; parse_model gives it back.
std::string yaml_of(const ModelSpec& model);

/// throws Error(bad_input) on sizes < 1, dims that do not fit the interaction, repeated names, ...
void validate(const ModelSpec& model);

// What follows from a description.

int64_t num_features(const ModelSpec& model);     // sparse features over all tables
int64_t num_lookups(const ModelSpec& model);      // ids of a sample
int64_t bottom_out_dim(const ModelSpec& model);   // width of the bottom tower's output, 0 without
                                                  // dense features
int64_t concat_dim(const ModelSpec& model);       // embeddings of all features + bottom output
int64_t num_fm_vectors(const ModelSpec& model);   // vectors that fm multiplies
int64_t interaction_dim(const ModelSpec& model);  // what the top tower sees

/// One op of a training step, in the order in which it runs. The profile of a run uses the names.
struct ModelOp {
  std::string name;        // "bottom_mlp.0.forward", "embedding.forward", "cross.1.backward", ...
  double flop = 0;         // per sample; 2 m n of a product, counted as docs/models.md says
  double read_bytes = 0;   // per sample, f32 activations, tables in their dtype; weights of dense
  double write_bytes = 0;  // layers are read once per step and not counted here
  int64_t parameters = 0;  // dense, that the op reads or updates
  bool operator==(const ModelOp&) const = default;
};
std::vector<ModelOp> ops_of(const ModelSpec& model);

struct ModelNumbers {
  int64_t table_rows = 0;
  int64_t table_parameters = 0;
  double table_bytes = 0;            // in the tables' types
  double table_optimizer_bytes = 0;  // of state
  int64_t dense_parameters = 0;
  int64_t num_lookups = 0;              // per sample
  double forward_flop_per_sample = 0;   // towers and interaction, or the stack and its head
  double training_flop_per_sample = 0;  // with backward: three times forward, 3.5 of attention
};
ModelNumbers numbers_of(const ModelSpec& model);

}  // namespace ambidex
