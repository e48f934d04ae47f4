// SPDX-License-Identifier: Apache-2.0
#include "train/parts.h"

#include "train/evaluate.h"

namespace ambidex {
namespace {

const std::string& path_of(const TrainData& data, SplitPart part) {
  return part == SplitPart::valid ? data.valid_path : data.test_path;
}

}  // namespace

DataOptions training_options(const ModelSpec& model, const TrainData& data) {
  return {.path = data.path,
          .format = data.format,
          .part = SplitPart::train,
          .batch = model.batch,
          .shuffle = model.data.shuffle_window > 1,
          .skip_bad = data.skip_bad,
          .seed = model.seed};
}

std::optional<DataOptions> part_options(const ModelSpec& model, const TrainData& data,
                                        SplitPart part) {
  DataOptions options{.path = data.path,
                      .format = data.format,
                      .part = part,
                      .batch = scoring_batch(model),
                      .skip_bad = data.skip_bad,
                      .seed = model.seed};
  if (!path_of(data, part).empty()) {
    options.path = path_of(data, part);
    options.part = SplitPart::all;
    return options;
  }
  const SplitSpec& split = model.data.split;
  const double ratio = part == SplitPart::valid ? split.valid_ratio : split.test_ratio;
  if (split.kind == SplitKind::none || ratio == 0) return std::nullopt;
  return options;
}

void try_parts(const ModelSpec& model, const TrainData& data, const DataStatistics& statistics) {
  for (const SplitPart part : {SplitPart::valid, SplitPart::test}) {
    // Of a tail split the part begins late in the file, and it has samples unless the file is tiny.
    const bool is_far = path_of(data, part).empty() && model.data.split.kind == SplitKind::tail;
    const std::optional<DataOptions> options = part_options(model, data, part);
    if (!options || is_far) continue;
    Batch batch;
    DataReader(model, *options, statistics).next(batch);
  }
}

}  // namespace ambidex
