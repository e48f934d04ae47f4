// SPDX-License-Identifier: Apache-2.0
// Whole runs: what they leave behind, and that an interruption leaves no trace.
#include "ambidex/train.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.h"
#include "scratch.h"
#include "train/files.h"
#include "train/log.h"
#include "train/run_folder.h"
#include "train/safetensors.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class TrainTest : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path(name); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }

 private:
  ScratchFolder folder_;
};

/// Tab separated, as Criteo's, for tiny_model: label, 2 numbers, 3 hexadecimal ids.
std::string random_tsv(int64_t rows, uint64_t key) {
  std::string text;
  uint64_t counter = 0;
  const auto draw = [&](uint64_t below) { return random_bits(key, counter++) % below; };
  for (int64_t i = 0; i < rows; ++i) {
    const uint64_t a = draw(40), b = draw(20), c = draw(300);
    const bool label = draw(100) < (a % 2 == 0 ? 80 : 20);
    text += fmt::format("{}\t{}\t{}\t{:08x}\t{:08x}\t{:08x}\n", label ? 1 : 0, draw(50), draw(9), a,
                        b, c);
  }
  return text;
}

ModelSpec tiny_model() {
  return parse_model(R"(
id: tiny
dense_features: 2
tables:
  - {name: C1, rows: 40, dim: 4}
  - {name: C2, rows: 20, dim: 4}
  - {name: C3, rows: 300, dim: 4}
bottom_mlp: {widths: [8, 4]}
interaction: {kind: dot}
top_mlp: {widths: [8, 1], dropout: 0.1}
dense_optimizer: {kind: adam, lr: 0.01}
sparse_optimizer: {kind: rowwise_adagrad, lr: 0.1}
batch: 32
epochs: 3
data: {format: criteo, shuffle_window: 128, split: {kind: random}}
)",
                     "tiny.yaml");
}

TrainOptions options_for(const std::string& data, const std::string& out) {
  return {.data = {.path = data}, .saving = {.out = out, .log_every = 1}, .threads = 2};
}

TrainResult train_to(const ModelSpec& model, const std::string& data, const std::string& out) {
  return train(model, options_for(data, out));
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// The files of the newest checkpoints of two runs, and their logs, agree.
void expect_same_end(const std::string& a, const std::string& b) {
  const std::string one = newest_checkpoint(a), other = newest_checkpoint(b);
  EXPECT_EQ(fs::path(one).filename(), fs::path(other).filename());
  for (const char* file : {"/weights.safetensors", "/optimizer.safetensors"}) {
    EXPECT_TRUE(text_of_file(one + file) == text_of_file(other + file)) << file;
  }
  const auto lines = read_log(log_file(a)), others = read_log(log_file(b));
  ASSERT_EQ(lines.size(), others.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i].step, others[i].step);
    EXPECT_EQ(lines[i].kind, others[i].kind);
    for (const char* name : {"loss", "auc", "log_loss"}) {
      const double x = lines[i].value(name), y = others[i].value(name);
      EXPECT_TRUE(x == y || (std::isnan(x) && std::isnan(y))) << name << " of line " << i + 1;
    }
  }
}

TEST_F(TrainTest, learns_what_is_in_the_data) {
  const std::string data = write("train.txt", random_tsv(4000, 1));
  const TrainResult result = train_to(tiny_model(), data, path("run"));
  // Labels follow one bit of C1 with odds of 4 to 1: the best AUC is 0.8.
  ASSERT_TRUE(result.test);
  EXPECT_GT(result.test->auc, 0.72);
  EXPECT_LT(result.test->auc, 0.90);
  EXPECT_EQ(result.epochs, 3);
  EXPECT_GT(result.test->num_samples, 300);
  EXPECT_LT(result.test->num_samples, 500);
}

TEST_F(TrainTest, the_number_of_threads_changes_no_bit) {
  const std::string data = write("train.txt", random_tsv(1000, 2));
  for (const int threads : {1, 2}) {
    TrainOptions options = options_for(data, path(fmt::format("run{}", threads)));
    options.threads = threads;
    train(tiny_model(), options);
  }
  expect_same_end(path("run1"), path("run2"));
}

TEST_F(TrainTest, a_resumed_run_ends_with_the_bits_of_an_uninterrupted_one) {
  const std::string data = write("train.txt", random_tsv(1000, 3));
  train_to(tiny_model(), data, path("whole"));
  TrainOptions options = options_for(data, path("parts"));
  int64_t stop_at = 11;
  int64_t step = 0;
  const TrainHooks hooks{.progress = [&](const TrainProgress& p) { step = p.step; },
                         .stop = [&] { return step >= stop_at; }};
  EXPECT_TRUE(train(tiny_model(), options, hooks).is_interrupted);
  for (stop_at = 18; stop_at < 70; stop_at += 13) {
    EXPECT_TRUE(resume_training(options, hooks).is_interrupted);
  }
  const TrainResult last = resume_training(options);
  EXPECT_FALSE(last.is_interrupted);
  EXPECT_TRUE(last.test);
  expect_same_end(path("whole"), path("parts"));
}

TEST_F(TrainTest, a_run_can_be_made_longer) {
  const std::string data = write("train.txt", random_tsv(1000, 4));
  TrainOptions options = options_for(data, path("whole"));
  options.length.epochs = 4;
  train(tiny_model(), options);
  options.saving.out = path("parts");
  options.length.epochs = 2;
  train(tiny_model(), options);
  options.length.epochs = 4;
  const TrainResult result = resume_training(options);
  EXPECT_EQ(result.epochs, 4);
  const std::string whole = newest_checkpoint(path("whole")),
                    parts = newest_checkpoint(path("parts"));
  EXPECT_TRUE(text_of_file(whole + "/weights.safetensors") ==
              text_of_file(parts + "/weights.safetensors"));
}

TEST_F(TrainTest, a_run_that_is_over_stays_over) {
  const std::string data = write("train.txt", random_tsv(500, 4));
  const TrainResult first = train_to(tiny_model(), data, path("run"));
  const TrainResult again = resume_training(options_for(data, path("run")));
  EXPECT_EQ(again.steps, first.steps);
  EXPECT_EQ(again.test->auc, first.test->auc);
}

// What was said once holds: early stop counts evaluations, so their interval must stay.
TEST_F(TrainTest, a_resumed_run_keeps_its_intervals) {
  const std::string data = write("train.txt", random_tsv(1000, 17));
  ModelSpec model = tiny_model();
  model.early_stop = 4;
  model.epochs = 40;
  TrainOptions options = options_for(data, path("whole"));
  options.saving.eval_every = 9;
  options.saving.checkpoint_every = 20;
  train(model, options);
  options.saving.out = path("parts");
  int64_t step = 0;
  train(model, options,
        {.progress = [&](const TrainProgress& p) { step = p.step; },
         .stop = [&] { return step >= 14; }});
  resume_training({.saving = {.out = path("parts")}, .threads = 2});
  expect_same_end(path("whole"), path("parts"));
}

TEST_F(TrainTest, a_run_that_reached_its_target_stays_over) {
  const std::string data = write("train.txt", random_tsv(2000, 9));
  ModelSpec model = tiny_model();
  model.epochs = 50;
  TrainOptions options = options_for(data, path("run"));
  options.length.until_auc = 0.6;
  const int64_t steps = train(model, options).steps;
  EXPECT_EQ(resume_training({.saving = {.out = path("run")}}).steps, steps);
}

TEST_F(TrainTest, tables_that_do_not_fit_the_machine_are_refused) {
  ModelSpec model = tiny_model();
  model.tables[0].rows = 2'000'000'000;
  model.tables[0].dim = model.tables[1].dim = model.tables[2].dim = 4096;
  model.bottom_mlp.widths = {4096};
  EXPECT_THAT(error_of([&] { train(model, options_for("synthetic:", path("run"))); }),
              HasSubstr("GB in all; fewer rows need less"));
}

TEST_F(TrainTest, overfits_a_few_samples) {
  const std::string data = write("train.txt", random_tsv(150, 5));
  ModelSpec model = tiny_model();
  model.data.split.kind = SplitKind::none;
  model.top_mlp.dropout = 0;
  model.epochs = 300;
  TrainOptions options = options_for(data, path("run"));
  options.saving.checkpoint_every = 1'000'000;
  const TrainResult result = train(model, options);
  EXPECT_FALSE(result.test);
  EXPECT_LT(result.loss, 0.05);
  EXPECT_LT(eval_run(path("run"), {.path = data}, SplitPart::all).log_loss, 0.05);
}

TEST_F(TrainTest, eval_and_predict_agree_with_the_test_of_the_run) {
  const std::string data = write("train.txt", random_tsv(2000, 6));
  const TrainResult result = train_to(tiny_model(), data, path("run"));
  const Metrics metrics = eval_run(path("run"), {.path = data}, SplitPart::test);
  EXPECT_EQ(metrics.auc, result.test->auc);
  EXPECT_EQ(metrics.log_loss, result.test->log_loss);
  double loss = 0;
  int64_t samples = 0;
  predict_run(path("run"), {.path = data}, SplitPart::test, 1, [&](const ScoredSamples& scored) {
    for (size_t i = 0; i < scored.labels.size(); ++i) {
      const double p = scored.probabilities[i];
      loss -= std::log(scored.labels[i] > 0.5F ? p : 1 - p);
      ++samples;
    }
  });
  EXPECT_EQ(samples, metrics.num_samples);
  EXPECT_NEAR(loss / static_cast<double>(samples), metrics.log_loss, 1e-5);
}

// Tokens are bytes, and JSON has no words for those that are not UTF-8.
TEST_F(TrainTest, tokens_of_any_bytes_survive_a_checkpoint) {
  std::string text = "label,name\n";
  for (int i = 0; i < 200; ++i) text += i % 2 == 0 ? "1,caf\xe9\n" : "0,tea\n";
  const std::string data = write("drinks.csv", text);
  const ModelSpec model = parse_model(R"(
id: drinks
tables: [{name: name, rows: 3, dim: 4, encoding: vocabulary}]
top_mlp: {widths: [4, 1]}
sparse_optimizer: {kind: adagrad, lr: 0.5}
dense_optimizer: {kind: adam, lr: 0.05}
batch: 20
epochs: 5
)",
                                      "drinks.yaml");
  train_to(model, data, path("run"));
  EXPECT_GT(eval_run(path("run"), {.path = data}, SplitPart::all).auc, 0.99);
}

// A line in the middle of the file that cannot be read: what was learned before it is kept.
TEST_F(TrainTest, data_that_breaks_off_saves_the_steps_before) {
  const std::string good = random_tsv(600, 20);
  const std::string data = write("train.txt", good + "not a line\n" + random_tsv(100, 21));
  ModelSpec model = tiny_model();
  model.data.split.kind = SplitKind::none;
  const TrainOptions options = options_for(data, path("run"));
  const std::string message = error_of([&] { train(model, options); });
  EXPECT_THAT(message, HasSubstr("train.txt:601:"));
  EXPECT_THAT(message, HasSubstr("is saved: --resume"));
  TrainOptions again = options;
  again.data.skip_bad = 1;
  EXPECT_EQ(resume_training(again).num_skipped, 1);
}

TEST_F(TrainTest, one_process_trains_in_a_run) {
  const std::string data = write("train.txt", random_tsv(300, 22));
  train_to(tiny_model(), data, path("run"));
  const RunLock lock(path("run"));
  EXPECT_THAT(error_of([&] { resume_training(options_for(data, path("run"))); }),
              HasSubstr("another process trains in this run"));
}

// As of a contest's test file: no label, and rows that can be joined to the file's.
TEST_F(TrainTest, predict_scores_data_without_labels) {
  const std::string text = random_tsv(300, 24);
  const std::string data = write("train.txt", text);
  train_to(tiny_model(), data, path("run"));
  std::string bare;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) bare += line.substr(2) + "\n";
  const auto scores = [&](const std::string& file, int64_t skip_bad) {
    ScoredSamples all;
    predict_run(path("run"), {.path = file, .skip_bad = skip_bad}, SplitPart::all, 1,
                [&](const ScoredSamples& some) {
                  for (size_t i = 0; i < some.numbers.size(); ++i) {
                    all.numbers.push_back(some.numbers[i]);
                    all.probabilities.push_back(some.probabilities[i]);
                    all.labels.push_back(some.labels[i]);
                  }
                });
    return all;
  };
  const ScoredSamples with = scores(data, 0);
  const ScoredSamples without = scores(write("test.txt", bare), 0);
  EXPECT_EQ(with.probabilities, without.probabilities);
  EXPECT_TRUE(std::isnan(without.labels[0]));
  const ScoredSamples late = scores(write("late.txt", "not a line\n" + text), 1);
  EXPECT_EQ(late.numbers[0], 1);
  EXPECT_EQ(late.probabilities, with.probabilities);
}

TEST_F(TrainTest, keeps_the_newest_checkpoints) {
  const std::string data = write("train.txt", random_tsv(1000, 7));
  TrainOptions options = options_for(data, path("run"));
  options.saving.checkpoint_every = 5;
  options.saving.keep = 2;
  options.length.steps = 23;
  train(tiny_model(), options);
  std::vector<int64_t> steps;
  for (const Checkpoint& checkpoint : list_checkpoints(checkpoints_folder(path("run")))) {
    steps.push_back(checkpoint.step);
  }
  EXPECT_THAT(steps, testing::ElementsAre(20, 23));
}

TEST_F(TrainTest, early_stop_scores_the_best_weights) {
  const std::string data = write("train.txt", random_tsv(600, 8));
  ModelSpec model = tiny_model();
  model.top_mlp.dropout = 0;
  model.dense_optimizer.lr = 0.05;  // overfits soon
  model.epochs = 200;
  model.early_stop = 3;
  const TrainResult result = train_to(model, data, path("run"));
  EXPECT_LT(result.epochs, 200);
  double best = 0;
  for (const LogLine& line : read_log(log_file(path("run")))) {
    if (line.kind == "valid") best = std::max(best, line.value("auc"));
  }
  EXPECT_EQ(result.valid->auc, best);
  EXPECT_EQ(eval_run(path("run"), {.path = data}, SplitPart::test).auc, result.test->auc);
}

TEST_F(TrainTest, ends_when_the_target_is_reached) {
  const std::string data = write("train.txt", random_tsv(2000, 9));
  ModelSpec model = tiny_model();
  model.epochs = 50;
  TrainOptions options = options_for(data, path("run"));
  options.length.until_auc = 0.6;
  const TrainResult result = train(model, options);
  EXPECT_LT(result.epochs, 50);
  ASSERT_TRUE(result.seconds_to_target);
  EXPECT_GT(*result.seconds_to_target, 0);
}

TEST_F(TrainTest, starts_from_weights_of_a_file) {
  const std::string data = write("train.txt", random_tsv(1000, 10));
  const TrainResult first = train_to(tiny_model(), data, path("first"));
  TrainOptions options = options_for(data, path("second"));
  options.weights = newest_checkpoint(path("first")) + "/weights.safetensors";
  options.length.steps = 1;
  ModelSpec model = tiny_model();
  model.dense_optimizer.lr = 1e-30;
  model.sparse_optimizer.lr = 1e-30;
  EXPECT_EQ(train(model, options).test->auc, first.test->auc);
}

TEST_F(TrainTest, profile_holds_every_op_of_the_model) {
  const std::string data = write("train.txt", random_tsv(500, 11));
  TrainOptions options = options_for(data, path("run"));
  options.profile = true;
  options.length.steps = 3;
  const TrainResult result = train(tiny_model(), options);
  EXPECT_EQ(result.op_seconds.size(), ops_of(tiny_model()).size());
  for (const OpSeconds& op : result.op_seconds) EXPECT_EQ(op.count, 3) << op.name;
  EXPECT_EQ(result.op_spans.size(), 3 * result.op_seconds.size());
}

TEST_F(TrainTest, a_run_is_not_overwritten) {
  const std::string data = write("train.txt", random_tsv(200, 12));
  train_to(tiny_model(), data, path("run"));
  EXPECT_THAT(error_of([&] { train_to(tiny_model(), data, path("run")); }),
              HasSubstr("holds a run already; --resume"));
  write("file", "mine");
  EXPECT_THAT(error_of([&] { train_to(tiny_model(), data, path("file")); }),
              HasSubstr("is not an empty folder; give a new --out"));
}

TEST_F(TrainTest, what_cannot_start_leaves_nothing_behind) {
  const std::string data = write("train.txt", "1\t2\tnot a line\n");
  EXPECT_THAT(error_of([&] { train_to(tiny_model(), data, path("run")); }),
              HasSubstr("train.txt:1:"));
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(TrainTest, test_data_that_is_not_there_is_said_before_training) {
  const std::string data = write("train.txt", random_tsv(300, 18));
  TrainOptions options = options_for(data, path("run"));
  options.data.test_path = path("tset.txt");
  EXPECT_THAT(error_of([&] { train(tiny_model(), options); }), HasSubstr("tset.txt"));
  EXPECT_FALSE(fs::exists(path("run")));
  options.data.test_path = write("test.txt", random_tsv(50, 19));
  EXPECT_EQ(train(tiny_model(), options).test->num_samples, 50);
}

TEST_F(TrainTest, what_is_no_run_is_said) {
  EXPECT_THAT(error_of([&] { load_run(path("nothing")); }), HasSubstr("no run there"));
  EXPECT_THAT(error_of([&] { resume_training(options_for("", path("nothing"))); }),
              HasSubstr("no run there"));
  create_run(path("empty"), {tiny_model(), {.path = "x"}, {}, {}});
  EXPECT_THAT(error_of([&] { resume_training(options_for("", path("empty"))); }),
              HasSubstr("no checkpoint yet"));
  write("empty/run.json", "{\"data\": 3}");
  EXPECT_THAT(error_of([&] { load_run(path("empty")); }), HasSubstr("not what train writes there"));
}

TEST_F(TrainTest, a_checkpoint_of_another_model_is_refused) {
  const std::string data = write("train.txt", random_tsv(300, 13));
  train_to(tiny_model(), data, path("run"));
  ModelSpec other = tiny_model();
  other.tables[1].rows = 21;
  TrainOptions options = options_for(data, path("other"));
  options.weights = newest_checkpoint(path("run")) + "/weights.safetensors";
  const std::string message = error_of([&] { train(other, options); });
  EXPECT_THAT(message, HasSubstr("tables.C2.weight"));
  EXPECT_THAT(message, HasSubstr("another model"));
  other = tiny_model();
  other.top_mlp.widths = {8, 8, 1};
  EXPECT_THAT(error_of([&] { train(other, options); }), HasSubstr("another model"));
}

TEST_F(TrainTest, a_broken_state_is_refused) {
  const std::string data = write("train.txt", random_tsv(300, 14));
  train_to(tiny_model(), data, path("run"));
  std::ofstream(newest_checkpoint(path("run")) + "/state.json") << "{\"step\": \"x\"}";
  EXPECT_THAT(error_of([&] { resume_training(options_for(data, path("run"))); }),
              HasSubstr("not the state of a checkpoint"));
}

TEST_F(TrainTest, parts_of_two_checkpoints_are_not_one) {
  const std::string data = write("train.txt", random_tsv(300, 23));
  TrainOptions options = options_for(data, path("run"));
  options.length.steps = 6;
  options.saving.checkpoint_every = 3;
  train(tiny_model(), options);
  const auto checkpoints = list_checkpoints(checkpoints_folder(path("run")));
  ASSERT_EQ(checkpoints.size(), 2u);
  fs::copy_file(checkpoints[0].path + "/state.json", checkpoints[1].path + "/state.json",
                fs::copy_options::overwrite_existing);
  EXPECT_THAT(error_of([&] { resume_training(options); }), HasSubstr("do not belong together"));
  std::string state = text_of_file(checkpoints[0].path + "/state.json");
  state.replace(state.find("\"in_window\": "), 13, "\"in_window\": -");
  std::ofstream(checkpoints[0].path + "/state.json") << state;
  fs::remove_all(checkpoints[1].path);
  EXPECT_THAT(error_of([&] { resume_training(options); }), HasSubstr("do not belong together"));
}

TEST_F(TrainTest, a_sequence_model_is_not_trained_yet) {
  try {
    train(load_model("hstu_ml1m"), options_for("synthetic:", path("run")));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("not trained yet"));
  }
}

TEST_F(TrainTest, divergence_is_said_and_keeps_the_last_checkpoint) {
  const std::string data = write("train.txt", random_tsv(500, 15));
  ModelSpec model = tiny_model();
  model.dense_optimizer = {.kind = OptimizerKind::sgd, .lr = 1e30};
  TrainOptions options = options_for(data, path("run"));
  EXPECT_THAT(error_of([&] { train(model, options); }), HasSubstr("training has diverged"));
}

TEST_F(TrainTest, weights_that_are_no_numbers_are_not_saved) {
  const std::string data = write("train.txt", random_tsv(500, 25));
  ModelSpec model = tiny_model();
  model.dense_optimizer = {.kind = OptimizerKind::sgd, .lr = 1e300};
  TrainOptions options = options_for(data, path("run"));
  options.length.steps = 1;
  EXPECT_THAT(error_of([&] { train(model, options); }),
              HasSubstr("a weight is not a finite number; training has diverged"));
  EXPECT_TRUE(list_checkpoints(checkpoints_folder(path("run"))).empty());
}

TEST_F(TrainTest, a_part_without_samples_is_said_before_training) {
  const std::string data = write("train.txt", random_tsv(100, 26));
  ModelSpec model = tiny_model();
  model.data.split.valid_ratio = 1e-9;
  EXPECT_THAT(error_of([&] { train_to(model, data, path("run")); }), HasSubstr("part \"valid\""));
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(TrainTest, a_full_disk_is_said_and_keeps_the_checkpoint_before) {
  const std::string data = write("train.txt", random_tsv(1000, 16));
  TrainOptions options = options_for(data, path("run"));
  options.saving.checkpoint_every = 5;
  options.length.steps = 5;
  train(tiny_model(), options);
  const pid_t child = fork();
  if (child == 0) {  // files may not grow beyond 4 KiB from here on; weights are larger
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{4096, 4096};
    setrlimit(RLIMIT_FSIZE, &limit);
    options.length.steps = 20;
    const std::string message = error_of([&] { resume_training(options); });
    _exit(message.find("safetensors") != std::string::npos ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const auto left = list_checkpoints(checkpoints_folder(path("run")));
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].step, 5);
  int num_files = 0;
  for (const auto& entry : fs::directory_iterator(checkpoints_folder(path("run")))) {
    (void)entry;
    ++num_files;
  }
  EXPECT_EQ(num_files, 1);
  options.length.steps = 20;
  EXPECT_EQ(resume_training(options).steps, 20);
}

}  // namespace
}  // namespace ambidex
