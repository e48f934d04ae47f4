// SPDX-License-Identifier: Apache-2.0
#include "ambidex/simt_device.h"

#include <fmt/format.h>

#include <cstdarg>
#include <cstdio>

#include "simt/barriers.h"
#include "simt/block.h"
#include "simt/collectives.h"
#include "simt/device_heap.h"
#include "simt/launch.h"
#include "simt/schedule.h"
#include "simt/spin.h"

// The return address of these functions names the place in the kernel.
#define AMBIDEX_SITE reinterpret_cast<uintptr_t>(__builtin_return_address(0))
#define AMBIDEX_FRAME reinterpret_cast<uintptr_t>(__builtin_frame_address(0))

namespace ambidex::simt {
namespace {

constexpr int64_t kClocksPerCall = 16;  // a call of the clock takes some, so that delays end
constexpr size_t kMaxOutputBytes = size_t{16} << 20;

Wait wait_at(const Fiber& fiber, WaitKind kind, uintptr_t site, uintptr_t frame, uint64_t mask) {
  return {.kind = kind,
          .site = site,
          .depth = reinterpret_cast<uintptr_t>(fiber.stack.top) - frame,
          .mask = mask};
}

[[gnu::always_inline]] inline uint64_t collective(Fiber& fiber, const Wait& wait, uint64_t value,
                                                  uint32_t source) {
  if (!take_part(fiber, wait, value, source)) wait_until_released(fiber);
  return fiber.wave->result[fiber.lane];
}

}  // namespace
}  // namespace ambidex::simt

using namespace ambidex::simt;

extern "C" {

// Null outside of kernels, where a handler of crashes may ask.
const AmbidexSimtThread* ambidex_simt_self(void) {
  return current ? &current_fiber().self : nullptr;
}

void ambidex_simt_barrier(void) { block_barrier(current_fiber(), AMBIDEX_SITE, false); }

int ambidex_simt_barrier_reduce(int predicate, int op) {
  block_barrier(current_fiber(), AMBIDEX_SITE, predicate != 0);
  const Block& block = worker->block;
  if (op == 0) return block.barrier_sum;
  return op == 1 ? block.barrier_sum == block.barrier_count : block.barrier_sum > 0;
}

void ambidex_simt_named_barrier(ambidex_simt_u32 id, ambidex_simt_u32 num_threads,
                                int arrive_only) {
  named_barrier(current_fiber(), AMBIDEX_SITE, id, num_threads, arrive_only == 0);
}

void ambidex_simt_grid_barrier(void) { grid_barrier(current_fiber(), AMBIDEX_SITE); }

void ambidex_simt_wave_barrier(ambidex_simt_u64 lanes) {
  Fiber& fiber = current_fiber();
  collective(fiber, wait_at(fiber, WaitKind::wave_barrier, AMBIDEX_SITE, AMBIDEX_FRAME, lanes), 0,
             0);
}

ambidex_simt_u64 ambidex_simt_shuffle(ambidex_simt_u64 lanes, ambidex_simt_u64 value,
                                      ambidex_simt_u32 source) {
  Fiber& fiber = current_fiber();
  return collective(fiber, wait_at(fiber, WaitKind::shuffle, AMBIDEX_SITE, AMBIDEX_FRAME, lanes),
                    value, source);
}

ambidex_simt_u64 ambidex_simt_ballot(ambidex_simt_u64 lanes, int predicate) {
  Fiber& fiber = current_fiber();
  return collective(fiber, wait_at(fiber, WaitKind::ballot, AMBIDEX_SITE, AMBIDEX_FRAME, lanes),
                    predicate != 0, 0);
}

ambidex_simt_u64 ambidex_simt_active_lanes(void) {
  Fiber& fiber = current_fiber();
  return collective(fiber, wait_at(fiber, WaitKind::active_lanes, AMBIDEX_SITE, AMBIDEX_FRAME, 0),
                    0, 0);
}

void ambidex_simt_collective(ambidex_simt_u64 lanes, void* payload,
                             void (*combine)(void** payloads, ambidex_simt_u32 wave_width)) {
  Fiber& fiber = current_fiber();
  Wait wait = wait_at(fiber, WaitKind::combine, AMBIDEX_SITE, AMBIDEX_FRAME, lanes);
  wait.combine = combine;
  collective(fiber, wait, reinterpret_cast<uintptr_t>(payload), 0);
}

void ambidex_simt_check_mask(ambidex_simt_u64 lanes) {
  Fiber& fiber = current_fiber();
  collective(fiber, wait_at(fiber, WaitKind::check_mask, AMBIDEX_SITE, AMBIDEX_FRAME, 0), lanes, 0);
}

void ambidex_simt_latch(void) {
  if (current && worker->lockstep) latch(current_fiber(), AMBIDEX_SITE, AMBIDEX_FRAME);
}

void ambidex_simt_fence(int) {
  Fiber& fiber = current_fiber();
  ++worker->counts.fences;
  if (worker->checker) worker->checker->fence(fiber.who);
}

void ambidex_simt_yield(void) { yield(current_fiber(), AMBIDEX_SITE); }

void ambidex_simt_matrix_product(int type, ambidex_simt_u64 num_flop) {
  if (current && current->tally) current->tally->matrix_product(type, num_flop);
}

void ambidex_simt_instructions(const AmbidexSimtInstructions* stretch) {
  if (current && current->tally) current->tally->instructions(*current->who, *stretch);
}

void ambidex_simt_stand_in(const AmbidexSimtInstructions* hardware) {
  if (current && current->tally) current->tally->stand_in(*current->who, hardware);
}

void ambidex_simt_trap(const char* reason) {
  end_with_trap(current_fiber(), AMBIDEX_SITE, reason ? reason : "trap");
}

ambidex_simt_u64 ambidex_simt_clock(void) {
  Worker& w = *worker;
  check_end(current_fiber());
  return static_cast<ambidex_simt_u64>(w.clock += kClocksPerCall);
}

void* ambidex_simt_malloc(ambidex_simt_u64 num_bytes) {
  return device_malloc(worker->launch->options.memory, num_bytes);
}

void ambidex_simt_free(void* pointer) {
  if (device_free(worker->launch->options.memory, pointer)) return;
  end_with_trap(
      current_fiber(), AMBIDEX_SITE,
      fmt::format("free of {}, which malloc has not given or which is free already", pointer));
}

int ambidex_simt_vprintf(const char* format, __builtin_va_list values) {
  std::string& output = worker->output;
  std::array<char, 256> near;
  va_list again;
  va_copy(again, values);
  const int length = std::vsnprintf(near.data(), near.size(), format, values);
  if (length > 0 && output.size() <= kMaxOutputBytes) {
    const auto size = static_cast<size_t>(length);
    const size_t begin = output.size();
    output.append(near.data(), std::min(size, near.size() - 1));
    if (size >= near.size()) {
      output.resize(begin + size + 1);
      std::vsnprintf(output.data() + begin, size + 1, format, again);
      output.resize(begin + size);
    }
  }
  va_end(again);
  return length;
}

}  // extern "C"
