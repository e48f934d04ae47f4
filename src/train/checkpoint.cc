// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <vector>

#include "base/files.h"
#include "train/files.h"
#include "train/safetensors.h"

namespace ambidex {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kWeights = "weights.safetensors";
constexpr std::string_view kOptimizer = "optimizer.safetensors";
constexpr std::string_view kState = "state.json";
constexpr int64_t kMaxStateBytes = int64_t{1} << 32;  // vocabularies included

template <class V, class T>
void visit_position(V&& v, T& x) {
  v("epoch", x.epoch), v("window_record", x.window_record), v("window_byte", x.window_byte);
  v("window_file", x.window_file), v("window_line", x.window_line);
  v("in_window", x.in_window), v("num_skipped", x.num_skipped);
}

template <class V, class T>
void visit_state(V&& v, T& x) {
  v("step", x.step), v("samples", x.samples), v("seconds", x.seconds);
  v("other_seconds", x.other_seconds);
  v("epoch_loss_sum", x.epoch_loss_sum), v("epoch_steps", x.epoch_steps);
  v("log_loss_sum", x.log_loss_sum), v("log_steps", x.log_steps);
  v("log_samples", x.log_samples), v("log_seconds", x.log_seconds);
  v("best_auc", x.best_auc), v("best_step", x.best_step), v("num_worse", x.num_worse);
  v("valid_step", x.valid_step), v("last_loss", x.last_loss);
}

TensorType tensor_type(DType dtype) {
  if (dtype == DType::bf16) return TensorType::bf16;
  return dtype == DType::f16 ? TensorType::f16 : TensorType::f32;
}

std::vector<TensorView> views_of(const std::vector<NamedTensor>& tensors) {
  std::vector<TensorView> views;
  for (const NamedTensor& tensor : tensors) {
    views.push_back({tensor.name, tensor_type(tensor.dtype), tensor.shape, tensor.data});
  }
  return views;
}

/// Fills the tensors of a model from a file that must hold just these.
void load_tensors(const std::string& path, const std::vector<NamedTensor>& tensors) {
  const SafetensorsFile file(path);
  const auto expect = [&](bool holds, const std::string& what) {
    if (holds) return;
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: {}; these are the weights of another model", path, what));
  };
  for (const NamedTensor& tensor : tensors) {
    const TensorEntry* entry = file.find(tensor.name);
    expect(entry != nullptr, fmt::format("has no tensor {}", tensor.name));
    const TensorType type = tensor_type(tensor.dtype);
    expect(
        entry->shape == tensor.shape && entry->type == type,
        fmt::format("{} is {} [{}], where the model has {} [{}]", tensor.name, name_of(entry->type),
                    fmt::join(entry->shape, ", "), name_of(type), fmt::join(tensor.shape, ", ")));
    file.read(tensor.name, type, tensor.shape, tensor.data);
  }
  expect(
      file.tensors().size() == tensors.size(),
      fmt::format("has {} tensors, where the model has {}", file.tensors().size(), tensors.size()));
}

/// Tokens are bytes, strings of JSON are UTF-8: what is not is written as a list of its bytes.
Json json_of_token(const std::string& token) {
  Json text(token);
  try {
    text.dump();
  } catch (const Json::type_error&) {
    return std::vector<uint8_t>(token.begin(), token.end());
  }
  return text;
}

std::string token_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  const auto bytes = json.get<std::vector<uint8_t>>();
  return {bytes.begin(), bytes.end()};
}

Json json_of(const DataStatistics& statistics) {
  Json out = Json::object();
  Json& vocabularies = out["vocabularies"] = Json::object();
  for (const auto& [table, tokens] : statistics.vocabularies) {
    Json& list = vocabularies[table] = Json::array();
    for (const std::string& token : tokens) list.push_back(json_of_token(token));
  }
  out["means"] = statistics.means;
  out["deviations"] = statistics.deviations;
  out["minimums"] = statistics.minimums;
  return out;
}

/// The parts of a checkpoint are of one step, and its numbers are counts.
void expect_sound(const std::string& path, const TrainState& state) {
  int64_t least = 0;
  const auto take = [&](const char*, const auto& value) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>) {
      least = std::min(least, value);
    }
  };
  visit_state(take, state);
  visit_position(take, state.position);
  const std::string weights = fmt::format("{}/{}", path, kWeights);
  const TensorMetadata metadata = SafetensorsFile(weights).metadata();
  const auto step = metadata.find("step");
  const bool is_same = step != metadata.end() && step->second == std::to_string(state.step);
  if (least >= 0 && is_same) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{}: {} and {} do not belong together; remove this checkpoint to go on "
                          "from the one before",
                          path, kState, kWeights));
}

/// Runs `read` on the state's JSON; what does not fit is the file's fault.
template <class Read>
void with_state(const std::string& folder, const Read& read) {
  const std::string path = fmt::format("{}/{}", folder, kState);
  const std::string text = read_file(path, kMaxStateBytes);
  try {
    read(Json::parse(text));
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::bad_input,
                fmt::format("{}: not the state of a checkpoint ({}); remove this checkpoint to go "
                            "on from the one before",
                            path, error.what()));
  }
}

}  // namespace

void save_checkpoint(const std::string& path, Parameters& parameters, const TrainState& state,
                     const DataStatistics& statistics) {
  FolderDraft draft(path);
  write_safetensors(draft.file(std::string(kWeights)), views_of(weight_tensors(parameters)),
                    {{"format", "pt"}, {"step", std::to_string(state.step)}});
  write_safetensors(draft.file(std::string(kOptimizer)), views_of(state_tensors(parameters)));
  Json json = Json::object();
  visit_state([&](const char* key, const auto& value) { json[key] = value; }, state);
  visit_position([&](const char* key, const auto& value) { json["position"][key] = value; },
                 state.position);
  json["statistics"] = json_of(statistics);
  write_file(draft.file(std::string(kState)), json.dump(1) + "\n");
  draft.commit();
}

TrainState load_checkpoint(const std::string& path, Parameters& parameters) {
  load_weights(fmt::format("{}/{}", path, kWeights), parameters);
  load_tensors(fmt::format("{}/{}", path, kOptimizer), state_tensors(parameters));
  TrainState state;
  with_state(path, [&](const Json& json) {
    visit_state([&](const char* key, auto& value) { json.at(key).get_to(value); }, state);
    visit_position([&](const char* key, auto& value) { json.at("position").at(key).get_to(value); },
                   state.position);
  });
  expect_sound(path, state);
  return state;
}

DataStatistics load_statistics(const std::string& path) {
  DataStatistics statistics;
  with_state(path, [&](const Json& json) {
    const Json& from = json.at("statistics");
    for (const auto& [table, tokens] : from.at("vocabularies").items()) {
      for (const Json& token : tokens) {
        statistics.vocabularies[table].push_back(token_of(token));
      }
    }
    from.at("means").get_to(statistics.means);
    from.at("deviations").get_to(statistics.deviations);
    from.at("minimums").get_to(statistics.minimums);
  });
  return statistics;
}

void load_weights(const std::string& file, Parameters& parameters) {
  load_tensors(file, weight_tensors(parameters));
}

}  // namespace ambidex
