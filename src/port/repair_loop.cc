// SPDX-License-Identifier: Apache-2.0
#include "port/repair_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace ambidex::repair {
namespace {

constexpr int64_t kFrameTokens = 200;       // of a request, beside its texts
constexpr int64_t kLeastReplyTokens = 256;  // less would hold no patch
constexpr const char* kEndOfTranscript = "the transcript ends here";
constexpr int kMaxRefusals = 2;  // one after another

double seconds_left(const Session& session) {
  return std::chrono::duration<double>(session.deadline - Clock::now()).count();
}

double candidate_seconds(const Session& session) {
  return std::min(session.budget.max_candidate_seconds, std::max(0.0, seconds_left(session)));
}

// Nobody can know it before it is used.
uint64_t fresh_key() {
  std::random_device device;  // the kernel's
  return (uint64_t{device()} << 32) | device();
}

// Tokens that are left for a reply to `request`; the request has at most one for each byte.
int64_t reply_tokens(const Session& session, const ModelRequest& request) {
  const int64_t left = session.budget.num_tokens - session.num_tokens;
  return std::min(session.budget.max_reply_tokens, left - num_bytes(request) - kFrameTokens);
}

// Why no more can be asked; "" if it can.
std::string spent(const Session& session, const ModelRequest& request) {
  if (session.num_turns >= session.budget.num_turns) {
    return fmt::format("{} turns are used", session.budget.num_turns);
  }
  if (seconds_left(session) <= 0) {
    return fmt::format("{:g} s are used", session.budget.max_seconds);
  }
  if (reply_tokens(session, request) < kLeastReplyTokens) {
    return fmt::format(
        "{} of {} tokens are used, and the next question may need more than the rest",
        session.num_tokens, session.budget.num_tokens);
  }
  return "";
}

// What the endpoint counted; where it does not, or the reply broke off, as much as it can have
// been.
int64_t charge(const ModelRequest& request, const Answer& answer) {
  const ModelReply& reply = answer.reply;
  if (!answer.broke_off && reply.num_input_tokens > 0 && reply.num_output_tokens > 0) {
    return reply.num_input_tokens + reply.num_output_tokens;
  }
  return num_bytes(request) + kFrameTokens + request.max_reply_tokens;
}

Turn take_turn(Session& session, const Task& task, ModelRequest request) {
  request.max_reply_tokens = reply_tokens(session, request);
  Turn turn;
  if (session.endpoint == nullptr) {
    std::optional<Turn> next = session.replay->next(request);
    if (next) turn = std::move(*next);
    if (!next) turn.answer.fault = kEndOfTranscript;
  } else {
    try {
      turn.answer = ask(*session.endpoint, request, session.deadline, session.pause);
    } catch (const Error& error) {
      // What was repaired before stays; a first question that is refused is the caller's to mend.
      if (error.kind != ErrorKind::bad_input || session.num_turns == 0) throw;
      turn.answer.fault = error.what();
    }
    turn.num_tokens = charge(request, turn.answer);
    turn.key = fresh_key();
  }
  turn.program = task.original.name;
  turn.kernels.assign(task.kernels.begin(), task.kernels.end());
  turn.request = std::move(request);
  return turn;
}

// What is wrong with a reply before it is read.
Verdict unread(const Answer& answer) {
  const auto refused = [](const char* gate, std::string reason) {
    return Verdict{.gate = gate, .reason = reason, .shown = reason, .report = {}};
  };
  if (answer.broke_off) return refused("stream", "the answer broke off: " + answer.fault);
  switch (answer.reply.end) {
    case ReplyEnd::length:
      return refused("length", "the answer was cut, for it is too long; answer with edits alone");
    case ReplyEnd::refusal:
      return refused("refusal", "the model refuses: this is a port of a kernel to other hardware");
    case ReplyEnd::done:
    case ReplyEnd::none:
      break;
  }
  return {};
}

// Reads and judges one reply.
Verdict decide(const Session& session, Bench& bench, Turn& turn, Patch& patch) {
  Verdict verdict = unread(turn.answer);
  if (!verdict.accepted()) return verdict;
  const Reply reply = parse_reply(turn.answer.reply.text);
  if (!reply.gave_up.empty()) {
    return {.gate = "gave_up", .reason = reply.gave_up, .shown = {}, .report = {}};
  }
  if (!reply.fault.empty()) {
    return {.gate = "reply", .reason = reply.fault, .shown = reply.fault, .report = {}};
  }
  patch = apply(reply.edits, bench.hip, bench.task->bodies);
  turn.candidate_sha256 = patch.files.empty() ? "" : hash_of(patch.files);
  bench.max_seconds = candidate_seconds(session);
  return judge_patch(bench, patch, turn.key);
}

// The loop ends with this turn: true, with `end` filled.
bool is_last(const Turn& turn, int num_refusals, LoopEnd& end) {
  if (turn.gate.empty()) {
    end.repaired.outcome = RepairOutcome::repaired;
    end.repaired.sha256 = turn.candidate_sha256;
    return true;
  }
  if (turn.gate == "gave_up" || num_refusals >= kMaxRefusals) {
    end.repaired.outcome = RepairOutcome::gave_up;
    end.repaired.reason = turn.reason;
    return true;
  }
  return false;
}

// One turn: false if the endpoint gave no answer.
bool take_and_decide(Session& session, Bench& bench, ModelRequest request, Turn& turn,
                     LoopEnd& end) {
  turn = take_turn(session, *bench.task, std::move(request));
  if (!turn.answer.fault.empty() && !turn.answer.broke_off) {
    turn.gate = "endpoint";
    turn.reason = turn.answer.fault;
    turn.num_tokens = 0;
    if (turn.reason != kEndOfTranscript) session.transcript->add(turn);
    return false;
  }
  ++session.num_turns;
  ++end.repaired.num_turns;
  session.num_tokens += turn.num_tokens;
  end.verdict = decide(session, bench, turn, end.patch);
  turn.gate = end.verdict.gate;
  turn.reason = end.verdict.reason;
  session.transcript->add(turn);
  return true;
}

void ask_until_accepted(Session& session, Bench& bench, const Question& question, LoopEnd& end) {
  std::vector<Exchange> exchanges;
  for (int num_refusals = 0;;) {
    ModelRequest request = request_of(question, exchanges, session.budget.max_reply_tokens);
    if (std::string why = spent(session, request); !why.empty()) {
      end.repaired.outcome = RepairOutcome::budget;
      end.repaired.reason = why;
      return;
    }
    Turn turn;
    if (!take_and_decide(session, bench, std::move(request), turn, end)) {
      end.repaired.outcome = RepairOutcome::endpoint;
      end.repaired.reason = turn.reason;
      return;
    }
    num_refusals = turn.gate == "refusal" ? num_refusals + 1 : 0;
    if (is_last(turn, num_refusals, end)) return;
    exchanges.push_back({turn.answer.reply.text, rejection_text(turn.gate, end.verdict.shown)});
  }
}

}  // namespace

LoopEnd run_loop(Session& session, Bench bench, const std::string& trouble) {
  return run_loop(session, bench, repair_question(bench, trouble));
}

LoopEnd run_loop(Session& session, Bench bench, const Question& question) {
  const Task& task = *bench.task;
  LoopEnd end;
  end.repaired.program = task.original.name;
  end.repaired.kernels.assign(task.kernels.begin(), task.kernels.end());
  bench.max_seconds = candidate_seconds(session);
  if (const std::string ghost = unnoticed_kernel(bench, fresh_key()); !ghost.empty()) {
    end.repaired.outcome = RepairOutcome::unnoticed;
    end.repaired.reason = ghost + " could do nothing at all, and no test would show it";
  } else {
    ask_until_accepted(session, bench, question, end);
  }
  return end;
}

}  // namespace ambidex::repair
