// SPDX-License-Identifier: Apache-2.0
// A module with debug information, for tests of program counters.

// Where the caller of this goes on.
extern "C" __attribute__((noinline)) void* ambidex_here() { return __builtin_return_address(0); }

#line 70 "/ambidex/data/cuda/own.h"
static inline __attribute__((always_inline)) void* own_word() { return ambidex_here(); }

#line 200 "user.cu"
namespace user {
inline __attribute__((always_inline)) void* inner(int* count) {
  *count += 1;
  return own_word();
}
}  // namespace user

extern "C" void* ambidex_direct(int* count) {
  void* here = ambidex_here();
  *count += 2;
  return here;
}

extern "C" void* ambidex_inlined(int* count) {
  void* here = user::inner(count);
  *count += 3;
  return here;
}
