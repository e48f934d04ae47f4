// SPDX-License-Identifier: Apache-2.0
// ambidex model: the presets, and what follows from a model's description.
#include "ambidex/model.h"

#include <memory>

#include "cli/json.h"
#include "cli/model_show.h"
#include "cli/verbs.h"

namespace ambidex {
namespace {

struct ModelOptions {
  std::string name;
  std::vector<std::string> overrides;
  bool json = false;
  bool yaml = false;
};

std::string listing(const ModelOptions& options) {
  return options.json ? dumped(model_list_json()) : model_list_text();
}

std::string details(const ModelOptions& options) {
  if (options.name.empty()) {
    throw Error(ErrorKind::bad_input, "NAME is empty; give an id, see `ambidex model list`");
  }
  if (options.json && options.yaml) {
    throw Error(ErrorKind::bad_input, "--json and --yaml exclude each other; give one of them");
  }
  const ModelSpec model = load_model(options.name, options.overrides);
  if (options.yaml) return yaml_of(model);
  return options.json ? dumped(json_of(model)) : text_of(model);
}

}  // namespace

void add_model(CLI::App& app, Console& console) {
  const auto options = std::make_shared<ModelOptions>();
  CLI::App* model = app.add_subcommand("model", "Show models: parameters, bytes, FLOP, ops");
  model->require_subcommand(1);

  CLI::App* list = model->add_subcommand("list", "The models that are compiled in");
  list->add_flag("--json", options->json, "One JSON document, base SI units");
  list->callback([options, &console] { console.out = listing(*options); });

  CLI::App* show = model->add_subcommand("show", "Sizes and ops of one model");
  show->add_option("NAME", options->name, "An id of the list, or a file: ./mine.yaml")->required();
  show->add_option("--set", options->overrides,
                   "Change the file's value: batch=256, tables.*.rows=1000, or <= to cap")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  show->add_flag("--json", options->json, "One JSON document, base SI units");
  show->add_flag("--yaml", options->yaml, "The model file with every field written out");
  show->callback([options, &console] { console.out = details(*options); });
}

}  // namespace ambidex
