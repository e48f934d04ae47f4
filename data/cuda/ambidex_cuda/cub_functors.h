// SPDX-License-Identifier: Apache-2.0
// Functors and pairs of CUB; of hipCUB too, where data/hip includes this under its namespace.
#pragma once
#pragma GCC system_header

#if !defined(__HIP__)
#include "../cuda_runtime.h"
#endif

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

}  // namespace ambidex_cuda
