// SPDX-License-Identifier: Apache-2.0
// thrust's algorithms, sequential: on the device as a kernel of one thread, on the host as a loop.
// Without a policy they run where their iterators point.
#pragma once
#pragma GCC system_header

#include "thrust_iterators.h"

namespace thrust {

template <class T>
struct ambidex_is_policy : std::false_type {};
template <>
struct ambidex_is_policy<ambidex_device_policy> : std::true_type {};
template <>
struct ambidex_is_policy<ambidex_host_policy> : std::true_type {};
template <>
struct ambidex_is_policy<ambidex_sequential_policy> : std::true_type {};

template <class Body>
inline void ambidex_run(const ambidex_device_policy& policy, Body body) {
  ambidex_cuda::run_on_device(body, policy.stream);
  cudaStreamSynchronize(policy.stream);
}
template <class Policy, class Body>
__attribute__((host, device)) inline void ambidex_run(const Policy&, Body body) {
  body();
}
// The value that `body` returns, where it is run.
template <class T, class Body>
inline T ambidex_value_of(const ambidex_device_policy& policy, Body body) {
  T* const out = device_malloc<T>(1).get();
  ambidex_run(
      policy, [=] __attribute__((device)) () mutable { *out = body(); });
  T value;
  cudaMemcpy(&value, out, sizeof(T), cudaMemcpyDeviceToHost);
  cudaFree(out);
  return value;
}
template <class T, class Policy, class Body>
__attribute__((host, device)) inline T ambidex_value_of(const Policy&, Body body) {
  return body();
}

// For calls without a policy; a lambda or a value among the arguments is on no device.
template <class... Arguments>
using ambidex_policy_of =
    typename std::conditional<ambidex_on_device<Arguments...>::value, ambidex_device_policy,
                              ambidex_host_policy>::type;

#define AMBIDEX_WITH_POLICY class = typename std::enable_if<ambidex_is_policy<Policy>::value>::type
#define AMBIDEX_HD_FUNCTION __attribute__((host, device)) inline
#define AMBIDEX_BODY [=] __attribute__((host, device)) () mutable
// `name` without a policy, in terms of `name` with one.
#define AMBIDEX_DEDUCED(name)                                                         \
  template <class First, class... Rest,                                               \
            class = typename std::enable_if<!ambidex_is_policy<First>::value>::type>  \
  inline auto name(First first, Rest... rest)                                         \
      ->decltype(thrust::name(ambidex_policy_of<First, Rest...>{}, first, rest...)) { \
    return thrust::name(ambidex_policy_of<First, Rest...>{}, first, rest...);         \
  }
template <class Iterator>
using ambidex_value_at = typename std::iterator_traits<Iterator>::value_type;

template <class Policy, class In, class Out, class Op, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out transform(const Policy& policy, In begin, In end, Out out, Op op) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  const auto to = thrust::ambidex_unwrap(out);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) to[i] = op(in[i]);
      });
  return out + num;
}
template <class Policy, class In, class In2, class Out, class Op, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out transform(const Policy& policy, In begin, In end, In2 begin2, Out out,
                                  Op op) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  const auto in2 = thrust::ambidex_unwrap(begin2);
  const auto to = thrust::ambidex_unwrap(out);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) to[i] = op(in[i], in2[i]);
      });
  return out + num;
}
AMBIDEX_DEDUCED(transform)

template <class Policy, class In, class Num, class Op, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In for_each_n(const Policy& policy, In begin, Num num, Op op) {
  const auto in = thrust::ambidex_unwrap(begin);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < ptrdiff_t(num); ++i) op(in[i]);
      });
  return begin + ptrdiff_t(num);
}
AMBIDEX_DEDUCED(for_each_n)
template <class Policy, class In, class Op, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In for_each(const Policy& policy, In begin, In end, Op op) {
  return thrust::for_each_n(policy, begin, end - begin, op);
}
AMBIDEX_DEDUCED(for_each)

template <class Policy, class In, class T, class Op, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION T reduce(const Policy& policy, In begin, In end, T init, Op op) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  return ambidex_value_of<T>(
      policy, AMBIDEX_BODY {
        T sum = init;
        for (ptrdiff_t i = 0; i < num; ++i) sum = op(sum, in[i]);
        return sum;
      });
}
template <class Policy, class In, class T, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION T reduce(const Policy& policy, In begin, In end, T init) {
  return thrust::reduce(policy, begin, end, init, plus<T>());
}
template <class Policy, class In, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION ambidex_value_at<In> reduce(const Policy& policy, In begin, In end) {
  return thrust::reduce(policy, begin, end, ambidex_value_at<In>(0));
}
AMBIDEX_DEDUCED(reduce)

template <class Policy, class In, class Unary, class T, class Op, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION T transform_reduce(const Policy& policy, In begin, In end, Unary unary, T init,
                                       Op op) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  return ambidex_value_of<T>(
      policy, AMBIDEX_BODY {
        T sum = init;
        for (ptrdiff_t i = 0; i < num; ++i) sum = op(sum, unary(in[i]));
        return sum;
      });
}
AMBIDEX_DEDUCED(transform_reduce)
template <class Policy, class In, class In2, class T, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION T inner_product(const Policy& policy, In begin, In end, In2 begin2, T init) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  const auto in2 = thrust::ambidex_unwrap(begin2);
  return ambidex_value_of<T>(
      policy, AMBIDEX_BODY {
        T sum = init;
        for (ptrdiff_t i = 0; i < num; ++i) sum = sum + in[i] * in2[i];
        return sum;
      });
}
AMBIDEX_DEDUCED(inner_product)

template <class Policy, class In, class Out, class Op, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out inclusive_scan(const Policy& policy, In begin, In end, Out out, Op op) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  const auto to = thrust::ambidex_unwrap(out);
  ambidex_run(
      policy, AMBIDEX_BODY {
        if (num == 0) return;
        ambidex_value_at<In> sum = in[0];
        to[0] = sum;
        for (ptrdiff_t i = 1; i < num; ++i) to[i] = sum = op(sum, in[i]);
      });
  return out + num;
}
template <class Policy, class In, class Out, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out inclusive_scan(const Policy& policy, In begin, In end, Out out) {
  return thrust::inclusive_scan(policy, begin, end, out, plus<ambidex_value_at<In>>());
}
AMBIDEX_DEDUCED(inclusive_scan)
template <class Policy, class In, class Out, class T, class Op, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out exclusive_scan(const Policy& policy, In begin, In end, Out out, T init,
                                       Op op) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  const auto to = thrust::ambidex_unwrap(out);
  ambidex_run(
      policy, AMBIDEX_BODY {
        T sum = init;
        for (ptrdiff_t i = 0; i < num; ++i) {
          const T next = op(sum, in[i]);
          to[i] = sum;
          sum = next;
        }
      });
  return out + num;
}
template <class Policy, class In, class Out, class T, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out exclusive_scan(const Policy& policy, In begin, In end, Out out, T init) {
  return thrust::exclusive_scan(policy, begin, end, out, init, plus<T>());
}
template <class Policy, class In, class Out, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out exclusive_scan(const Policy& policy, In begin, In end, Out out) {
  return thrust::exclusive_scan(policy, begin, end, out, ambidex_value_at<In>(0));
}
AMBIDEX_DEDUCED(exclusive_scan)

template <class Policy, class In, class T, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void fill(const Policy& policy, In begin, In end, T value) {
  const ptrdiff_t num = end - begin;
  const auto to = thrust::ambidex_unwrap(begin);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) to[i] = value;
      });
}
AMBIDEX_DEDUCED(fill)
template <class Policy, class In, class Num, class T, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In fill_n(const Policy& policy, In begin, Num num, T value) {
  thrust::fill(policy, begin, begin + ptrdiff_t(num), value);
  return begin + ptrdiff_t(num);
}
AMBIDEX_DEDUCED(fill_n)
template <class Policy, class In, class T, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void sequence(const Policy& policy, In begin, In end, T init, T step) {
  const ptrdiff_t num = end - begin;
  const auto to = thrust::ambidex_unwrap(begin);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) to[i] = init + T(i) * step;
      });
}
template <class Policy, class In, class T, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void sequence(const Policy& policy, In begin, In end, T init) {
  thrust::sequence(policy, begin, end, init, T(1));
}
template <class Policy, class In, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void sequence(const Policy& policy, In begin, In end) {
  thrust::sequence(policy, begin, end, ambidex_value_at<In>(0));
}
AMBIDEX_DEDUCED(sequence)
template <class Policy, class In, class Op, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void tabulate(const Policy& policy, In begin, In end, Op op) {
  const ptrdiff_t num = end - begin;
  const auto to = thrust::ambidex_unwrap(begin);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) to[i] = op(i);
      });
}
AMBIDEX_DEDUCED(tabulate)
template <class Policy, class In, class Op, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void generate(const Policy& policy, In begin, In end, Op op) {
  const ptrdiff_t num = end - begin;
  const auto to = thrust::ambidex_unwrap(begin);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) to[i] = op();
      });
}
AMBIDEX_DEDUCED(generate)

}  // namespace thrust

#include "thrust_sort.h"
//
#include "thrust_search.h"
