// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "ambidex/base.h"
#include "base/random.h"
#include "base/text.h"
#include "data/synthetic.h"

namespace ambidex {
namespace {

// Ranks with an alias entry; the integral that stands for the others needs them to be many.
constexpr int64_t kMaxEntries = 65536;

// An id that is drawn with a probability below this has a smaller effect, by the root of the
// ratio. Otherwise rare ids, whose effects no training can find out, would hold the AUC of a good
// model below the optimum.
constexpr double kLearnableProbability = 0.01;

// Variance of the logit before scaling.
constexpr double kEffectShare = 0.5;
constexpr double kDenseShare = 0.3;
constexpr double kProductShare = 0.2;
constexpr size_t kMaxPairs = 2;
// Scaled up from below this, a few ids that hardly ever come would be the whole signal.
constexpr double kMinVariance = 1e-4;

// Dense values are kDenseHigh * u^2 of a uniform u: like logarithms of counts, many small ones.
constexpr float kDenseHigh = 4;
constexpr float kDenseMean = kDenseHigh / 3;
constexpr float kDenseVariance = kDenseHigh * kDenseHigh * 4 / 45;

constexpr int64_t kCalibrationRecords = int64_t{1} << 17;
constexpr int64_t kCalibrationFirst = int64_t{1} << 52;  // beyond the samples of any data set

enum Purpose : uint64_t {
  purpose_ids,
  purpose_tail,
  purpose_rows,
  purpose_effects,
  purpose_dense,
  purpose_dense_weights,
  purpose_labels
};

/// About normal, mean 0, variance 1, within +-3.5: the sum of four uniform numbers. No function of
/// the C library, whose last bit may differ between machines.
double random_normal(uint64_t key, uint64_t counter) {
  uint64_t bits = random_bits(key, counter);
  double sum = 0;
  for (int i = 0; i < 4; ++i, bits >>= 16) sum += static_cast<double>(bits & 0xffff) + 0.5;
  return (sum * 0x1p-16 - 2) * std::sqrt(3.0);
}

/// Integral of x^-exponent from a to b.
double power_integral(double a, double b, double exponent) {
  const double power = 1 - exponent;
  if (std::abs(power) < 1e-9) return std::log(b / a);
  return (std::pow(b, power) - std::pow(a, power)) / power;
}

/// Walker's table, built as Vose does (1991): entries below the mean are filled up by ones above.
std::vector<ZipfDraw::Entry> alias_entries(std::vector<double> weights) {
  const size_t count = weights.size();
  const double mean =
      std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(count);
  std::vector<uint32_t> low, high;
  for (size_t i = count; i-- > 0;) {
    weights[i] /= mean;
    (weights[i] < 1 ? low : high).push_back(static_cast<uint32_t>(i));
  }
  constexpr uint32_t kAlways = std::numeric_limits<uint32_t>::max();
  std::vector<ZipfDraw::Entry> entries(count);
  for (size_t i = 0; i < count; ++i) entries[i] = {kAlways, static_cast<uint32_t>(i)};
  while (!low.empty() && !high.empty()) {
    const uint32_t small = low.back();
    const uint32_t large = high.back();
    low.pop_back();
    entries[small] = {static_cast<uint32_t>(weights[small] * 0x1p32), large};
    weights[large] -= 1 - weights[small];
    if (weights[large] >= 1) continue;
    high.pop_back();
    low.push_back(large);
  }
  return entries;
}

}  // namespace

ZipfDraw make_zipf(int64_t rows, double exponent) {
  ZipfDraw zipf{.rows = rows, .exponent = exponent};
  const int64_t count = std::min(rows, kMaxEntries);
  std::vector<double> weights(static_cast<size_t>(count));
  for (size_t i = 0; i < weights.size(); ++i) {
    weights[i] = std::pow(static_cast<double>(i + 1), -exponent);
  }
  zipf.probabilities = weights;
  if (rows > count) {
    weights.push_back(power_integral(static_cast<double>(count) + 0.5,
                                     static_cast<double>(rows) + 0.5, exponent));
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& probability : zipf.probabilities) probability /= sum;
  zipf.entries = alias_entries(std::move(weights));
  return zipf;
}

int64_t tail_rank(const ZipfDraw& zipf, double unit) {
  const double low = static_cast<double>(zipf.probabilities.size()) + 0.5;
  const double high = static_cast<double>(zipf.rows) + 0.5;
  const double power = 1 - zipf.exponent;
  const double place =
      std::abs(power) < 1e-9
          ? low * std::pow(high / low, unit)
          : std::pow(std::pow(low, power) + unit * power_integral(low, high, zipf.exponent) * power,
                     1 / power);
  // Rank r is popularity's number r + 1, the integral's from r + 1/2 to r + 3/2.
  return std::clamp(static_cast<int64_t>(place - 0.5),
                    static_cast<int64_t>(zipf.probabilities.size()), zipf.rows - 1);
}

namespace {

/// Of what is drawn with `probabilities`; ranks beyond them have the value 0.
struct Moments {
  double mean = 0;
  double variance = 0;
};

template <class ValueOf>
Moments moments_of(const PlantedFeature& feature, ValueOf value_of) {
  double mean = 0, square = 0;
  for (size_t i = 0; i < feature.ids.size(); ++i) {
    const double value = value_of(feature.ids[i]);
    mean += feature.zipf.probabilities[i] * value;
    square += feature.zipf.probabilities[i] * value * value;
  }
  return {.mean = mean, .variance = square - mean * mean};
}

/// A step through the rows that meets each once, and spreads neighbours far apart.
int64_t row_step(int64_t rows) {
  constexpr double kGoldenRatio = 0.6180339887498949;
  auto step = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(rows) * kGoldenRatio));
  while (std::gcd(step, rows) != 1) ++step;
  return step;
}

int64_t row_of(const PlantedFeature& feature, int64_t rank) {
  return (rank * feature.row_step + feature.row_shift) % feature.zipf.rows;
}

/// Features of a table share its popular rows; effects are a feature's own.
PlantedFeature plant_feature(const TableSpec& table, const SparseFeature& feature, double exponent,
                             uint64_t table_key, uint64_t feature_key) {
  PlantedFeature planted{.lookups = feature.lookups, .zipf = make_zipf(table.rows, exponent)};
  planted.id_key = random_key(feature_key, purpose_ids);
  planted.tail_key = random_key(feature_key, purpose_tail);
  planted.row_step = row_step(table.rows);
  planted.row_shift = static_cast<int64_t>(random_bits(random_key(table_key, purpose_rows), 0) %
                                           static_cast<uint64_t>(table.rows));
  const uint64_t effect_key = random_key(feature_key, purpose_effects);
  planted.ids.resize(planted.zipf.probabilities.size());
  for (size_t i = 0; i < planted.ids.size(); ++i) {
    const double probability = planted.zipf.probabilities[i];
    const double size = std::sqrt(probability / (probability + kLearnableProbability));
    planted.ids[i] = {.effect = static_cast<float>(size * random_normal(effect_key, 2 * i)),
                      .factor = static_cast<float>(size * random_normal(effect_key, 2 * i + 1)),
                      .row = static_cast<int32_t>(row_of(planted, static_cast<int64_t>(i)))};
  }
  return planted;
}

/// Products get mean 0 whatever one of the factors is, so that no sum of effects can replace them;
/// ids without an entry keep theirs at 0 and are few or rare.
void centre_factors(PlantedFeature& feature) {
  const double listed =
      std::accumulate(feature.zipf.probabilities.begin(), feature.zipf.probabilities.end(), 0.0);
  const auto shift = static_cast<float>(
      moments_of(feature, [](const PlantedFeature::Id& id) { return id.factor; }).mean / listed);
  for (PlantedFeature::Id& id : feature.ids) id.factor -= shift;
}

/// Pairs of neighbouring features whose factors vary; weights give the products variance 1 in all.
void plant_pairs(PlantedModel& planted) {
  std::vector<size_t> varied;
  std::vector<double> variances;
  for (size_t i = 0; i < planted.features.size(); ++i) {
    centre_factors(planted.features[i]);
    const double variance = moments_of(planted.features[i], [](const PlantedFeature::Id& id) {
                              return id.factor;
                            }).variance;
    if (variance < kMinVariance) continue;
    varied.push_back(i);
    variances.push_back(variance);
  }
  const size_t count = std::min(kMaxPairs, varied.size() / 2);
  for (size_t i = 0; i < count; ++i) {
    const double variance = variances[2 * i] * variances[2 * i + 1];
    planted.pairs.push_back(
        {.first = varied[2 * i],
         .second = varied[2 * i + 1],
         .weight = static_cast<float>(1 / std::sqrt(variance * static_cast<double>(count)))});
  }
}

void plant_dense(PlantedModel& planted, size_t count, uint64_t key) {
  double square = 0;
  for (size_t i = 0; i < count; ++i) {
    planted.dense_weights.push_back(static_cast<float>(random_normal(key, i)));
    square += double{planted.dense_weights[i]} * planted.dense_weights[i];
  }
  const auto factor = static_cast<float>(1 / std::sqrt(square * kDenseVariance));
  for (float& weight : planted.dense_weights) weight *= factor;
}

/// Gives effects, dense values and products their shares of a variance of 1.
void share_variance(PlantedModel& planted) {
  double variance = 0;
  const auto effect_of = [](const PlantedFeature::Id& id) { return id.effect; };
  for (const PlantedFeature& feature : planted.features) {
    variance += moments_of(feature, effect_of).variance;
  }
  const double effects = variance < kMinVariance ? 0 : kEffectShare;
  const double dense = planted.dense_weights.empty() ? 0 : kDenseShare;
  const double products = planted.pairs.empty() ? 0 : kProductShare;
  const double sum = effects + dense + products;
  if (sum == 0) return;
  const auto effect_factor =
      static_cast<float>(effects == 0 ? 0 : std::sqrt(effects / sum / variance));
  for (PlantedFeature& feature : planted.features) {
    for (PlantedFeature::Id& id : feature.ids) id.effect *= effect_factor;
  }
  const auto dense_factor = static_cast<float>(std::sqrt(dense / sum));
  for (float& weight : planted.dense_weights) weight *= dense_factor;
  const auto pair_factor = static_cast<float>(std::sqrt(products / sum));
  for (PlantedModel::Pair& pair : planted.pairs) pair.weight *= pair_factor;
}

void check_rows(const TableSpec& table) {
  constexpr int64_t kMaxRows = std::numeric_limits<int32_t>::max();
  if (table.rows <= kMaxRows) return;
  throw Error(ErrorKind::unsupported,
              fmt::format("table {}: expected at most {} rows for synthetic data, got {}; lower "
                          "rows",
                          quote(table.name), kMaxRows, table.rows));
}

}  // namespace

PlantedModel plant(const SyntheticWords& words, const ModelSpec& model) {
  const uint64_t key = random_key(static_cast<uint64_t>(words.seed), 0);
  PlantedModel planted;
  planted.dense_key = random_key(key, purpose_dense);
  planted.label_key = random_key(key, purpose_labels);
  for (size_t t = 0; t < model.tables.size(); ++t) {
    check_rows(model.tables[t]);
    for (const SparseFeature& feature : model.tables[t].features) {
      constexpr uint64_t kFirstTable = 1000, kFirstFeature = 1'000'000;
      planted.features.push_back(
          plant_feature(model.tables[t], feature, words.zipf, random_key(key, kFirstTable + t),
                        random_key(key, kFirstFeature + planted.features.size())));
      planted.features.back().first = planted.num_lookups;
      planted.num_lookups += feature.lookups;
    }
  }
  plant_pairs(planted);
  plant_dense(planted, model.dense_features.size(), random_key(key, purpose_dense_weights));
  share_variance(planted);

  std::vector<double> raw(static_cast<size_t>(kCalibrationRecords));
  std::vector<float> dense(raw.size() * planted.dense_weights.size());
  std::vector<int32_t> ids(raw.size() * static_cast<size_t>(planted.num_lookups));
  draw_records(planted, kCalibrationFirst, kCalibrationRecords, dense.data(), ids.data(),
               raw.data());
  const Calibration found = calibrate(std::move(raw), words.auc, words.label_rate);
  if (found.auc < words.auc - 1e-3) {
    throw Error(ErrorKind::bad_input,
                fmt::format("synthetic: auc: expected at most {:.3f}, which is what ids and dense "
                            "features of the model can carry, got {}; lower it, or raise zipf",
                            found.auc, words.auc));
  }
  planted.scale = found.scale;
  planted.bias = found.bias;
  return planted;
}

namespace {

constexpr int64_t kBlock = 256;  // of records, whose sums stay in the first cache
using BlockSums = std::array<float, kBlock>;

/// Two values from each draw of 64 bits.
void draw_dense(const PlantedModel& planted, int64_t record, float* dense, float& sum) {
  const size_t count = planted.dense_weights.size();
  const auto first = static_cast<uint64_t>(record) * ((count + 1) / 2);
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = random_bits(planted.dense_key, first + i / 2) >> (i % 2 == 0 ? 40 : 8);
    const float unit = static_cast<float>(bits & 0xffffff) * 0x1p-24f;
    dense[i] = kDenseHigh * unit * unit;
    sum += planted.dense_weights[i] * (dense[i] - kDenseMean);
  }
}

/// Adds the effects of a feature's ids to `sums` and gives their factors.
void draw_feature(const PlantedFeature& feature, int64_t first, int64_t count, int32_t* ids,
                  int64_t ids_stride, BlockSums& sums, BlockSums& factors) {
  const float share = 1 / std::sqrt(static_cast<float>(feature.lookups));
  const auto num_listed = static_cast<int64_t>(feature.ids.size());
  for (int64_t i = 0; i < count; ++i) {
    float effect = 0, factor = 0;
    for (int64_t j = 0; j < feature.lookups; ++j) {
      const auto counter = static_cast<uint64_t>((first + i) * feature.lookups + j);
      const int64_t rank = rank_of(feature.zipf, random_bits(feature.id_key, counter),
                                   [&] { return random_unit(feature.tail_key, counter); });
      int32_t& id = ids[i * ids_stride + feature.first + j];
      if (rank >= num_listed) {
        id = static_cast<int32_t>(row_of(feature, rank));
        continue;
      }
      const PlantedFeature::Id& known = feature.ids[static_cast<size_t>(rank)];
      id = known.row;
      effect += known.effect;
      factor += known.factor;
    }
    sums[static_cast<size_t>(i)] += share * effect;
    factors[static_cast<size_t>(i)] = share * factor;
  }
}

void draw_block(const PlantedModel& planted, int64_t first, int64_t count, float* dense,
                int32_t* ids, double* logits) {
  BlockSums sums{};
  const auto num_dense = static_cast<int64_t>(planted.dense_weights.size());
  for (int64_t i = 0; i < count; ++i) {
    draw_dense(planted, first + i, dense + i * num_dense, sums[static_cast<size_t>(i)]);
  }
  BlockSums unused;
  std::array<BlockSums, 2 * kMaxPairs> factors;
  for (size_t f = 0; f < planted.features.size(); ++f) {
    BlockSums* kept = &unused;
    for (size_t p = 0; p < planted.pairs.size(); ++p) {
      if (planted.pairs[p].first == f) kept = &factors[2 * p];
      if (planted.pairs[p].second == f) kept = &factors[2 * p + 1];
    }
    draw_feature(planted.features[f], first, count, ids, planted.num_lookups, sums, *kept);
  }
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<size_t>(i);
    for (size_t p = 0; p < planted.pairs.size(); ++p) {
      sums[at] += planted.pairs[p].weight * factors[2 * p][at] * factors[2 * p + 1][at];
    }
    logits[i] = planted.scale * double{sums[at]} + planted.bias;
  }
}

}  // namespace

void draw_records(const PlantedModel& planted, int64_t first, int64_t count, float* dense,
                  int32_t* ids, double* logits) {
  const auto num_dense = static_cast<int64_t>(planted.dense_weights.size());
  for (int64_t i = 0; i < count; i += kBlock) {
    draw_block(planted, first + i, std::min(kBlock, count - i), dense + i * num_dense,
               ids + i * planted.num_lookups, logits + i);
  }
}

float draw_label(const PlantedModel& planted, int64_t record, double logit) {
  const double unit = random_unit(planted.label_key, static_cast<uint64_t>(record));
  return unit < sigmoid(logit) ? 1.f : 0.f;
}

}  // namespace ambidex
