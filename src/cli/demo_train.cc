// SPDX-License-Identifier: Apache-2.0
#include "cli/demo_train.h"

#include <fmt/format.h>

#include "base/temporary_folder.h"
#include "cli/train_show.h"

namespace ambidex {
namespace {

constexpr std::string_view kData = "synthetic:samples=16000000";

}  // namespace

DemoTraining train_demo() {
  const TemporaryFolder folder;
  DemoTraining training{.model = load_model("dlrm_small")};
  ProgressLine line;
  training.result = train(
      training.model, {.data = {.path = std::string(kData)}, .saving = {.out = folder.path()}},
      {.progress = [&](const TrainProgress& progress) { line.show(progress); }});
  training.result.run.clear();
  return training;
}

std::string text_of(const DemoTraining& training) {
  const TrainResult& result = training.result;
  return fmt::format(
      "Trained on this CPU: {} on {} planted samples in {:.0f} s, {:.0f} samples/s.\n"
      "AUC on {} samples that it did not see: {:.4f}; the best that any model can reach: {:.4f}.\n"
      "With files of your own: ambidex train --help; ambidex data inspect PATH\n",
      training.model.id, result.samples, result.seconds, result.samples_per_second,
      result.test->num_samples, result.test->auc, result.bayes->auc);
}

}  // namespace ambidex
