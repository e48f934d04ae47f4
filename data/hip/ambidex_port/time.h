// SPDX-License-Identifier: Apache-2.0
// Clocks, sleeping, stopping, and where a thread runs.
#ifndef AMBIDEX_PORT_TIME_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_TIME_H

#include "ambidex_port/platform.h"

namespace ambidex_port {

// Nanoseconds of a clock that all compute units share: 100 MHz on gfx942 and gfx950. For another
// GPU define AMBIDEX_PORT_WALL_CLOCK_NS from hipDeviceAttributeWallClockRate [S10].
#if !defined(AMBIDEX_PORT_WALL_CLOCK_NS)
#define AMBIDEX_PORT_WALL_CLOCK_NS 10
#endif
AMBIDEX_PORT_DEVICE unsigned long long globaltimer() {
  return static_cast<unsigned long long>(wall_clock64()) * AMBIDEX_PORT_WALL_CLOCK_NS;
}
// Cycles of the compute unit, for differences in one thread only [S10].
AMBIDEX_PORT_DEVICE long long clock64() { return ::clock64(); }
AMBIDEX_PORT_DEVICE int clock() { return static_cast<int>(::clock64()); }

// Sleeps about so long; 2 GHz and 64 cycles a unit are assumed [S10].
AMBIDEX_PORT_DEVICE void nanosleep(unsigned nanoseconds) {
  for (unsigned units = nanoseconds / 32u + 1u; units > 0u; --units) {
#if defined(AMBIDEX_PORT_GFX)
    __builtin_amdgcn_s_sleep(1);
#elif defined(AMBIDEX_HIP_SIMT)
    ambidex_simt_yield();
#endif
  }
}

// Ends the kernel with an error [N19].
AMBIDEX_PORT_DEVICE void trap() {
#if defined(AMBIDEX_PORT_GFX)
  __builtin_trap();
#else
  abort();
#endif
}

// The compute unit, numbered within the device as far as the hardware tells [W11]. HW_ID of gfx9:
// compute unit bits 8..11, shader array bit 12, shader engine bits 13..15; XCC_ID beside it.
AMBIDEX_PORT_DEVICE unsigned smid() {
#if defined(AMBIDEX_PORT_GFX)
  const unsigned unit = __builtin_amdgcn_s_getreg((8 - 1) << 11 | 8 << 6 | 4);
  const unsigned die = __builtin_amdgcn_s_getreg((4 - 1) << 11 | 0 << 6 | 20);
  return die << 8 | unit;
#else
  return 0;
#endif
}
AMBIDEX_PORT_DEVICE unsigned nsmid() { return 16u << 8; }  // one more than smid() can be
AMBIDEX_PORT_DEVICE unsigned warpid() {
  return (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) / 32u;
}
// Counts for NVIDIA's profiler.
AMBIDEX_PORT_DEVICE void prof_trigger(int) {}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_TIME_H
