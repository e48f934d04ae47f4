// SPDX-License-Identifier: Apache-2.0
// PTX's shfl with any clamp and segment, and its predicate; elect.sync's lane [W01 W12].
#ifndef AMBIDEX_PORT_PTX_WARP_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_PTX_WARP_H

#include "ambidex_port/platform.h"
#include "ambidex_port/warp.h"

namespace ambidex_port {

enum shuffle_mode { shuffle_idx, shuffle_up, shuffle_down, shuffle_bfly };

// c: clamp in bits 0..4, mask of the segment in bits 8..12. Lanes count within the logical warp;
// `inside` says whether the source is in the segment, else a lane gets its own value.
template <shuffle_mode mode>
AMBIDEX_PORT_MEMBER unsigned shfl_ptx(AMBIDEX_PORT_MAYBE_UNSET unsigned value, unsigned b,
                                      unsigned c, bool& inside) {
  const int lane = static_cast<int>(lane_id()), by = static_cast<int>(b & 31u);
  const int segment = static_cast<int>(c >> 8 & 31u), clamp = static_cast<int>(c & 31u);
  const int least = lane & segment, most = least | (clamp & ~segment & 31);
  int source = least | (by & ~segment);
  if (mode == shuffle_up) source = lane - by;
  if (mode == shuffle_down) source = lane + by;
  if (mode == shuffle_bfly) source = lane ^ by;
  inside = mode == shuffle_up ? source >= most : source <= most;
  return __shfl(value, inside ? source : lane, 32);
}
template <shuffle_mode mode>
AMBIDEX_PORT_MEMBER unsigned shfl_ptx(AMBIDEX_PORT_MAYBE_UNSET unsigned value, unsigned b,
                                      unsigned c) {
  bool inside = false;
  return shfl_ptx<mode>(value, b, c, inside);
}

// The lane that elect_sync(mask) is true in.
AMBIDEX_PORT_DEVICE unsigned elected_lane(unsigned mask) {
  return static_cast<unsigned>(__builtin_ctz(ballot(1) & mask));
}

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_PTX_WARP_H
