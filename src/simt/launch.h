// SPDX-License-Identifier: Apache-2.0
// One launch, as its workers share it: what to run, what was found, and whose turn it is.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ambidex/simt.h"
#include "simt/checker.h"
#include "simt/tally.h"

namespace ambidex::simt {

/// A worker's place in the queue for a turn.
struct Seat {
  std::condition_variable go;
  bool granted = false;
};

/// Who runs. There are as many turns as the caller allows workers. A block that can only wait for
/// other blocks hands its turn over: to another that waits for one, or to a worker of its own for
/// a block that has not begun.
struct Turns {
  std::mutex mutex;
  int free = 0;
  std::deque<Seat*> queue;        // want to run
  std::vector<Seat*> at_barrier;  // wait for the grid
  int64_t next_block = 0;         // the first that has not begun
  int64_t num_finished = 0;
  int num_live = 0;  // workers
  std::vector<std::thread> threads;
};

struct Launch {
  const SimtLaunch& shape;
  const SimtOptions& options;
  SimtKernel kernel;
  void** arguments;
  int64_t num_blocks = 0;
  int num_threads = 0;  // of a block
  int max_live = 0;     // workers
  bool guarded = true;  // stacks
  Checker* checker = nullptr;
  Tally* tally = nullptr;
  std::chrono::steady_clock::time_point deadline;

  std::atomic<bool> stop = false;
  std::mutex mutex;  // of the next three
  std::vector<SimtProblem> problems;
  SimtCounts counts;
  std::map<int64_t, std::string> outputs;  // of blocks
  std::exception_ptr failure;              // thrown in a worker

  Turns turns;
};

/// A problem that the scheduler found. Kept once per kind and pair of program counters; the one of
/// the first block if several have it.
void report(Launch& launch, SimtProblem problem);

void add(SimtCounts& sum, const SimtCounts& counts);

/// The turn goes to others, if there are others; returns when it is this worker's again.
/// `start_more`: also to blocks that have not begun.
void hand_over(Launch& launch, bool start_more);
/// Waits until all blocks that have not finished are here.
void wait_for_grid(Launch& launch);
/// Whether no other worker exists and none could begin.
bool alone(Launch& launch);

/// Runs blocks on the calling thread and others; returns when all have ended.
void run_blocks(Launch& launch);

}  // namespace ambidex::simt
