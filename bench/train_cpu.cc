// SPDX-License-Identifier: Apache-2.0
// train_cpu --model M --batch B --max-rows R: seconds of a training step on batches in memory,
// beside a step that does nothing but its matrix products. Before it times, the loss of the first
// step is checked against ln 2, where untrained weights must be near. One JSON document; its keys
// are those of train_pytorch.py, and compare_train_cpu.py runs both by turns.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/random.h"
#include "kernels/linear.h"
#include "train/network.h"

namespace ambidex {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kNumBatches = 8;

double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

/// Uniform ids and dense features, labels at random.
Batch random_batch(const ModelSpec& model, uint64_t key) {
  Batch batch{.size = model.batch};
  uint64_t counter = 0;
  const auto unit = [&] { return random_unit(key, counter++); };
  for (int64_t i = 0; i < model.batch; ++i) batch.labels.push_back(unit() < 0.5 ? 1.0F : 0.0F);
  for (int64_t i = 0; i < model.batch * std::ssize(model.dense_features); ++i) {
    batch.dense.push_back(static_cast<float>(unit()));
  }
  for (const TableSpec& table : model.tables) {
    for (const SparseFeature& feature : table.features) {
      for (int64_t i = 0; i < model.batch * feature.lookups; ++i) {
        batch.ids.push_back(static_cast<int32_t>(unit() * static_cast<double>(table.rows)));
      }
    }
  }
  return batch;
}

/// One fully connected layer of a step, its three products.
struct Product {
  int64_t in = 0;
  int64_t out = 0;
  bool has_input_gradient = true;
};

std::vector<Product> products_of(const ModelSpec& model) {
  std::vector<Product> products;
  const auto add_mlp = [&](int64_t in, const MlpSpec& mlp, bool has_input_gradient) {
    for (const int64_t out : mlp.widths) {
      products.push_back({in, out, has_input_gradient});
      has_input_gradient = true;
      in = out;
    }
  };
  add_mlp(std::ssize(model.dense_features), model.bottom_mlp, false);
  if (model.interaction.kind == InteractionKind::cross) {
    for (int64_t i = 0; i < model.interaction.layers; ++i) {
      products.push_back({concat_dim(model), model.interaction.rank});
      products.push_back({model.interaction.rank, concat_dim(model)});
    }
  }
  add_mlp(interaction_dim(model), model.top_mlp, true);
  return products;
}

/// The matrix products of a step, each on memory of its own as in a step.
struct ProductStep {
  struct Buffers {
    Floats x, w, y, dw;
  };
  std::vector<Product> products;
  std::vector<Buffers> buffers;

  explicit ProductStep(const ModelSpec& model) : products(products_of(model)) {
    for (const Product& p : products) {
      const auto size = [](int64_t a, int64_t b) { return static_cast<size_t>(a * b); };
      buffers.push_back({Floats(size(model.batch, p.in), 0.5F), Floats(size(p.in, p.out), 0.01F),
                         Floats(size(model.batch, p.out)), Floats(size(p.in, p.out))});
    }
  }

  void run(Workers& workers, int64_t batch) {
    for (size_t i = 0; i < products.size(); ++i) {
      const auto [in, out, has_input_gradient] = products[i];
      linear_forward(workers, buffers[i].x.data(), in, buffers[i].w.data(), nullptr,
                     buffers[i].y.data(), out, batch, in, out, Activation::none);
    }
    for (size_t i = products.size(); i-- > 0;) {
      const auto [in, out, has_input_gradient] = products[i];
      linear_backward_weight(workers, buffers[i].x.data(), in, buffers[i].y.data(), out,
                             buffers[i].dw.data(), nullptr, batch, in, out);
      if (!has_input_gradient) continue;
      linear_backward_input(workers, buffers[i].y.data(), out, buffers[i].w.data(),
                            buffers[i].x.data(), in, nullptr, 0, batch, in, out);
    }
  }
};

struct Words {
  std::string model = "dlrm_kaggle";
  int64_t batch = 2048;
  int threads = 0;  // 0: all
  int64_t steps = 30;
  int64_t max_rows = 0;  // of a table, 0: as they are
};

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

double median_deviation(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances;
  for (const double value : values) distances.push_back(std::abs(value - middle));
  return median(distances);
}

int run(const ModelSpec& model, const Words& words) {
  const int64_t steps = words.steps;
  Workers workers(words.threads);
  Parameters parameters = make_parameters(model);
  initialize(parameters, model, workers);
  Network network = make_network(model, parameters);
  std::vector<Batch> batches;
  for (int64_t i = 0; i < kNumBatches; ++i) {
    batches.push_back(random_batch(model, static_cast<uint64_t>(i)));
  }
  ProductStep product_step(model);
  const double first_loss = train_step(network, parameters, batches[0], 0, workers);
  if (!(std::abs(first_loss - std::log(2.0)) < 0.2)) {
    fmt::print(stderr, "the first loss is {}, far from ln 2\n", first_loss);
    return 1;
  }
  product_step.run(workers, model.batch);
  std::vector<double> step_times, product_times;
  for (int64_t step = 1; step <= steps; ++step) {  // by turns: a noisy neighbour meets both
    Clock::time_point from = Clock::now();
    train_step(network, parameters, batches[static_cast<size_t>(step % kNumBatches)], step,
               workers);
    step_times.push_back(seconds_since(from));
    from = Clock::now();
    product_step.run(workers, model.batch);
    product_times.push_back(seconds_since(from));
  }
  const double step_seconds = median(step_times);
  nlohmann::ordered_json out{
      {"model", model.id},
      {"max_rows", words.max_rows},
      {"batch", model.batch},
      {"threads", workers.size()},
      {"ids", "uniform"},
      {"steps", steps},
      {"step_seconds", step_seconds},
      {"step_seconds_mad", median_deviation(step_times)},
      {"matmul_seconds", median(product_times)},
      {"matmul_share_ratio", median(product_times) / step_seconds},
      {"flop_per_second", numbers_of(model).training_flop_per_sample *
                              static_cast<double>(model.batch) / step_seconds},
      {"version", std::string("ambidex ") + AMBIDEX_VERSION}};
  fmt::print("{}\n", out.dump());
  return 0;
}

}  // namespace
}  // namespace ambidex

int main(int argc, char** argv) {
  CLI::App app("Seconds of a training step on the CPU");
  ambidex::Words words;
  app.add_option("--model", words.model, "As of ambidex train");
  app.add_option("--batch", words.batch)->check(CLI::PositiveNumber);
  app.add_option("--threads", words.threads)->check(CLI::Range(0, 1024));
  app.add_option("--steps", words.steps)->check(CLI::PositiveNumber);
  app.add_option("--max-rows", words.max_rows, "Of a table; 0: as they are");
  CLI11_PARSE(app, argc, argv);
  try {
    std::vector<std::string> overrides{fmt::format("batch={}", words.batch)};
    if (words.max_rows > 0) overrides.push_back(fmt::format("tables.*.rows<={}", words.max_rows));
    return ambidex::run(ambidex::load_model(words.model, overrides), words);
  } catch (const ambidex::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return ambidex::exit_code(error.kind);
  }
}
