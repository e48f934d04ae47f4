// SPDX-License-Identifier: Apache-2.0
// The second half of the demo: a model is trained on planted data, here and now.
#pragma once

#include "ambidex/train.h"

namespace ambidex {

struct DemoTraining {
  ModelSpec model;
  TrainResult result;
};

/// About half a minute on two cores. The run is written to the system's folder for temporary files
/// and removed.
DemoTraining train_demo();

std::string text_of(const DemoTraining& training);

}  // namespace ambidex
