// SPDX-License-Identifier: Apache-2.0
// thrust's functors, tuples and iterators whose values are computed.
#pragma once
#pragma GCC system_header

#include <tuple>

#include "cub_iterators.h"
#include "thrust_vector.h"

namespace thrust {

#define AMBIDEX_FUNCTOR2(name, expression)                                    \
  template <class T = void>                                                   \
  struct name {                                                               \
    using first_argument_type = T;                                            \
    using second_argument_type = T;                                           \
    AMBIDEX_MEMBER_HD constexpr auto operator()(const T& a, const T& b) const \
        -> decltype(expression) {                                             \
      return expression;                                                      \
    }                                                                         \
  };                                                                          \
  template <>                                                                 \
  struct name<void> {                                                         \
    template <class A, class B>                                               \
    AMBIDEX_MEMBER_HD constexpr auto operator()(const A& a, const B& b) const \
        -> decltype(expression) {                                             \
      return expression;                                                      \
    }                                                                         \
  }
AMBIDEX_FUNCTOR2(plus, a + b);
AMBIDEX_FUNCTOR2(minus, a - b);
AMBIDEX_FUNCTOR2(multiplies, a* b);
AMBIDEX_FUNCTOR2(divides, a / b);
AMBIDEX_FUNCTOR2(equal_to, a == b);
AMBIDEX_FUNCTOR2(not_equal_to, a != b);
AMBIDEX_FUNCTOR2(less, a < b);
AMBIDEX_FUNCTOR2(less_equal, a <= b);
AMBIDEX_FUNCTOR2(greater, a > b);
AMBIDEX_FUNCTOR2(greater_equal, a >= b);
AMBIDEX_FUNCTOR2(logical_and, a&& b);
AMBIDEX_FUNCTOR2(logical_or, a || b);
AMBIDEX_FUNCTOR2(maximum, a < b ? b : a);
AMBIDEX_FUNCTOR2(minimum, b < a ? b : a);
#undef AMBIDEX_FUNCTOR2
// Apart: floating types have none.
#define AMBIDEX_INTEGER_FUNCTOR2(name, op)                                             \
  template <class T>                                                                   \
  struct name {                                                                        \
    AMBIDEX_MEMBER_HD T operator()(const T& a, const T& b) const { return T(a op b); } \
  }
AMBIDEX_INTEGER_FUNCTOR2(modulus, %);
AMBIDEX_INTEGER_FUNCTOR2(bit_and, &);
AMBIDEX_INTEGER_FUNCTOR2(bit_or, |);
AMBIDEX_INTEGER_FUNCTOR2(bit_xor, ^);
#undef AMBIDEX_INTEGER_FUNCTOR2
template <class T>
struct negate {
  AMBIDEX_MEMBER_HD T operator()(const T& a) const { return -a; }
};
template <class T>
struct logical_not {
  AMBIDEX_MEMBER_HD bool operator()(const T& a) const { return !a; }
};
template <class T>
struct square {
  AMBIDEX_MEMBER_HD T operator()(const T& a) const { return a * a; }
};
template <class T = void>
struct identity {
  AMBIDEX_MEMBER_HD const T& operator()(const T& a) const { return a; }
};
template <class A = void, class R = void>
struct unary_function {
  using argument_type = A;
  using result_type = R;
};
template <class A = void, class B = void, class R = void>
struct binary_function {
  using first_argument_type = A;
  using second_argument_type = B;
  using result_type = R;
};

template <class... T>
using tuple = std::tuple<T...>;
template <class A, class B>
using pair = std::pair<A, B>;
using std::get;
using std::make_pair;
using std::make_tuple;
using std::tie;
using std::tuple_element;
using std::tuple_size;

template <class T>
struct counting_iterator {
  AMBIDEX_MEMBER_HD counting_iterator(T from = T()) : first(from) {}
  AMBIDEX_MEMBER_HD T at(ptrdiff_t n) const { return T(first + T(n)); }
  T first;
  AMBIDEX_MEMBER_HD ptrdiff_t from(const counting_iterator& b) const {
    return ptrdiff_t(first) - ptrdiff_t(b.first);
  }
  AMBIDEX_ITERATOR(counting_iterator, T);
};
template <class T>
AMBIDEX_MEMBER_HD counting_iterator<T> make_counting_iterator(T from) {
  return counting_iterator<T>(from);
}
template <class T>
struct constant_iterator {
  AMBIDEX_MEMBER_HD constant_iterator(T of) : value(of) {}
  AMBIDEX_MEMBER_HD T at(ptrdiff_t) const { return value; }
  T value;
  AMBIDEX_MEMBER_HD ptrdiff_t from(const constant_iterator&) const { return 0; }
  AMBIDEX_ITERATOR(constant_iterator, T);
};
template <class T>
AMBIDEX_MEMBER_HD constant_iterator<T> make_constant_iterator(T value) {
  return constant_iterator<T>(value);
}

// What an algorithm works on: raw pointers instead of device_ptr.
template <class Iterator>
AMBIDEX_MEMBER_HD Iterator ambidex_unwrap(Iterator at) {
  return at;
}
template <class T>
AMBIDEX_MEMBER_HD T* ambidex_unwrap(device_ptr<T> at) {
  return at.get();
}
template <class Iterator>
using ambidex_raw = decltype(thrust::ambidex_unwrap(ambidex_cuda::some<Iterator>()));

// Is any of these in device memory?
template <class... Iterators>
struct ambidex_on_device : std::false_type {};
template <class T>
struct ambidex_on_device<device_ptr<T>> : std::true_type {};
template <class First, class Second, class... Rest>
struct ambidex_on_device<First, Second, Rest...>
    : std::integral_constant<bool, ambidex_on_device<First>::value ||
                                       ambidex_on_device<Second, Rest...>::value> {};

template <class Op, class Input>
struct transform_iterator {
  using ambidex_input = ambidex_raw<Input>;
  using ambidex_value = typename std::decay<decltype(ambidex_cuda::some<Op>()(
      *ambidex_cuda::some<ambidex_input>()))>::type;
  AMBIDEX_MEMBER_HD transform_iterator(Input from, Op op)
      : input(thrust::ambidex_unwrap(from)), operation(op) {}
  __attribute__((host, device)) ambidex_value at(ptrdiff_t n) const { return operation(input[n]); }
  ambidex_input input;
  Op operation;
  AMBIDEX_MEMBER_HD ptrdiff_t from(const transform_iterator& b) const { return input - b.input; }
  AMBIDEX_ITERATOR(transform_iterator, ambidex_value);
};
template <class Op, class Input>
AMBIDEX_MEMBER_HD transform_iterator<Op, Input> make_transform_iterator(Input from, Op op) {
  return transform_iterator<Op, Input>(from, op);
}
template <class Op, class Input>
struct ambidex_on_device<transform_iterator<Op, Input>> : ambidex_on_device<Input> {};

template <class Elements, class Indices>
struct permutation_iterator {
  using ambidex_elements = ambidex_raw<Elements>;
  using ambidex_value =
      typename std::decay<decltype(*ambidex_cuda::some<ambidex_elements>())>::type;
  AMBIDEX_MEMBER_HD permutation_iterator(Elements from, Indices at_indices)
      : elements(thrust::ambidex_unwrap(from)), indices(thrust::ambidex_unwrap(at_indices)) {}
  AMBIDEX_MEMBER_HD ambidex_value at(ptrdiff_t n) const { return elements[indices[n]]; }
  ambidex_elements elements;
  ambidex_raw<Indices> indices;
  AMBIDEX_MEMBER_HD ptrdiff_t from(const permutation_iterator& b) const {
    return indices - b.indices;
  }
  AMBIDEX_ITERATOR(permutation_iterator, ambidex_value);
};
template <class Elements, class Indices>
AMBIDEX_MEMBER_HD permutation_iterator<Elements, Indices> make_permutation_iterator(
    Elements from, Indices indices) {
  return permutation_iterator<Elements, Indices>(from, indices);
}
template <class Elements, class Indices>
struct ambidex_on_device<permutation_iterator<Elements, Indices>> : ambidex_on_device<Elements> {};

// Gives a tuple of references (of values, where the iterator computes them).
template <class Tuple>
struct zip_iterator;
template <class... Iterators>
struct zip_iterator<std::tuple<Iterators...>> {
  using ambidex_value = std::tuple<decltype(ambidex_cuda::some<ambidex_raw<Iterators>>()[0])...>;
  AMBIDEX_MEMBER_HD zip_iterator(const std::tuple<Iterators...>& all)
      : iterators(unwrapped(all, std::index_sequence_for<Iterators...>())) {}
  AMBIDEX_MEMBER_HD ambidex_value at(ptrdiff_t n) const {
    return at(n, std::index_sequence_for<Iterators...>());
  }
  std::tuple<ambidex_raw<Iterators>...> iterators;
  AMBIDEX_MEMBER_HD ptrdiff_t from(const zip_iterator& b) const {
    return std::get<0>(iterators) - std::get<0>(b.iterators);
  }
  AMBIDEX_ITERATOR(zip_iterator, ambidex_value);

 private:
  template <size_t... i>
  AMBIDEX_MEMBER_HD static std::tuple<ambidex_raw<Iterators>...> unwrapped(
      const std::tuple<Iterators...>& all, std::index_sequence<i...>) {
    return std::tuple<ambidex_raw<Iterators>...>(thrust::ambidex_unwrap(std::get<i>(all))...);
  }
  template <size_t... i>
  AMBIDEX_MEMBER_HD ambidex_value at(ptrdiff_t n, std::index_sequence<i...>) const {
    return ambidex_value(std::get<i>(iterators)[n]...);
  }
};
template <class... Iterators>
AMBIDEX_MEMBER_HD zip_iterator<std::tuple<Iterators...>> make_zip_iterator(
    const std::tuple<Iterators...>& all) {
  return zip_iterator<std::tuple<Iterators...>>(all);
}
template <class First, class Second, class... Rest>
AMBIDEX_MEMBER_HD zip_iterator<std::tuple<First, Second, Rest...>> make_zip_iterator(First first,
                                                                                     Second second,
                                                                                     Rest... rest) {
  return zip_iterator<std::tuple<First, Second, Rest...>>(
      std::tuple<First, Second, Rest...>(first, second, rest...));
}
template <class... Iterators>
struct ambidex_on_device<zip_iterator<std::tuple<Iterators...>>> : ambidex_on_device<Iterators...> {
};

}  // namespace thrust
