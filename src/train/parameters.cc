// SPDX-License-Identifier: Apache-2.0
#include "train/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "kernels/dense.h"
#include "kernels/vectors.h"
#include "model/dims.h"

namespace ambidex {
namespace {

constexpr int64_t kSliceFloats = 16;  // a cache line

// Purposes of random numbers below model.seed.
constexpr uint64_t kDensePurpose = 1;
constexpr uint64_t kTablePurpose = 2;

void add_slice(DenseParameters& dense, std::string name, std::vector<int64_t> shape,
               double deviation) {
  int64_t size = 1;
  for (const int64_t extent : shape) size *= extent;
  const int64_t begin = std::ssize(dense.weights);
  dense.slices.push_back({std::move(name), std::move(shape), begin, size, deviation});
  const int64_t padded = (size + kSliceFloats - 1) / kSliceFloats * kSliceFloats;
  dense.weights.resize(static_cast<size_t>(begin + padded));
}

/// Deviation of Glorot and Bengio (2010) for normal weights.
double xavier(int64_t in, int64_t out) { return std::sqrt(2.0 / static_cast<double>(in + out)); }

void add_mlp(DenseParameters& dense, std::string_view tower, int64_t in, const MlpSpec& mlp) {
  for (size_t i = 0; i < mlp.widths.size(); ++i) {
    const int64_t out = mlp.widths[i];
    add_slice(dense, fmt::format("{}.{}.weight", tower, i), {out, in}, xavier(in, out));
    add_slice(dense, fmt::format("{}.{}.bias", tower, i), {out}, 0);
    in = out;
  }
}

void add_cross(DenseParameters& dense, const ModelSpec& model) {
  const int64_t n = concat_dim(model), rank = model.interaction.rank;
  for (int64_t i = 0; i < model.interaction.layers; ++i) {
    add_slice(dense, fmt::format("cross.{}.v", i), {rank, n}, xavier(n, rank));
    add_slice(dense, fmt::format("cross.{}.w", i), {n, rank}, xavier(rank, n));
    add_slice(dense, fmt::format("cross.{}.bias", i), {n}, 0);
  }
}

DenseParameters make_dense(const ModelSpec& model) {
  DenseParameters dense;
  const int64_t num_dense = std::ssize(model.dense_features);
  if (num_dense > 0) add_mlp(dense, "bottom_mlp", num_dense, model.bottom_mlp);
  if (model.interaction.kind == InteractionKind::cross) add_cross(dense, model);
  add_mlp(dense, "top_mlp", interaction_dim(model), model.top_mlp);
  if (model.first_order) {
    if (num_dense > 0) add_slice(dense, "first_order.dense.weight", {1, num_dense}, 0);
    add_slice(dense, "first_order.bias", {1}, 0);
  }
  const size_t size = dense.weights.size();
  dense.gradients.resize(size);
  const OptimizerSpec& optimizer = model.dense_optimizer;
  if (optimizer.kind != OptimizerKind::sgd || optimizer.momentum != 0) dense.state1.resize(size);
  if (optimizer.kind == OptimizerKind::adam || optimizer.kind == OptimizerKind::rowwise_adam) {
    dense.state2.resize(size);
  }
  return dense;
}

/// Floats of a table's state: {state1, state2}.
std::pair<int64_t, int64_t> state_sizes(const ModelSpec& model, const TableSpec& spec,
                                        int64_t dim) {
  const int64_t rows = spec.rows;
  switch (optimizer_of(model, spec).kind) {
    case OptimizerKind::sgd:
      return {0, 0};
    case OptimizerKind::adagrad:
      return {rows * dim, 0};
    case OptimizerKind::rowwise_adagrad:
      return {rows, 0};
    case OptimizerKind::adam:
      return {rows * dim, rows * dim};
    case OptimizerKind::rowwise_adam:
      return {rows * dim, rows};
  }
  check(false, "every optimizer has its state");
  return {};
}

/// Before any table is made: memory is granted on credit, and a process that overdraws is killed.
void expect_memory(const ModelSpec& model) {
  const ModelNumbers numbers = numbers_of(model);
  const double bytes = numbers.table_bytes + numbers.table_optimizer_bytes;
  const auto limit = static_cast<double>(machine_bytes());
  if (bytes <= limit) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: its tables and the state of their optimizers need {:.1f} GB, this "
                          "machine has {:.1f} GB in all; fewer rows need less, as with --set "
                          "'tables.*.rows<=100000'",
                          model.id, bytes / 1e9, limit / 1e9));
}

TableParameters make_table(const ModelSpec& model, const TableSpec& spec, std::string name,
                           int64_t dim) {
  TableParameters table{.name = std::move(name)};
  table.optimizer = optimizer_of(model, spec);
  const auto [size1, size2] = state_sizes(model, spec, dim);
  table.weights = Memory(spec.rows * dim * dtype_bytes(spec.dtype), table.name);
  table.state1 = Memory(size1 * 4, table.name + " (state of its optimizer)");
  table.state2 = Memory(size2 * 4, table.name + " (state of its optimizer)");
  table.view = {.weights = table.weights.data(),
                .state1 = static_cast<float*>(table.state1.data()),
                .state2 = static_cast<float*>(table.state2.data()),
                .rows = spec.rows,
                .dim = dim,
                .dtype = spec.dtype};
  return table;
}

/// As fill_uniform, in pieces, rounded to the table's type.
void fill_half(Workers& workers, const TableView& view, double bound, uint64_t key) {
  constexpr int64_t kPiece = 1 << 20;
  constexpr int64_t kTask = 1 << 14;
  const int64_t size = view.rows * view.dim;
  std::vector<float> piece(static_cast<size_t>(std::min(kPiece, size)));
  for (int64_t begin = 0; begin < size; begin += kPiece) {
    const int64_t count = std::min(kPiece, size - begin);
    const uint64_t piece_key = random_key(key, static_cast<uint64_t>(begin));
    fill_uniform(workers, piece.data(), count, bound, piece_key);
    with_element(view.dtype, [&](const auto* element) {
      using Element = std::remove_cvref_t<decltype(*element)>;
      if constexpr (!std::is_same_v<Element, float>) {
        auto* to = static_cast<Element*>(view.weights) + begin;
        workers.run((count + kTask - 1) / kTask, [&](int64_t task) {
          for (int64_t i = task * kTask; i < std::min(count, (task + 1) * kTask); ++i) {
            round_to(piece[static_cast<size_t>(i)],
                     random_bits(~piece_key, static_cast<uint64_t>(i)), to[i]);
          }
        });
      }
    });
  }
}

void fill_table(TableParameters& table, uint64_t key, Workers& workers) {
  const TableView& view = table.view;
  const int64_t size = view.rows * view.dim;
  if (table.init != 0 && view.dtype == DType::f32) {
    fill_uniform(workers, static_cast<float*>(view.weights), size, table.init, key);
  } else if (table.init != 0) {
    fill_half(workers, view, table.init, key);
  }
  const double start = table.optimizer.initial_accumulator;
  if (start != 0 && view.state1 != nullptr) {
    std::fill_n(view.state1, table.state1.bytes() / 4, static_cast<float>(start));
  }
}

std::vector<int64_t> state_shape(const TableView& view, const Memory& state) {
  if (state.bytes() == view.rows * 4) return {view.rows};
  return {view.rows, view.dim};
}

}  // namespace

const DenseSlice& DenseParameters::slice(const std::string& name) const {
  const auto found = std::ranges::find(slices, name, &DenseSlice::name);
  check(found != slices.end(), "a dense parameter of this name");
  return *found;
}

Parameters make_parameters(const ModelSpec& model) {
  expect_memory(model);
  Parameters parameters{.dense = make_dense(model)};
  for (const TableSpec& spec : model.tables) {
    TableParameters table = make_table(model, spec, "tables." + spec.name, spec.dim);
    table.init = spec.init != 0 ? spec.init : 1 / std::sqrt(static_cast<double>(spec.rows));
    parameters.tables.push_back(std::move(table));
  }
  if (!model.first_order) return parameters;
  for (const TableSpec& spec : model.tables) {
    parameters.tables.push_back(make_table(model, spec, "first_order.tables." + spec.name, 1));
  }
  return parameters;
}

void initialize(Parameters& parameters, const ModelSpec& model, Workers& workers) {
  const auto seed = static_cast<uint64_t>(model.seed);
  DenseParameters& dense = parameters.dense;
  for (size_t i = 0; i < dense.slices.size(); ++i) {
    const DenseSlice& slice = dense.slices[i];
    if (slice.deviation == 0) continue;
    fill_normal(workers, dense.weights.data() + slice.begin, slice.size, slice.deviation,
                random_key(random_key(seed, kDensePurpose), i));
  }
  if (model.dense_optimizer.kind == OptimizerKind::adagrad ||
      model.dense_optimizer.kind == OptimizerKind::rowwise_adagrad) {
    std::ranges::fill(dense.state1, static_cast<float>(model.dense_optimizer.initial_accumulator));
  }
  for (size_t i = 0; i < parameters.tables.size(); ++i) {
    fill_table(parameters.tables[i], random_key(random_key(seed, kTablePurpose), i), workers);
  }
}

bool is_finite(const DenseParameters& dense) {
  return std::ranges::all_of(dense.weights, [](float w) { return std::isfinite(w); });
}

std::vector<NamedTensor> weight_tensors(Parameters& parameters) {
  std::vector<NamedTensor> tensors;
  for (const DenseSlice& slice : parameters.dense.slices) {
    tensors.push_back(
        {slice.name, DType::f32, slice.shape, parameters.dense.weights.data() + slice.begin});
  }
  for (const TableParameters& table : parameters.tables) {
    tensors.push_back({table.name + ".weight",
                       table.view.dtype,
                       {table.view.rows, table.view.dim},
                       table.view.weights});
  }
  return tensors;
}

std::vector<NamedTensor> state_tensors(Parameters& parameters) {
  std::vector<NamedTensor> tensors;
  DenseParameters& dense = parameters.dense;
  for (const DenseSlice& slice : dense.slices) {
    const auto add = [&](std::string_view suffix, Floats& state) {
      if (state.empty()) return;
      tensors.push_back({fmt::format("{}.{}", slice.name, suffix), DType::f32, slice.shape,
                         state.data() + slice.begin});
    };
    add("state1", dense.state1);
    add("state2", dense.state2);
  }
  for (const TableParameters& table : parameters.tables) {
    const auto add = [&](std::string_view suffix, const Memory& state) {
      if (state.bytes() == 0) return;
      tensors.push_back({fmt::format("{}.{}", table.name, suffix), DType::f32,
                         state_shape(table.view, state), state.data()});
    };
    add("state1", table.state1);
    add("state2", table.state2);
  }
  return tensors;
}

}  // namespace ambidex
