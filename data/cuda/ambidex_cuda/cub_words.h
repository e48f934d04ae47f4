// SPDX-License-Identifier: Apache-2.0
// Functors, pairs and small functions of CUB.
#pragma once
#pragma GCC system_header

#include "../cuda_runtime.h"
//
#include "groups.h"

#define CUB_VERSION 200800
#define CUB_NAMESPACE_BEGIN namespace cub {
#define CUB_NAMESPACE_END }
#define CUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
#define CUB_MIN(a, b) (((a) < (b)) ? (a) : (b))
#define CUB_PTX_WARP_THREADS 32
#define CubDebug(e) (e)
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y)-1) / (y))

namespace cub {

struct NullType {};
template <class Key, class Value>
struct KeyValuePair {
  using Key_t = Key;
  Key key;
  Value value;
  KeyValuePair() = default;
  AMBIDEX_MEMBER_HD KeyValuePair(const Key& k, const Value& v) : key(k), value(v) {}
  AMBIDEX_MEMBER_HD bool operator!=(const KeyValuePair& b) const {
    return value != b.value || key != b.key;
  }
};

struct Sum {
  template <class A, class B>
  AMBIDEX_MEMBER_HD auto operator()(const A& a, const B& b) const -> decltype(a + b) {
    return a + b;
  }
};
struct Difference {
  template <class A, class B>
  AMBIDEX_MEMBER_HD auto operator()(const A& a, const B& b) const -> decltype(a - b) {
    return a - b;
  }
};
struct Max {
  template <class T>
  AMBIDEX_MEMBER_HD T operator()(const T& a, const T& b) const {
    return b > a ? b : a;
  }
};
struct Min {
  template <class T>
  AMBIDEX_MEMBER_HD T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};
// Of equal values the one with the lower key.
struct ArgMax {
  template <class K, class T>
  AMBIDEX_MEMBER_HD KeyValuePair<K, T> operator()(const KeyValuePair<K, T>& a,
                                                  const KeyValuePair<K, T>& b) const {
    return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <class K, class T>
  AMBIDEX_MEMBER_HD KeyValuePair<K, T> operator()(const KeyValuePair<K, T>& a,
                                                  const KeyValuePair<K, T>& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct Equality {
  template <class A, class B>
  AMBIDEX_MEMBER_HD bool operator()(const A& a, const B& b) const {
    return a == b;
  }
};
struct Inequality {
  template <class A, class B>
  AMBIDEX_MEMBER_HD bool operator()(const A& a, const B& b) const {
    return a != b;
  }
};
template <class T>
struct CastOp {
  template <class A>
  AMBIDEX_MEMBER_HD T operator()(const A& a) const {
    return T(a);
  }
};

AMBIDEX_D unsigned int LaneId() { return ambidex_cuda::lane(); }
AMBIDEX_D unsigned int WarpId() { return AMBIDEX_SELF->wave; }
AMBIDEX_D unsigned int WarpMask(unsigned int) { return 0xffffffffu; }
AMBIDEX_D void CTA_SYNC() { ambidex_simt_barrier(); }
AMBIDEX_D void WARP_SYNC(unsigned int mask) { __syncwarp(mask); }
AMBIDEX_D int RowMajorTid(int, int, int) { return int(ambidex_cuda::linear_thread()); }
template <class N, class D>
AMBIDEX_MEMBER_HD constexpr N DivideAndRoundUp(N n, D d) {
  return N(n / d + (n % d != 0 ? 1 : 0));
}
template <int kWidth, class T>
AMBIDEX_MEMBER_D T ShuffleIndex(T value, int source, unsigned int mask) {
  return ambidex_cuda::shuffle_any(mask, value, ambidex_cuda::source_of_index(source, kWidth));
}
template <int kWidth, class T>
AMBIDEX_MEMBER_D T ShuffleDown(T value, int delta, int last, unsigned int mask) {
  const int source = int(ambidex_cuda::lane()) + delta;
  const int end = int(ambidex_cuda::lane() & ~unsigned(kWidth - 1)) + last;
  return ambidex_cuda::shuffle_any(mask, value, source <= end ? source : ambidex_cuda::lane());
}
template <int kWidth, class T>
AMBIDEX_MEMBER_D T ShuffleUp(T value, int delta, int first, unsigned int mask) {
  const int source = int(ambidex_cuda::lane()) - delta;
  const int begin = int(ambidex_cuda::lane() & ~unsigned(kWidth - 1)) + first;
  return ambidex_cuda::shuffle_any(mask, value, source >= begin ? source : ambidex_cuda::lane());
}

enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE
};
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier kModifier, class Iterator>
AMBIDEX_MEMBER_D auto ThreadLoad(Iterator from) -> typename std::decay<decltype(*from)>::type {
  return *from;
}
template <CacheStoreModifier kModifier, class Iterator, class T>
AMBIDEX_MEMBER_D void ThreadStore(Iterator to, T value) {
  *to = value;
}

template <class T>
struct Uninitialized {
  alignas(T) unsigned char storage[sizeof(T)];
  AMBIDEX_MEMBER_HD T& Alias() { return reinterpret_cast<T&>(*this); }
};

}  // namespace cub

namespace ambidex_cuda {

template <class Iterator>
using value_at = typename std::decay<decltype(*ambidex_cuda::some<Iterator>())>::type;

// Values that wait in shared memory: of any type, without a constructor.
template <class T, int kNum>
struct RawArray {
  alignas(T) unsigned char bytes[sizeof(T) * kNum];
  AMBIDEX_MEMBER_D T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};
}  // namespace ambidex_cuda
