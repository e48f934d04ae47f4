// SPDX-License-Identifier: Apache-2.0
// ambidex train: from a model and data to a run.
#include "ambidex/train.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>

#include "ambidex/report.h"
#include "base/files.h"
#include "base/text.h"
#include "cli/json.h"
#include "cli/parse.h"
#include "cli/train_show.h"
#include "cli/verbs.h"

namespace ambidex {
namespace {

struct TrainWords {
  std::string model;
  std::vector<std::string> overrides;
  std::string resume;
  std::string target = "auto";
  std::string trace;
  TrainOptions options;
  bool json = false;
};

volatile std::sig_atomic_t stop_signals = 0;
volatile std::sig_atomic_t is_stepping = 0;  // there is something to save

void on_stop(int) {
  if (stop_signals != 0 || is_stepping == 0) ::_exit(kExitInterrupted);
  stop_signals = 1;
}

/// While it lives, SIGINT and SIGTERM ask training to stop instead of ending the process, the first
/// time, and if there are steps to save.
class StopSignals {
 public:
  StopSignals() : interrupt_(std::signal(SIGINT, on_stop)), end_(std::signal(SIGTERM, on_stop)) {
    if (interrupt_ == SIG_IGN) std::signal(SIGINT, SIG_IGN);  // runs in the background
  }
  ~StopSignals() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGTERM, end_);
  }
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  void (*interrupt_)(int);
  void (*end_)(int);
};

void check_target(const std::string& target) {
  if (target == "cpu" || target == "auto") return;
  if (target == "cuda" || target == "hip") {
    throw Error(ErrorKind::unsupported,
                fmt::format("--target {}: GPUs are not trained on yet; --target cpu is", target));
  }
  throw Error(
      ErrorKind::bad_input,
      unknown_name("target", target, std::vector<std::string>{"cpu", "cuda", "hip", "auto"}));
}

/// runs/dlrm_small-20261130-081500, with a number if that is taken.
std::string new_run_path(const std::string& model_id) {
  const std::string path =
      fmt::format("runs/{}-{:%Y%m%d-%H%M%S}", model_id, fmt::gmtime(std::time(nullptr)));
  std::string free = path;
  for (int i = 2; std::filesystem::exists(free); ++i) free = fmt::format("{}-{}", path, i);
  return free;
}

/// A resumed run keeps what it was made of; saying something else is a mistake.
void check_same(const TrainWords& words, const RunInfo& info) {
  const TrainOptions& options = words.options;
  if (!options.saving.out.empty() && options.saving.out != words.resume) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--out {}: a resumed run stays in its folder {}; leave --out away",
                            options.saving.out, words.resume));
  }
  if (words.model.empty() && !words.overrides.empty()) {
    throw Error(ErrorKind::bad_input,
                "--set with --resume: a resumed run keeps its model; leave --set away");
  }
  if (!words.model.empty() && load_model(words.model, words.overrides) != info.model) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--resume {}: the run's model is {} as in {}/model.yaml, and {} with "
                            "these --set is another; leave MODEL and --set away to go on with it",
                            words.resume, info.model.id, words.resume, words.model));
  }
  for (const auto& [name, value] : {std::pair{"--valid-data", options.data.valid_path},
                                    {"--test-data", options.data.test_path},
                                    {"--format", options.data.format},
                                    {"--weights", options.weights}}) {
    if (value.empty()) continue;
    throw Error(ErrorKind::bad_input,
                fmt::format("{} with --resume: a resumed run keeps its data and weights; leave {} "
                            "away",
                            name, name));
  }
  const std::string& path = options.data.path;
  if (!path.empty() && path != info.data.path &&
      std::filesystem::absolute(path).lexically_normal() != info.data.path) {
    throw Error(ErrorKind::bad_input,
                fmt::format("--resume {}: the run trains on {}, not on {}; leave --data away",
                            words.resume, info.data.path, path));
  }
}

Timeline timeline_of(const TrainResult& result) {
  Timeline timeline{.process = result.run};
  for (const OpSpan& span : result.op_spans) {
    const std::string& name = result.op_seconds[static_cast<size_t>(span.op)].name;
    timeline.spans.push_back({.name = name,
                              .category = name.substr(name.rfind('.') + 1),
                              .start_seconds = span.start_seconds,
                              .duration_seconds = span.seconds});
  }
  return timeline;
}

TrainResult run_training(TrainWords& words, const ModelSpec& model, ProgressLine& line) {
  const StopSignals signals;
  const TrainHooks hooks{
      .progress =
          [&](const TrainProgress& progress) {
            is_stepping = 1;
            line.show(progress);
          },
      .evaluated =
          [&](std::string_view part, int64_t step, const Metrics& metrics) {
            line.note(fmt::format("step {}  {}  {}", step, part, text_of(metrics)));
          },
      .stop = [] { return stop_signals != 0; },
      .trained = [] { is_stepping = 0; }};
  if (words.resume.empty()) return train(model, words.options, hooks);
  words.options.saving.out = words.resume;
  return resume_training(words.options, hooks);
}

ModelSpec model_of(const TrainWords& words) {
  if (!words.resume.empty()) {
    const RunInfo info = load_run(words.resume);
    check_same(words, info);
    return info.model;
  }
  if (words.model.empty()) {
    throw Error(ErrorKind::bad_input,
                "train: no model; ambidex model list names those that are built in");
  }
  if (words.options.data.path.empty()) {
    throw Error(ErrorKind::bad_input,
                "train: no --data PATH; \"synthetic:\" is data that needs no files");
  }
  return load_model(words.model, words.overrides);
}

void train_verb(TrainWords words, Console& console) {
  check_target(words.target);
  const ModelSpec model = model_of(words);
  TrainOptions& options = words.options;
  if (options.saving.out.empty() && words.resume.empty()) {
    options.saving.out = new_run_path(model.id);
  }
  options.profile = options.profile || !words.trace.empty();
  // Opened first: a path that cannot be written is told before training, not after.
  std::optional<FileDraft> trace;
  if (!words.trace.empty()) trace.emplace(words.trace);
  TrainResult result;
  {
    ProgressLine line;
    result = run_training(words, model, line);
  }
  if (trace) {
    trace->write(trace_json(timeline_of(result)));
    trace->commit();
  }
  console.out = words.json ? dumped(json_of(model, result)) : text_of(model, result);
  if (result.is_interrupted) console.exit_code = kExitInterrupted;
}

void add_data_options(CLI::App& verb, TrainData& data) {
  verb.add_option("--data", data.path,
                  "File, folder, prefix of .inter/.user/.item, or synthetic:WORDS");
  verb.add_option("--format", data.format, "Instead of finding out; ambidex data inspect tells");
  verb.add_option("--valid-data", data.valid_path, "Validate on this instead of a share of --data");
  verb.add_option("--test-data", data.test_path, "Test on this instead of a share of --data");
  verb.add_option("--skip-bad", data.skip_bad, "Tolerate so many unreadable samples")
      ->check(at_least(0));
}

void add_length_options(CLI::App& verb, TrainLength& length) {
  verb.add_option("--epochs", length.epochs, "Passes over the data; else the model's")
      ->check(at_least(1));
  verb.add_option("--steps", length.steps, "End after so many steps")->check(at_least(1));
  verb.add_option("--until-auc", length.until_auc, "End once validation reaches this AUC")
      ->check([](const std::string& text) {
        const std::optional<double> auc = double_from_text(text);
        if (auc && *auc > 0 && *auc <= 1) return std::string();
        return fmt::format("expected a number above 0, at most 1, got {}", quote(text));
      });
}

void add_saving_options(CLI::App& verb, TrainSaving& saving) {
  verb.add_option("--out", saving.out, "Folder of the run; else runs/MODEL-TIME");
  verb.add_option("--checkpoint-every", saving.checkpoint_every, "Steps; else at each epoch's end")
      ->check(at_least(1));
  verb.add_option("--keep", saving.keep, "Newest checkpoints that stay; 3")->check(at_least(1));
  verb.add_option("--eval-every", saving.eval_every, "Steps; else at each epoch's end")
      ->check(at_least(1));
  verb.add_option("--log-every", saving.log_every, "Steps between lines of metrics.jsonl; 100")
      ->check(at_least(1));
}

}  // namespace

void add_train(CLI::App& app, Console& console) {
  auto words = std::make_shared<TrainWords>();
  CLI::App* verb = app.add_subcommand("train", "Train a model on data");
  verb->add_option("MODEL", words->model, "A built-in model, or a YAML file");
  verb->add_option("--set", words->overrides, "KEY=VALUE in the model, as tables.*.rows=1000")
      ->allow_extra_args(false);
  add_data_options(*verb, words->options.data);
  add_length_options(*verb, words->options.length);
  add_saving_options(*verb, words->options.saving);
  verb->add_option("--resume", words->resume, "Go on with this run from its last checkpoint");
  verb->add_option("--weights", words->options.weights, "Start from a safetensors file");
  verb->add_option("--target", words->target, "cpu, cuda, hip or auto");
  verb->add_option("--threads", words->options.threads, "No more than this; the bits are the same")
      ->check(CLI::Range(1, 1024));
  verb->add_flag("--profile", words->options.profile, "Seconds per op");
  verb->add_option("--trace", words->trace, "The same as a Chrome trace");
  verb->add_flag("--json", words->json, "One JSON document");
  verb->callback([words, &console] { train_verb(*words, console); });
}

}  // namespace ambidex
