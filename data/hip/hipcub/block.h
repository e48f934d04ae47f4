// SPDX-License-Identifier: Apache-2.0
// Reductions, scans, loads and sorts of blocks, through shared memory.
#pragma once

#include "hipcub/warp.h"

namespace hipcub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE
};

template <class T, int x, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int y = 1, int z = 1>
class BlockReduce {
  static constexpr int kThreads = x * y * z;

 public:
  struct TempStorage {
    T values[kThreads];
  };
  AMBIDEX_HIP_DEVICE explicit BlockReduce(TempStorage& storage) : storage_(storage) {}
  // The result is thread 0's.
  template <class Op>
  AMBIDEX_HIP_DEVICE T Reduce(T value, Op op, int num_valid) {
    const int rank = static_cast<int>(__ambidex_linear_thread());
    storage_.values[rank] = value;
    int distance = 1;
    while (distance < kThreads) distance *= 2;
    for (distance /= 2; distance > 0; distance /= 2) {
      __syncthreads();
      if (rank < distance && rank + distance < num_valid) {
        value = storage_.values[rank] = op(value, storage_.values[rank + distance]);
      }
    }
    return value;
  }
  template <class Op>
  AMBIDEX_HIP_DEVICE T Reduce(T value, Op op) {
    return Reduce(value, op, kThreads);
  }
  template <int n, class Op>
  AMBIDEX_HIP_DEVICE T Reduce(T (&values)[n], Op op) {
    T partial = values[0];
    for (int i = 1; i < n; ++i) partial = op(partial, values[i]);
    return Reduce(partial, op, kThreads);
  }
  AMBIDEX_HIP_DEVICE T Sum(T value) { return Reduce(value, hipcub::Sum()); }
  AMBIDEX_HIP_DEVICE T Sum(T value, int num_valid) {
    return Reduce(value, hipcub::Sum(), num_valid);
  }
  template <int n>
  AMBIDEX_HIP_DEVICE T Sum(T (&values)[n]) {
    return Reduce(values, hipcub::Sum());
  }

 private:
  TempStorage& storage_;
};

template <class T, int x, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int y = 1, int z = 1>
class BlockScan {
  static constexpr int kThreads = x * y * z;

 public:
  struct TempStorage {
    T values[kThreads];
  };
  AMBIDEX_HIP_DEVICE explicit BlockScan(TempStorage& storage) : storage_(storage) {}
  template <class Op>
  AMBIDEX_HIP_DEVICE void InclusiveScan(T value, T& result, Op op, T& aggregate) {
    const int rank = static_cast<int>(__ambidex_linear_thread());
    storage_.values[rank] = value;
    __syncthreads();
    for (int distance = 1; distance < kThreads; distance *= 2) {
      const bool takes = rank >= distance;
      if (takes) value = op(storage_.values[rank - distance], value);
      __syncthreads();
      if (takes) storage_.values[rank] = value;
      __syncthreads();
    }
    result = value;
    aggregate = storage_.values[kThreads - 1];
  }
  template <class Op>
  AMBIDEX_HIP_DEVICE void InclusiveScan(T value, T& result, Op op) {
    T aggregate;
    InclusiveScan(value, result, op, aggregate);
  }
  template <class Op>
  AMBIDEX_HIP_DEVICE void ExclusiveScan(T value, T& result, T initial, Op op, T& aggregate) {
    const int rank = static_cast<int>(__ambidex_linear_thread());
    T inclusive;
    InclusiveScan(value, inclusive, op, aggregate);
    result = rank > 0 ? op(initial, storage_.values[rank - 1]) : initial;
  }
  template <class Op>
  AMBIDEX_HIP_DEVICE void ExclusiveScan(T value, T& result, T initial, Op op) {
    T aggregate;
    ExclusiveScan(value, result, initial, op, aggregate);
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
    ExclusiveScan(value, result, T(0), hipcub::Sum(), aggregate);
  }
  template <int n>
  AMBIDEX_HIP_DEVICE void InclusiveSum(T (&values)[n], T (&results)[n]) {
    scan_array(values, results, true);
  }
  template <int n>
  AMBIDEX_HIP_DEVICE void ExclusiveSum(T (&values)[n], T (&results)[n]) {
    scan_array(values, results, false);
  }

 private:
  template <int n>
  AMBIDEX_HIP_DEVICE void scan_array(T (&values)[n], T (&results)[n], bool inclusive) {
    T total = values[0];
    for (int i = 1; i < n; ++i) total = total + values[i];
    T sum;
    ExclusiveSum(total, sum);
    for (int i = 0; i < n; ++i) {
      const T value = values[i];  // results may be values
      const T next = sum + value;
      results[i] = inclusive ? next : sum;
      sum = next;
    }
  }
  TempStorage& storage_;
};

// Item i of thread t is t * n + i; of a striped load i * threads + t.
template <class T, int x, int n, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int y = 1,
          int z = 1>
class BlockLoad {
  AMBIDEX_HIP_DEVICE static int place(int i) {
    const int rank = static_cast<int>(__ambidex_linear_thread());
    return algorithm == BLOCK_LOAD_STRIPED ? i * x * y * z + rank : rank * n + i;
  }

 public:
  struct TempStorage {};
  AMBIDEX_HIP_DEVICE explicit BlockLoad(TempStorage&) {}
  template <class In>
  AMBIDEX_HIP_DEVICE void Load(In from, T (&items)[n]) {
    for (int i = 0; i < n; ++i) items[i] = from[place(i)];
  }
  template <class In>
  AMBIDEX_HIP_DEVICE void Load(In from, T (&items)[n], int num_valid) {
    for (int i = 0; i < n; ++i) {
      if (place(i) < num_valid) items[i] = from[place(i)];
    }
  }
  template <class In, class Default>
  AMBIDEX_HIP_DEVICE void Load(In from, T (&items)[n], int num_valid, Default otherwise) {
    for (int i = 0; i < n; ++i) items[i] = place(i) < num_valid ? from[place(i)] : T(otherwise);
  }
};
template <class T, int x, int n, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT, int y = 1,
          int z = 1>
class BlockStore {
  AMBIDEX_HIP_DEVICE static int place(int i) {
    const int rank = static_cast<int>(__ambidex_linear_thread());
    return algorithm == BLOCK_STORE_STRIPED ? i * x * y * z + rank : rank * n + i;
  }

 public:
  struct TempStorage {};
  AMBIDEX_HIP_DEVICE explicit BlockStore(TempStorage&) {}
  template <class Out>
  AMBIDEX_HIP_DEVICE void Store(Out to, T (&items)[n]) {
    for (int i = 0; i < n; ++i) to[place(i)] = items[i];
  }
  template <class Out>
  AMBIDEX_HIP_DEVICE void Store(Out to, T (&items)[n], int num_valid) {
    for (int i = 0; i < n; ++i) {
      if (place(i) < num_valid) to[place(i)] = items[i];
    }
  }
};

// Stable, by counting for each item those that come before it.
template <class Key, int x, int n, class Value = int>
class BlockRadixSort {
 public:
  struct TempStorage {
    Key keys[x * n];
    Value values[x * n];
  };
  AMBIDEX_HIP_DEVICE explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}
  AMBIDEX_HIP_DEVICE void Sort(Key (&keys)[n], int first_bit = 0, int end_bit = 8 * sizeof(Key)) {
    Value none[n] = {};
    sort(keys, none, false, first_bit, end_bit);
  }
  AMBIDEX_HIP_DEVICE void Sort(Key (&keys)[n], Value (&values)[n], int first_bit = 0,
                               int end_bit = 8 * sizeof(Key)) {
    sort(keys, values, false, first_bit, end_bit);
  }
  AMBIDEX_HIP_DEVICE void SortDescending(Key (&keys)[n], int first_bit = 0,
                                         int end_bit = 8 * sizeof(Key)) {
    Value none[n] = {};
    sort(keys, none, true, first_bit, end_bit);
  }
  AMBIDEX_HIP_DEVICE void SortDescending(Key (&keys)[n], Value (&values)[n], int first_bit = 0,
                                         int end_bit = 8 * sizeof(Key)) {
    sort(keys, values, true, first_bit, end_bit);
  }

 private:
  // The bits of a key in the order of numbers, those outside the range cleared.
  AMBIDEX_HIP_DEVICE static unsigned long long digits(Key key, int first_bit, int end_bit) {
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &key, sizeof(Key));
    const unsigned long long top = 1ull << (8 * sizeof(Key) - 1);
    if constexpr (std::is_floating_point_v<Key>) {
      bits = bits & top ? ~bits & (top | (top - 1)) : bits | top;
    } else if constexpr (std::is_signed_v<Key>) {
      bits ^= top;
    }
    const int width = end_bit - first_bit;
    bits >>= first_bit;
    return width >= 64 ? bits : bits & ((1ull << width) - 1);
  }
  AMBIDEX_HIP_DEVICE void sort(Key (&keys)[n], Value (&values)[n], bool descending, int first_bit,
                               int end_bit) {
    const int rank = static_cast<int>(__ambidex_linear_thread());
    for (int i = 0; i < n; ++i) storage_.keys[rank * n + i] = keys[i];
    __syncthreads();
    int places[n];
    for (int i = 0; i < n; ++i) {
      const unsigned long long own = digits(keys[i], first_bit, end_bit);
      places[i] = 0;
      for (int j = 0; j < x * n; ++j) {
        const unsigned long long other = digits(storage_.keys[j], first_bit, end_bit);
        const bool before = descending ? other > own : other < own;
        places[i] += before || (other == own && j < rank * n + i);
      }
    }
    __syncthreads();
    for (int i = 0; i < n; ++i) {
      storage_.keys[places[i]] = keys[i];
      storage_.values[places[i]] = values[i];
    }
    __syncthreads();
    for (int i = 0; i < n; ++i) {
      keys[i] = storage_.keys[rank * n + i];
      values[i] = storage_.values[rank * n + i];
    }
  }
  TempStorage& storage_;
};

}  // namespace hipcub
