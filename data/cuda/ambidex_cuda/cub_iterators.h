// SPDX-License-Identifier: Apache-2.0
// Iterators of CUB whose values are computed.
#pragma once
#pragma GCC system_header

#include <iterator>

#include "cub_functors.h"

// What makes a struct with `at(offset)` a random access iterator; `place` is its position.
// `from(b)` is how far its start is from b's.
#define AMBIDEX_ITERATOR(Self, T)                                                        \
  using value_type = T;                                                                  \
  using reference = T;                                                                   \
  using pointer = T*;                                                                    \
  using difference_type = ptrdiff_t;                                                     \
  using iterator_category = std::random_access_iterator_tag;                             \
  AMBIDEX_MEMBER_HD T operator*() const { return at(place); }                            \
  AMBIDEX_MEMBER_HD T operator[](difference_type n) const { return at(place + n); }      \
  AMBIDEX_MEMBER_HD Self operator+(difference_type n) const { return moved(place + n); } \
  AMBIDEX_MEMBER_HD Self operator-(difference_type n) const { return moved(place - n); } \
  AMBIDEX_MEMBER_HD difference_type operator-(const Self& b) const {                     \
    return place - b.place + from(b);                                                    \
  }                                                                                      \
  AMBIDEX_MEMBER_HD Self& operator+=(difference_type n) {                                \
    place += n;                                                                          \
    return *this;                                                                        \
  }                                                                                      \
  AMBIDEX_MEMBER_HD Self& operator++() { return *this += 1; }                            \
  AMBIDEX_MEMBER_HD Self operator++(int) {                                               \
    const Self old = *this;                                                              \
    ++place;                                                                             \
    return old;                                                                          \
  }                                                                                      \
  AMBIDEX_MEMBER_HD bool operator==(const Self& b) const { return *this - b == 0; }      \
  AMBIDEX_MEMBER_HD bool operator!=(const Self& b) const { return *this - b != 0; }      \
  AMBIDEX_MEMBER_HD Self moved(difference_type to) const {                               \
    Self copy = *this;                                                                   \
    copy.place = to;                                                                     \
    return copy;                                                                         \
  }                                                                                      \
  difference_type place = 0

namespace cub {

template <class T, class Offset = ptrdiff_t>
struct CountingInputIterator {
  AMBIDEX_MEMBER_HD CountingInputIterator(const T& from) : first(from) {}
  AMBIDEX_MEMBER_HD T at(ptrdiff_t n) const { return T(first + T(n)); }
  AMBIDEX_MEMBER_HD ptrdiff_t from(const CountingInputIterator& b) const {
    return ptrdiff_t(first) - ptrdiff_t(b.first);
  }
  T first;
  AMBIDEX_ITERATOR(CountingInputIterator, T);
};
template <class T, class Offset = ptrdiff_t>
struct ConstantInputIterator {
  AMBIDEX_MEMBER_HD ConstantInputIterator(T of) : value(of) {}
  AMBIDEX_MEMBER_HD T at(ptrdiff_t) const { return value; }
  AMBIDEX_MEMBER_HD ptrdiff_t from(const ConstantInputIterator&) const { return 0; }
  T value;
  AMBIDEX_ITERATOR(ConstantInputIterator, T);
};
template <class T, class Op, class Input, class Offset = ptrdiff_t>
struct TransformInputIterator {
  AMBIDEX_MEMBER_HD TransformInputIterator(Input from, Op op) : input(from), operation(op) {}
  AMBIDEX_MEMBER_HD T at(ptrdiff_t n) const { return operation(input[n]); }
  Input input;
  Op operation;
  AMBIDEX_MEMBER_HD ptrdiff_t from(const TransformInputIterator& b) const {
    return input - b.input;
  }
  AMBIDEX_ITERATOR(TransformInputIterator, T);
};
template <CacheLoadModifier kModifier, class T, class Offset = ptrdiff_t>
struct CacheModifiedInputIterator {
  AMBIDEX_MEMBER_HD CacheModifiedInputIterator(const T* from) : input(from) {}
  AMBIDEX_MEMBER_HD T at(ptrdiff_t n) const { return input[n]; }
  const T* input;
  AMBIDEX_MEMBER_HD ptrdiff_t from(const CacheModifiedInputIterator& b) const {
    return input - b.input;
  }
  AMBIDEX_ITERATOR(CacheModifiedInputIterator, T);
};
template <class Input, class Offset = ptrdiff_t, class T = ambidex_cuda::value_at<Input>>
struct ArgIndexInputIterator {
  AMBIDEX_MEMBER_HD ArgIndexInputIterator(Input from) : input(from) {}
  AMBIDEX_MEMBER_HD KeyValuePair<Offset, T> at(ptrdiff_t n) const {
    return KeyValuePair<Offset, T>(Offset(n), input[n]);
  }
  Input input;
  using ambidex_pair = KeyValuePair<Offset, T>;
  AMBIDEX_MEMBER_HD ptrdiff_t from(const ArgIndexInputIterator& b) const { return input - b.input; }
  AMBIDEX_ITERATOR(ArgIndexInputIterator, ambidex_pair);
};

}  // namespace cub
