// SPDX-License-Identifier: Apache-2.0
// cub::BlockRadixSort, BlockDiscontinuity, BlockHistogram and BlockShuffle.
#pragma once
#pragma GCC system_header

#include "cub_block.h"
#include "cub_keys.h"

namespace cub {

// Every thread counts the keys below its own: slow for many, and stable as CUB's is.
template <class Key, int kX, int kItems, class Value = NullType, int kRadixBits = 4,
          bool kMemoize = true, BlockScanAlgorithm kScan = BLOCK_SCAN_WARP_SCANS, int kConfig = 0,
          int kY = 1, int kZ = 1>
class BlockRadixSort {
  static constexpr int kThreads = kX * kY * kZ;
  static constexpr int kNum = kThreads * kItems;

 public:
  struct TempStorage {
    ambidex_cuda::RawArray<Key, kNum> keys;
    ambidex_cuda::RawArray<Value, kNum> values;
  };
  AMBIDEX_MEMBER_D BlockRadixSort() : storage_(own_storage()) {}
  AMBIDEX_MEMBER_D BlockRadixSort(TempStorage& storage) : storage_(storage) {}

  AMBIDEX_MEMBER_D void Sort(Key (&keys)[kItems], int begin = 0, int end = 8 * sizeof(Key)) {
    sort(keys, none_, begin, end, false, false);
  }
  AMBIDEX_MEMBER_D void Sort(Key (&keys)[kItems], Value (&values)[kItems], int begin = 0,
                             int end = 8 * sizeof(Key)) {
    sort(keys, values, begin, end, false, false);
  }
  AMBIDEX_MEMBER_D void SortDescending(Key (&keys)[kItems], int begin = 0,
                                       int end = 8 * sizeof(Key)) {
    sort(keys, none_, begin, end, true, false);
  }
  AMBIDEX_MEMBER_D void SortDescending(Key (&keys)[kItems], Value (&values)[kItems], int begin = 0,
                                       int end = 8 * sizeof(Key)) {
    sort(keys, values, begin, end, true, false);
  }
  AMBIDEX_MEMBER_D void SortBlockedToStriped(Key (&keys)[kItems], int begin = 0,
                                             int end = 8 * sizeof(Key)) {
    sort(keys, none_, begin, end, false, true);
  }
  AMBIDEX_MEMBER_D void SortBlockedToStriped(Key (&keys)[kItems], Value (&values)[kItems],
                                             int begin = 0, int end = 8 * sizeof(Key)) {
    sort(keys, values, begin, end, false, true);
  }
  AMBIDEX_MEMBER_D void SortDescendingBlockedToStriped(Key (&keys)[kItems], int begin = 0,
                                                       int end = 8 * sizeof(Key)) {
    sort(keys, none_, begin, end, true, true);
  }
  AMBIDEX_MEMBER_D void SortDescendingBlockedToStriped(Key (&keys)[kItems], Value (&values)[kItems],
                                                       int begin = 0, int end = 8 * sizeof(Key)) {
    sort(keys, values, begin, end, true, true);
  }

 private:
  struct None {};
  template <class Values>
  AMBIDEX_MEMBER_D void sort(Key (&keys)[kItems], Values& values, int begin, int end,
                             bool descending, bool striped) {
    const int first = int(ambidex_cuda::linear_thread()) * kItems;
    for (int i = 0; i < kItems; ++i) storage_.keys[first + i] = keys[i];
    ambidex_simt_barrier();
    int ranks[kItems];
    for (int i = 0; i < kItems; ++i) {
      ranks[i] = rank_of(keys[i], first + i, begin, end, descending);
    }
    ambidex_simt_barrier();
    for (int i = 0; i < kItems; ++i) {
      storage_.keys[ranks[i]] = keys[i];
      put(values, i, ranks[i]);
    }
    ambidex_simt_barrier();
    for (int i = 0; i < kItems; ++i) {
      const int at = striped ? int(ambidex_cuda::linear_thread()) + i * kThreads : first + i;
      keys[i] = storage_.keys[at];
      get(values, i, at);
    }
  }
  AMBIDEX_MEMBER_D int rank_of(Key key, int at, int begin, int end, bool descending) {
    const unsigned long long bits = ambidex_cuda::sort_bits(key, begin, end, descending);
    int rank = 0;
    for (int i = 0; i < kNum; ++i) {
      const unsigned long long other =
          ambidex_cuda::sort_bits(Key(storage_.keys[i]), begin, end, descending);
      rank += other < bits || (other == bits && i < at) ? 1 : 0;
    }
    return rank;
  }
  AMBIDEX_MEMBER_D void put(None&, int, int) {}
  AMBIDEX_MEMBER_D void get(None&, int, int) {}
  AMBIDEX_MEMBER_D void put(Value (&values)[kItems], int i, int at) {
    storage_.values[at] = values[i];
  }
  AMBIDEX_MEMBER_D void get(Value (&values)[kItems], int i, int at) {
    values[i] = storage_.values[at];
  }
  AMBIDEX_MEMBER_D static TempStorage& own_storage() {
    static __shared__ TempStorage storage;
    return storage;
  }
  TempStorage& storage_;
  None none_;
};

template <class T, int kX, int kY = 1, int kZ = 1, int kArch = 0>
class BlockDiscontinuity {
  static constexpr int kThreads = kX * kY * kZ;

 public:
  struct TempStorage {
    ambidex_cuda::RawArray<T, kThreads> items;
  };
  AMBIDEX_MEMBER_D BlockDiscontinuity(TempStorage& storage) : storage_(storage) {}
  template <int kItems, class Flag, class Op>
  AMBIDEX_MEMBER_D void FlagHeads(Flag (&flags)[kItems], T (&input)[kItems], Op op) {
    const int thread = int(ambidex_cuda::linear_thread());
    storage_.items[thread] = input[kItems - 1];
    ambidex_simt_barrier();
    flags[0] = Flag(thread == 0 || op(storage_.items[thread == 0 ? 0 : thread - 1], input[0]));
    for (int i = 1; i < kItems; ++i) flags[i] = Flag(op(input[i - 1], input[i]));
  }
  template <int kItems, class Flag, class Op>
  AMBIDEX_MEMBER_D void FlagTails(Flag (&flags)[kItems], T (&input)[kItems], Op op) {
    const int thread = int(ambidex_cuda::linear_thread());
    storage_.items[thread] = input[0];
    ambidex_simt_barrier();
    for (int i = 0; i + 1 < kItems; ++i) flags[i] = Flag(op(input[i], input[i + 1]));
    const bool last = thread == kThreads - 1;
    flags[kItems - 1] =
        Flag(last || op(input[kItems - 1], storage_.items[last ? thread : thread + 1]));
  }

 private:
  TempStorage& storage_;
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
template <class T, int kX, int kItems, int kBins,
          BlockHistogramAlgorithm kAlgorithm = BLOCK_HISTO_SORT, int kY = 1, int kZ = 1,
          int kArch = 0>
class BlockHistogram {
  static constexpr int kThreads = kX * kY * kZ;

 public:
  struct TempStorage {};
  AMBIDEX_MEMBER_D BlockHistogram(TempStorage&) {}
  template <class Count>
  AMBIDEX_MEMBER_D void InitHistogram(Count (&histogram)[kBins]) {
    for (int i = int(ambidex_cuda::linear_thread()); i < kBins; i += kThreads) histogram[i] = 0;
  }
  template <class Count>
  AMBIDEX_MEMBER_D void Composite(T (&items)[kItems], Count (&histogram)[kBins]) {
    for (int i = 0; i < kItems; ++i) atomicAdd(&histogram[items[i]], Count(1));
  }
  template <class Count>
  AMBIDEX_MEMBER_D void Histogram(T (&items)[kItems], Count (&histogram)[kBins]) {
    InitHistogram(histogram);
    ambidex_simt_barrier();
    Composite(items, histogram);
  }
};

}  // namespace cub
