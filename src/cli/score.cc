// SPDX-License-Identifier: Apache-2.0
// ambidex eval and ambidex predict: a run's weights on data.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>

#include "ambidex/train.h"
#include "base/files.h"
#include "cli/html.h"
#include "cli/json.h"
#include "cli/parse.h"
#include "cli/train_show.h"
#include "cli/verbs.h"

namespace ambidex {
namespace {

struct ScoreWords {
  std::string run;
  TrainData data;
  std::string part = "all";
  std::string out;
  int32_t threads = 0;
  bool json = false;
};

SplitPart part_from_name(const std::string& name) {
  constexpr std::array<SplitPart, 4> kParts{SplitPart::all, SplitPart::train, SplitPart::valid,
                                            SplitPart::test};
  std::vector<std::string> names;
  for (const SplitPart part : kParts) {
    if (name == name_of(part)) return part;
    names.emplace_back(name_of(part));
  }
  throw Error(ErrorKind::bad_input, unknown_name("part", name, names));
}

void eval_verb(const ScoreWords& words, Console& console) {
  const Metrics metrics =
      eval_run(words.run, words.data, part_from_name(words.part), words.threads);
  console.out = words.json ? dumped(json_of(metrics)) : text_of(metrics) + "\n";
}

void predict_verb(const ScoreWords& words, Console& console) {
  for (const char* suffix : {"", ".inter", ".user", ".item"}) {
    keep_input(words.out, words.data.path + suffix, "-o");
  }
  FileDraft draft(words.out);
  draft.write("sample,probability,label\n");
  int64_t num_samples = 0;
  predict_run(words.run, words.data, part_from_name(words.part), words.threads,
              [&](const ScoredSamples& samples) {
                fmt::memory_buffer rows;
                for (size_t i = 0; i < samples.numbers.size(); ++i) {
                  const float label = samples.labels[i];
                  fmt::format_to(std::back_inserter(rows), "{},{},{}\n", samples.numbers[i],
                                 samples.probabilities[i],
                                 std::isnan(label) ? "" : fmt::format("{}", label));
                }
                draft.write({rows.data(), rows.size()});
                num_samples += std::ssize(samples.numbers);
              });
  draft.commit();
  console.out = words.json ? dumped({{"samples", num_samples}, {"file", words.out}})
                           : fmt::format("{} samples: {}\n", num_samples, words.out);
}

CLI::App* add_scoring(CLI::App& app, const char* name, const char* what, ScoreWords& words) {
  CLI::App* verb = app.add_subcommand(name, what);
  verb->add_option("RUN", words.run, "Folder that train has made")->required();
  verb->add_option("--data", words.data.path, "As of train")->required();
  verb->add_option("--format", words.data.format, "Instead of finding out");
  verb->add_option("--part", words.part, "all, or by the model's split: train, valid, test");
  verb->add_option("--skip-bad", words.data.skip_bad, "Tolerate so many unreadable samples")
      ->check(at_least(0));
  verb->add_option("--threads", words.threads, "No more than this")->check(CLI::Range(1, 1024));
  verb->add_flag("--json", words.json, "One JSON document");
  return verb;
}

}  // namespace

void add_eval(CLI::App& app, Console& console) {
  auto words = std::make_shared<ScoreWords>();
  CLI::App* verb = add_scoring(app, "eval", "Metrics of a run on data", *words);
  verb->callback([words, &console] { eval_verb(*words, console); });
}

void add_predict(CLI::App& app, Console& console) {
  auto words = std::make_shared<ScoreWords>();
  CLI::App* verb = add_scoring(app, "predict", "Score data with a run, to CSV", *words);
  verb->add_option("-o,--output", words->out, "CSV: sample, probability, label")->required();
  verb->callback([words, &console] { predict_verb(*words, console); });
}

}  // namespace ambidex
