// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <system_error>
#include <utility>

#include "ambidex/base.h"
#include "simt/block.h"
#include "simt/launch.h"
#include "simt/order.h"
#include "simt/schedule.h"

namespace ambidex::simt {
namespace {

thread_local Seat* seat = nullptr;

void run_worker(Launch& launch);

void fail(Launch& launch, std::exception_ptr failure) {
  const std::lock_guard lock(launch.mutex);
  launch.failure = std::move(failure);
  launch.stop = true;
}

void wait_for_turn(std::unique_lock<std::mutex>& lock) {
  seat->go.wait(lock, [] { return seat->granted; });
  seat->granted = false;
}

/// False, and the launch ends, if the system has no thread to give.
bool start_worker(Launch& launch) {
  try {
    launch.turns.threads.emplace_back([&launch] { run_worker(launch); });
    ++launch.turns.num_live;
    return true;
  } catch (const std::system_error&) {
    fail(launch, std::make_exception_ptr(Error(
                     ErrorKind::unsupported,
                     fmt::format("the system gives no thread for worker {}; launch a smaller grid, "
                                 "or use fewer workers",
                                 launch.turns.num_live + 1))));
    return false;
  }
}

bool can_start(const Launch& launch) {
  const Turns& turns = launch.turns;
  return !launch.stop && turns.next_block < launch.num_blocks && turns.num_live < launch.max_live;
}

/// Gives a turn to a new worker if `start_more`, or else to the first who waits for one, or else to
/// nobody. New ones first: two blocks that wait for a third would else wait for each other's turns.
void pass_turn(Launch& launch, bool start_more) {
  Turns& turns = launch.turns;
  if (start_more && can_start(launch) && start_worker(launch)) return;
  if (turns.queue.empty()) {
    ++turns.free;
    return;
  }
  turns.queue.front()->granted = true;
  turns.queue.front()->go.notify_one();
  turns.queue.pop_front();
}

/// Turns that nobody has go to those who came after.
void grant_free(Turns& turns) {
  for (; turns.free > 0 && !turns.queue.empty(); --turns.free) {
    turns.queue.front()->granted = true;
    turns.queue.front()->go.notify_one();
    turns.queue.pop_front();
  }
}

void open_grid_barrier(Turns& turns) {
  turns.queue.insert(turns.queue.end(), turns.at_barrier.begin(), turns.at_barrier.end());
  turns.at_barrier.clear();
  grant_free(turns);
}

bool grid_has_come(const Launch& launch) {
  const auto waiting = static_cast<int64_t>(launch.turns.at_barrier.size());
  return waiting + launch.turns.num_finished == launch.num_blocks || launch.stop;
}

/// The position of the next block to begin; negative if there is none.
int64_t next_position(Launch& launch) {
  std::unique_lock lock(launch.turns.mutex);
  if (launch.stop || launch.turns.next_block == launch.num_blocks) return -1;
  return launch.turns.next_block++;
}

void finish_block(Launch& launch, Worker& w) {
  if (!w.output.empty()) {
    const std::lock_guard lock(launch.mutex);
    launch.outputs.emplace(w.block.linear, std::move(w.output));
    w.output.clear();
  }
  const std::lock_guard lock(launch.turns.mutex);
  ++launch.turns.num_finished;
  if (launch.shape.cooperative && grid_has_come(launch)) open_grid_barrier(launch.turns);
}

void run_one_block(Launch& launch, Worker& w, int64_t position) {
  begin_block(w, block_at(launch.options.seed, position, launch.num_blocks));
  if (w.checker || w.tally) {
    auto* shared = launch.shape.dynamic_shared
                       ? static_cast<std::byte*>(launch.shape.dynamic_shared())
                       : nullptr;
    const auto num_bytes = shared ? static_cast<size_t>(launch.shape.dynamic_shared_bytes) : 0;
    if (w.checker) w.checker->begin_block(w.block.index, {shared, num_bytes});
    if (w.tally) w.tally->begin_block({shared, num_bytes});
  }
  run_fibers(w);
  if (w.tally) w.tally->end_block();
  if (w.checker) w.checker->end_block();
  finish_block(launch, w);
}

/// Has a turn. Runs blocks until none is left, then passes the turn on.
void run_worker(Launch& launch) {
  Seat own_seat;
  seat = &own_seat;
  auto w = std::make_unique<Worker>();
  worker = w.get();
  try {
    prepare_worker(*w, launch);
    for (int64_t position; (position = next_position(launch)) >= 0;) {
      run_one_block(launch, *w, position);
      hand_over(launch, false);
    }
  } catch (...) {
    fail(launch, std::current_exception());
  }
  if (w->stacks) give_back_stacks(std::move(w->stacks));
  worker = nullptr;
  {
    const std::lock_guard lock(launch.mutex);
    add(launch.counts, w->counts);
  }
  const std::lock_guard lock(launch.turns.mutex);
  --launch.turns.num_live;
  if (grid_has_come(launch)) open_grid_barrier(launch.turns);  // after a stop nobody else would
  pass_turn(launch, false);
}

}  // namespace

void hand_over(Launch& launch, bool start_more) {
  Turns& turns = launch.turns;
  std::unique_lock lock(turns.mutex);
  if (turns.queue.empty() && !(start_more && can_start(launch))) return;
  pass_turn(launch, start_more);
  turns.queue.push_back(seat);
  grant_free(turns);
  wait_for_turn(lock);
}

void wait_for_grid(Launch& launch) {
  Turns& turns = launch.turns;
  std::unique_lock lock(turns.mutex);
  turns.at_barrier.push_back(seat);
  if (grid_has_come(launch)) {
    open_grid_barrier(turns);
  }
  pass_turn(launch, true);
  wait_for_turn(lock);
}

bool alone(Launch& launch) {
  const std::lock_guard lock(launch.turns.mutex);
  return launch.turns.num_live == 1;
}

void run_blocks(Launch& launch) {
  Turns& turns = launch.turns;
  const int64_t workers = std::min<int64_t>(launch.options.num_workers, launch.num_blocks);
  {
    const std::lock_guard lock(turns.mutex);
    turns.num_live = 1;
    for (int64_t i = 1; i < workers && start_worker(launch); ++i) continue;
  }
  run_worker(launch);
  for (;;) {  // workers may start workers
    std::vector<std::thread> threads;
    {
      const std::lock_guard lock(turns.mutex);
      threads = std::exchange(turns.threads, {});
    }
    if (threads.empty()) return;
    for (std::thread& thread : threads) thread.join();
  }
}

}  // namespace ambidex::simt
