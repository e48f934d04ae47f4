// SPDX-License-Identifier: Apache-2.0
// thrust's copying, counting and searching algorithms.
#pragma once
#pragma GCC system_header

#include "thrust_algorithms.h"

namespace thrust {

// Between the sides by way of cudaMemcpy; on one side as a loop.
template <class In, class Out>
inline Out copy(In begin, In end, Out out) {
  constexpr bool from_device = ambidex_on_device<In>::value;
  constexpr bool to_device = ambidex_on_device<Out>::value;
  if constexpr (from_device == to_device) {
    return thrust::copy(ambidex_policy_of<In>{}, begin, end, out);
  } else if constexpr (from_device) {
    const device_vector<ambidex_value_at<In>> packed(begin, end);
    const host_vector<ambidex_value_at<In>> values(packed);
    return std::copy(values.begin(), values.end(), out);
  } else {
    const std::vector<ambidex_value_at<Out>> values(begin, end);
    cudaMemcpy(thrust::ambidex_unwrap(out), values.data(),
               values.size() * sizeof(ambidex_value_at<Out>), cudaMemcpyHostToDevice);
    return out + ptrdiff_t(values.size());
  }
}
template <class Policy, class In, class Out, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out copy(const Policy& policy, In begin, In end, Out out) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  const auto to = thrust::ambidex_unwrap(out);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) to[i] = in[i];
      });
  return out + num;
}
template <class In, class Num, class Out>
inline Out copy_n(In begin, Num num, Out out) {
  return thrust::copy(begin, begin + ptrdiff_t(num), out);
}

template <class Policy, class In, class Stencil, class Out, class Predicate, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out copy_if(const Policy& policy, In begin, In end, Stencil stencil, Out out,
                                Predicate predicate) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  const auto flags = thrust::ambidex_unwrap(stencil);
  const auto to = thrust::ambidex_unwrap(out);
  return out + ambidex_value_of<ptrdiff_t>(
                   policy, AMBIDEX_BODY {
                     ptrdiff_t count = 0;
                     for (ptrdiff_t i = 0; i < num; ++i) {
                       if (predicate(flags[i])) to[count++] = in[i];
                     }
                     return count;
                   });
}
template <class Policy, class In, class Out, class Predicate, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out copy_if(const Policy& policy, In begin, In end, Out out,
                                Predicate predicate) {
  return thrust::copy_if(policy, begin, end, begin, out, predicate);
}
AMBIDEX_DEDUCED(copy_if)
template <class Predicate>
struct ambidex_not {
  Predicate predicate;
  template <class T>
  __attribute__((host, device)) bool operator()(const T& value) {
    return !predicate(value);
  }
};
template <class Policy, class In, class Predicate, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In remove_if(const Policy& policy, In begin, In end, Predicate predicate) {
  return thrust::copy_if(policy, begin, end, begin, ambidex_not<Predicate>{predicate});
}
AMBIDEX_DEDUCED(remove_if)
template <class Policy, class In, class Predicate, class T, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void replace_if(const Policy& policy, In begin, In end, Predicate predicate,
                                    T value) {
  const ptrdiff_t num = end - begin;
  const auto items = thrust::ambidex_unwrap(begin);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) {
          if (predicate(items[i])) items[i] = value;
        }
      });
}
AMBIDEX_DEDUCED(replace_if)
template <class Policy, class Map, class In, class Out, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out gather(const Policy& policy, Map begin, Map end, In input, Out out) {
  const ptrdiff_t num = end - begin;
  const auto map = thrust::ambidex_unwrap(begin);
  const auto in = thrust::ambidex_unwrap(input);
  const auto to = thrust::ambidex_unwrap(out);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) to[i] = in[map[i]];
      });
  return out + num;
}
AMBIDEX_DEDUCED(gather)
template <class Policy, class In, class Map, class Out, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void scatter(const Policy& policy, In begin, In end, Map map, Out out) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  const auto places = thrust::ambidex_unwrap(map);
  const auto to = thrust::ambidex_unwrap(out);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) to[places[i]] = in[i];
      });
}
AMBIDEX_DEDUCED(scatter)
template <class Policy, class In, class Out, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out adjacent_difference(const Policy& policy, In begin, In end, Out out) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  const auto to = thrust::ambidex_unwrap(out);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = num - 1; i > 0; --i) to[i] = in[i] - in[i - 1];
        if (num > 0) to[0] = in[0];
      });
  return out + num;
}
AMBIDEX_DEDUCED(adjacent_difference)

template <class Policy, class In, class Predicate, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION ptrdiff_t count_if(const Policy& policy, In begin, In end,
                                       Predicate predicate) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  return ambidex_value_of<ptrdiff_t>(
      policy, AMBIDEX_BODY {
        ptrdiff_t count = 0;
        for (ptrdiff_t i = 0; i < num; ++i) count += predicate(in[i]) ? 1 : 0;
        return count;
      });
}
AMBIDEX_DEDUCED(count_if)
template <class T>
struct ambidex_equal_to_value {
  T value;
  template <class U>
  AMBIDEX_MEMBER_HD bool operator()(const U& other) const {
    return other == value;
  }
};
template <class Policy, class In, class T, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION ptrdiff_t count(const Policy& policy, In begin, In end, T value) {
  return thrust::count_if(policy, begin, end, ambidex_equal_to_value<T>{value});
}
AMBIDEX_DEDUCED(count)
template <class Policy, class In, class Predicate, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In find_if(const Policy& policy, In begin, In end, Predicate predicate) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  return begin + ambidex_value_of<ptrdiff_t>(
                     policy, AMBIDEX_BODY {
                       ptrdiff_t i = 0;
                       while (i < num && !predicate(in[i])) ++i;
                       return i;
                     });
}
AMBIDEX_DEDUCED(find_if)
template <class Policy, class In, class T, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In find(const Policy& policy, In begin, In end, T value) {
  return thrust::find_if(policy, begin, end, ambidex_equal_to_value<T>{value});
}
AMBIDEX_DEDUCED(find)
template <class Policy, class In, class Predicate, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION bool any_of(const Policy& policy, In begin, In end, Predicate predicate) {
  return thrust::count_if(policy, begin, end, predicate) > 0;
}
AMBIDEX_DEDUCED(any_of)
template <class Policy, class In, class Predicate, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION bool all_of(const Policy& policy, In begin, In end, Predicate predicate) {
  return thrust::count_if(policy, begin, end, predicate) == end - begin;
}
AMBIDEX_DEDUCED(all_of)
template <class Policy, class In, class In2, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION bool equal(const Policy& policy, In begin, In end, In2 begin2) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  const auto in2 = thrust::ambidex_unwrap(begin2);
  return ambidex_value_of<bool>(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) {
          if (!(in[i] == in2[i])) return false;
        }
        return true;
      });
}
AMBIDEX_DEDUCED(equal)

// The first of the best; `better(a, b)`: a is to be preferred.
template <class Policy, class In, class Better, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In ambidex_best(const Policy& policy, In begin, In end, Better better) {
  const ptrdiff_t num = end - begin;
  const auto in = thrust::ambidex_unwrap(begin);
  return begin + ambidex_value_of<ptrdiff_t>(
                     policy, AMBIDEX_BODY {
                       ptrdiff_t best = 0;
                       for (ptrdiff_t i = 1; i < num; ++i)
                         best = better(in[i], in[best]) ? i : best;
                       return best;
                     });
}
template <class Policy, class In, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In min_element(const Policy& policy, In begin, In end) {
  return thrust::ambidex_best(policy, begin, end, less<ambidex_value_at<In>>());
}
template <class Policy, class In, class Less, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In min_element(const Policy& policy, In begin, In end, Less less) {
  return thrust::ambidex_best(policy, begin, end, less);
}
AMBIDEX_DEDUCED(min_element)
template <class Less>
struct ambidex_turned {
  Less less;
  template <class T>
  __attribute__((host, device)) bool operator()(const T& a, const T& b) {
    return less(b, a);
  }
};
template <class Policy, class In, class Less, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In max_element(const Policy& policy, In begin, In end, Less less) {
  return thrust::ambidex_best(policy, begin, end, ambidex_turned<Less>{less});
}
template <class Policy, class In, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In max_element(const Policy& policy, In begin, In end) {
  return thrust::max_element(policy, begin, end, less<ambidex_value_at<In>>());
}
AMBIDEX_DEDUCED(max_element)

}  // namespace thrust
