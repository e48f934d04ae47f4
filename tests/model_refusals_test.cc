// SPDX-License-Identifier: Apache-2.0
// What a model file or an override may not say, and how that is told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ambidex/model.h"
#include "caught.h"

namespace ambidex {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kMine = R"(id: mine
dense_features: 2
tables:
  - {name: user, rows: 100, dim: 8}
  - {name: item, rows: 200, dim: 8}
bottom_mlp: {widths: [16, 8]}
interaction: {kind: dot}
top_mlp: {widths: [4, 1]}
)";

std::string refusal_of(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  const Caught error = caught([&] { parse_model(yaml, "mine.yaml", overrides); });
  EXPECT_EQ(error.kind, ErrorKind::bad_input) << error.message;
  return error.message;
}

/// Of kMine with one piece of text in place of another.
std::string refusal(const std::string& from, const std::string& to) {
  std::string text(kMine);
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return refusal_of(text.replace(at, from.size(), to));
}

std::string refused(const std::string& override) {
  return refusal_of(std::string(kMine), {override});
}

std::string preset_refused(const std::string& id, const std::string& override) {
  const Caught error = caught([&] { load_model(id, {override}); });
  EXPECT_EQ(error.kind, ErrorKind::bad_input) << error.message;
  return error.message;
}

TEST(ModelRefusal, an_unknown_preset_names_its_neighbours) {
  const Caught error = caught([] { load_model("dlrm_kagle"); });
  EXPECT_EQ(error.kind, ErrorKind::not_found);
  EXPECT_THAT(error.message, StartsWith("no model \"dlrm_kagle\"; nearest: dlrm_kaggle"));
  EXPECT_EQ(caught([] { load_model("./nowhere.yaml"); }).message, "no file \"./nowhere.yaml\"");
}

TEST(ModelRefusal, an_unknown_key_has_a_line_and_the_nearest_keys) {
  EXPECT_THAT(refusal("top_mlp", "top_mpl"),
              StartsWith("mine.yaml:8: no key \"top_mpl\"; nearest: top_mlp"));
  EXPECT_THAT(refusal("rows: 200", "rowz: 200"),
              StartsWith("mine.yaml:5: tables.item: no key \"rowz\"; nearest: rows"));
  EXPECT_THAT(refusal("rows: 200", "lookup: 2, rows: 200"), HasSubstr("nearest: lookups"));
  EXPECT_THAT(refusal("kind: dot", "kind: dots"),
              StartsWith("mine.yaml:7: interaction.kind: no kind \"dots\"; nearest: dot"));
}

TEST(ModelRefusal, a_value_of_the_wrong_kind_has_its_place) {
  EXPECT_EQ(refusal("rows: 200", "rows: many"),
            "mine.yaml:5: tables.item.rows: expected a whole number, got \"many\"");
  EXPECT_EQ(refusal("rows: 200", "rows: 1.5"),
            "mine.yaml:5: tables.item.rows: expected a whole number, got \"1.5\"");
  EXPECT_EQ(refusal("id: mine", "id: mine\ndense_optimizer: {lr: fast}"),
            "mine.yaml:2: dense_optimizer.lr: expected a number, got \"fast\"");
  EXPECT_EQ(refusal("id: mine", "id: mine\nfirst_order: maybe"),
            "mine.yaml:2: first_order: expected true or false, got \"maybe\"");
  EXPECT_EQ(refusal("{kind: dot}", "[dot]"),
            "mine.yaml:7: interaction: expected a map of keys, got a list");
  EXPECT_EQ(refusal("[4, 1]", "4"), "mine.yaml:8: top_mlp.widths: expected a list, got \"4\"");
  EXPECT_EQ(refusal("id: mine", "id:"), "mine.yaml:1: id: expected text, got nothing");
  EXPECT_EQ(refusal_of("[1]"), "mine.yaml:1: expected a map of keys, got a list");
}

TEST(ModelRefusal, sizes_have_bounds) {
  EXPECT_EQ(refusal("rows: 200", "rows: 0"),
            "mine.yaml:5: tables.item.rows: expected a whole number from 1 to 2147483647, got 0");
  EXPECT_THAT(refusal("rows: 200", "rows: 3000000000"), HasSubstr("got 3000000000"));
  EXPECT_THAT(refused("tables.*.dim=0"), HasSubstr("tables.user.dim: expected a whole number"));
  EXPECT_THAT(refused("tables.item.lookups=0"), HasSubstr("tables.item.features.item.lookups"));
  EXPECT_THAT(refused("tables.item.init=-1"), HasSubstr("expected a number >= 0, got -1"));
  EXPECT_THAT(refused("tables.item.dtype=int8"), HasSubstr("expected f32, f16 or bf16, got int8"));
  EXPECT_THAT(refused("top_mlp.widths=[0, 1]"), HasSubstr("top_mlp.widths.0: expected a whole"));
  EXPECT_THAT(refused("top_mlp.dropout=1"), HasSubstr("top_mlp.dropout: expected a number from 0"));
  EXPECT_THAT(refused("batch=0"), HasSubstr("batch: expected a whole number from 1"));
  EXPECT_THAT(refused("epochs=0"), HasSubstr("epochs: expected"));
  EXPECT_THAT(refused("early_stop=-1"), HasSubstr("early_stop: expected"));
  EXPECT_THAT(refused("data.shuffle_window=0"), HasSubstr("data.shuffle_window: expected"));
  std::string deep = "top_mlp.widths=[1";
  for (int i = 0; i < 64; ++i) deep += ", 1";
  EXPECT_THAT(refused(deep + "]"), HasSubstr("expected at most 64 layers, got 65"));
  EXPECT_THAT(refusal_of("id: x\ntables: [{name: t, count: 3000, rows: 1, dim: 1}, "
                         "{name: u, count: 3000, rows: 1, dim: 1}]\ntop_mlp: {widths: [1]}\n"),
              HasSubstr("tables: expected at most 4096, got 6000"));
  EXPECT_THAT(preset_refused("hstu_ml1m", "tables=[{name: t, count: 99, rows: 1e12, dim: 65536}]"),
              HasSubstr("more than 1152921504606846976 parameters up to this table"));
}

TEST(ModelRefusal, names_are_plain_and_given_once) {
  EXPECT_THAT(refusal("id: mine", "id: my model"), HasSubstr("got \"my model\""));
  EXPECT_THAT(refusal("name: item", "name: the item"),
              StartsWith("mine.yaml:5: tables.1.name: expected a name"));
  EXPECT_EQ(refusal("name: item", "name: user"),
            "mine.yaml:5: tables.1.name: the name \"user\" is given twice");
  EXPECT_THAT(refusal("name: item", "name: item, features: [I1]"),
              HasSubstr("the name \"I1\" is given twice"));
}

TEST(ModelRefusal, dims_must_fit_the_interaction) {
  EXPECT_EQ(refusal("rows: 200, dim: 8", "rows: 200, dim: 4"),
            "mine.yaml:5: tables.item.dim: 4, but that of user is 8; the interaction dot "
            "multiplies them, so they must be equal");
  EXPECT_THAT(refusal("[16, 8]", "[16]"),
              StartsWith("mine.yaml:6: bottom_mlp.widths: the tower is 16 wide at its end, but "
                         "tables are 8"));
  EXPECT_THAT(refused("tables=[]"), HasSubstr("tables: the interaction dot needs one"));
  EXPECT_THAT(refusal_of("id: x\ntables: [{name: t, rows: 1, dim: 1}]\ninteraction: {kind: dot}"
                         "\ntop_mlp: {widths: [1]}\n"),
              HasSubstr("interaction.kind: dot needs dense features"));
  EXPECT_THAT(refused("interaction={kind: cross, layers: 0}"), HasSubstr("interaction.layers"));
  EXPECT_THAT(refused("interaction={kind: cross, rank: 0}"), HasSubstr("interaction.rank"));
  EXPECT_THAT(preset_refused("deepfm_criteo", "tables.C3.dim=8"),
              HasSubstr("the interaction fm multiplies them"));
}

TEST(ModelRefusal, towers_need_an_input_and_a_logit) {
  EXPECT_THAT(refusal("[4, 1]", "[4, 2]"), HasSubstr("expected widths that end in 1, the logit"));
  EXPECT_THAT(refused("top_mlp.widths=[]"), HasSubstr("expected widths that end in 1"));
  EXPECT_THAT(refusal_of("id: x\ntop_mlp: {widths: [1]}\n"),
              HasSubstr("expected tables or dense_features, got neither"));
  EXPECT_THAT(refused("dense_features=[]"), HasSubstr("a tower without dense_features"));
}

TEST(ModelRefusal, optimizers_and_schedules_make_sense) {
  EXPECT_THAT(refused("dense_optimizer.lr=0"), HasSubstr("lr: expected a number > 0, got 0"));
  EXPECT_THAT(refused("sparse_optimizer.beta1=1"), HasSubstr("beta1: expected a number from 0"));
  EXPECT_THAT(refused("sparse_optimizer={kind: adam, eps: 0}"), HasSubstr("eps: expected a numb"));
  EXPECT_THAT(refused("dense_optimizer.weight_decay=-1"), HasSubstr("expected a number >= 0"));
  EXPECT_THAT(refused("sparse_optimizer.momentum=0.5"), HasSubstr("only sgd of dense_optimizer"));
  EXPECT_THAT(refused("tables.user.optimizer.lr=-1"), HasSubstr("tables.user.optimizer.lr"));
  EXPECT_THAT(refused("schedule.warmup_steps=-1"), HasSubstr("schedule.warmup_steps"));
  EXPECT_THAT(refused("schedule.power=0"), HasSubstr("schedule.power: expected a number > 0"));
  EXPECT_THAT(refused("schedule.end_ratio=2"), HasSubstr("end_ratio: expected a number from 0"));
  EXPECT_THAT(refused("schedule.decay_steps=5"), HasSubstr("a constant schedule does not decay"));
  EXPECT_THAT(refused("schedule={kind: cosine}"), HasSubstr("schedule.decay_steps: expected"));
  EXPECT_THAT(
      refused("schedule={kind: cosine, decay_steps: 9, warmup_steps: 5, decay_start_step: 4}"),
      HasSubstr("4 is before the end of warmup_steps, 5"));
}

TEST(ModelRefusal, a_split_leaves_something_to_train_on) {
  EXPECT_THAT(refused("data.split={kind: tail, valid_ratio: 0.5, test_ratio: 0.5}"),
              HasSubstr("nothing is left to train on"));
  EXPECT_THAT(refused("data.split.valid_ratio=-0.5"), HasSubstr("data.split.valid_ratio"));
}

TEST(ModelRefusal, a_sequence_model_is_one_of_its_own) {
  const auto hstu = [](const std::string& override) {
    return preset_refused("hstu_ml1m", override);
  };
  EXPECT_THAT(hstu("top_mlp.widths=[1]"), HasSubstr("sequence: such a model has no"));
  EXPECT_THAT(hstu("tables=[]"), HasSubstr("tables: a sequence model needs one"));
  EXPECT_THAT(hstu("sequence.layers=0"), HasSubstr("sequence.layers"));
  EXPECT_THAT(hstu("sequence.tokens_per_layer=[1]"), HasSubstr("only onetrans has it"));
  EXPECT_THAT(hstu("sequence.context_tokens=201"), HasSubstr("sequence.context_tokens"));
  EXPECT_THAT(hstu("sequence.num_negatives=0"), HasSubstr("expected widths, or num_negatives"));
  EXPECT_THAT(hstu("sequence.head_widths=[2]"), HasSubstr("expected them to end in num_tasks, 1"));
  const auto onetrans = [](const std::string& override) {
    return preset_refused("onetrans_large", override);
  };
  EXPECT_THAT(onetrans("sequence.tokens_per_layer=[3]"), HasSubstr("one for each of 8 layers"));
  EXPECT_THAT(onetrans("sequence.tokens_per_layer.2=1305"), HasSubstr("tokens_per_layer.2"));
  EXPECT_THAT(onetrans("sequence.feed_forward=0"), HasSubstr("sequence.feed_forward"));
  EXPECT_THAT(onetrans("sequence.concat_output=true"), HasSubstr("only hstu has it"));
}

TEST(ModelRefusal, short_forms_are_bounded) {
  EXPECT_EQ(refusal("dense_features: 2", "dense_features: 99999"),
            "mine.yaml:2: dense_features: expected a count from 0 to 16384, got \"99999\"");
  EXPECT_EQ(refusal("rows: 200,", "rows: 200, count: x,"),
            "mine.yaml:5: tables.count: expected a count from 0 to 4096, got \"x\"");
  EXPECT_EQ(refusal("tables:", "table_defaults: [1]\ntables:"),
            "mine.yaml:3: table_defaults: expected a map of keys, got a list");
  std::string features = "features: [a";
  for (int i = 0; i < 2000; ++i) features += ", a";
  EXPECT_THAT(refusal("rows: 200,", "rows: 200, count: 4000, " + features + "],"),
              HasSubstr("stands for more than 1000000 values"));
  EXPECT_EQ(refusal("rows: 200,", "rows: 200, lookups: 2, features: [{name: a, lookups: 3}],"),
            "mine.yaml:5: tables.item.lookups: each feature of the table has its own; set "
            "tables.item.features.*.lookups");
}

TEST(ModelRefusal, a_wrong_override_is_named) {
  EXPECT_THAT(refused("tables.*.rowz=5"),
              StartsWith("--set tables.*.rowz=5: tables.user: no key \"rowz\"; nearest: rows"));
  EXPECT_THAT(refused("batch=0"), StartsWith("--set batch=0: batch: expected"));
  EXPECT_THAT(refused("top_mlp.widths=[4, 0]"), StartsWith("--set top_mlp.widths=[4, 0]: "));
  EXPECT_EQ(refused("batch"), "--set batch: expected path.to.key=value");
  EXPECT_EQ(refused("a..b=1"), "--set a..b=1: expected path.to.key=value, got key \"\"");
  EXPECT_EQ(refused("a\n=1"), "--set a\\x0a=1: expected path.to.key=value, got key \"a\\x0a\"");
  EXPECT_EQ(refused("batch= "), "--set batch= : no value after \"=\"");
  EXPECT_THAT(refused("batch=&x 1"), StartsWith("--set batch=&x 1:1: YAML anchors are"));
  EXPECT_EQ(refused("tables.C9.rows=1"),
            "--set tables.C9.rows=1: no entry of tables \"C9\"; nearest: user, item");
  EXPECT_EQ(refused("id.x=1"), "--set id.x=1: id is \"mine\", which has no keys");
  EXPECT_EQ(refused("top_mlp.dropouts.*=1"),
            "--set top_mlp.dropouts.*=1: top_mlp.dropouts has no "
            "entries");
  EXPECT_EQ(refused("batch<=5"), "--set batch<=5: no \"batch\" to limit");
  EXPECT_EQ(refused("id<=5"), "--set id<=5: id is \"mine\", which has no limit");
  EXPECT_EQ(refused("tables.*.rows<=x"), "--set tables.*.rows<=x: \"<=\" needs a number");
  EXPECT_EQ(refused("table_defaults.dim=4"),
            "--set table_defaults.dim=4: table_defaults are merged into the tables before; set "
            "tables.*.KEY");
}

TEST(ModelRefusal, a_struct_filled_by_hand_is_held_to_the_same) {
  ModelSpec model = load_model("dlrm_small");
  model.tables[3].features.clear();
  EXPECT_EQ(caught([&] { validate(model); }).message, "tables.C4.features: expected at least one");
}

}  // namespace
}  // namespace ambidex
