// SPDX-License-Identifier: Apache-2.0
// The update of the touched rows. Who touches a row is found by sorting; large tables are first
// cut into partitions of rows, so that no table occupies one thread alone. A row belongs to one
// task, and its keys stay in the order of the batch.
#include <algorithm>

#include "kernels/embedding.h"
#include "kernels/embedding_keys.h"
#include "kernels/optimizers.h"
#include "kernels/radix.h"
#include "kernels/vectors.h"

namespace ambidex {
namespace {

constexpr size_t kAhead = 8;  // keys between a prefetch and its use

/// 1 / ids of each sample of the features with mean pooling.
void find_scales(Workers& workers, Update& update, std::vector<float>& scales) {
  std::vector<size_t> means;
  update.scales.assign(update.features.size(), nullptr);
  for (size_t f = 0; f < update.features.size(); ++f) {
    if (update.features[f].pooling == Pooling::mean) means.push_back(f);
  }
  const size_t needed = means.size() * static_cast<size_t>(update.batch);
  if (scales.size() < needed) scales.resize(needed);
  workers.run(static_cast<int64_t>(means.size()), [&](int64_t task) {
    const size_t f = means[static_cast<size_t>(task)];
    const FeatureLookup& feature = update.features[f];
    float* scale = scales.data() + task * update.batch;
    update.scales[f] = scale;
    for (int64_t s = 0; s < update.batch; ++s) {
      const int32_t* ids = feature.ids + s * feature.lookups;
      const auto count =
          std::count_if(ids, ids + feature.lookups, [](int32_t id) { return id >= 0; });
      scale[s] = 1 / static_cast<float>(std::max<int64_t>(count, 1));
    }
  });
}

/// Where the gradients of a job's keys are.
struct Gradients {
  const Update& update;
  const Job& job;

  AMBIDEX_INLINE_FUNCTION const float* row(uint64_t key, float& scale) const {
    const auto place = static_cast<uint32_t>(key);
    const auto batch = static_cast<uint32_t>(update.batch);
    const uint32_t slot = job.features.size() == 1 ? 0 : place / batch;
    const uint32_t sample = place - slot * batch;
    const size_t f = job.features[slot];
    const FeatureLookup& feature = update.features[f];
    scale = update.scales[f] == nullptr ? 1.0f : update.scales[f][sample];
    return feature.gradient + sample * feature.gradient_stride;
  }
};

/// slope = the gradients of the keys, all of one row, added in their order.
AMBIDEX_INLINE_FUNCTION void sum_gradients(const Gradients& gradients,
                                           std::span<const uint64_t> keys, int64_t dim,
                                           float* __restrict slope) {
  for (size_t i = 0; i < keys.size(); ++i) {
    float scale;
    const float* __restrict g = gradients.row(keys[i], scale);
    if (i == 0) {
      for (int64_t c = 0; c < dim; ++c) slope[c] = g[c] * scale;
    } else {
      for (int64_t c = 0; c < dim; ++c) slope[c] += g[c] * scale;
    }
  }
}

AMBIDEX_INLINE_FUNCTION float mean_square(const float* values, int64_t dim) {
  Lanes sums = {};
  int64_t c = 0;
  for (; c + kLanes <= dim; c += kLanes) {
    Lanes lanes;
    load(values + c, lanes);
    sums += lanes * lanes;
  }
  float sum = sum_of(sums);
  for (; c < dim; ++c) sum += values[c] * values[c];
  return sum / static_cast<float>(dim);
}

/// w [dim] changes by its gradient `slope`; `state1` and `state2` are the table's.
AMBIDEX_INLINE_FUNCTION void update_row(OptimizerKind kind, const Coefficients& c,
                                        const TableView& table, int64_t row, int64_t dim,
                                        const float* __restrict slope, float* __restrict w) {
  switch (kind) {
    case OptimizerKind::sgd:
      for (int64_t i = 0; i < dim; ++i) w[i] -= c.lr * slope[i];
      return;
    case OptimizerKind::adagrad: {
      float* __restrict sum = table.state1 + row * dim;
      for (int64_t i = 0; i < dim; ++i) {
        sum[i] += slope[i] * slope[i];
        w[i] -= c.lr * slope[i] / (std::sqrt(sum[i]) + c.eps);
      }
      return;
    }
    case OptimizerKind::rowwise_adagrad: {
      const float sum = table.state1[row] += mean_square(slope, dim);
      const float rate = c.lr / (std::sqrt(sum) + c.eps);
      for (int64_t i = 0; i < dim; ++i) w[i] -= rate * slope[i];
      return;
    }
    case OptimizerKind::adam: {
      float* __restrict first = table.state1 + row * dim;
      float* __restrict second = table.state2 + row * dim;
      for (int64_t i = 0; i < dim; ++i) {
        first[i] = c.beta1 * first[i] + c.rest1 * slope[i];
        second[i] = c.beta2 * second[i] + c.rest2 * (slope[i] * slope[i]);
        w[i] -= c.adam_lr * first[i] / (std::sqrt(second[i]) * c.root2 + c.eps);
      }
      return;
    }
    case OptimizerKind::rowwise_adam: {
      float* __restrict first = table.state1 + row * dim;
      float& second = table.state2[row];
      second = c.beta2 * second + c.rest2 * mean_square(slope, dim);
      const float rate = c.adam_lr / (std::sqrt(second) * c.root2 + c.eps);
      for (int64_t i = 0; i < dim; ++i) {
        first[i] = c.beta1 * first[i] + c.rest1 * slope[i];
        w[i] -= rate * first[i];
      }
      return;
    }
  }
}

/// Reads a row into w and writes it back, rounded by a random number of its own for each element.
template <class Element>
struct StoredRow {
  Element* row;
  AMBIDEX_INLINE_FUNCTION float* open(float* room, int64_t dim) const {
    for (int64_t i = 0; i < dim; ++i) room[i] = to_float(row[i]);
    return room;
  }
  AMBIDEX_INLINE_FUNCTION void close(const float* room, int64_t dim, uint64_t key,
                                     uint64_t first) const {
    for (int64_t i = 0; i < dim; ++i) {
      round_to(room[i], random_bits(key, first + static_cast<uint64_t>(i)), row[i]);
    }
  }
};
template <>
struct StoredRow<float> {
  float* row;
  AMBIDEX_INLINE_FUNCTION float* open(float*, int64_t) const { return row; }
  AMBIDEX_INLINE_FUNCTION void close(const float*, int64_t, uint64_t, uint64_t) const {}
};

/// Applies sorted keys. kDim is the table's dim if it is known to the compiler, else 0.
template <class Element, int64_t kDim>
void apply(const Gradients& gradients, std::span<const uint64_t> keys) {
  const Update& update = gradients.update;
  const TableView& table = update.tables[gradients.job.table];
  const OptimizerSpec& spec = update.optimizers[gradients.job.table];
  const Coefficients c = coefficients(spec, update.step.lr_factor, update.step.step);
  const int64_t dim = kDim == 0 ? table.dim : kDim;
  const int64_t row_bytes = dim * static_cast<int64_t>(sizeof(Element));
  auto* weights = static_cast<Element*>(table.weights);
  const float* state = spec.kind == OptimizerKind::sgd ? nullptr : table.state1;
  const int64_t state_dim = spec.kind == OptimizerKind::rowwise_adagrad ? 1 : dim;
  std::vector<float> room(static_cast<size_t>(2 * dim));
  float* slope = room.data();
  const uint64_t rounding_key = random_key(gradients.update.step.random_key, gradients.job.table);
  with_isa([&]() AMBIDEX_INLINE {
    for (size_t i = 0; i < keys.size();) {
      size_t end = i + 1;
      while (end < keys.size() && row_of(keys[end]) == row_of(keys[i])) ++end;
      for (size_t ahead = i + kAhead; ahead < std::min(end + kAhead, keys.size()); ++ahead) {
        float unused;
        const auto next = static_cast<int64_t>(row_of(keys[ahead]));
        prefetch(weights + next * dim, row_bytes);
        if (state != nullptr) prefetch(state + next * state_dim, state_dim * 4);
        prefetch(gradients.row(keys[ahead], unused), dim * 4);
      }
      const auto row = static_cast<int64_t>(row_of(keys[i]));
      const StoredRow<Element> stored{weights + row * dim};
      sum_gradients(gradients, keys.subspan(i, end - i), dim, slope);
      float* w = stored.open(room.data() + dim, dim);
      if (c.decay != 0) {
        for (int64_t k = 0; k < dim; ++k) slope[k] += c.decay * w[k];
      }
      update_row(spec.kind, c, table, row, dim, slope, w);
      stored.close(w, dim, rounding_key, static_cast<uint64_t>(row * dim));
      i = end;
    }
  });
}

template <class Element>
void apply_dim(const Gradients& gradients, std::span<const uint64_t> keys) {
  switch (gradients.update.tables[gradients.job.table].dim) {
    case 16:
      return apply<Element, 16>(gradients, keys);
    case 64:
      return apply<Element, 64>(gradients, keys);
    case 128:
      return apply<Element, 128>(gradients, keys);
    default:
      return apply<Element, 0>(gradients, keys);
  }
}

/// One partition of a table: sorts its keys and updates its rows.
void update_partition(const Update& update, const Job& job, int64_t partition,
                      EmbeddingScratch& scratch) {
  int64_t begin = job.first_key;
  int64_t end = begin;
  if (job.num_partitions == 1) {
    for (size_t slot = 0; slot < job.features.size(); ++slot) {
      for_each_key(update, job, slot, 0, update.batch,
                   [&](int32_t, uint64_t key) { scratch.keys[static_cast<size_t>(end++)] = key; });
    }
  } else {
    begin = job.begins[static_cast<size_t>(partition)];
    end = job.begins[static_cast<size_t>(partition + 1)];
  }
  const auto first = static_cast<size_t>(begin);
  const auto count = static_cast<size_t>(end - begin);
  const TableView& table = update.tables[job.table];
  const auto sorted = sort_by_row(std::span(scratch.keys).subspan(first, count),
                                  std::span(scratch.sorted).subspan(first, count), table.rows);
  with_element(table.dtype, [&]<class Element>(const Element*) {
    apply_dim<Element>({update, job}, sorted);
  });
}

}  // namespace

void embedding_update(Workers& workers, std::span<const TableView> tables,
                      std::span<const OptimizerSpec> optimizers,
                      std::span<const FeatureLookup> features, int64_t batch,
                      const SparseStep& step, EmbeddingScratch& scratch) {
  Update update{tables, optimizers, features, batch, step, {}};
  std::vector<Job> jobs = jobs_of(update);
  if (jobs.empty() || batch <= 0) return;
  const auto num_keys = static_cast<size_t>(jobs.back().first_key + jobs.back().max_keys);
  if (scratch.keys.size() < num_keys) {
    scratch.keys.resize(num_keys);
    scratch.sorted.resize(num_keys);
  }
  find_scales(workers, update, scratch.scales);
  deal_to_partitions(workers, update, jobs, scratch.keys);
  std::vector<int64_t>& begins = scratch.begins;  // tasks of a job
  begins.assign(1, 0);
  for (const Job& job : jobs) begins.push_back(begins.back() + job.num_partitions);
  workers.run(begins.back(), [&](int64_t task) {
    const auto after = std::upper_bound(begins.begin(), begins.end(), task);
    const auto j = static_cast<size_t>(after - begins.begin() - 1);
    update_partition(update, jobs[j], task - begins[j], scratch);
  });
}

}  // namespace ambidex
