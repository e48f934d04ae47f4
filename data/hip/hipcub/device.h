// SPDX-License-Identifier: Apache-2.0
// Device-wide reductions and scans: one thread goes over the data. For checking programs that use
// them, not for speed.
#pragma once

#include <limits>
#include <utility>

#include "hipcub/warp.h"

namespace hipcub {

template <class In, class Out, class Op, class T, class N>
__global__ void ambidex_reduce(In in, Out out, N n, Op op, T initial) {
  T sum = initial;
  for (N i = 0; i < n; ++i) sum = op(sum, T(in[i]));
  *out = sum;
}
template <class In, class Out, class Op, class T, class N>
__global__ void ambidex_scan(In in, Out out, N n, Op op, T initial, bool has_initial,
                             bool inclusive) {
  T sum = initial;
  for (N i = 0; i < n; ++i) {
    const T value = in[i];
    const T next = i == 0 && !has_initial ? value : T(op(sum, value));
    out[i] = inclusive ? next : sum;
    sum = next;
  }
}

// The first call, without storage, asks how much of it is wanted.
inline bool ambidex_asks(void* storage, size_t& num_bytes) {
  if (storage != nullptr) return false;
  num_bytes = 1;
  return true;
}
template <class Iterator>
using ambidex_value = std::decay_t<decltype(*std::declval<Iterator>())>;

struct DeviceReduce {
  template <class In, class Out, class Op, class T, class N>
  static hipError_t Reduce(void* storage, size_t& num_bytes, In in, Out out, N n, Op op, T initial,
                           hipStream_t stream = nullptr) {
    if (ambidex_asks(storage, num_bytes)) return hipSuccess;
    ambidex_reduce<<<1, 1, 0, stream>>>(in, out, n, op, initial);
    return hipGetLastError();
  }
  template <class In, class Out, class N>
  static hipError_t Sum(void* storage, size_t& num_bytes, In in, Out out, N n,
                        hipStream_t stream = nullptr) {
    return Reduce(storage, num_bytes, in, out, n, hipcub::Sum(), ambidex_value<Out>(0), stream);
  }
  template <class In, class Out, class N>
  static hipError_t Max(void* storage, size_t& num_bytes, In in, Out out, N n,
                        hipStream_t stream = nullptr) {
    using T = ambidex_value<In>;
    return Reduce(storage, num_bytes, in, out, n, hipcub::Max(), std::numeric_limits<T>::lowest(),
                  stream);
  }
  template <class In, class Out, class N>
  static hipError_t Min(void* storage, size_t& num_bytes, In in, Out out, N n,
                        hipStream_t stream = nullptr) {
    using T = ambidex_value<In>;
    return Reduce(storage, num_bytes, in, out, n, hipcub::Min(), std::numeric_limits<T>::max(),
                  stream);
  }
};

struct DeviceScan {
  template <class In, class Out, class Op, class T, class N>
  static hipError_t ExclusiveScan(void* storage, size_t& num_bytes, In in, Out out, Op op,
                                  T initial, N n, hipStream_t stream = nullptr) {
    if (ambidex_asks(storage, num_bytes)) return hipSuccess;
    ambidex_scan<<<1, 1, 0, stream>>>(in, out, n, op, initial, true, false);
    return hipGetLastError();
  }
  template <class In, class Out, class Op, class N>
  static hipError_t InclusiveScan(void* storage, size_t& num_bytes, In in, Out out, Op op, N n,
                                  hipStream_t stream = nullptr) {
    if (ambidex_asks(storage, num_bytes)) return hipSuccess;
    ambidex_scan<<<1, 1, 0, stream>>>(in, out, n, op, ambidex_value<In>(), false, true);
    return hipGetLastError();
  }
  template <class In, class Out, class N>
  static hipError_t ExclusiveSum(void* storage, size_t& num_bytes, In in, Out out, N n,
                                 hipStream_t stream = nullptr) {
    return ExclusiveScan(storage, num_bytes, in, out, hipcub::Sum(), ambidex_value<In>(0), n,
                         stream);
  }
  template <class In, class Out, class N>
  static hipError_t InclusiveSum(void* storage, size_t& num_bytes, In in, Out out, N n,
                                 hipStream_t stream = nullptr) {
    return InclusiveScan(storage, num_bytes, in, out, hipcub::Sum(), n, stream);
  }
};

}  // namespace hipcub
