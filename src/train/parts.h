// SPDX-License-Identifier: Apache-2.0
// Which data a run trains on, validates with, and is tested by.
#pragma once

#include <optional>

#include "ambidex/train.h"

namespace ambidex {

DataOptions training_options(const ModelSpec& model, const TrainData& data);

/// Of the validation or test part, if the run has one: files of its own, or a share of the
/// training data.
std::optional<DataOptions> part_options(const ModelSpec& model, const TrainData& data,
                                        SplitPart part);

/// Opens validation and test data and reads a batch of each, so that a mistake in a name, or a part
/// without a sample, is told before hours of training, not after.
///   throws as DataReader
void try_parts(const ModelSpec& model, const TrainData& data, const DataStatistics& statistics);

}  // namespace ambidex
