// SPDX-License-Identifier: Apache-2.0
#include "cli/demo_train.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>

#include "cli/train_show.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kData = "synthetic:samples=16000000";

/// An empty folder that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_((fs::temp_directory_path() / "ambidex_demo_XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr) {
      throw Error(
          ErrorKind::bad_input,
          fmt::format("{}: cannot be made; set TMPDIR to a folder that can be written to", path_));
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

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
