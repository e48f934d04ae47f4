// SPDX-License-Identifier: Apache-2.0
// Models as files: presets, short forms, overrides.
#include "ambidex/model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "ambidex/model_fields.h"

namespace ambidex {
namespace {

using ::testing::ElementsAre;

// What a user writes, and nothing else is needed.
constexpr std::string_view kMine = R"(id: mine
dense_features: 2
table_defaults: {dim: 8}
tables:
  - {name: user, rows: 100}
  - {name: item, rows: 200, lookups: 3, features: [clicked, bought]}
  - {name: t, rows: 10, count: 2}
bottom_mlp: {widths: [16, 8]}
interaction: {kind: dot}
top_mlp: {widths: [4, 1]}
)";

ModelSpec mine(const std::vector<std::string>& overrides = {}) {
  return parse_model(kMine, "mine.yaml", overrides);
}

std::string mine_with(const std::string& from, const std::string& to) {
  std::string text(kMine);
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return text.replace(at, from.size(), to);
}

std::vector<std::string> table_names(const ModelSpec& model) {
  std::vector<std::string> names;
  for (const TableSpec& table : model.tables) names.push_back(table.name);
  return names;
}

TEST(Model, every_preset_loads_and_survives_being_written_out) {
  ASSERT_GE(model_ids().size(), 17u);
  for (const std::string& id : model_ids()) {
    const ModelSpec model = load_model(id);
    EXPECT_EQ(model.id, id);
    EXPECT_FALSE(model.description.empty()) << id;
    EXPECT_FALSE(model.source.empty()) << id;
    validate(model);
    EXPECT_EQ(parse_model(yaml_of(model), id), model) << yaml_of(model);
  }
}

TEST(Model, the_example_of_the_documentation_is_one) {
  std::ifstream page(AMBIDEX_SOURCE_DIR "/docs/models.md");
  std::string yaml;
  for (std::string line; std::getline(page, line);) {
    const bool is_code = line.starts_with("    ");
    if (yaml.empty() ? line.starts_with("    id: ") : is_code) yaml += line.substr(4) + "\n";
    if (!yaml.empty() && !is_code) break;
  }
  const ModelSpec model = parse_model(yaml, "docs/models.md");
  EXPECT_THAT(table_names(model), ElementsAre("user", "item", "shop1", "shop2", "shop3"));
  EXPECT_EQ(num_lookups(model), 1 + 2 * 20 + 3);
}

TEST(Model, every_field_survives_being_written_out) {
  ModelSpec model = mine();
  model.description = "a \"quoted\" word, a \\ and a : # in it";
  model.tables[0].optimizer = OptimizerSpec{.kind = OptimizerKind::rowwise_adam, .lr = 1.0 / 3};
  model.tables[0].dtype = DType::bf16;
  model.tables[0].pooling = Pooling::mean;
  model.tables[1].features[0].encoding = IdEncoding::vocabulary;
  model.tables[1].features[0].field = "a field, with blanks";
  model.dense_features[0].transform = DenseTransform::log_squared;
  model.dense_optimizer.momentum = 0.9;
  model.schedule = {ScheduleKind::cosine, 3, 5, 7, 2.5, 0.25};
  model.data = {.format = "csv",
                .label = "click",
                .label_at_least = 3.5,
                .split = {SplitKind::tail, 0.25, 0.125, 7},
                .shuffle_window = 9};
  model.first_order = true;
  model.epochs = 12;
  EXPECT_EQ(parse_model(yaml_of(model), "written"), model) << yaml_of(model);
}

TEST(Model, short_forms_are_written_out) {
  const ModelSpec model = mine();
  ASSERT_EQ(model.dense_features.size(), 2u);
  EXPECT_EQ(model.dense_features[1], DenseFeature{.name = "I2"});
  EXPECT_THAT(table_names(model), ElementsAre("user", "item", "t1", "t2"));
  for (const TableSpec& table : model.tables) EXPECT_EQ(table.dim, 8);
  EXPECT_THAT(model.tables[0].features, ElementsAre(SparseFeature{.name = "user"}));
  EXPECT_THAT(model.tables[1].features, ElementsAre(SparseFeature{.name = "clicked", .lookups = 3},
                                                    SparseFeature{.name = "bought", .lookups = 3}));
  EXPECT_THAT(model.tables[3].features, ElementsAre(SparseFeature{.name = "t2"}));
}

TEST(Model, dense_features_can_be_names_maps_and_repeated) {
  const ModelSpec model = parse_model(
      mine_with("dense_features: 2",
                "dense_features: [age, {name: price, transform: none, field: \"the price\"}, "
                "{name: d, count: 2, transform: standard}]"),
      "mine.yaml");
  EXPECT_THAT(model.dense_features,
              ElementsAre(DenseFeature{.name = "age"},
                          DenseFeature{"price", "the price", DenseTransform::none},
                          DenseFeature{"d1", "", DenseTransform::standard},
                          DenseFeature{"d2", "", DenseTransform::standard}));
}

TEST(Model, a_key_of_a_table_beats_the_default_of_all) {
  const ModelSpec model = parse_model(
      mine_with("rows: 100}", "rows: 100, dim: 8, pooling: mean, dtype: f16}") + "batch: 1e3\n",
      "mine.yaml");
  EXPECT_EQ(model.tables[0].dtype, DType::f16);
  EXPECT_EQ(model.tables[0].pooling, Pooling::mean);
  EXPECT_EQ(model.tables[1].pooling, Pooling::sum);
  EXPECT_EQ(model.batch, 1000);
}

TEST(Model, overrides_reach_every_depth) {
  const ModelSpec model =
      mine({"batch=256", "dense_optimizer.lr=0.1", "top_mlp.widths=[64, 32, 1]", "tables.*.rows=7",
            "tables.item.rows=9", "tables.0.init=0.5", "tables.*.optimizer.kind=adam",
            "bottom_mlp.widths.0=24", "dense_features.*.transform=none", "data.split.kind=tail"});
  EXPECT_EQ(model.batch, 256);
  EXPECT_EQ(model.dense_optimizer.lr, 0.1);
  EXPECT_THAT(model.top_mlp.widths, ElementsAre(64, 32, 1));
  EXPECT_THAT(model.bottom_mlp.widths, ElementsAre(24, 8));
  EXPECT_EQ(model.tables[0].rows, 7);
  EXPECT_EQ(model.tables[0].init, 0.5);
  EXPECT_EQ(model.tables[1].rows, 9);
  EXPECT_EQ(model.tables[3].rows, 7);
  for (const TableSpec& table : model.tables) {
    EXPECT_EQ(table.optimizer.value().kind, OptimizerKind::adam);
  }
  EXPECT_EQ(model.dense_features[1].transform, DenseTransform::none);
  EXPECT_EQ(model.data.split.kind, SplitKind::tail);
}

TEST(Model, a_cap_lowers_what_is_greater) {
  const ModelSpec model = load_model("mlperf_dlrm_dcnv2", {"tables.*.rows<=100000"});
  EXPECT_EQ(model.tables[0].rows, 100000);
  EXPECT_EQ(model.tables[1].rows, 39060);
}

TEST(Model, overrides_can_bring_short_forms) {
  const ModelSpec model =
      mine({"tables=[{name: x, count: 3, rows: 5, dim: 8, features: [a]}]",
            "tables.x1.features=[p, q]", "tables.x2.features=null", "tables.x3.features=[]",
            "dense_features=[age]", "tables.*.lookups=4"});
  EXPECT_THAT(table_names(model), ElementsAre("x1", "x2", "x3"));
  EXPECT_THAT(model.tables[0].features, ElementsAre(SparseFeature{.name = "p", .lookups = 4},
                                                    SparseFeature{.name = "q", .lookups = 4}));
  EXPECT_THAT(model.tables[1].features, ElementsAre(SparseFeature{.name = "x2", .lookups = 4}));
  EXPECT_THAT(model.tables[2].features, ElementsAre(SparseFeature{.name = "x3", .lookups = 4}));
}

TEST(Model, later_overrides_win) {
  EXPECT_EQ(mine({"batch=1", "batch=2"}).batch, 2);
  EXPECT_EQ(mine({"tables.*.rows=9", "tables.*.rows<=5", "tables.user.rows=7"}).tables[0].rows, 7);
}

TEST(Model, a_file_is_loaded_by_its_path) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "ambidex_model_test.yaml";
  std::ofstream(path) << kMine;
  EXPECT_EQ(load_model(path.string(), {"batch=5"}), mine({"batch=5"}));
  std::filesystem::remove(path);
}

TEST(Model, a_criteo_preset_has_criteos_names) {
  for (const char* id : {"dlrm_kaggle", "dlrm_terabyte_10m", "mlperf_dlrm_v1", "mlperf_dlrm_dcnv2",
                         "deepfm_criteo"}) {
    const ModelSpec model = load_model(id);
    ASSERT_EQ(model.tables.size(), 26u) << id;
    ASSERT_EQ(model.dense_features.size(), 13u) << id;
    EXPECT_EQ(model.tables[25].features[0].name, "C26") << id;
    EXPECT_EQ(model.dense_features[12].name, "I13") << id;
  }
}

TEST(Model, every_enumerator_has_its_name) {
  EXPECT_EQ(name_of(OptimizerKind::rowwise_adam), "rowwise_adam");
  EXPECT_EQ(name_of(ScheduleKind::cosine), "cosine");
  EXPECT_EQ(name_of(DenseTransform::log_squared), "log_squared");
  EXPECT_EQ(name_of(IdEncoding::vocabulary), "vocabulary");
  EXPECT_EQ(name_of(Pooling::mean), "mean");
  EXPECT_EQ(name_of(InteractionKind::fm), "fm");
  EXPECT_EQ(name_of(LossKind::bce), "bce");
  EXPECT_EQ(name_of(SplitKind::tail), "tail");
  EXPECT_EQ(name_of(SplitPart::all), "all");
  EXPECT_EQ(name_of(SequenceKind::onetrans), "onetrans");
}

TEST(Model, null_takes_an_optional_value_away) {
  const ModelSpec model = load_model("ml100k_deepfm", {"data.label_at_least=null"});
  EXPECT_FALSE(model.data.label_at_least);
}

}  // namespace
}  // namespace ambidex
