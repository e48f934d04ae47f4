// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "ambidex/base.h"

// Of OpenMP's runtime, which oneDNN brings: its header comes with some compilers only.
extern "C" {
void omp_set_num_threads(int num_threads);
int omp_get_max_threads();
}

namespace ambidex {
namespace {

using Clock = std::chrono::steady_clock;

// The loops of a step follow each other within this time, and to wake a thread takes as long.
constexpr auto kSpin = std::chrono::microseconds(50);
// Some of that as pauses, then as yields: with more threads than processors, whoever has work
// must get one.
constexpr int kPausesOfYield = 32;
constexpr int kMaxThreads = 1024;

void pause_cpu() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits for `is_done`, at most kSpin.
template <class Done>
bool spin_until(const Done& is_done) {
  const auto start = Clock::now();
  for (int round = 0;; ++round) {
    for (int i = 0; i < kPausesOfYield; ++i) {
      if (is_done()) return true;
      pause_cpu();
    }
    if (Clock::now() - start > kSpin) return is_done();
    if (round > 8) std::this_thread::yield();
  }
}

int num_usable_cpus() {
  cpu_set_t cpus;
  if (sched_getaffinity(0, sizeof(cpus), &cpus) == 0) return std::max(1, CPU_COUNT(&cpus));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

/// Numbers below the smallest normal one are taken as 0, on every thread alike: gradients that
/// fade out would else cost a hundred cycles each.
class FlushedDenormals {
 public:
#if defined(__x86_64__)
  FlushedDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlush); }
  ~FlushedDenormals() { _mm_setcsr(before_); }
#else
  FlushedDenormals() = default;
#endif
  FlushedDenormals(const FlushedDenormals&) = delete;
  FlushedDenormals& operator=(const FlushedDenormals&) = delete;

#if defined(__x86_64__)
 private:
  static constexpr unsigned kFlush = 0x8040;  // results and operands
  unsigned before_;
#endif
};

/// Libraries that use OpenMP keep to the thread that calls them.
class OneOpenMpThread {
 public:
  OneOpenMpThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneOpenMpThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneOpenMpThread(const OneOpenMpThread&) = delete;
  OneOpenMpThread& operator=(const OneOpenMpThread&) = delete;

 private:
  int before_;
};

}  // namespace

struct Workers::State {
  // Number of the loop in the high half, tasks not yet taken in the low half. Whoever takes a task
  // does so by one compare-and-swap of both, so that a thread which wakes up late cannot take a
  // task of another loop than the one whose `task` it has read: that loop cannot end, nor the next
  // begin, while it still has a task to take.
  std::atomic<uint64_t> cursor{0};
  std::atomic<const std::function<void(int64_t)>*> task{nullptr};
  std::atomic<int64_t> num_tasks{0};
  std::atomic<int> num_unfinished{0};
  std::atomic<int> loops{0};  // what idle threads watch
  std::atomic<bool> is_busy{false};
  std::atomic<bool> is_over{false};
  std::mutex error_mutex;
  std::exception_ptr error;
  int64_t error_task = 0;
  std::vector<std::thread> threads;

  void note_error(int64_t index) {
    const std::lock_guard lock(error_mutex);
    if (error && error_task < index) return;  // of several, always the same
    error = std::current_exception();
    error_task = index;
  }

  void call(const std::function<void(int64_t)>& body, int64_t index) {
    try {
      body(index);
    } catch (...) {
      note_error(index);
    }
  }

  void take_tasks() {
    uint64_t seen = cursor.load(std::memory_order_acquire);
    while (static_cast<uint32_t>(seen) != 0) {
      const auto* body = task.load(std::memory_order_relaxed);
      const int64_t index = num_tasks.load(std::memory_order_relaxed) - static_cast<uint32_t>(seen);
      if (!cursor.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel,
                                        std::memory_order_acquire)) {
        continue;
      }
      call(*body, index);
      if (num_unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1) num_unfinished.notify_all();
      seen = cursor.load(std::memory_order_acquire);
    }
  }

  void work() {
    omp_set_num_threads(1);
    const FlushedDenormals flushed;
    while (true) {
      const int seen = loops.load(std::memory_order_acquire);
      if (is_over.load(std::memory_order_acquire)) return;
      take_tasks();
      const auto is_next = [&] { return loops.load(std::memory_order_acquire) != seen; };
      if (!spin_until(is_next)) loops.wait(seen, std::memory_order_acquire);
    }
  }

  void publish(int64_t count, const std::function<void(int64_t)>& body) {
    task.store(&body, std::memory_order_relaxed);
    num_tasks.store(count, std::memory_order_relaxed);
    num_unfinished.store(static_cast<int>(count), std::memory_order_relaxed);
    const uint64_t loop = (cursor.load(std::memory_order_relaxed) >> 32) + 1;
    cursor.store(loop << 32 | static_cast<uint64_t>(count), std::memory_order_release);
    loops.fetch_add(1, std::memory_order_acq_rel);
    loops.notify_all();
  }

  void wait_for_tasks() {
    spin_until([&] { return num_unfinished.load(std::memory_order_acquire) == 0; });
    for (int left = num_unfinished.load(std::memory_order_acquire); left != 0;
         left = num_unfinished.load(std::memory_order_acquire)) {
      num_unfinished.wait(left, std::memory_order_acquire);
    }
  }
};

Workers::Workers(int num_threads) : state_(std::make_unique<State>()) {
  check(num_threads >= 0 && num_threads <= kMaxThreads, "a number of threads from 0 to 1024");
  const int count = num_threads == 0 ? num_usable_cpus() : num_threads;
  for (int i = 1; i < count; ++i) state_->threads.emplace_back([this] { state_->work(); });
}

Workers::~Workers() {
  state_->is_over.store(true, std::memory_order_release);
  state_->loops.fetch_add(1, std::memory_order_acq_rel);
  state_->loops.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

int Workers::size() const { return static_cast<int>(state_->threads.size()) + 1; }

void Workers::run(int64_t num_tasks, const std::function<void(int64_t)>& task) {
  if (num_tasks <= 0) return;
  check(num_tasks <= INT32_MAX, "at most 2^31 - 1 tasks in a loop");
  check(!state_->is_busy.exchange(true, std::memory_order_acquire),
        "no loop from within a task, nor from two threads at once");
  const OneOpenMpThread one_thread;
  const FlushedDenormals flushed;
  if (num_tasks == 1 || size() == 1) {
    for (int64_t i = 0; i < num_tasks; ++i) state_->call(task, i);
  } else {
    state_->publish(num_tasks, task);
    state_->take_tasks();
    state_->wait_for_tasks();
  }
  const std::exception_ptr error = std::exchange(state_->error, nullptr);
  state_->is_busy.store(false, std::memory_order_release);
  if (error) std::rethrow_exception(error);
}

}  // namespace ambidex
