// SPDX-License-Identifier: Apache-2.0
// The ops of a training step at the shapes of dlrm_kaggle and of DLRM-DCNv2, on all processors.
// Every op is checked against its plain-loop twin on a few samples before it is timed.
#include <benchmark/benchmark.h>

#include <cmath>
#include <random>
#include <vector>

#include "ambidex/base.h"
#include "kernels/dense.h"
#include "kernels/embedding.h"
#include "kernels/interaction.h"
#include "kernels/linear.h"

namespace ambidex {
namespace {

using Floats = std::vector<float>;

Workers& workers() {
  static Workers all;
  return all;
}

Floats random_floats(int64_t size, uint64_t key) {
  Floats values(static_cast<size_t>(size));
  fill_uniform(workers(), values.data(), size, 1, key);
  return values;
}

void expect_near(const Floats& actual, const Floats& expected) {
  for (size_t i = 0; i < actual.size(); ++i) {
    const double error = std::abs(actual[i] - expected[i]);
    check(error <= 1e-3 * (1 + std::abs(expected[i])), "a kernel agrees with its twin");
  }
}

void set_flop(benchmark::State& state, double flop) {
  state.counters["FLOP/s"] =
      benchmark::Counter(flop, benchmark::Counter::kIsIterationInvariantRate);
}

void set_bytes(benchmark::State& state, double bytes) {
  state.counters["B/s"] = benchmark::Counter(bytes, benchmark::Counter::kIsIterationInvariantRate);
}

struct Layer {
  int64_t batch, in, out;
  Floats x, w, bias, y, dy, dx, dw, dbias;
  Layer(int64_t num_samples, int64_t num_in, int64_t num_out)
      : batch(num_samples),
        in(num_in),
        out(num_out),
        x(random_floats(batch * in, 1)),
        w(random_floats(out * in, 2)),
        bias(random_floats(out, 3)),
        y(static_cast<size_t>(batch * out)),
        dy(random_floats(batch * out, 4)),
        dx(x.size()),
        dw(w.size()),
        dbias(bias.size()) {}
  void forward() {
    linear_forward(workers(), x.data(), in, w.data(), bias.data(), y.data(), out, batch, in, out,
                   Activation::relu);
  }
  void backward_input() {
    linear_backward_input(workers(), dy.data(), out, w.data(), dx.data(), in, x.data(), in, batch,
                          in, out);
  }
  void backward_weight() {
    linear_backward_weight(workers(), x.data(), in, dy.data(), out, dw.data(), dbias.data(), batch,
                           in, out);
  }
  double flop() const { return 2.0 * static_cast<double>(batch * in * out); }
};

/// On the layer with 8 samples.
void check_layer(int64_t in, int64_t out) {
  Layer layer(8, in, out);
  Floats expected(layer.y.size());
  layer.forward();
  twin::linear_forward(layer.x.data(), in, layer.w.data(), layer.bias.data(), expected.data(), out,
                       8, in, out, Activation::relu);
  expect_near(layer.y, expected);
  layer.backward_input();
  expected.resize(layer.dx.size());
  twin::linear_backward_input(layer.dy.data(), out, layer.w.data(), expected.data(), in,
                              layer.x.data(), in, 8, in, out);
  expect_near(layer.dx, expected);
  layer.backward_weight();
  expected.resize(layer.dw.size());
  twin::linear_backward_weight(layer.x.data(), in, layer.dy.data(), out, expected.data(), nullptr,
                               8, in, out);
  expect_near(layer.dw, expected);
}

void linear(benchmark::State& state, void (Layer::*pass)()) {
  Layer layer(state.range(0), state.range(1), state.range(2));
  check_layer(layer.in, layer.out);
  for (auto _ : state) (layer.*pass)();
  set_flop(state, layer.flop());
}

void layers(benchmark::internal::Benchmark* bench) {
  bench->UseRealTime();
  for (const int64_t batch : {128, 2048}) {
    for (const auto& [in, out] :
         {std::pair{13, 512}, {512, 256}, {256, 64}, {64, 16}, {367, 512}, {256, 1}}) {
      bench->Args({batch, in, out});
    }
  }
  for (const auto& [in, out] :
       {std::pair{3456, 512}, {512, 3456}, {3456, 1024}, {1024, 1024}, {1024, 512}}) {
    bench->Args({2048, in, out});
  }
}
BENCHMARK_CAPTURE(linear, forward, &Layer::forward)->Apply(layers);
BENCHMARK_CAPTURE(linear, backward_input, &Layer::backward_input)->Apply(layers);
BENCHMARK_CAPTURE(linear, backward_weight, &Layer::backward_weight)->Apply(layers);

/// Tables of one dim with `rows` rows, and Zipf-like ids.
struct Tables {
  int64_t batch;
  std::vector<Floats> weights, state;
  std::vector<std::vector<int32_t>> ids;
  Floats pooled, gradient;
  std::vector<TableView> views;
  std::vector<FeatureLookup> features;
  std::vector<OptimizerSpec> optimizers;
  EmbeddingScratch scratch;

  Tables(int64_t num_samples, int64_t rows, int64_t dim, const std::vector<int64_t>& lookups,
         OptimizerKind kind)
      : batch(num_samples), optimizers(lookups.size(), {.kind = kind}) {
    const auto num_tables = static_cast<int64_t>(lookups.size());
    pooled.resize(static_cast<size_t>(batch * num_tables * dim));
    gradient = random_floats(batch * num_tables * dim, 9);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(0, std::log(static_cast<double>(rows)));
    for (int64_t t = 0; t < num_tables; ++t) {
      weights.push_back(random_floats(rows * dim, static_cast<uint64_t>(t)));
      state.emplace_back(weights.back().size());
      auto& list = ids.emplace_back(static_cast<size_t>(batch * lookups[static_cast<size_t>(t)]));
      for (int32_t& id : list) id = static_cast<int32_t>(std::exp(uniform(random))) - 1;
      views.push_back({weights.back().data(), state.back().data(), nullptr, rows, dim});
      features.push_back({static_cast<int32_t>(t), Pooling::sum, list.data(),
                          lookups[static_cast<size_t>(t)], pooled.data() + t * dim,
                          num_tables * dim, gradient.data() + t * dim, num_tables * dim});
    }
  }
  void forward() { embedding_forward(workers(), views, features, batch); }
  void update() {
    embedding_update(workers(), views, optimizers, features, batch, {.lr_factor = 1e-6}, scratch);
  }
  double row_bytes() const {
    double rows = 0;
    for (const auto& list : ids) rows += static_cast<double>(list.size());
    return rows * static_cast<double>(views.front().dim) * 4;
  }
};

std::vector<int64_t> lookups_of(bool is_multi_hot) {
  if (!is_multi_hot) return std::vector<int64_t>(26, 1);
  return {3, 2, 1, 2, 6, 1, 1, 1, 1, 7, 3, 8, 1, 6, 9, 5, 1, 1, 1, 12, 100, 27, 10, 3, 1, 1};
}

void check_tables(int64_t dim, OptimizerKind kind) {
  Tables ours(8, 50, dim, {1, 3, 1}, kind);
  Tables expected(8, 50, dim, {1, 3, 1}, kind);
  ours.forward();
  twin::embedding_forward(expected.views, expected.features, 8);
  expect_near(ours.pooled, expected.pooled);
  ours.update();
  twin::embedding_update(expected.views, expected.optimizers, expected.features, 8,
                         {.lr_factor = 1e-6});
  for (size_t t = 0; t < 3; ++t) expect_near(ours.weights[t], expected.weights[t]);
}

// Arguments: batch, rows, dim, whether lookups are those of DLRM-DCNv2.
void embedding(benchmark::State& state, void (Tables::*pass)(), OptimizerKind kind) {
  check_tables(state.range(2), kind);
  Tables tables(state.range(0), state.range(1), state.range(2), lookups_of(state.range(3) != 0),
                kind);
  for (auto _ : state) (tables.*pass)();
  set_bytes(state, tables.row_bytes());
}

void kaggle_tables(benchmark::internal::Benchmark* bench) {
  bench->UseRealTime()->Args({128, 300000, 16, 0})->Args({2048, 300000, 16, 0});
}
void dcnv2_tables(benchmark::internal::Benchmark* bench) {
  bench->UseRealTime()->Unit(benchmark::kMillisecond)->Args({2048, 100000, 128, 1});
}
BENCHMARK_CAPTURE(embedding, forward, &Tables::forward, OptimizerKind::sgd)
    ->Apply(kaggle_tables)
    ->Apply(dcnv2_tables);
BENCHMARK_CAPTURE(embedding, update_sgd, &Tables::update, OptimizerKind::sgd)->Apply(kaggle_tables);
BENCHMARK_CAPTURE(embedding, update_adagrad, &Tables::update, OptimizerKind::adagrad)
    ->Apply(kaggle_tables)
    ->Apply(dcnv2_tables);
BENCHMARK_CAPTURE(embedding, update_rowwise_adagrad, &Tables::update,
                  OptimizerKind::rowwise_adagrad)
    ->Apply(dcnv2_tables);

// Arguments: batch, dim; 27 vectors.
void dot(benchmark::State& state, bool is_forward) {
  constexpr int64_t kVectors = 27;
  const int64_t batch = state.range(0);
  const int64_t dim = state.range(1);
  const int64_t in = kVectors * dim;
  const int64_t out = dim + kVectors * (kVectors - 1) / 2;
  const Floats z = random_floats(batch * in, 1);
  Floats products = random_floats(batch * out, 2);
  Floats expected = products;
  Floats dz(z.size());
  Floats expected_dz(z.size());
  dot_backward(workers(), z.data(), in, products.data(), out, dz.data(), in, 4, kVectors, dim);
  twin::dot_backward(z.data(), in, expected.data(), out, expected_dz.data(), in, 4, kVectors, dim);
  expect_near(dz, expected_dz);
  dot_forward(workers(), z.data(), in, products.data(), out, 4, kVectors, dim);
  twin::dot_forward(z.data(), in, expected.data(), out, 4, kVectors, dim);
  expect_near(products, expected);
  for (auto _ : state) {
    if (is_forward) {
      dot_forward(workers(), z.data(), in, products.data(), out, batch, kVectors, dim);
    } else {
      dot_backward(workers(), z.data(), in, products.data(), out, dz.data(), in, batch, kVectors,
                   dim);
    }
  }
  set_flop(state,
           static_cast<double>(batch * kVectors * (kVectors - 1) * dim) * (is_forward ? 1 : 2));
}
BENCHMARK_CAPTURE(dot, forward, true)
    ->UseRealTime()
    ->Args({128, 16})
    ->Args({2048, 16})
    ->Args({2048, 128});
BENCHMARK_CAPTURE(dot, backward, false)
    ->UseRealTime()
    ->Args({128, 16})
    ->Args({2048, 16})
    ->Args({2048, 128});

void cross(benchmark::State& state, bool is_forward) {
  constexpr int64_t kBatch = 2048;
  constexpr int64_t kDim = 3456;
  constexpr int64_t kRank = 512;
  const Floats x0 = random_floats(kBatch * kDim, 1);
  const Floats x = random_floats(kBatch * kDim, 3);
  const Floats vx = random_floats(kBatch * kRank, 4);
  const Floats w = random_floats(kDim * kRank, 5);
  const Floats bias = random_floats(kDim, 6);
  Floats u = random_floats(kBatch * kDim, 2);
  Floats next(x.size());
  Floats dx0(x.size());
  for (auto _ : state) {
    if (is_forward) {
      cross_forward(workers(), vx.data(), w.data(), bias.data(), x0.data(), x.data(), u.data(),
                    next.data(), kBatch, kRank, kDim);
    } else {
      cross_backward(workers(), x0.data(), u.data(), x.data(), next.data(), dx0.data(), kBatch,
                     kDim, {});
    }
  }
  set_bytes(state, static_cast<double>(kBatch * kDim) * 4 * (is_forward ? 4 : 6));
}
BENCHMARK_CAPTURE(cross, forward, true)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(cross, backward, false)->UseRealTime()->Unit(benchmark::kMillisecond);

// The dense parameters of DLRM-DCNv2.
void dense_adagrad(benchmark::State& state) {
  constexpr int64_t kSize = 16044545;
  const Floats gradient = random_floats(kSize, 1);
  Floats w = random_floats(kSize, 2);
  Floats sum(w.size());
  for (auto _ : state) {
    dense_update(workers(), {.kind = OptimizerKind::adagrad}, 1, 1, gradient.data(), w.data(),
                 sum.data(), nullptr, kSize);
  }
  set_bytes(state, static_cast<double>(kSize) * 20);
}
BENCHMARK(dense_adagrad)->UseRealTime()->Unit(benchmark::kMillisecond);

void fill(benchmark::State& state) {
  constexpr int64_t kSize = 64 << 20;
  Floats w(kSize);
  for (auto _ : state) fill_uniform(workers(), w.data(), kSize, 1, 1);
  set_bytes(state, kSize * 4.0);
}
BENCHMARK(fill)->UseRealTime()->Unit(benchmark::kMillisecond);

void loss(benchmark::State& state) {
  const Floats logits = random_floats(2048, 1);
  const Floats labels(2048, 1.0f);
  Floats dlogits(2048);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        bce_loss(workers(), logits.data(), labels.data(), dlogits.data(), 2048));
  }
}
BENCHMARK(loss)->UseRealTime();

// What a loop costs that does nothing.
void empty_loop(benchmark::State& state) {
  for (auto _ : state) workers().run(2 * workers().size(), [](int64_t) {});
}
BENCHMARK(empty_loop)->UseRealTime();

}  // namespace
}  // namespace ambidex
