// SPDX-License-Identifier: Apache-2.0
// What follows from a description, against published values and against plain loops.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "ambidex/model.h"

namespace ambidex {
namespace {

using ::testing::ElementsAre;

std::map<std::string, ModelOp> ops_by_name(const ModelSpec& model) {
  std::map<std::string, ModelOp> ops;
  for (const ModelOp& op : ops_of(model)) {
    EXPECT_TRUE(ops.emplace(op.name, op).second) << op.name << " is there twice";
  }
  return ops;
}

std::vector<std::string> op_names(const ModelSpec& model) {
  std::vector<std::string> names;
  for (const ModelOp& op : ops_of(model)) names.push_back(op.name);
  return names;
}

int64_t parameters_of(const ModelSpec& model, std::string_view tower) {
  int64_t parameters = 0;
  for (const ModelOp& op : ops_of(model)) {
    const bool is_of = op.name.starts_with(tower) && op.name.ends_with(".forward");
    parameters += is_of ? op.parameters : 0;
  }
  return parameters;
}

TEST(ModelNumbers, dlrm_dcnv2_is_as_mlperf_has_it) {
  const ModelSpec model = load_model("mlperf_dlrm_dcnv2");
  const ModelNumbers numbers = numbers_of(model);
  EXPECT_EQ(numbers.table_rows, 204'184'588);
  EXPECT_EQ(numbers.num_lookups, 214);
  EXPECT_EQ(numbers.dense_parameters, 16'044'545);
  EXPECT_EQ(parameters_of(model, "bottom_mlp"), 171'392);
  EXPECT_EQ(parameters_of(model, "cross"), 10'627'200);
  EXPECT_EQ(parameters_of(model, "top_mlp"), 5'245'953);
  EXPECT_NEAR(numbers.forward_flop_per_sample, 32.09e6, 0.005e6);
  EXPECT_NEAR(numbers.training_flop_per_sample, 96.28e6, 0.005e6);
  EXPECT_EQ(numbers.table_bytes, 204'184'588.0 * 128 * 4);
  EXPECT_EQ(numbers.table_optimizer_bytes, numbers.table_bytes);  // element-wise Adagrad
  EXPECT_EQ(concat_dim(model), 3456);
  EXPECT_EQ(interaction_dim(model), 3456);
}

TEST(ModelNumbers, dlrm_v1_is_as_mlperf_has_it) {
  const ModelSpec model = load_model("mlperf_dlrm_v1");
  const ModelNumbers numbers = numbers_of(model);
  EXPECT_EQ(numbers.table_rows, 187'767'399);
  EXPECT_EQ(interaction_dim(model), 479);
  EXPECT_NEAR(numbers.forward_flop_per_sample, 4.92e6, 0.005e6);
  EXPECT_NEAR(static_cast<double>(numbers.dense_parameters), 2.37e6, 0.005e6);
  EXPECT_NEAR(numbers.table_bytes, 96.1e9, 0.05e9);
  EXPECT_EQ(numbers.table_optimizer_bytes, 0);
}

TEST(ModelNumbers, the_kaggle_model_is_as_published) {
  const ModelSpec model = load_model("dlrm_kaggle");
  EXPECT_EQ(numbers_of(model).table_rows, 33'762'577);
  EXPECT_NEAR(numbers_of(model).table_bytes, 2.16e9, 0.005e9);
  EXPECT_EQ(interaction_dim(model), 367);
  EXPECT_EQ(interaction_dim(load_model("dlrm_terabyte_10m")), 415);
}

TEST(ModelNumbers, the_ranking_models_of_deeprecsys_have_its_lookups) {
  EXPECT_EQ(numbers_of(load_model("rm1")).num_lookups, 8 * 80);
  EXPECT_EQ(numbers_of(load_model("rm2")).num_lookups, 32 * 120);
  EXPECT_EQ(numbers_of(load_model("rm3")).num_lookups, 10 * 20);
  EXPECT_EQ(concat_dim(load_model("rm3")), 10 * 32 + 32);
  EXPECT_EQ(bottom_out_dim(load_model("wnd")), 512);
  EXPECT_EQ(concat_dim(load_model("wnd")), 27 * 32 + 512);
}

TEST(ModelNumbers, a_layer_of_dlrm_v3_has_1835008_weights_in_its_products) {
  auto ops = ops_by_name(load_model("dlrm_v3_hstu"));
  const double flop = ops["layer.0.uvqk.forward"].flop + ops["layer.0.output.forward"].flop;
  EXPECT_EQ(flop, 2.0 * 16384 * 1'835'008);
}

TEST(ModelNumbers, dlrm_v3_has_a_terabyte_of_items) {
  const ModelSpec model = load_model("dlrm_v3_hstu");
  EXPECT_EQ(static_cast<double>(model.tables[0].rows * model.tables[0].dim) * 2, 1.024e12);
  EXPECT_NEAR(numbers_of(model).table_bytes, 1.024e12 + 10.24e9, 1e6);
  EXPECT_NEAR(numbers_of(model).table_optimizer_bytes, 4.04e9, 1e6);  // row-wise Adagrad
}

TEST(ModelNumbers, dlrm_v3_does_the_work_of_its_published_lengths) {
  const ModelNumbers at_2048 = numbers_of(load_model("dlrm_v3_hstu", {"sequence.max_length=2048"}));
  EXPECT_NEAR(at_2048.forward_flop_per_sample, 59e9, 0.5e9);
  EXPECT_NEAR(at_2048.training_flop_per_sample, 188e9, 0.5e9);
  const ModelNumbers at_4096 = numbers_of(load_model("dlrm_v3_hstu", {"sequence.max_length=4096"}));
  EXPECT_NEAR(at_4096.forward_flop_per_sample, 161e9, 0.5e9);
  EXPECT_NEAR(at_4096.training_flop_per_sample, 526e9, 0.5e9);
}

TEST(ModelNumbers, the_hstu_benchmark_does_63_89_tflop_a_step_on_each_device) {
  const ModelSpec model = load_model("hstu_nv_bench");
  EXPECT_NEAR(32 * numbers_of(model).training_flop_per_sample, 63.89e12, 0.005e12);
  EXPECT_EQ(static_cast<double>(model.tables[0].rows * model.tables[0].dim) * 4, 25.6e9);
}

TEST(ModelNumbers, onetrans_reads_3_86_gb_of_tables_and_shrinks_its_tokens) {
  const ModelSpec model = load_model("onetrans_large");
  EXPECT_NEAR(numbers_of(model).table_bytes, 3.86e9, 0.01e9);
  auto ops = ops_by_name(model);
  // Layer 7: 32 tokens ask 244. Q of the 32, K and V of the 244; 384 wide.
  EXPECT_EQ(ops["layer.7.qkv.forward"].flop, 2.0 * 384 * 384 * (32 + 2 * 244));
  double pairs = 0;
  for (int query = 0; query < 32; ++query) pairs += 244 - 32 + query + 1;
  EXPECT_EQ(ops["layer.7.attention.forward"].flop, 2 * 2 * 384 * pairs);
  EXPECT_EQ(ops["layer.7.feed_forward.forward"].flop, 2.0 * 2 * 32 * 384 * 1536);
}

TEST(ModelNumbers, optimizer_state_is_counted_by_kind) {
  const std::map<std::string, double> bytes_per_row{{"sgd", 0},
                                                    {"adagrad", 4 * 16},
                                                    {"rowwise_adagrad", 4},
                                                    {"adam", 8 * 16},
                                                    {"rowwise_adam", 4 * 16 + 4}};
  for (const auto& [kind, bytes] : bytes_per_row) {
    const ModelSpec model = load_model("dlrm_small", {"sparse_optimizer.kind=" + kind});
    EXPECT_EQ(numbers_of(model).table_optimizer_bytes, 39'000 * bytes) << kind;
  }
}

TEST(ModelNumbers, a_table_of_its_own_optimizer_counts_for_itself) {
  const ModelSpec model = load_model(
      "dlrm_small",
      {"sparse_optimizer.kind=sgd", "tables.C1.optimizer={kind: adam}", "tables.C2.dtype=bf16"});
  EXPECT_EQ(numbers_of(model).table_optimizer_bytes, 1000 * 16 * 8);
  EXPECT_EQ(numbers_of(model).table_bytes, 39'000 * 16 * 4 - 2000 * 16 * 2);
}

TEST(ModelNumbers, first_order_weights_are_one_a_row_and_one_a_dense_feature) {
  const ModelNumbers with = numbers_of(load_model("deepfm_criteo"));
  const ModelNumbers without = numbers_of(load_model("deepfm_criteo", {"first_order=false"}));
  EXPECT_EQ(with.table_parameters - without.table_parameters, 33'762'577);
  EXPECT_EQ(with.table_bytes - without.table_bytes, 4 * 33'762'577.0);
  EXPECT_EQ(with.table_optimizer_bytes - without.table_optimizer_bytes, 8 * 33'762'577.0);
  EXPECT_EQ(with.dense_parameters - without.dense_parameters, 13 + 1);
}

TEST(ModelNumbers, ops_of_dot_are_in_the_order_of_a_step) {
  EXPECT_THAT(op_names(load_model("dlrm_small")),
              ElementsAre("embedding.forward", "bottom_mlp.0.forward", "bottom_mlp.1.forward",
                          "dot.forward", "top_mlp.0.forward", "top_mlp.1.forward",
                          "top_mlp.2.forward", "loss", "top_mlp.2.backward", "top_mlp.1.backward",
                          "top_mlp.0.backward", "dot.backward", "bottom_mlp.1.backward",
                          "bottom_mlp.0.backward", "embedding.update", "dense.update"));
}

TEST(ModelNumbers, ops_of_cross_layers_run_backwards_on_the_way_back) {
  EXPECT_THAT(
      op_names(load_model("dcnv2_small", {"top_mlp.widths=[1]", "bottom_mlp.widths=[]"})),
      ElementsAre("embedding.forward", "concat.forward", "cross.0.forward", "cross.1.forward",
                  "top_mlp.0.forward", "loss", "top_mlp.0.backward", "cross.1.backward",
                  "cross.0.backward", "concat.backward", "embedding.update", "dense.update"));
}

TEST(ModelNumbers, ops_of_fm_have_first_order_weights_first_and_last) {
  EXPECT_THAT(
      op_names(load_model("deepfm_criteo", {"top_mlp.widths=[1]"})),
      ElementsAre("embedding.forward", "first_order.forward", "concat.forward", "fm.forward",
                  "top_mlp.0.forward", "loss", "top_mlp.0.backward", "fm.backward",
                  "concat.backward", "first_order.backward", "embedding.update", "dense.update"));
}

TEST(ModelNumbers, bytes_of_an_op_are_what_goes_in_and_out) {
  // Tables of 16 f32: two features of 3 and 1 ids, one table in bf16.
  ModelSpec model = load_model("dlrm_small");
  model.tables.resize(2);
  model.tables[0].features[0].lookups = 3;
  model.tables[1].dtype = DType::bf16;
  auto ops = ops_by_name(model);
  EXPECT_EQ(ops["embedding.forward"].read_bytes, 3 * (4 + 64) + 1 * (4 + 32));
  EXPECT_EQ(ops["embedding.forward"].write_bytes, 2 * 64);
  EXPECT_EQ(ops["embedding.forward"].flop, (3 + 1) * 16);
  // Row-wise Adagrad: 4 more bytes of state a row, read and written.
  EXPECT_EQ(ops["embedding.update"].write_bytes, 3 * (64 + 4) + 1 * (32 + 4));
  EXPECT_EQ(ops["embedding.update"].read_bytes, 3 * (4 + 64 + 4) + 1 * (4 + 32 + 4) + 2 * 64);
  EXPECT_EQ(ops["bottom_mlp.0.forward"].read_bytes, 4 * 4);
  EXPECT_EQ(ops["bottom_mlp.0.forward"].write_bytes, 64 * 4);
  EXPECT_EQ(ops["bottom_mlp.0.forward"].parameters, 4 * 64 + 64);
  EXPECT_EQ(ops["bottom_mlp.0.backward"].flop, 2 * ops["bottom_mlp.0.forward"].flop);
  // Three vectors of 16; 16 + 3 come out.
  EXPECT_EQ(ops["dot.forward"].flop, 2 * 3 * 3 * 16);
  EXPECT_EQ(ops["dot.forward"].read_bytes, 3 * 64);
  EXPECT_EQ(ops["dot.forward"].write_bytes, 4 * (16 + 3));
}

TEST(ModelNumbers, the_dense_update_is_shared_by_the_samples_of_a_step) {
  const ModelSpec model = load_model("dlrm_small", {"batch=10"});
  auto ops = ops_by_name(model);
  const auto parameters = static_cast<double>(numbers_of(model).dense_parameters);
  EXPECT_EQ(ops["dense.update"].flop, parameters * 12 / 10);  // Adam
  EXPECT_EQ(ops["dense.update"].read_bytes, parameters * 16 / 10);
  EXPECT_EQ(ops["dense.update"].write_bytes, parameters * 12 / 10);
}

TEST(ModelNumbers, the_work_of_training_is_three_times_forward_without_attention) {
  for (const std::string& id : model_ids()) {
    const ModelSpec model = load_model(id);
    if (model.sequence) continue;
    const ModelNumbers numbers = numbers_of(model);
    EXPECT_DOUBLE_EQ(numbers.training_flop_per_sample, 3 * numbers.forward_flop_per_sample) << id;
  }
}

}  // namespace
}  // namespace ambidex
