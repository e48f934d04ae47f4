// SPDX-License-Identifier: Apache-2.0
// cub::BlockReduce and cub::BlockScan: warps by shuffles, then their sums through shared memory.
// As CUB, they leave out the barrier that must come before the storage is used again.
#pragma once
#pragma GCC system_header

#include "cub_warp.h"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

// The result is thread 0's.
template <class T, int kX, BlockReduceAlgorithm kAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS,
          int kY = 1, int kZ = 1, int kArch = 0>
class BlockReduce {
  static constexpr int kThreads = kX * kY * kZ;
  static constexpr int kWarps = (kThreads + 31) / 32;

 public:
  struct TempStorage {
    ambidex_cuda::RawArray<T, kWarps> of_warps;
  };
  AMBIDEX_MEMBER_D BlockReduce() : storage_(own_storage()) {}
  AMBIDEX_MEMBER_D BlockReduce(TempStorage& storage) : storage_(storage) {}

  AMBIDEX_MEMBER_D T Sum(T input) { return Reduce(input, cub::Sum()); }
  AMBIDEX_MEMBER_D T Sum(T input, int num_valid) { return Reduce(input, cub::Sum(), num_valid); }
  template <int kItems>
  AMBIDEX_MEMBER_D T Sum(T (&inputs)[kItems]) {
    return Reduce(inputs, cub::Sum());
  }
  template <class Op>
  AMBIDEX_MEMBER_D T Reduce(T input, Op op) {
    return Reduce(input, op, kThreads);
  }
  template <int kItems, class Op>
  AMBIDEX_MEMBER_D T Reduce(T (&inputs)[kItems], Op op) {
    T sum = inputs[0];
    for (int i = 1; i < kItems; ++i) sum = op(sum, inputs[i]);
    return Reduce(sum, op, kThreads);
  }
  template <class Op>
  AMBIDEX_MEMBER_D T Reduce(T input, Op op, int num_valid) {
    const int thread = int(ambidex_cuda::linear_thread());
    const int warp = thread / 32;
    int valid = num_valid - warp * 32;
    valid = valid > 32 ? 32 : valid;
    const T sum = ambidex_cuda::reduce_warp(input, op, 32, valid);
    if (thread % 32 == 0) storage_.of_warps[warp] = sum;
    ambidex_simt_barrier();
    T total = sum;
    if (thread != 0) return total;
    for (int i = 1; i * 32 < num_valid; ++i) total = op(total, storage_.of_warps[i]);
    return total;
  }

 private:
  AMBIDEX_MEMBER_D static TempStorage& own_storage() {
    static __shared__ TempStorage storage;
    return storage;
  }
  TempStorage& storage_;
};

template <class T, int kX, BlockScanAlgorithm kAlgorithm = BLOCK_SCAN_RAKING, int kY = 1,
          int kZ = 1, int kArch = 0>
class BlockScan {
  static constexpr int kThreads = kX * kY * kZ;
  static constexpr int kWarps = (kThreads + 31) / 32;

 public:
  struct TempStorage {
    ambidex_cuda::RawArray<T, kWarps> of_warps;
    ambidex_cuda::RawArray<T, 1> prefix;
  };
  AMBIDEX_MEMBER_D BlockScan() : storage_(own_storage()) {}
  AMBIDEX_MEMBER_D BlockScan(TempStorage& storage) : storage_(storage) {}

  AMBIDEX_MEMBER_D void InclusiveSum(T in, T& out) { InclusiveScan(in, out, cub::Sum()); }
  AMBIDEX_MEMBER_D void InclusiveSum(T in, T& out, T& aggregate) {
    InclusiveScan(in, out, cub::Sum(), aggregate);
  }
  AMBIDEX_MEMBER_D void ExclusiveSum(T in, T& out) { ExclusiveScan(in, out, T{}, cub::Sum()); }
  AMBIDEX_MEMBER_D void ExclusiveSum(T in, T& out, T& aggregate) {
    ExclusiveScan(in, out, T{}, cub::Sum(), aggregate);
  }
  template <int kItems>
  AMBIDEX_MEMBER_D void InclusiveSum(T (&in)[kItems], T (&out)[kItems]) {
    InclusiveScan(in, out, cub::Sum());
  }
  template <int kItems>
  AMBIDEX_MEMBER_D void InclusiveSum(T (&in)[kItems], T (&out)[kItems], T& aggregate) {
    InclusiveScan(in, out, cub::Sum(), aggregate);
  }
  template <int kItems>
  AMBIDEX_MEMBER_D void ExclusiveSum(T (&in)[kItems], T (&out)[kItems]) {
    ExclusiveScan(in, out, T{}, cub::Sum());
  }
  template <int kItems>
  AMBIDEX_MEMBER_D void ExclusiveSum(T (&in)[kItems], T (&out)[kItems], T& aggregate) {
    ExclusiveScan(in, out, T{}, cub::Sum(), aggregate);
  }
  template <class Prefix, class = decltype(ambidex_cuda::some<Prefix&>()(ambidex_cuda::some<T>()))>
  AMBIDEX_MEMBER_D void InclusiveSum(T in, T& out, Prefix& prefix) {
    InclusiveScan(in, out, cub::Sum(), prefix);
  }
  template <class Prefix, class = decltype(ambidex_cuda::some<Prefix&>()(ambidex_cuda::some<T>()))>
  AMBIDEX_MEMBER_D void ExclusiveSum(T in, T& out, Prefix& prefix) {
    T inclusive, total;
    scan(in, inclusive, out, total, cub::Sum());
    const T before = prefix_of(total, prefix);
    out = ambidex_cuda::linear_thread() == 0 ? before : before + out;
  }

  template <class Op>
  AMBIDEX_MEMBER_D void InclusiveScan(T in, T& out, Op op) {
    T exclusive, total;
    scan(in, out, exclusive, total, op);
  }
  template <class Op>
  AMBIDEX_MEMBER_D void InclusiveScan(T in, T& out, Op op, T& aggregate) {
    T exclusive;
    scan(in, out, exclusive, aggregate, op);
  }
  template <class Op, class Prefix,
            class = decltype(ambidex_cuda::some<Prefix&>()(ambidex_cuda::some<T>()))>
  AMBIDEX_MEMBER_D void InclusiveScan(T in, T& out, Op op, Prefix& prefix) {
    T exclusive, total;
    scan(in, out, exclusive, total, op);
    out = op(prefix_of(total, prefix), out);
  }
  template <class Op>
  AMBIDEX_MEMBER_D void ExclusiveScan(T in, T& out, T initial, Op op) {
    T total;
    ExclusiveScan(in, out, initial, op, total);
  }
  template <class Op>
  AMBIDEX_MEMBER_D void ExclusiveScan(T in, T& out, T initial, Op op, T& aggregate) {
    T inclusive, exclusive;
    scan(in, inclusive, exclusive, aggregate, op);
    out = ambidex_cuda::linear_thread() == 0 ? initial : op(initial, exclusive);
  }
  template <int kItems, class Op>
  AMBIDEX_MEMBER_D void InclusiveScan(T (&in)[kItems], T (&out)[kItems], Op op) {
    T total;
    InclusiveScan(in, out, op, total);
  }
  template <int kItems, class Op>
  AMBIDEX_MEMBER_D void InclusiveScan(T (&in)[kItems], T (&out)[kItems], Op op, T& aggregate) {
    T sum = in[0];
    for (int i = 1; i < kItems; ++i) sum = op(sum, in[i]);
    T inclusive, exclusive;
    scan(sum, inclusive, exclusive, aggregate, op);
    T running = ambidex_cuda::linear_thread() == 0 ? in[0] : op(exclusive, in[0]);
    out[0] = running;
    for (int i = 1; i < kItems; ++i) out[i] = running = op(running, in[i]);
  }
  template <int kItems, class Op>
  AMBIDEX_MEMBER_D void ExclusiveScan(T (&in)[kItems], T (&out)[kItems], T initial, Op op) {
    T total;
    ExclusiveScan(in, out, initial, op, total);
  }
  template <int kItems, class Op>
  AMBIDEX_MEMBER_D void ExclusiveScan(T (&in)[kItems], T (&out)[kItems], T initial, Op op,
                                      T& aggregate) {
    T sum = in[0];
    for (int i = 1; i < kItems; ++i) sum = op(sum, in[i]);
    T inclusive, exclusive;
    scan(sum, inclusive, exclusive, aggregate, op);
    T running = ambidex_cuda::linear_thread() == 0 ? initial : op(initial, exclusive);
    for (int i = 0; i < kItems; ++i) {
      const T next = op(running, in[i]);
      out[i] = running;
      running = next;
    }
  }

 private:
  // `exclusive` is not set in thread 0.
  template <class Op>
  AMBIDEX_MEMBER_D void scan(T in, T& inclusive, T& exclusive, T& total, Op op) {
    const int thread = int(ambidex_cuda::linear_thread());
    const int warp = thread / 32;
    const T in_warp = ambidex_cuda::scan_warp(in, op, 32);
    const unsigned int mask = ambidex_cuda::mask_of_warp(32);
    const T below =
        ambidex_cuda::shuffle_any(mask, in_warp, unsigned(thread % 32) - (thread % 32 ? 1u : 0u));
    const int last = (warp + 1) * 32 < kThreads ? 31 : (kThreads - 1) % 32;
    if (thread % 32 == last) storage_.of_warps[warp] = in_warp;
    ambidex_simt_barrier();
    T before = storage_.of_warps[0];
    for (int i = 1; i < warp; ++i) before = op(before, storage_.of_warps[i]);
    inclusive = warp == 0 ? in_warp : op(before, in_warp);
    exclusive = warp == 0 ? below : thread % 32 == 0 ? before : op(before, below);
    total = before;
    for (int i = warp == 0 ? 1 : warp; i < kWarps; ++i) total = op(total, storage_.of_warps[i]);
  }
  // The callback is called by the first warp; its lane 0 gives the prefix.
  template <class Prefix>
  AMBIDEX_MEMBER_D T prefix_of(T total, Prefix& prefix) {
    const int thread = int(ambidex_cuda::linear_thread());
    if (thread < 32) {
      const T value = prefix(total);
      if (thread == 0) storage_.prefix[0] = value;
    }
    ambidex_simt_barrier();
    return storage_.prefix[0];
  }
  AMBIDEX_MEMBER_D static TempStorage& own_storage() {
    static __shared__ TempStorage storage;
    return storage;
  }
  TempStorage& storage_;
};

}  // namespace cub
