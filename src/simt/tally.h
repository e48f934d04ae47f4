// SPDX-License-Identifier: Apache-2.0
// Counts what kernels ask of memory and arithmetic. The scheduler and the callbacks of instrumented
// code call; it never calls back. One Tally per launch, one BlockTally per worker.
//
// Lanes run one after the other here, so what a wave does together has to be put together: since
// they last met, the n-th time that a lane comes to an instruction belongs with the n-th time of
// every other lane of its wave.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "ambidex/simt.h"
#include "ambidex/simt_device.h"
#include "simt/checker.h"

namespace ambidex::simt {

/// Of the block that a worker runs.
class BlockTally {
 public:
  struct State;
  explicit BlockTally(std::unique_ptr<State> state);
  ~BlockTally();

  void begin_block(std::span<std::byte> dynamic_shared);
  void end_block();
  void block_barrier();            // all threads that are alive have met
  void wave_meets(uint32_t wave);  // all lanes that are alive have met

  void access(const Accessor& who, const Access& what);
  void copy(const Accessor& who, uintptr_t target, uintptr_t source, int64_t num_bytes,
            uint64_t program_counter);
  void instructions(const Accessor& who, const AmbidexSimtInstructions& stretch);
  void stand_in(const Accessor& who, const AmbidexSimtInstructions* hardware);
  void matrix_product(int type, uint64_t num_flop);

 private:
  friend class Tally;
  std::unique_ptr<State> state_;
};

/// Of a launch.
class Tally {
 public:
  Tally(const SimtLaunch& launch, const SimtOptions& options);
  ~Tally();

  /// For the worker that calls, whose shared variables it looks up. Valid as long as the Tally.
  BlockTally& add_block();
  /// When all blocks have ended.
  SimtTraffic take();

 private:
  SimtMemory* memory_;
  int num_threads_;
  int wave_width_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<BlockTally>> blocks_;
};

}  // namespace ambidex::simt
