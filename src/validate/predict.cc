// SPDX-License-Identifier: Apache-2.0
#include "validate/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "ambidex/select.h"
#include "cost/library.h"

namespace ambidex {
namespace {

constexpr int kNumRepeats = 5;  // of a timed ranking

/// Equal tile and schedule.
using TileClass = std::tuple<int32_t, int32_t, int32_t, bool>;

TileClass tile_class(const GemmConfig& config) {
  return {config.tile.m, config.tile.n, config.tile.k, config.tensile.custom_schedule};
}

/// What the selector and the ranking work on: the distinct configurations of one shape.
struct CandidateList {
  std::vector<int32_t> twins;         // index into Measurements::configs
  std::vector<int32_t> of_candidate;  // place in `twins` of each timing
};

class TrialMaker {
 public:
  TrialMaker(const GemmModel& model, const Measurements& measured)
      : model_(model), measured_(measured), place_(measured.configs.size(), -1) {
    std::map<TileClass, int32_t> classes;
    for (const MeasuredConfig& it : measured.configs) {
      const auto next = static_cast<int32_t>(classes.size());
      class_of_.push_back(classes.try_emplace(tile_class(it.config), next).first->second);
    }
  }

  ShapeTrial make(const MeasuredShape& shape) {
    ShapeTrial trial{.op = shape.op};
    const CandidateList list = distinct(shape);
    const std::vector<GemmConfig>& configs = configs_of(list.twins);
    std::vector<double> seconds(configs.size());
    trial.selection_seconds = rank(shape.op, list.twins, configs, seconds);
    for (size_t i = 0; i < shape.timings.size(); ++i) {
      const auto& [config, measured] = shape.timings[i];
      const double predicted = seconds[static_cast<size_t>(list.of_candidate[i])];
      trial.candidates.push_back(
          {config, class_of_[static_cast<size_t>(config)], measured, predicted});
    }
    judge(trial, list.twins, configs);
    return trial;
  }

 private:
  CandidateList distinct(const MeasuredShape& shape) {
    CandidateList list;
    for (const Timing& timing : shape.timings) {
      const int32_t twin = measured_.configs[static_cast<size_t>(timing.config)].twin;
      int32_t& place = place_[static_cast<size_t>(twin)];
      if (place < 0) {
        place = static_cast<int32_t>(list.twins.size());
        list.twins.push_back(twin);
      }
      list.of_candidate.push_back(place);
    }
    for (const int32_t twin : list.twins) place_[static_cast<size_t>(twin)] = -1;
    return list;
  }

  const std::vector<GemmConfig>& configs_of(const std::vector<int32_t>& twins) {
    std::vector<GemmConfig>& configs = configs_[twins];
    if (!configs.empty()) return configs;
    for (const int32_t twin : twins) {
      configs.push_back(measured_.configs[static_cast<size_t>(twin)].config);
    }
    return configs;
  }

  /// Fills `seconds`; returns the median time that this takes, with the search for the least.
  double rank(const GemmOp& op, const std::vector<int32_t>& twins,
              const std::vector<GemmConfig>& configs, std::vector<double>& seconds) {
    PreparedConfigs& prepared = prepared_[{prepare_key(op), twins}];
    if (prepared == nullptr) prepared = prepare(model_, op, configs);
    std::vector<double> times;
    ptrdiff_t least = 0;
    for (int i = 0; i < kNumRepeats; ++i) {
      const auto start = std::chrono::steady_clock::now();
      gemm_seconds(model_, prepared, op, 0, seconds);
      least += std::min_element(seconds.begin(), seconds.end()) - seconds.begin();
      const auto end = std::chrono::steady_clock::now();
      times.push_back(std::chrono::duration<double>(end - start).count());
    }
    check(least >= 0, "the search for the least must not be left out");
    return *quantile(times, 0.5);
  }

  /// What the estimates and the selector say beside the times.
  void judge(ShapeTrial& trial, const std::vector<int32_t>& twins,
             const std::vector<GemmConfig>& configs) {
    const std::optional<size_t> choice = choice_of(trial);
    if (!choice) return;  // and nothing can be selected
    const auto estimate = [&](size_t candidate) {
      const auto config = static_cast<size_t>(trial.candidates[candidate].config);
      return gemm_estimate(model_, trial.op, measured_.configs[config].config);
    };
    trial.choice = estimate(*choice);
    const size_t best = best_of(trial);
    trial.regime = std::isinf(trial.candidates[best].predicted_seconds) ? trial.choice->regime
                                                                        : estimate(best).regime;
    auto selector = selectors_.find(twins);
    if (selector == selectors_.end()) {
      GemmSelector made(device_of(model_), template_of(model_), {.candidates = configs});
      selector = selectors_.emplace(twins, std::move(made)).first;
    }
    trial.abstained = selector->second.select(trial.op).abstained != Abstained::none;
  }

  const GemmModel& model_;
  const Measurements& measured_;
  std::vector<int32_t> place_;
  std::vector<int32_t> class_of_;  // of each configuration
  std::map<std::vector<int32_t>, std::vector<GemmConfig>> configs_;
  std::map<std::pair<uint64_t, std::vector<int32_t>>, PreparedConfigs> prepared_;
  std::map<std::vector<int32_t>, GemmSelector> selectors_;
};

ShapeTrial library_trial(const GemmOp& op, const Timing& timing, const LibraryModel& model) {
  ShapeTrial trial{.op = op};
  trial.choice = library_estimate(model, op);
  trial.regime = trial.choice->regime;
  trial.candidates.push_back({.config = timing.config,
                              .measured_seconds = timing.seconds,
                              .predicted_seconds = trial.choice->seconds});
  return trial;
}

/// By name of the library; the device's own where the table has one that it does not know.
std::vector<LibraryModel> library_models(const Device& device, const Measurements& measured,
                                         std::vector<std::string>& notes) {
  const LibraryModel own = make_library_model(device);
  std::vector<LibraryModel> models(measured.configs.size(), own);
  if (measured.format != MeasurementFormat::best_known) return models;
  for (size_t i = 0; i < models.size(); ++i) {
    try {
      models[i] = for_library(own, measured.configs[i].identity);
    } catch (const Error& error) {
      if (error.kind != ErrorKind::not_found) throw;
      notes.push_back(fmt::format("{}; predicted as the device's own library", error.what()));
    }
  }
  return models;
}

auto sizes_of(const GemmOp& op) {
  return std::tuple(op.m, op.n, op.k, op.batch, op.dtype, op.layout);
}

}  // namespace

std::vector<ShapeTrial> template_trials(const GemmModel& model, const Measurements& measured) {
  TrialMaker maker(model, measured);
  std::vector<ShapeTrial> trials;
  trials.reserve(measured.shapes.size());
  for (const MeasuredShape& shape : measured.shapes) trials.push_back(maker.make(shape));
  set_constant_picks(trials);
  return trials;
}

std::vector<ShapeTrial> library_trials(const Device& device, const Measurements& measured,
                                       std::vector<std::string>& notes) {
  const std::vector<LibraryModel> models = library_models(device, measured, notes);
  std::vector<ShapeTrial> trials;
  for (const MeasuredShape& shape : measured.shapes) {
    for (const Timing& timing : shape.timings) {
      const LibraryModel& model = models[static_cast<size_t>(timing.config)];
      trials.push_back(library_trial(shape.op, timing, model));
    }
  }
  return trials;
}

void add_library(const Device& device, const Measurements& library,
                 std::vector<ShapeTrial>& trials) {
  const LibraryModel model = make_library_model(device);
  std::map<decltype(sizes_of(GemmOp())), double> times;
  for (const MeasuredShape& shape : library.shapes) {
    times[sizes_of(shape.op)] = shape.timings.front().seconds;
  }
  for (ShapeTrial& trial : trials) {
    const auto found = times.find(sizes_of(trial.op));
    if (found == times.end()) continue;
    trial.library = LibraryTrial{.measured_seconds = found->second,
                                 .predicted_seconds = library_seconds(model, trial.op)};
  }
}

}  // namespace ambidex
