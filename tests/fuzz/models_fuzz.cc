// SPDX-License-Identifier: Apache-2.0
// The reader of model files; what it takes can be written out and read again, and has numbers.
#include "ambidex/model.h"
#include "base/yaml.h"
#include "fuzz/fuzz.h"

AMBIDEX_FUZZ(text) {
  const ambidex::ModelSpec model = ambidex::parse_model(text, "fuzz.yaml");
  const ambidex::ModelNumbers numbers = ambidex::numbers_of(model);
  ambidex::check(numbers.table_parameters >= 0, "table parameters overflow");
  ambidex::check(numbers.dense_parameters >= 0, "dense parameters overflow");
  ambidex::check(numbers.training_flop_per_sample >= numbers.forward_flop_per_sample,
                 "training includes forward");
  const std::string yaml = ambidex::yaml_of(model);
  if (std::ssize(yaml) > ambidex::kMaxYamlBytes) return;
  ambidex::check(ambidex::parse_model(yaml, "written.yaml") == model, "a model changed in writing");
}
