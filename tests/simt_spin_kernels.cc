// SPDX-License-Identifier: Apache-2.0
// Compiled with instrumented loads and stores, and the ends of rounds of loops marked as
// ambidex-clang does.
#include "simt_spin_kernels.h"

#include "simt_words.h"

namespace ambidex {

using namespace words;

void lock_outside_of_the_loop(Shared& shared) {
  int expected = 0;
  while (!__atomic_compare_exchange_n(&shared.lock, &expected, 1, false, __ATOMIC_ACQUIRE,
                                      __ATOMIC_RELAXED)) {
    expected = 0;
    ambidex_simt_latch();
  }
  ++shared.counter;
  __atomic_exchange_n(&shared.lock, 0, __ATOMIC_RELEASE);
}

void lock_inside_of_the_loop(Shared& shared) {
  bool done = false;
  do {
    int expected = 0;
    if (__atomic_compare_exchange_n(&shared.lock, &expected, 1, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED)) {
      ++shared.counter;
      __atomic_exchange_n(&shared.lock, 0, __ATOMIC_RELEASE);
      done = true;
    }
    ambidex_simt_latch();
  } while (!done);
}

void flag_between_lanes(Shared& shared) {
  if (this_thread().linear_thread == 1) {
    while (shared.flag == 0) ambidex_simt_latch();
    shared.counter = shared.data + 1;
  } else if (this_thread().linear_thread == 0) {
    shared.data = 41;
    __atomic_store_n(&shared.lock, 5, __ATOMIC_RELAXED);
    shared.flag = 1;
  }
}

void flag_between_waves(Shared& shared) {
  if (this_thread().linear_thread == 0) {
    while (shared.flag == 0) ambidex_simt_latch();
    shared.counter = shared.data + 1;
  } else if (this_thread().linear_thread == 64) {
    shared.data = 41;
    shared.flag = 1;
  }
}

void tickets(Shared& shared) {
  for (int i = 0; i < 200; ++i) {
    __atomic_fetch_add(&shared.counter, 1, __ATOMIC_RELAXED);
    ambidex_simt_latch();
  }
}

void warp_synchronous_tail(Shared& shared) {
  volatile int* values = shared.values;
  const uint32_t i = this_thread().linear_thread;
  values[i] = static_cast<int>(i * i);
  if (i < 32) {
    values[i] = values[i] + values[i + 32];
    values[i] = values[i] + values[i + 16];
    values[i] = values[i] + values[i + 8];
    values[i] = values[i] + values[i + 4];
    values[i] = values[i] + values[i + 2];
    values[i] = values[i] + values[i + 1];
  }
}

void spin_for_ever(Shared& shared) {
  while (shared.flag == 0) ambidex_simt_latch();
}

void plain_loop_for_ever(Shared& shared) {
  for (int i = 0; shared.data == 0; ++i) shared.values[i % 64] = i;
}

}  // namespace ambidex
