// SPDX-License-Identifier: Apache-2.0
// Samples of a planted model: a hidden model of the shape of the trained one gives each sample its
// true logit, so that the best AUC that training can reach is known. A sample is a function of the
// seed and its number. docs/data-synthetic.md has the formulas.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ambidex/model.h"

namespace ambidex {

/// The words after "synthetic:".
struct SyntheticWords {
  int64_t samples = 4'000'000;
  double zipf = 1.2;        // exponent of the ids' popularity; 0: all the same
  double auc = 0.8;         // of the true logits
  double label_rate = 0.3;  // share of labels that are 1
  int64_t seed = 7;
  bool operator==(const SyntheticWords&) const = default;
};

/// throws Error(bad_input) on other paths, unknown words with the nearest, and values out of range
SyntheticWords parse_synthetic(const std::string& path);

/// Draws ranks 0, 1, ... with probabilities proportional to (rank + 1)^-exponent: Walker's alias
/// table over the first ranks, and one entry for all others.
struct ZipfDraw {
  struct Entry {
    uint32_t threshold;  // of 2^32: below it the entry itself, else the other
    uint32_t other;
  };
  std::vector<Entry> entries;
  std::vector<double> probabilities;  // of the ranks that have an entry
  int64_t rows = 0;
  double exponent = 0;
};
ZipfDraw make_zipf(int64_t rows, double exponent);

/// The rank at `unit` in [0, 1) of the ranks without an entry. Their sum is taken for an integral,
/// which is off by less than 1e-9 of it.
int64_t tail_rank(const ZipfDraw& zipf, double unit);

/// The rank that 64 random bits mean; `tail_unit` in [0, 1) gives the place among ranks without an
/// entry, and is called for those alone.
template <class TailUnit>
int64_t rank_of(const ZipfDraw& zipf, uint64_t bits, TailUnit tail_unit);

/// What the hidden model knows of one feature.
struct PlantedFeature {
  struct Id {
    float effect;  // on the logit
    float factor;  // in the product with its partner's
    int32_t row;   // of the table
  };
  int64_t lookups = 1;
  int64_t first = 0;  // place of its first id in a row of ids
  ZipfDraw zipf;
  std::vector<Id> ids;   // by rank, those with an entry; the others have no effect
  int64_t row_step = 1;  // row = (rank * row_step + row_shift) mod rows
  int64_t row_shift = 0;
  uint64_t id_key = 0;
  uint64_t tail_key = 0;
};

struct PlantedModel {
  std::vector<PlantedFeature> features;
  std::vector<float> dense_weights;
  struct Pair {
    size_t first = 0;  // features
    size_t second = 0;
    float weight = 0;
  };
  std::vector<Pair> pairs;
  int64_t num_lookups = 0;
  uint64_t dense_key = 0;
  uint64_t label_key = 0;
  // logit = scale * (effects + dense + products) + bias
  double scale = 1;
  double bias = 0;
};

/// Draws the hidden model and scales it to the words' AUC and label rate.
///   throws Error(bad_input) when the model's tables and dense features cannot reach the AUC, and
///   Error(unsupported) on tables of 2^31 rows or more
PlantedModel plant(const SyntheticWords& words, const ModelSpec& model);

/// The records [first, first + count): dense [count, dense features], ids [count, num_lookups],
/// and their true logits.
void draw_records(const PlantedModel& planted, int64_t first, int64_t count, float* dense,
                  int32_t* ids, double* logits);

/// The label of a record.
float draw_label(const PlantedModel& planted, int64_t record, double logit);

double sigmoid(double logit);

/// AUC to expect of scores that are true logits: a sample counts sigmoid(logit) as positive and
/// the rest as negative; equal logits count half.
double expected_auc(std::vector<double> logits);

/// Scale and bias that give `raw` logits an expected AUC and a mean probability.
struct Calibration {
  double scale = 0;
  double bias = 0;
  double auc = 0;  // reached; below the wish if no scale reaches it
};
Calibration calibrate(std::vector<double> raw, double auc, double label_rate);

template <class TailUnit>
int64_t rank_of(const ZipfDraw& zipf, uint64_t bits, TailUnit tail_unit) {
  // 47 bits times the number of entries, which stays below 2^17: the upper part is the entry, the
  // lower the place within it.
  const uint64_t scaled = (bits >> 17) * zipf.entries.size();
  const auto index = static_cast<uint32_t>(scaled >> 47);
  const ZipfDraw::Entry& entry = zipf.entries[index];
  const uint32_t chosen =
      static_cast<uint32_t>(scaled >> 15) < entry.threshold ? index : entry.other;
  if (chosen < zipf.probabilities.size()) return chosen;
  return tail_rank(zipf, tail_unit());
}

}  // namespace ambidex
