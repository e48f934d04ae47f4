// SPDX-License-Identifier: Apache-2.0
// A network against an independent implementation, against finite differences, and against itself
// on other numbers of threads.
#include "train/network.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/random.h"
#include "kernels/dense.h"

namespace ambidex {
namespace {

using Json = nlohmann::json;

/// Ten steps by PyTorch in f64, made by tests/reference/make_reference.py.
std::vector<std::string> reference_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("tests/data/reference")) {
    files.push_back(entry.path().string());
  }
  return files;
}

Batch batch_of(const Json& json) {
  return {.size = std::ssize(json.at("labels")),
          .labels = json.at("labels").get<std::vector<float>>(),
          .dense = json.at("dense").get<std::vector<float>>(),
          .ids = json.at("ids").get<std::vector<int32_t>>()};
}

void set_weights(Parameters& parameters, const Json& tensors) {
  size_t num_set = 0;
  for (const NamedTensor& tensor : weight_tensors(parameters)) {
    const Json& from = tensors.at(tensor.name);
    ASSERT_EQ(from.at("shape").get<std::vector<int64_t>>(), tensor.shape) << tensor.name;
    const auto values = from.at("values").get<std::vector<float>>();
    std::memcpy(tensor.data, values.data(), values.size() * sizeof(float));
    ++num_set;
  }
  ASSERT_EQ(num_set, tensors.size());
}

/// Largest distance of any weight from the reference's final ones.
double weight_error(Parameters& parameters, const Json& tensors) {
  double error = 0;
  for (const NamedTensor& tensor : weight_tensors(parameters)) {
    const auto values = tensors.at(tensor.name).at("values").get<std::vector<double>>();
    const auto* ours = static_cast<const float*>(tensor.data);
    for (size_t i = 0; i < values.size(); ++i) {
      error = std::max(error, std::abs(static_cast<double>(ours[i]) - values[i]));
    }
  }
  return error;
}

class Reference : public testing::TestWithParam<std::string> {};

TEST_P(Reference, ten_steps_agree) {
  std::ifstream stream(GetParam());
  const Json json = Json::parse(stream);
  const ModelSpec model = parse_model(json.at("model").get<std::string>(), GetParam());
  Workers workers(2);
  Parameters parameters = make_parameters(model);
  initialize(parameters, model, workers);  // for the accumulators
  set_weights(parameters, json.at("initial"));
  Network network = make_network(model, parameters);
  const auto losses = json.at("losses").get<std::vector<double>>();
  ASSERT_EQ(losses.size(), 10u);
  for (size_t step = 0; step < losses.size(); ++step) {
    const Batch batch = batch_of(json.at("batches").at(step));
    const double loss = train_step(network, parameters, batch, static_cast<int64_t>(step), workers);
    EXPECT_NEAR(loss, losses[step], 2e-6) << "step " << step;
  }
  EXPECT_LT(weight_error(parameters, json.at("final")), 2e-5);
}

INSTANTIATE_TEST_SUITE_P(Files, Reference, testing::ValuesIn(reference_files()),
                         [](const auto& param) {
                           return std::filesystem::path(param.param).stem().string();
                         });

TEST(Network, the_reference_covers_every_interaction_and_optimizer) {
  std::string models;
  for (const std::string& file : reference_files()) {
    std::ifstream stream(file);
    models += Json::parse(stream).at("model").get<std::string>();
  }
  for (const char* word :
       {"kind: concat", "kind: dot", "kind: cross", "kind: fm", "kind: sgd", "kind: adagrad",
        "kind: rowwise_adagrad", "kind: adam", "kind: rowwise_adam",
        "momentum:", "weight_decay:", "warmup_steps:", "pooling: mean"}) {
    EXPECT_THAT(models, testing::HasSubstr(word));
  }
}

/// A model with all that a description can hold, around `kind`.
ModelSpec small_model(InteractionKind kind) {
  ModelSpec model{.id = "small"};
  model.dense_features = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
  model.tables = {{.name = "x", .rows = 30, .dim = 4, .init = 0.5, .features = {{.name = "x"}}},
                  {.name = "y",
                   .rows = 11,
                   .dim = 4,
                   .pooling = Pooling::mean,
                   .init = 0.5,
                   .features = {{.name = "y", .lookups = 3}, {.name = "z", .lookups = 2}}}};
  model.bottom_mlp = {.widths = {8, 4}};
  model.interaction = {.kind = kind, .layers = 2, .rank = 3};
  model.top_mlp = {.widths = {6, 5, 1}};
  model.first_order = kind == InteractionKind::fm;
  model.dense_optimizer = {.kind = OptimizerKind::adagrad, .lr = 0.05};
  model.sparse_optimizer = {.kind = OptimizerKind::rowwise_adagrad, .lr = 0.05};
  return model;
}

Batch random_batch(const ModelSpec& model, int64_t size, uint64_t key) {
  Batch batch{.size = size};
  uint64_t counter = 0;
  const auto unit = [&] { return random_unit(key, counter++); };
  for (int64_t i = 0; i < size; ++i) batch.labels.push_back(unit() < 0.4 ? 1.0F : 0.0F);
  for (int64_t i = 0; i < size * std::ssize(model.dense_features); ++i) {
    batch.dense.push_back(static_cast<float>(unit() * 2 - 0.5));
  }
  for (const TableSpec& table : model.tables) {
    for (const SparseFeature& feature : table.features) {
      for (int64_t i = 0; i < size; ++i) {
        const auto count = static_cast<int64_t>(unit() * static_cast<double>(feature.lookups + 1));
        for (int64_t j = 0; j < feature.lookups; ++j) {
          const bool is_id = j < count || feature.lookups == 1;
          batch.ids.push_back(is_id ? static_cast<int32_t>(unit() * static_cast<double>(table.rows))
                                    : -1);
        }
      }
    }
  }
  return batch;
}

/// Random weights, biases among them: at a bias of 0 a sample whose inputs are all 0 sits on the
/// edge of a ReLU, where there is no slope.
void set_random(Parameters& parameters, const ModelSpec& model, Workers& workers) {
  initialize(parameters, model, workers);
  for (const DenseSlice& slice : parameters.dense.slices) {
    if (slice.deviation > 0) continue;
    fill_normal(workers, parameters.dense.weights.data() + slice.begin, slice.size, 0.2,
                static_cast<uint64_t>(slice.begin));
  }
}

double loss_of(Network& network, Parameters& parameters, const Batch& batch, Workers& workers,
               const uint64_t* dropout_key = nullptr) {
  forward(network, parameters, batch, workers, dropout_key);
  return bce_loss(workers, network.logits.data(), batch.labels.data(), nullptr, batch.size);
}

class Interactions : public testing::TestWithParam<InteractionKind> {};

/// How many slopes were compared and how many differed. A few may: where a ReLU changes sides
/// within the step, the difference of two losses is not the slope.
struct Comparison {
  int num_checked = 0;
  int num_off = 0;
  std::string worst;

  void add(double gradient, double slope, double tolerance, const std::string& name) {
    ++num_checked;
    if (std::abs(gradient - slope) <= tolerance) return;
    ++num_off;
    worst += fmt::format("{}: gradient {} slope {}\n", name, gradient, slope);
  }
};

/// Central difference of the loss in one weight.
double slope_at(float& weight, Network& network, Parameters& parameters, const Batch& batch,
                Workers& workers, const uint64_t* dropout_key = nullptr) {
  constexpr float kStep = 1e-3F;
  const float before = weight;
  weight = before + kStep;
  const double above = loss_of(network, parameters, batch, workers, dropout_key);
  weight = before - kStep;
  const double below = loss_of(network, parameters, batch, workers, dropout_key);
  weight = before;
  return (above - below) / (2 * static_cast<double>(kStep));
}

TEST_P(Interactions, gradients_are_those_of_finite_differences) {
  ModelSpec model = small_model(GetParam());
  model.bottom_mlp.dropout = 0.2;
  model.top_mlp.dropout = 0.3;
  const uint64_t key = 21;  // the same activations are dropped each time
  Workers workers(1);
  Parameters parameters = make_parameters(model);
  set_random(parameters, model, workers);
  Network network = make_network(model, parameters);
  const Batch batch = random_batch(model, 24, 5);
  forward(network, parameters, batch, workers, &key);
  backward(network, parameters, batch, workers, &key);
  const Floats gradients = parameters.dense.gradients;
  Comparison comparison;
  for (const DenseSlice& slice : parameters.dense.slices) {
    for (int64_t i = slice.begin; i < slice.begin + slice.size; i += 1 + slice.size / 12) {
      const auto at = static_cast<size_t>(i);
      comparison.add(
          gradients[at],
          slope_at(parameters.dense.weights[at], network, parameters, batch, workers, &key), 5e-4,
          slice.name);
    }
  }
  EXPECT_GT(comparison.num_checked, 60);
  EXPECT_LE(comparison.num_off, comparison.num_checked / 20) << comparison.worst;
}

// Of a table, the step of plain SGD is the gradient.
TEST_P(Interactions, table_gradients_are_those_of_finite_differences) {
  ModelSpec model = small_model(GetParam());
  model.sparse_optimizer = {.kind = OptimizerKind::sgd, .lr = 1};
  Workers workers(1);
  Parameters trained = make_parameters(model), parameters = make_parameters(model);
  set_random(trained, model, workers);
  set_random(parameters, model, workers);
  Network network = make_network(model, parameters);
  const Batch batch = random_batch(model, 24, 6);
  train_step(network, trained, batch, 0, workers);
  Comparison comparison;
  for (size_t t = 0; t < parameters.tables.size(); ++t) {
    const TableView& view = parameters.tables[t].view;
    auto* weights = static_cast<float*>(view.weights);
    const auto* after = static_cast<const float*>(trained.tables[t].view.weights);
    for (int64_t i = 0; i < view.rows * view.dim; ++i) {
      comparison.add(weights[i] - after[i],
                     slope_at(weights[i], network, parameters, batch, workers), 5e-4,
                     parameters.tables[t].name);
    }
  }
  EXPECT_GT(comparison.num_checked, 150);
  EXPECT_LE(comparison.num_off, comparison.num_checked / 20) << comparison.worst;
}

TEST_P(Interactions, threads_do_not_change_a_bit) {
  ModelSpec model = small_model(GetParam());
  model.top_mlp.dropout = 0.25;
  std::vector<std::vector<float>> weights;
  for (const int threads : {1, 2, 3}) {
    Workers workers(threads);
    Parameters parameters = make_parameters(model);
    initialize(parameters, model, workers);
    Network network = make_network(model, parameters);
    for (int64_t step = 0; step < 5; ++step) {
      train_step(network, parameters, random_batch(model, 300, 10 + static_cast<uint64_t>(step)),
                 step, workers);
    }
    std::vector<float> all;
    for (const NamedTensor& tensor : weight_tensors(parameters)) {
      int64_t size = 1;
      for (const int64_t extent : tensor.shape) size *= extent;
      const auto* data = static_cast<const float*>(tensor.data);
      all.insert(all.end(), data, data + size);
    }
    weights.push_back(all);
  }
  for (size_t i = 1; i < weights.size(); ++i) {
    EXPECT_EQ(std::memcmp(weights[0].data(), weights[i].data(), weights[0].size() * 4), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Interactions,
                         testing::Values(InteractionKind::concat, InteractionKind::dot,
                                         InteractionKind::cross, InteractionKind::fm),
                         [](const auto& param) { return std::string(name_of(param.param)); });

TEST(Network, ops_have_the_names_of_the_model) {
  for (const InteractionKind kind : {InteractionKind::concat, InteractionKind::dot,
                                     InteractionKind::cross, InteractionKind::fm}) {
    const ModelSpec model = small_model(kind);
    Workers workers(1);
    Parameters parameters = make_parameters(model);
    Network network = make_network(model, parameters);
    Profile profile;
    train_step(network, parameters, random_batch(model, 8, 1), 0, workers, &profile);
    std::vector<std::string> run, described;
    for (const OpSeconds& op : profile.ops) run.push_back(op.name);
    for (const ModelOp& op : ops_of(model)) described.push_back(op.name);
    EXPECT_THAT(run, testing::ElementsAreArray(described)) << name_of(kind);
  }
}

// Without layers the dense features themselves are the bottom output.
TEST(Network, dense_features_without_a_tower_reach_the_interaction) {
  ModelSpec model = small_model(InteractionKind::dot);
  model.dense_features.push_back({.name = "d"});
  model.bottom_mlp.widths = {};
  validate(model);
  Workers workers(1);
  Parameters parameters = make_parameters(model);
  initialize(parameters, model, workers);
  Network network = make_network(model, parameters);
  Batch batch = random_batch(model, 5, 3);
  forward(network, parameters, batch, workers);
  for (int64_t s = 0; s < batch.size; ++s) {
    for (int64_t i = 0; i < 4; ++i) {
      EXPECT_EQ(network.interacted[static_cast<size_t>(s * interaction_dim(model) + i)],
                batch.dense[static_cast<size_t>(s * 4 + i)]);
    }
  }
}

TEST(Network, dropout_drops_in_training_alone) {
  ModelSpec model = small_model(InteractionKind::concat);
  model.top_mlp.dropout = 0.5;
  Workers workers(1);
  Parameters parameters = make_parameters(model);
  initialize(parameters, model, workers);
  Network network = make_network(model, parameters);
  const Batch batch = random_batch(model, 200, 3);
  const uint64_t key = 77;
  forward(network, parameters, batch, workers, &key);
  int64_t num_zero = 0;
  for (const float y : network.top[0].y) num_zero += y == 0 ? 1 : 0;
  forward(network, parameters, batch, workers);
  int64_t num_zero_without = 0;
  for (const float y : network.top[0].y) num_zero_without += y == 0 ? 1 : 0;
  const auto size = static_cast<double>(network.top[0].y.size());
  const double kept_without = 1 - static_cast<double>(num_zero_without) / size;
  const double kept = 1 - static_cast<double>(num_zero) / size;
  EXPECT_NEAR(kept, kept_without / 2, 0.06);
}

}  // namespace
}  // namespace ambidex
