// SPDX-License-Identifier: Apache-2.0
// `port repair` from end to end, against a scripted model that misbehaves before it is right.
#include "port/repair_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "caught.h"
#include "port/bundle.h"
#include "port/process.h"
#include "port/refusal_marks.h"
#include "port/repair.h"
#include "port/translate.h"
#include "scratch.h"
#include "scripted_model.h"

namespace ambidex {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const std::string kKey = "sk-secret-0123456789abcdef";
const std::string kSource = AMBIDEX_SOURCE_DIR "/tests/corpus/spin_lock_outside.cu";

std::string block(const std::string& search, const std::string& replace) {
  return "FILE spin_lock_outside.hip\n<<<<<<< SEARCH\n" + search + "\n=======\n" + replace +
         "\n>>>>>>> REPLACE\n";
}

// The section moves into the loop, as docs say by hand (data/hazards/S03.md).
const std::string kRight = block(R"(  while (atomicCAS(&mutex, 0, 1) != 0) {
  }
  __threadfence();
  volatile int* c = counter;
  *c = *c + 1;
  __threadfence();
  atomicExch(&mutex, 0);)",
                                 R"(  bool done = false;
  while (!done) {
    if (atomicCAS(&mutex, 0, 1) == 0) {
      __threadfence();
      volatile int* c = counter;
      *c = *c + 1;
      __threadfence();
      atomicExch(&mutex, 0);
      done = true;
    }
  }  // the holder finishes inside)");

// One try each: those that come too late are not counted.
const std::string kWrong = block("while (atomicCAS(&mutex, 0, 1) != 0) {\n  }",
                                 "if (atomicCAS(&mutex, 0, 1) != 0) return;");

RepairOptions options_of(const std::string& folder, const ScriptedModel& model,
                         std::vector<double>& pauses) {
  RepairOptions options{.run = {.path = kSource, .folder = folder, .arguments = {}, .key = 1},
                        .budget = {},
                        .endpoint = repair::Endpoint{.url = model.url(),
                                                     .model = "scripted",
                                                     .key = kKey,
                                                     .protocol = repair::Protocol::openai,
                                                     .max_silent_seconds = 0.3},
                        .replay = {},
                        .pause = [&pauses](double seconds) { pauses.push_back(seconds); }};
  return options;
}

std::vector<json> turns_of(const std::string& folder) {
  std::vector<json> turns;
  std::istringstream lines(text_of_file(folder + "/transcript.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    json row = json::parse(line);
    if (row["kind"] == "turn") turns.push_back(std::move(row));
  }
  return turns;
}

std::vector<std::string> gates_of(const std::string& folder) {
  std::vector<std::string> gates;
  for (const json& turn : turns_of(folder)) gates.push_back(turn["gate"].get<std::string>());
  return gates;
}

void expect_no_file_with(const std::string& folder, const std::string& secret) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    EXPECT_EQ(text_of_file(entry.path().string()).find(secret), std::string::npos) << entry;
  }
}

// The tree as the rules made it, but for the body of count_up and the mark above it.
void expect_only_the_body_changed(const std::string& folder) {
  const TranslatedTree tree = translate_tree(kSource, {});
  std::string before = tree.files[0].new_text;
  const MarkSpan mark = refusal_mark_above(before, before.find("count_up(int* counter) {") + 24);
  EXPECT_LT(mark.begin, mark.end);
  before.erase(mark.begin, mark.end - mark.begin);
  const std::string after = text_of_file(folder + "/hip/spin_lock_outside.hip");
  const size_t open = before.find("count_up(int* counter) {") + 24;
  const size_t close = before.find("}\n\nint main() {");
  EXPECT_EQ(after.substr(0, open), before.substr(0, open));
  EXPECT_TRUE(after.ends_with(before.substr(close)));
  EXPECT_NE(after, before);
  EXPECT_EQ(text_of_file(folder + "/original/spin_lock_outside.cu"), text_of_file(kSource));
}

TEST(RepairLoop, a_model_that_misbehaves_in_every_way_and_then_is_right_repairs_the_kernel) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path("port");
  const std::string whole = openai_events(kRight);
  const ScriptedModel model({openai_reply(kWrong),
                             openai_reply("Here is your kernel: __global__ void count_up() {}"),
                             openai_reply("I cannot help with that.", "content_filter"),
                             {"", true},
                             {http_response(429, "Retry-After: 3\r\n", "{}")},
                             {event_stream(whole.substr(0, whole.size() / 2))},
                             {http_response(500, "", "")},
                             openai_reply(kRight)});
  std::vector<double> pauses;
  const RepairOptions options = options_of(folder, model, pauses);
  const RepairRun done = repair_port(options);

  ASSERT_EQ(done.repairs.size(), 1u);
  EXPECT_EQ(done.repairs[0].outcome, RepairOutcome::repaired) << done.repairs[0].reason;
  ASSERT_EQ(done.port.kernels.size(), 1u);
  EXPECT_EQ(done.port.kernels[0].verdict, PortVerdict::pass_unmeasured);
  EXPECT_TRUE(done.port.kernels[0].repaired);
  EXPECT_THAT(gates_of(folder), ElementsAre("verify", "reply", "refusal", "stream", ""));
  EXPECT_THAT(pauses, ElementsAre(1, 3, 1));  // silence, as the limit says, status 500
  ASSERT_EQ(model.num_requests(), 8u);
  EXPECT_EQ(done.num_turns, 5);
  EXPECT_LE(done.num_turns, options.budget.num_turns);
  EXPECT_LE(done.num_tokens, options.budget.num_tokens);
  expect_only_the_body_changed(folder);
  expect_no_file_with(folder, kKey);
  EXPECT_THAT(text_of_file(folder + "/repair-1.patch"), HasSubstr("+    if (atomicCAS"));
  EXPECT_THAT(text_of_file(folder + "/verdict.json"), HasSubstr("\"right\": true"));

  // What the model was told.
  const std::string asked = model.requests()[0];
  EXPECT_THAT(asked, HasSubstr("S03"));
  EXPECT_THAT(asked, HasSubstr("no_forward_progress at spin_lock_outside.hip:15, block"));
  EXPECT_THAT(asked, HasSubstr("launched with grid (2, 1, 1) of blocks (64, 1, 1)"));
  EXPECT_THAT(asked, Not(HasSubstr("Needs independent thread scheduling")));  // a comment
  EXPECT_THAT(asked, Not(HasSubstr("seed")));
  EXPECT_THAT(asked, Not(HasSubstr(scratch.path())));
  EXPECT_THAT(model.requests()[1], HasSubstr("Not accepted (verify)"));

  // The same decisions, files and verdicts from the transcript, without a network.
  const std::string again = scratch.path("again");
  const BundleCheck check = check_bundle(folder, again, 1, false);
  EXPECT_THAT(check.differences, ElementsAre());
  EXPECT_EQ(gates_of(again), gates_of(folder));
  EXPECT_EQ(text_of_file(again + "/hip/spin_lock_outside.hip"),
            text_of_file(folder + "/hip/spin_lock_outside.hip"));
  EXPECT_EQ(model.num_requests(), 8u);
}

// The port of the spin lock as the rules leave it, made once.
class Rules {
 public:
  Rules() {
    const std::string folder = scratch_.path("port");
    run_ = run_port({.path = kSource, .folder = folder});
    trees_ = {folder + "/original", folder + "/hip"};
    tasks_ = repair::tasks_of(run_, trees_, {});
    bench_ = {.task = &tasks_.tasks.at(0),
              .trees = trees_,
              .original = repair::read_texts(trees_.original),
              .hip = repair::read_texts(trees_.hip),
              .folder = scratch_.path("work")};
  }
  const repair::Bench& bench() const { return bench_; }

 private:
  ScratchFolder scratch_;
  PortRun run_;
  repair::Trees trees_;
  repair::Tasks tasks_;
  repair::Bench bench_;
};

// The loop alone.
struct Looped {
  Repaired repaired;
  int64_t num_turns = 0, num_tokens = 0;
};
Looped loop(const ScriptedModel& model, const RepairBudget& budget = {}) {
  static const Rules kRules;
  const ScratchFolder scratch;
  repair::Transcript transcript(scratch.path("t.jsonl"), nlohmann::ordered_json::object());
  const repair::Endpoint endpoint{.url = model.url(), .model = "scripted", .key = kKey};
  repair::Session session{.budget = budget,
                          .endpoint = &endpoint,
                          .replay = nullptr,
                          .transcript = &transcript,
                          .pause = [](double) {},
                          .deadline = repair::Clock::now() + std::chrono::minutes(20)};
  Looped looped{.repaired = run_loop(session, kRules.bench(), "trouble").repaired};
  looped.num_turns = session.num_turns;
  looped.num_tokens = session.num_tokens;
  return looped;
}

TEST(RepairLoop, turns_are_not_exceeded) {
  const ScriptedModel model(std::vector<ScriptedStep>(6, openai_reply("no edits")));
  const Looped done = loop(model, {.num_turns = 3});
  EXPECT_EQ(done.repaired.outcome, RepairOutcome::budget);
  EXPECT_EQ(done.repaired.reason, "3 turns are used");
  EXPECT_EQ(model.num_requests(), 3u);
}

TEST(RepairLoop, tokens_are_not_exceeded) {
  const ScriptedModel model(std::vector<ScriptedStep>(6, openai_reply("no edits")));
  const Looped done = loop(model, {.num_tokens = 3000});  // the question alone may have more
  EXPECT_EQ(done.repaired.outcome, RepairOutcome::budget);
  EXPECT_THAT(done.repaired.reason, HasSubstr("0 of 3000 tokens are used"));
  EXPECT_EQ(model.num_requests(), 0u);
  const std::string events = openai_events("no edits");
  const size_t usage = events.find("\"prompt_tokens\":100");
  ASSERT_NE(usage, std::string::npos);
  std::string dear = events;
  dear.replace(usage, 19, "\"prompt_tokens\":9000");
  const ScriptedModel costly(std::vector<ScriptedStep>(6, ScriptedStep{event_stream(dear)}));
  const Looped second = loop(costly, {.num_tokens = 20000});
  EXPECT_EQ(second.repaired.outcome, RepairOutcome::budget);
  EXPECT_EQ(second.num_turns, 2);  // 18,040 tokens; a third may go beyond
  EXPECT_EQ(second.num_tokens, 18040);
}

TEST(RepairLoop, seconds_are_not_exceeded_by_a_pause) {
  const ScriptedModel model({{http_response(429, "Retry-After: 86400\r\n", "{}")}});
  const Looped done = loop(model);
  EXPECT_EQ(done.repaired.outcome, RepairOutcome::endpoint);
  EXPECT_THAT(done.repaired.reason, HasSubstr("beyond the budget"));
  EXPECT_EQ(model.num_requests(), 1u);
}

TEST(RepairLoop, an_endpoint_that_turns_away_later_ends_the_loop_with_what_there_is) {
  const ScriptedModel model({openai_reply("no edits"), {http_response(401, "", "{}")}});
  const Looped done = loop(model);
  EXPECT_EQ(done.repaired.outcome, RepairOutcome::endpoint);
  EXPECT_THAT(done.repaired.reason, HasSubstr("status 401"));
  EXPECT_EQ(done.num_turns, 1);
}

TEST(RepairLoop, a_model_may_give_up_or_refuse_twice) {
  const ScriptedModel model({openai_reply("CANNOT: no idea")});
  const Looped done = loop(model);
  EXPECT_EQ(done.repaired.outcome, RepairOutcome::gave_up);
  EXPECT_EQ(done.repaired.reason, "no idea");
  const ScriptedModel unwilling(
      std::vector<ScriptedStep>(3, openai_reply("No.", "content_filter")));
  EXPECT_EQ(loop(unwilling).repaired.outcome, RepairOutcome::gave_up);
  EXPECT_EQ(unwilling.num_requests(), 2u);
}

TEST(RepairLoop, without_an_endpoint_the_error_says_what_was_done_and_what_to_set) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path("port");
  const Caught error = caught([&] { repair_port({.run = {.path = kSource, .folder = folder}}); });
  EXPECT_EQ(error.kind, ErrorKind::bad_input);
  EXPECT_THAT(error.message, HasSubstr("0 of 1 kernels are PASS-UNMEASURED"));
  EXPECT_THAT(error.message, HasSubstr("left: count_up"));
  EXPECT_THAT(error.message, HasSubstr("Set AMBIDEX_REPAIR_URL and AMBIDEX_REPAIR_MODEL"));
  EXPECT_THAT(text_of_file(folder + "/REPORT.md"), HasSubstr("REFUSED"));
}

TEST(RepairLoop, the_command_takes_the_endpoint_from_the_environment_and_keeps_the_key_to_itself) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path("port");
  const ScriptedModel model({anthropic_reply(kWrong), anthropic_reply(kRight)});
  ::setenv("AMBIDEX_REPAIR_URL", model.url().c_str(), 1);
  ::setenv("AMBIDEX_REPAIR_MODEL", "scripted", 1);
  ::setenv("AMBIDEX_REPAIR_KEY", kKey.c_str(), 1);
  ::setenv("AMBIDEX_REPAIR_PROTOCOL", "anthropic", 1);
  const ProcessResult result = run_process(
      {AMBIDEX_BINARY_DIR "/ambidex", "port", "repair", kSource, "-o", folder}, "", 600);
  for (const char* name : {"URL", "MODEL", "KEY", "PROTOCOL"}) {
    ::unsetenv((std::string("AMBIDEX_REPAIR_") + name).c_str());
  }
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("PASS-UNMEASURED  count_up"));
  EXPECT_THAT(result.out, HasSubstr("count_up: repaired after 2 turns"));
  EXPECT_EQ((result.out + result.err).find(kKey), std::string::npos);
  EXPECT_THAT(model.requests()[0], HasSubstr("x-api-key: " + kKey));
  EXPECT_THAT(text_of_file(folder + "/REPORT.md"), HasSubstr("repaired by a model"));
  expect_no_file_with(folder, kKey);
}

TEST(RepairLoop, where_nothing_is_left_no_model_is_asked) {
  const ScratchFolder scratch;
  const RepairRun done =
      repair_port({.run = {.path = AMBIDEX_SOURCE_DIR "/tests/corpus/vector_add.cu",
                           .folder = scratch.path("port")}});
  EXPECT_TRUE(done.repairs.empty());
  EXPECT_EQ(done.port.count(PortVerdict::pass_unmeasured), 1);
}

TEST(RepairLoop, what_is_refused_in_host_code_is_not_for_a_model) {
  const ScratchFolder scratch;
  const ScriptedModel model({});
  std::vector<double> pauses;
  RepairOptions options = options_of(scratch.path("port"), model, pauses);
  options.run.path = AMBIDEX_SOURCE_DIR "/tests/corpus/texture_fetch.cu";
  const RepairRun done = repair_port(options);
  EXPECT_TRUE(done.repairs.empty());
  ASSERT_EQ(done.leftovers.size(), 1u);
  EXPECT_THAT(done.leftovers[0].why, HasSubstr("outside of kernels"));
  EXPECT_EQ(model.num_requests(), 0u);
}

// Every launch adds nothing: whether the kernel runs or not is all the same.
TEST(RepairLoop, a_kernel_that_no_test_would_miss_is_not_repaired) {
  const ScratchFolder scratch;
  write_file(scratch.path("nothing.cu"), R"(
#include <cuda_runtime.h>

__global__ void count_up(int* c) {
  asm volatile("bar.sync 1, 32;");
  if (threadIdx.x == 0) *c = *c + 0;
}

int main() {
  int *c, counter = 1;
  cudaMalloc(&c, sizeof(int));
  cudaMemset(c, 0, sizeof(int));
  count_up<<<1, 64>>>(c);
  cudaMemcpy(&counter, c, sizeof(int), cudaMemcpyDeviceToHost);
  return counter != 0;
}
)");
  const ScriptedModel model({});
  std::vector<double> pauses;
  RepairOptions options = options_of(scratch.path("port"), model, pauses);
  options.run.path = scratch.path("nothing.cu");
  const RepairRun done = repair_port(options);
  ASSERT_EQ(done.repairs.size(), 1u);
  EXPECT_EQ(done.repairs[0].outcome, RepairOutcome::unnoticed);
  EXPECT_THAT(done.repairs[0].reason, HasSubstr("count_up could do nothing at all"));
  EXPECT_EQ(model.num_requests(), 0u);
}

}  // namespace
}  // namespace ambidex
