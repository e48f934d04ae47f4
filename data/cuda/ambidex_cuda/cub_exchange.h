// SPDX-License-Identifier: Apache-2.0
// cub::BlockLoad, BlockStore, BlockExchange and BlockRadixSort. Blocked: thread t has items
// t * n ...; striped: thread t has items t, t + threads, ...
#pragma once
#pragma GCC system_header

#include "cub_words.h"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

// Every algorithm but the striped one loads the blocked arrangement, directly.
template <class T, int kX, int kItems, BlockLoadAlgorithm kAlgorithm = BLOCK_LOAD_DIRECT,
          int kY = 1, int kZ = 1, int kArch = 0>
class BlockLoad {
 public:
  struct TempStorage {};
  AMBIDEX_MEMBER_D BlockLoad() {}
  AMBIDEX_MEMBER_D BlockLoad(TempStorage&) {}
  template <class Iterator>
  AMBIDEX_MEMBER_D void Load(Iterator from, T (&items)[kItems]) {
    for (int i = 0; i < kItems; ++i) items[i] = from[place(i)];
  }
  template <class Iterator>
  AMBIDEX_MEMBER_D void Load(Iterator from, T (&items)[kItems], int valid_items) {
    for (int i = 0; i < kItems; ++i) {
      if (place(i) < valid_items) items[i] = from[place(i)];
    }
  }
  template <class Iterator, class Default>
  AMBIDEX_MEMBER_D void Load(Iterator from, T (&items)[kItems], int valid_items,
                             Default otherwise) {
    for (int i = 0; i < kItems; ++i) {
      items[i] = place(i) < valid_items ? T(from[place(i)]) : T(otherwise);
    }
  }

 private:
  AMBIDEX_MEMBER_D static int place(int i) {
    const int thread = int(ambidex_cuda::linear_thread());
    return kAlgorithm == BLOCK_LOAD_STRIPED ? i * kX * kY * kZ + thread : thread * kItems + i;
  }
};
template <class T, int kX, int kItems, BlockStoreAlgorithm kAlgorithm = BLOCK_STORE_DIRECT,
          int kY = 1, int kZ = 1, int kArch = 0>
class BlockStore {
 public:
  struct TempStorage {};
  AMBIDEX_MEMBER_D BlockStore() {}
  AMBIDEX_MEMBER_D BlockStore(TempStorage&) {}
  template <class Iterator>
  AMBIDEX_MEMBER_D void Store(Iterator to, T (&items)[kItems]) {
    for (int i = 0; i < kItems; ++i) to[place(i)] = items[i];
  }
  template <class Iterator>
  AMBIDEX_MEMBER_D void Store(Iterator to, T (&items)[kItems], int valid_items) {
    for (int i = 0; i < kItems; ++i) {
      if (place(i) < valid_items) to[place(i)] = items[i];
    }
  }

 private:
  AMBIDEX_MEMBER_D static int place(int i) {
    const int thread = int(ambidex_cuda::linear_thread());
    return kAlgorithm == BLOCK_STORE_STRIPED ? i * kX * kY * kZ + thread : thread * kItems + i;
  }
};

template <int kThreads, class Iterator, class T, int kItems>
AMBIDEX_MEMBER_D void LoadDirectStriped(int thread, Iterator from, T (&items)[kItems]) {
  for (int i = 0; i < kItems; ++i) items[i] = from[thread + i * kThreads];
}
template <int kThreads, class Iterator, class T, int kItems>
AMBIDEX_MEMBER_D void StoreDirectStriped(int thread, Iterator to, T (&items)[kItems]) {
  for (int i = 0; i < kItems; ++i) to[thread + i * kThreads] = items[i];
}
template <class Iterator, class T, int kItems>
AMBIDEX_MEMBER_D void LoadDirectBlocked(int thread, Iterator from, T (&items)[kItems]) {
  for (int i = 0; i < kItems; ++i) items[i] = from[thread * kItems + i];
}
template <class Iterator, class T, int kItems>
AMBIDEX_MEMBER_D void StoreDirectBlocked(int thread, Iterator to, T (&items)[kItems]) {
  for (int i = 0; i < kItems; ++i) to[thread * kItems + i] = items[i];
}

template <class T, int kX, int kItems, bool kTimeslicing = false, int kY = 1, int kZ = 1,
          int kArch = 0>
class BlockExchange {
  static constexpr int kThreads = kX * kY * kZ;

 public:
  struct TempStorage {
    ambidex_cuda::RawArray<T, kThreads * kItems> items;
  };
  AMBIDEX_MEMBER_D BlockExchange(TempStorage& storage) : storage_(storage) {}
  template <class Out>
  AMBIDEX_MEMBER_D void BlockedToStriped(T (&in)[kItems], Out (&out)[kItems]) {
    for (int i = 0; i < kItems; ++i) storage_.items[thread() * kItems + i] = in[i];
    ambidex_simt_barrier();
    for (int i = 0; i < kItems; ++i) out[i] = storage_.items[thread() + i * kThreads];
  }
  template <class Out>
  AMBIDEX_MEMBER_D void StripedToBlocked(T (&in)[kItems], Out (&out)[kItems]) {
    for (int i = 0; i < kItems; ++i) storage_.items[thread() + i * kThreads] = in[i];
    ambidex_simt_barrier();
    for (int i = 0; i < kItems; ++i) out[i] = storage_.items[thread() * kItems + i];
  }
  template <class Out, class Rank>
  AMBIDEX_MEMBER_D void ScatterToBlocked(T (&in)[kItems], Out (&out)[kItems],
                                         Rank (&ranks)[kItems]) {
    for (int i = 0; i < kItems; ++i) storage_.items[int(ranks[i])] = in[i];
    ambidex_simt_barrier();
    for (int i = 0; i < kItems; ++i) out[i] = storage_.items[thread() * kItems + i];
  }
  template <class Out, class Rank>
  AMBIDEX_MEMBER_D void ScatterToStriped(T (&in)[kItems], Out (&out)[kItems],
                                         Rank (&ranks)[kItems]) {
    for (int i = 0; i < kItems; ++i) storage_.items[int(ranks[i])] = in[i];
    ambidex_simt_barrier();
    for (int i = 0; i < kItems; ++i) out[i] = storage_.items[thread() + i * kThreads];
  }
  AMBIDEX_MEMBER_D void BlockedToStriped(T (&items)[kItems]) { BlockedToStriped(items, items); }
  AMBIDEX_MEMBER_D void StripedToBlocked(T (&items)[kItems]) { StripedToBlocked(items, items); }

 private:
  AMBIDEX_MEMBER_D static int thread() { return int(ambidex_cuda::linear_thread()); }
  TempStorage& storage_;
};

}  // namespace cub
