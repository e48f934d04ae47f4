// SPDX-License-Identifier: Apache-2.0
#include "simt/block.h"

#include <numeric>
#include <span>

#include "simt/launch.h"
#include "simt/order.h"

namespace ambidex::simt {
namespace {

constexpr int64_t kTicksPerCheck = 1 << 16;

void prepare_thread(Worker& w, uint32_t linear) {
  const SimtLaunch& shape = w.launch->shape;
  Fiber& fiber = w.block.fibers[linear];
  AmbidexSimtThread& self = fiber.self;
  const auto width = static_cast<uint32_t>(w.width);
  self.thread[0] = linear % shape.block[0];
  self.thread[1] = linear / shape.block[0] % shape.block[1];
  self.thread[2] = linear / shape.block[0] / shape.block[1];
  for (int i = 0; i < 3; ++i) {
    self.block_size[i] = shape.block[static_cast<size_t>(i)];
    self.grid_size[i] = shape.grid[static_cast<size_t>(i)];
  }
  self.linear_thread = linear;
  self.lane = linear % width;
  self.wave = linear / width;
  self.wave_width = width;
  self.dynamic_shared_bytes = static_cast<uint32_t>(shape.dynamic_shared_bytes);
  fiber.lane = self.lane;
  fiber.wave = &w.block.waves[self.wave];
  fiber.stack = w.stacks->stack(static_cast<int>(linear));
  fiber.who = {.linear_thread = linear,
               .wave = self.wave,
               .lane = self.lane,
               .thread = {self.thread[0], self.thread[1], self.thread[2]},
               .stack_begin = reinterpret_cast<uintptr_t>(fiber.stack.begin),
               .stack_end = reinterpret_cast<uintptr_t>(fiber.stack.top),
               .self_begin = reinterpret_cast<uintptr_t>(&self),
               .self_end = reinterpret_cast<uintptr_t>(&self + 1)};
  fiber.current = {
      .checker = w.checker, .tally = w.tally, .who = &fiber.who, .ticks = kTicksPerCheck};
}

void begin_wave(Wave& wave, int num_lanes) {
  wave.present = first_lanes(num_lanes);
  wave.exited = wave.yielded = wave.converged = wave.grouped = wave.spinning = 0;
  wave.at_barrier = wave.at_named = wave.at_grid = 0;
  wave.runnable = wave.present;
  wave.barrier_mixed = false;
  wave.groups.clear();
  wave.watch = {};
}

}  // namespace

void prepare_worker(Worker& w, Launch& launch) {
  w.launch = &launch;
  w.width = launch.options.wave_width;
  w.lockstep = launch.options.convergence == Convergence::lockstep;
  w.stacks = take_stacks(launch.num_threads, launch.options.stack_bytes, launch.guarded);
  if (launch.checker) w.checker = &launch.checker->add_block();
  if (launch.tally) w.tally = &launch.tally->add_block();
  const int num_waves = (launch.num_threads + w.width - 1) / w.width;
  w.block.fibers.resize(static_cast<size_t>(launch.num_threads));
  w.block.waves.resize(static_cast<size_t>(num_waves));
  w.block.wave_order.resize(static_cast<size_t>(num_waves));
  for (int i = 0; i < num_waves; ++i) {
    Wave& wave = w.block.waves[static_cast<size_t>(i)];
    wave.block = &w.block;
    wave.index = static_cast<uint32_t>(i);
    wave.fibers = &w.block.fibers[static_cast<size_t>(i * w.width)];
  }
  for (uint32_t i = 0; i < w.block.fibers.size(); ++i) prepare_thread(w, i);
}

void begin_block(Worker& w, int64_t linear) {
  Block& block = w.block;
  const SimtLaunch& shape = w.launch->shape;
  const uint64_t seed = w.launch->options.seed;
  block.linear = linear;
  const int64_t rows = linear / shape.grid[0];
  block.index = {static_cast<uint32_t>(linear % shape.grid[0]),
                 static_cast<uint32_t>(rows % shape.grid[1]),
                 static_cast<uint32_t>(rows / shape.grid[1])};
  order_of(seed, linear, -1, block.wave_order);
  for (size_t i = 0; i < block.waves.size(); ++i) {
    Wave& wave = block.waves[block.wave_order[i]];
    wave.position = static_cast<uint32_t>(i);
    const std::span lanes(wave.order.data(), static_cast<size_t>(w.width));
    order_of(seed, linear, wave.index, lanes);
    wave.cursor = static_cast<uint32_t>(w.width) - 1;
    const int begun = static_cast<int>(wave.index) * w.width;
    begin_wave(wave, std::min(w.width, w.launch->num_threads - begun));
  }
  for (Fiber& fiber : block.fibers) {
    std::copy(block.index.begin(), block.index.end(), fiber.self.block);
    fiber.spin = {};
  }
  block.ready = first_lanes(static_cast<int>(block.waves.size()));
  block.position = 0;
  block.live = w.launch->num_threads;
  block.at_barrier = block.at_grid = block.num_yielded = 0;
  block.predicate_sum = block.predicate_count = 0;
  block.idle_rounds = 0;
  for (NamedBarrier& barrier : block.named) {
    barrier.num_threads = 0;
    barrier.arrived.clear();
  }
  w.counts.threads += block.live;
  w.counts.waves += static_cast<int64_t>(block.waves.size());
}

}  // namespace ambidex::simt
