// SPDX-License-Identifier: Apache-2.0
// Kernels that wait by reading memory. simt_spin_kernels.cc is instrumented, the test is not.
#pragma once

namespace ambidex {

struct Shared {
  int lock = 0;
  int counter = 0;
  volatile int flag = 0;
  int data = 0;
  int values[128] = {};
};

// A lock that is taken in a loop and given back after it: lanes in lockstep never come so far.
void lock_outside_of_the_loop(Shared& shared);
// The critical section within the loop, as must be written for lockstep.
void lock_inside_of_the_loop(Shared& shared);
void flag_between_lanes(Shared& shared);     // lane 1 waits for lane 0
void flag_between_waves(Shared& shared);     // thread 0 waits for thread 64
void tickets(Shared& shared);                // many rounds, but each has an effect
void warp_synchronous_tail(Shared& shared);  // sums 64 values without any barrier
void spin_for_ever(Shared& shared);
void plain_loop_for_ever(Shared& shared);  // no call of the executor in it

}  // namespace ambidex
