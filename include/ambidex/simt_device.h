// SPDX-License-Identifier: Apache-2.0
// What kernel code may ask of the SIMT executor while it runs: the one interface between a kernel
// compiled for the host and src/simt. C, without includes, so that it compiles as C++, as CUDA and
// as HIP; data/cuda and data/hip build the words of those languages from it.
//
// A collective with a `lanes` mask of CUDA's kind waits for every named lane that has not exited.
// With kConverged it is of AMD's kind: it is executed by the lanes of the wave that have arrived
// at the same call, and lanes elsewhere are inactive.
#pragma once

#if defined(__CUDA__) || defined(__HIP__)
#define AMBIDEX_SIMT __attribute__((device))
#else
#define AMBIDEX_SIMT
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef unsigned int ambidex_simt_u32;
typedef unsigned long ambidex_simt_u64;

#define AMBIDEX_SIMT_CONVERGED 0ul

// Of the calling thread; constant while the kernel runs.
struct AmbidexSimtThread {
  ambidex_simt_u32 thread[3], block[3], block_size[3], grid_size[3];
  ambidex_simt_u32 linear_thread;           // x fastest, as hardware packs waves
  ambidex_simt_u32 lane, wave, wave_width;  // width 32 or 64
  ambidex_simt_u32 dynamic_shared_bytes;
};
AMBIDEX_SIMT const struct AmbidexSimtThread* ambidex_simt_self(void);

// Of the block. The second returns, to every thread: 0 the number of predicates that are not
// zero, 1 whether all are, 2 whether any is. The third is PTX's bar.sync (or bar.arrive) id, count.
AMBIDEX_SIMT void ambidex_simt_barrier(void);
AMBIDEX_SIMT int ambidex_simt_barrier_reduce(int predicate, int op);
AMBIDEX_SIMT void ambidex_simt_named_barrier(ambidex_simt_u32 id, ambidex_simt_u32 num_threads,
                                             int arrive_only);
// Of the whole grid (cooperative launch); the executor must have been told to keep all blocks.
AMBIDEX_SIMT void ambidex_simt_grid_barrier(void);

// Of the wave. Lanes are counted within the wave of wave_width lanes, masks likewise.
AMBIDEX_SIMT void ambidex_simt_wave_barrier(ambidex_simt_u64 lanes);
// `value` of lane `source`; reported, and poison, if that lane takes no part.
AMBIDEX_SIMT ambidex_simt_u64 ambidex_simt_shuffle(ambidex_simt_u64 lanes, ambidex_simt_u64 value,
                                                   ambidex_simt_u32 source);
AMBIDEX_SIMT ambidex_simt_u64 ambidex_simt_ballot(ambidex_simt_u64 lanes, int predicate);
AMBIDEX_SIMT ambidex_simt_u64 ambidex_simt_active_lanes(void);
// Everything else: `payload` of every lane that takes part is at payloads[lane], NULL for others;
// `combine` is called once, before any lane goes on, and writes results into the payloads.
AMBIDEX_SIMT void ambidex_simt_collective(ambidex_simt_u64 lanes, void* payload,
                                          void (*combine)(void** payloads,
                                                          ambidex_simt_u32 wave_width));
// HIP's contract of an explicit mask, which ROCm asserts: every active lane is in its own mask,
// and the masks together are the active lanes. Reported where it is broken.
AMBIDEX_SIMT void ambidex_simt_check_mask(ambidex_simt_u64 lanes);
// The end of a round of a loop, before the jump back: lanes in lockstep wait here for those that
// are still in the round. The compiler puts it into loops with collectives, atomics or volatile
// accesses (src/frontend/latches.h); people need not.
AMBIDEX_SIMT void ambidex_simt_latch(void);

// Ordering. scope: 0 block, 1 device, 2 system.
AMBIDEX_SIMT void ambidex_simt_fence(int scope);
// Lets other threads run: __nanosleep, and the body of a loop that waits.
AMBIDEX_SIMT void ambidex_simt_yield(void);
// Ends the launch with an error that carries `reason`: __trap, a failed assert.
AMBIDEX_SIMT void ambidex_simt_trap(const char* reason);
AMBIDEX_SIMT ambidex_simt_u64 ambidex_simt_clock(void);
AMBIDEX_SIMT void* ambidex_simt_malloc(ambidex_simt_u64 num_bytes);
AMBIDEX_SIMT void ambidex_simt_free(void* pointer);
AMBIDEX_SIMT int ambidex_simt_vprintf(const char* format, __builtin_va_list values);

// For counts: the thread's share of a matrix product of the wave's fragments. type: as in DType of
// base.h, or 255 for double.
AMBIDEX_SIMT void ambidex_simt_matrix_product(int type, ambidex_simt_u64 num_flop);

// Instructions of one stretch of code; see SimtInstruction of simt_traffic.h. The compiler calls
// the function before each stretch of a counted module, with its table.
struct AmbidexSimtInstructions {
  ambidex_simt_u32 num[6];   // f16, f32, f64, special, integer, product
  ambidex_simt_u32 flop[3];  // f16, f32, f64
  ambidex_simt_u32 waits;    // for loads, in sixteenths
};
AMBIDEX_SIMT void ambidex_simt_instructions(const struct AmbidexSimtInstructions* stretch);
// Begins a function of the headers that stands for `hardware`, or ends it (null). Instructions in
// it, and stand-ins that it calls, do not count.
AMBIDEX_SIMT void ambidex_simt_stand_in(const struct AmbidexSimtInstructions* hardware);

#ifdef __cplusplus
}
#endif
