// SPDX-License-Identifier: Apache-2.0
// Reductions and scans of (logical) waves.
#pragma once

#include "ambidex_hip/library_begin.h"
//
#include "../../cuda/ambidex_cuda/cub_functors.h"
//
#include "ambidex_hip/library_end.h"

#define HIPCUB_WARP_THREADS 64

namespace hipcub {

// Any type, by words of eight bytes.
template <class T>
AMBIDEX_HIP_DEVICE T ambidex_shuffle(const T& value, int source, int width) {
  unsigned long words[(sizeof(T) + 7) / 8] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (unsigned long& word : words) word = __shfl(word, source, width);
  T result;
  __builtin_memcpy(&result, words, sizeof(T));
  return result;
}

template <class T, int width = HIPCUB_WARP_THREADS>
class WarpReduce {
 public:
  struct TempStorage {};
  AMBIDEX_HIP_DEVICE explicit WarpReduce(TempStorage&) {}
  template <class Op>
  AMBIDEX_HIP_DEVICE T Reduce(T value, Op op) {
    return Reduce(value, op, width);
  }
  template <class Op>
  AMBIDEX_HIP_DEVICE T Reduce(T value, Op op, int num_valid) {
    const int rank = static_cast<int>(__lane_id()) % width;
    int distance = 1;
    while (distance < width) distance *= 2;
    for (distance /= 2; distance > 0; distance /= 2) {
      const int other = rank + distance;
      const T theirs = ambidex_shuffle(value, other < width ? other : rank, ceil_width());
      if (other < num_valid && rank < distance) value = op(value, theirs);
    }
    return value;
  }
  AMBIDEX_HIP_DEVICE T Sum(T value) { return Reduce(value, hipcub::Sum()); }
  AMBIDEX_HIP_DEVICE T Sum(T value, int num_valid) {
    return Reduce(value, hipcub::Sum(), num_valid);
  }

 private:
  AMBIDEX_HIP_DEVICE static constexpr int ceil_width() {
    int power = 1;
    while (power < width) power *= 2;
    return power;
  }
};

template <class T, int width = HIPCUB_WARP_THREADS>
class WarpScan {
 public:
  struct TempStorage {};
  AMBIDEX_HIP_DEVICE explicit WarpScan(TempStorage&) {}
  template <class Op>
  AMBIDEX_HIP_DEVICE void InclusiveScan(T value, T& result, Op op) {
    const int rank = static_cast<int>(__lane_id()) % width;
    for (int distance = 1; distance < width; distance *= 2) {
      const T theirs = ambidex_shuffle(value, rank >= distance ? rank - distance : rank, width);
      if (rank >= distance) value = op(theirs, value);
    }
    result = value;
  }
  template <class Op>
  AMBIDEX_HIP_DEVICE void InclusiveScan(T value, T& result, Op op, T& aggregate) {
    InclusiveScan(value, result, op);
    aggregate = ambidex_shuffle(result, width - 1, width);
  }
  template <class Op>
  AMBIDEX_HIP_DEVICE void ExclusiveScan(T value, T& result, T initial, Op op) {
    T inclusive;
    InclusiveScan(value, inclusive, op);
    const int rank = static_cast<int>(__lane_id()) % width;
    const T before = ambidex_shuffle(inclusive, rank > 0 ? rank - 1 : 0, width);
    result = rank > 0 ? op(initial, before) : initial;
  }
  AMBIDEX_HIP_DEVICE void InclusiveSum(T value, T& result) {
    InclusiveScan(value, result, hipcub::Sum());
  }
  AMBIDEX_HIP_DEVICE void InclusiveSum(T value, T& result, T& aggregate) {
    InclusiveScan(value, result, hipcub::Sum(), aggregate);
  }
  AMBIDEX_HIP_DEVICE void ExclusiveSum(T value, T& result) {
    ExclusiveScan(value, result, T(0), hipcub::Sum());
  }
  AMBIDEX_HIP_DEVICE void ExclusiveSum(T value, T& result, T& aggregate) {
    InclusiveSum(value, result, aggregate);
    result = result - value;
  }
  AMBIDEX_HIP_DEVICE T Broadcast(T value, unsigned source) {
    return ambidex_shuffle(value, static_cast<int>(source), width);
  }
};

}  // namespace hipcub
