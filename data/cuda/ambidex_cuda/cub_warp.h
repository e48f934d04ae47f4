// SPDX-License-Identifier: Apache-2.0
// cub::WarpReduce and cub::WarpScan over logical warps of a power of two.
#pragma once
#pragma GCC system_header

#include "cub_words.h"

namespace ambidex_cuda {

// The lanes of this thread's logical warp of `width`, and how many of them the block has.
AMBIDEX_D unsigned int first_of_warp(int width) { return lane() & ~unsigned(width - 1); }
AMBIDEX_D unsigned int mask_of_warp(int width) {
  return (width >= 32 ? 0xffffffffu : (1u << width) - 1u) << first_of_warp(width);
}
AMBIDEX_D int lanes_of_warp(int width) {
  const int begin = int(AMBIDEX_SELF->wave * 32 + first_of_warp(width));
  const int left = int(threads_of_block()) - begin;
  return left < width ? left : width;
}

// The result is lane 0's of the logical warp.
template <class T, class Op>
AMBIDEX_MEMBER_D T reduce_warp(T value, Op op, int width, int num_valid) {
  const unsigned int mask = mask_of_warp(width);
  const int rank = int(lane() - first_of_warp(width));
  for (int delta = 1; delta < width; delta *= 2) {
    const bool has = rank + delta < num_valid;
    const T other = shuffle_any(mask, value, has ? lane() + unsigned(delta) : lane());
    if (has) value = op(value, other);
  }
  return value;
}
template <class T, class Op>
AMBIDEX_MEMBER_D T scan_warp(T value, Op op, int width) {
  const unsigned int mask = mask_of_warp(width);
  const int rank = int(lane() - first_of_warp(width));
  for (int delta = 1; delta < width; delta *= 2) {
    const bool has = rank >= delta;
    const T other = shuffle_any(mask, value, has ? lane() - unsigned(delta) : lane());
    if (has) value = op(other, value);
  }
  return value;
}

}  // namespace ambidex_cuda

namespace cub {

template <class T, int kWidth = 32>
class WarpReduce {
 public:
  struct TempStorage {};
  AMBIDEX_MEMBER_D WarpReduce(TempStorage&) {}
  AMBIDEX_MEMBER_D T Sum(T input) { return Reduce(input, cub::Sum()); }
  AMBIDEX_MEMBER_D T Sum(T input, int valid_items) {
    return Reduce(input, cub::Sum(), valid_items);
  }
  AMBIDEX_MEMBER_D T Max(T input) { return Reduce(input, cub::Max()); }
  AMBIDEX_MEMBER_D T Min(T input) { return Reduce(input, cub::Min()); }
  template <class Op>
  AMBIDEX_MEMBER_D T Reduce(T input, Op op) {
    return ambidex_cuda::reduce_warp(input, op, kWidth, ambidex_cuda::lanes_of_warp(kWidth));
  }
  template <class Op>
  AMBIDEX_MEMBER_D T Reduce(T input, Op op, int valid_items) {
    return ambidex_cuda::reduce_warp(input, op, kWidth, valid_items);
  }
  template <class Flag>
  AMBIDEX_MEMBER_D T HeadSegmentedSum(T input, Flag head_flag) {
    return HeadSegmentedReduce(input, head_flag, cub::Sum());
  }
  template <class Flag>
  AMBIDEX_MEMBER_D T TailSegmentedSum(T input, Flag tail_flag) {
    return TailSegmentedReduce(input, tail_flag, cub::Sum());
  }
  // The result is that of the segment, at its first lane.
  template <class Flag, class Op>
  AMBIDEX_MEMBER_D T HeadSegmentedReduce(T input, Flag head_flag, Op op) {
    const unsigned int heads = __ballot_sync(ambidex_cuda::mask_of_warp(kWidth), head_flag != 0);
    const unsigned int above = heads & ~((2u << ambidex_cuda::lane()) - 1u);
    return reduce_until(input, op, above ? __ffs(int(above)) - 1 : end_of_warp());
  }
  template <class Flag, class Op>
  AMBIDEX_MEMBER_D T TailSegmentedReduce(T input, Flag tail_flag, Op op) {
    const unsigned int tails = __ballot_sync(ambidex_cuda::mask_of_warp(kWidth), tail_flag != 0);
    const unsigned int from_here = tails & ~((1u << ambidex_cuda::lane()) - 1u);
    return reduce_until(input, op, from_here ? __ffs(int(from_here)) : end_of_warp());
  }

 private:
  AMBIDEX_MEMBER_D static int end_of_warp() {
    return int(ambidex_cuda::first_of_warp(kWidth)) + ambidex_cuda::lanes_of_warp(kWidth);
  }
  template <class Op>
  AMBIDEX_MEMBER_D static T reduce_until(T value, Op op, int end) {
    const unsigned int mask = ambidex_cuda::mask_of_warp(kWidth);
    const int lane = int(ambidex_cuda::lane());
    for (int delta = 1; delta < kWidth; delta *= 2) {
      const bool has = lane + delta < end;
      const T other = ambidex_cuda::shuffle_any(mask, value, unsigned(has ? lane + delta : lane));
      if (has) value = op(value, other);
    }
    return value;
  }
};

template <class T, int kWidth = 32>
class WarpScan {
 public:
  struct TempStorage {};
  AMBIDEX_MEMBER_D WarpScan(TempStorage&) {}
  AMBIDEX_MEMBER_D void InclusiveSum(T input, T& output) {
    InclusiveScan(input, output, cub::Sum());
  }
  AMBIDEX_MEMBER_D void InclusiveSum(T input, T& output, T& aggregate) {
    InclusiveScan(input, output, cub::Sum(), aggregate);
  }
  AMBIDEX_MEMBER_D void ExclusiveSum(T input, T& output) {
    ExclusiveScan(input, output, T{}, cub::Sum());
  }
  AMBIDEX_MEMBER_D void ExclusiveSum(T input, T& output, T& aggregate) {
    ExclusiveScan(input, output, T{}, cub::Sum(), aggregate);
  }
  template <class Op>
  AMBIDEX_MEMBER_D void InclusiveScan(T input, T& output, Op op) {
    output = ambidex_cuda::scan_warp(input, op, kWidth);
  }
  template <class Op>
  AMBIDEX_MEMBER_D void InclusiveScan(T input, T& output, Op op, T& aggregate) {
    output = ambidex_cuda::scan_warp(input, op, kWidth);
    aggregate = last(output);
  }
  // Lane 0's output is undefined without an initial value.
  template <class Op>
  AMBIDEX_MEMBER_D void ExclusiveScan(T input, T& output, Op op) {
    const T inclusive = ambidex_cuda::scan_warp(input, op, kWidth);
    output = before(inclusive);
  }
  template <class Op>
  AMBIDEX_MEMBER_D void ExclusiveScan(T input, T& output, T initial, Op op) {
    const T below = before(ambidex_cuda::scan_warp(input, op, kWidth));
    output = is_first() ? initial : op(initial, below);
  }
  template <class Op>
  AMBIDEX_MEMBER_D void ExclusiveScan(T input, T& output, T initial, Op op, T& aggregate) {
    const T inclusive = ambidex_cuda::scan_warp(input, op, kWidth);
    const T below = before(inclusive);
    aggregate = last(inclusive);
    output = is_first() ? initial : op(initial, below);
  }
  template <class Op>
  AMBIDEX_MEMBER_D void Scan(T input, T& inclusive, T& exclusive, Op op) {
    inclusive = ambidex_cuda::scan_warp(input, op, kWidth);
    exclusive = before(inclusive);
  }
  AMBIDEX_MEMBER_D T Broadcast(T input, unsigned int source) {
    return ambidex_cuda::shuffle_any(ambidex_cuda::mask_of_warp(kWidth), input,
                                     ambidex_cuda::first_of_warp(kWidth) + source);
  }

 private:
  AMBIDEX_MEMBER_D static bool is_first() {
    return ambidex_cuda::lane() == ambidex_cuda::first_of_warp(kWidth);
  }
  AMBIDEX_MEMBER_D static T before(T value) {
    return ambidex_cuda::shuffle_any(ambidex_cuda::mask_of_warp(kWidth), value,
                                     ambidex_cuda::lane() - (is_first() ? 0u : 1u));
  }
  AMBIDEX_MEMBER_D static T last(T value) {
    return ambidex_cuda::shuffle_any(
        ambidex_cuda::mask_of_warp(kWidth), value,
        ambidex_cuda::first_of_warp(kWidth) + unsigned(ambidex_cuda::lanes_of_warp(kWidth)) - 1u);
  }
};

}  // namespace cub
