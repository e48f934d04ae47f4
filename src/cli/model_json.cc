// SPDX-License-Identifier: Apache-2.0
#include "ambidex/model_fields.h"
#include "cli/json.h"
#include "cli/model_show.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ModelNumbers& numbers) {
  return {{"table_rows", numbers.table_rows},
          {"table_parameters", numbers.table_parameters},
          {"table_bytes", numbers.table_bytes},
          {"table_optimizer_bytes", numbers.table_optimizer_bytes},
          {"dense_parameters", numbers.dense_parameters},
          {"num_lookups", numbers.num_lookups},
          {"forward_flop_per_sample", numbers.forward_flop_per_sample},
          {"training_flop_per_sample", numbers.training_flop_per_sample}};
}

Json json_of(const ModelOp& op) {
  return {{"name", op.name},
          {"flop", op.flop},
          {"read_bytes", op.read_bytes},
          {"write_bytes", op.write_bytes},
          {"parameters", op.parameters}};
}

}  // namespace

Json model_list_json() {
  Json list = Json::array();
  for (const std::string& id : model_ids()) {
    const ModelSpec model = load_model(id);
    list.push_back({{"id", id},
                    {"description", model.description},
                    {"source", model.source},
                    {"numbers", json_of(numbers_of(model))}});
  }
  return {{"models", list}};
}

Json json_of(const ModelSpec& model) {
  Json ops = Json::array();
  for (const ModelOp& op : ops_of(model)) ops.push_back(json_of(op));
  return {{"model", fields_of(model)}, {"numbers", json_of(numbers_of(model))}, {"ops", ops}};
}

}  // namespace ambidex
