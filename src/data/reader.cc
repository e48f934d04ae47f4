// SPDX-License-Identifier: Apache-2.0
// The public reader: a batch stream in a thread of its own, a few batches ahead.
#include <fmt/format.h>

#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "ambidex/base.h"
#include "ambidex/data.h"
#include "data/batch_stream.h"
#include "data/open.h"

namespace ambidex {
namespace {

constexpr size_t kBatchesAhead = 4;

/// One step of the stream: a batch, the end of the epoch, or what went wrong.
struct Step {
  Batch batch;
  bool has_batch = false;
  std::exception_ptr error;
  DataPosition position;  // after the batch
  int64_t num_skipped = 0;
};

void validate(const DataOptions& options) {
  const auto fail = [](std::string_view what, int64_t got) {
    throw Error(ErrorKind::bad_input, fmt::format("{}, got {}", what, got));
  };
  if (options.batch < 1) fail("batch: expected 1 sample or more", options.batch);
  if (options.num_ranks < 1) fail("num_ranks: expected 1 or more", options.num_ranks);
  if (options.rank < 0 || options.rank >= options.num_ranks) {
    fail(fmt::format("rank: expected 0 to {}", options.num_ranks - 1), options.rank);
  }
  if (options.skip_bad < 0) fail("skip_bad: expected 0 or more", options.skip_bad);
}

BatchStream open_stream(const DataFiles& files, const ModelSpec& model, const DataOptions& options,
                        DataStatistics& statistics) {
  if (model.data.shuffle_window < 1) {
    throw Error(ErrorKind::bad_input,
                fmt::format("data.shuffle_window: expected 1 sample or more, got {}",
                            model.data.shuffle_window));
  }
  const Split split = split_of(files, model, options.labelled);
  Source source = open_source(files, model, split, options, statistics);
  return {std::move(source), layout_of(model, options.labelled),
          StreamOptions{.data = options, .window = model.data.shuffle_window, .split = split}};
}

}  // namespace

struct DataReader::State {
  std::string format;
  DataStatistics statistics;
  std::optional<BatchStream> stream;  // the thread's while there is one
  DataPosition position;              // after the last batch given
  int64_t num_skipped = 0;
  bool is_at_end = false;  // of the epoch, or stopped by an error

  std::thread thread;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<Step> ahead;   // guarded by mutex, as are the two below
  std::vector<Batch> used;  // memory for the next ones
  bool is_stopping = false;

  ~State() { stop(); }
  void start();
  void stop();
  void read_ahead();
  bool hand_over(Step step);
  Step make_step();
};

/// The next step, in the reading thread. Errors travel to the caller of next().
Step DataReader::State::make_step() {
  Step step;
  {
    const std::lock_guard lock(mutex);
    if (!used.empty()) {
      step.batch = std::move(used.back());
      used.pop_back();
    }
  }
  try {
    step.has_batch = stream->next(step.batch);
  } catch (...) {
    step.error = std::current_exception();
  }
  step.position = stream->position();
  step.num_skipped = stream->num_skipped();
  return step;
}

/// Waits for room; false when the reader is being stopped.
bool DataReader::State::hand_over(Step step) {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return is_stopping || ahead.size() < kBatchesAhead; });
  if (is_stopping) return false;
  ahead.push_back(std::move(step));
  changed.notify_all();
  return true;
}

void DataReader::State::read_ahead() {
  bool goes_on = true;
  while (goes_on) {
    Step step = make_step();
    const bool has_batch = step.has_batch;
    goes_on = hand_over(std::move(step)) && has_batch;
  }
}

void DataReader::State::start() {
  is_at_end = false;
  is_stopping = false;
  ahead.clear();
  thread = std::thread([this] { read_ahead(); });
}

void DataReader::State::stop() {
  if (!thread.joinable()) return;
  {
    const std::lock_guard lock(mutex);
    is_stopping = true;
    changed.notify_all();
  }
  thread.join();
  is_at_end = true;
}

DataReader::DataReader(const ModelSpec& model, const DataOptions& options,
                       const DataStatistics& statistics)
    : state_(std::make_unique<State>()) {
  validate(options);
  const std::string& format = options.format.empty() ? model.data.format : options.format;
  const DataFiles files = find_data(options.path, format, options.labelled);
  state_->format = files.format;
  state_->statistics = statistics;
  state_->stream.emplace(open_stream(files, model, options, state_->statistics));
  state_->start();
}

DataReader::~DataReader() = default;
DataReader::DataReader(DataReader&&) noexcept = default;
DataReader& DataReader::operator=(DataReader&&) noexcept = default;

bool DataReader::next(Batch& batch) {
  State& state = *state_;
  if (state.is_at_end) return false;
  Step step;
  {
    std::unique_lock lock(state.mutex);
    state.changed.wait(lock, [&] { return !state.ahead.empty(); });
    step = std::move(state.ahead.front());
    state.ahead.pop_front();
    if (step.has_batch) {
      std::swap(batch, step.batch);
      state.used.push_back(std::move(step.batch));
    }
    state.changed.notify_all();
  }
  state.is_at_end = !step.has_batch;
  if (step.error != nullptr) std::rethrow_exception(step.error);
  if (!step.has_batch) return false;
  state.position = step.position;
  state.num_skipped = step.num_skipped;
  return true;
}

void DataReader::start_epoch() {
  State& state = *state_;
  state.stop();
  const DataPosition next{.epoch = state.position.epoch + 1};
  state.stream->restore(next);
  state.position = next;
  state.num_skipped = 0;
  state.start();
}

void DataReader::restore(const DataPosition& position) {
  State& state = *state_;
  state.stop();
  state.stream->restore(position);
  state.position = position;
  state.num_skipped = state.stream->num_skipped();
  state.start();
}

DataPosition DataReader::position() const { return state_->position; }
const DataStatistics& DataReader::statistics() const { return state_->statistics; }
const std::string& DataReader::format() const { return state_->format; }
int64_t DataReader::num_skipped() const { return state_->num_skipped; }

}  // namespace ambidex
