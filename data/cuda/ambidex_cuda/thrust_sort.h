// SPDX-License-Identifier: Apache-2.0
// thrust::sort and what goes with sorted ranges. All sorts are stable.
#pragma once
#pragma GCC system_header

#include "thrust_algorithms.h"

namespace thrust {

// Room for `num` values where `policy` runs; given back by ambidex_release.
template <class T>
inline T* ambidex_room(const ambidex_device_policy&, ptrdiff_t num) {
  return device_malloc<T>(size_t(num)).get();
}
template <class T, class Policy>
__attribute__((host, device)) inline T* ambidex_room(const Policy&, ptrdiff_t num) {
  return static_cast<T*>(malloc(size_t(num) * sizeof(T)));
}
inline void ambidex_release(const ambidex_device_policy&, void* room) { cudaFree(room); }
template <class Policy>
__attribute__((host, device)) inline void ambidex_release(const Policy&, void* room) {
  free(room);
}

template <class Policy, class In, class Less, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void stable_sort(const Policy& policy, In begin, In end, Less less) {
  using T = ambidex_value_at<In>;
  const ptrdiff_t num = end - begin;
  const auto items = thrust::ambidex_unwrap(begin);
  T* const room = ambidex_room<T>(policy, 2 * num);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) room[i] = items[i];
        ambidex_cuda::merge_sort(room, room + num, (long long)num, less);
        for (ptrdiff_t i = 0; i < num; ++i) items[i] = room[i];
      });
  ambidex_release(policy, room);
}
template <class Policy, class In, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void stable_sort(const Policy& policy, In begin, In end) {
  thrust::stable_sort(policy, begin, end, less<ambidex_value_at<In>>());
}
AMBIDEX_DEDUCED(stable_sort)
template <class Policy, class In, class Less, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void sort(const Policy& policy, In begin, In end, Less less) {
  thrust::stable_sort(policy, begin, end, less);
}
template <class Policy, class In, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void sort(const Policy& policy, In begin, In end) {
  thrust::stable_sort(policy, begin, end);
}
AMBIDEX_DEDUCED(sort)

template <class Key, class Value>
struct ambidex_entry {
  Key key;
  Value value;
};
template <class Less>
struct ambidex_less_key {
  Less less;
  template <class Entry>
  __attribute__((host, device)) bool operator()(const Entry& a, const Entry& b) {
    return less(a.key, b.key);
  }
};
template <class Policy, class Keys, class Values, class Less, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void stable_sort_by_key(const Policy& policy, Keys begin, Keys end,
                                            Values values, Less less) {
  using Entry = ambidex_entry<ambidex_value_at<Keys>, ambidex_value_at<Values>>;
  const ptrdiff_t num = end - begin;
  const auto keys = thrust::ambidex_unwrap(begin);
  const auto rest = thrust::ambidex_unwrap(values);
  Entry* const room = ambidex_room<Entry>(policy, 2 * num);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num; ++i) {
          room[i].key = keys[i];
          room[i].value = rest[i];
        }
        ambidex_cuda::merge_sort(room, room + num, (long long)num, ambidex_less_key<Less>{less});
        for (ptrdiff_t i = 0; i < num; ++i) {
          keys[i] = room[i].key;
          rest[i] = room[i].value;
        }
      });
  ambidex_release(policy, room);
}
template <class Policy, class Keys, class Values, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void stable_sort_by_key(const Policy& policy, Keys begin, Keys end,
                                            Values values) {
  thrust::stable_sort_by_key(policy, begin, end, values, less<ambidex_value_at<Keys>>());
}
AMBIDEX_DEDUCED(stable_sort_by_key)
template <class Policy, class Keys, class Values, class Less, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void sort_by_key(const Policy& policy, Keys begin, Keys end, Values values,
                                     Less less) {
  thrust::stable_sort_by_key(policy, begin, end, values, less);
}
template <class Policy, class Keys, class Values, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void sort_by_key(const Policy& policy, Keys begin, Keys end, Values values) {
  thrust::stable_sort_by_key(policy, begin, end, values);
}
AMBIDEX_DEDUCED(sort_by_key)

template <class Policy, class Keys, class Values, class KeysOut, class ValuesOut,
          AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION pair<KeysOut, ValuesOut> reduce_by_key(const Policy& policy, Keys begin,
                                                           Keys end, Values values,
                                                           KeysOut keys_out, ValuesOut values_out) {
  const ptrdiff_t num = end - begin;
  const auto keys = thrust::ambidex_unwrap(begin);
  const auto in = thrust::ambidex_unwrap(values);
  const auto to_keys = thrust::ambidex_unwrap(keys_out);
  const auto to = thrust::ambidex_unwrap(values_out);
  const ptrdiff_t runs = ambidex_value_of<ptrdiff_t>(
      policy, AMBIDEX_BODY {
        ptrdiff_t run = -1;
        for (ptrdiff_t i = 0; i < num; ++i) {
          const bool same = i > 0 && keys[i] == keys[i - 1];
          if (same) {
            to[run] = to[run] + in[i];
          } else {
            to_keys[++run] = keys[i];
            to[run] = in[i];
          }
        }
        return run + 1;
      });
  return pair<KeysOut, ValuesOut>(keys_out + runs, values_out + runs);
}
AMBIDEX_DEDUCED(reduce_by_key)

template <class Policy, class In, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION In unique(const Policy& policy, In begin, In end) {
  const ptrdiff_t num = end - begin;
  const auto items = thrust::ambidex_unwrap(begin);
  return begin + ambidex_value_of<ptrdiff_t>(
                     policy, AMBIDEX_BODY {
                       ptrdiff_t count = 0;
                       for (ptrdiff_t i = 0; i < num; ++i) {
                         if (count == 0 || !(items[i] == items[count - 1]))
                           items[count++] = items[i];
                       }
                       return count;
                     });
}
AMBIDEX_DEDUCED(unique)
template <class Policy, class In, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION void reverse(const Policy& policy, In begin, In end) {
  const ptrdiff_t num = end - begin;
  const auto items = thrust::ambidex_unwrap(begin);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num / 2; ++i) {
          const ambidex_value_at<In> first = items[i];
          items[i] = items[num - 1 - i];
          items[num - 1 - i] = first;
        }
      });
}
AMBIDEX_DEDUCED(reverse)
template <class Policy, class In, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION bool is_sorted(const Policy& policy, In begin, In end) {
  const ptrdiff_t num = end - begin;
  const auto items = thrust::ambidex_unwrap(begin);
  return ambidex_value_of<bool>(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 1; i < num; ++i) {
          if (items[i] < items[i - 1]) return false;
        }
        return true;
      });
}
AMBIDEX_DEDUCED(is_sorted)

// First place whose item is not below (lower) or is above (upper) each of the values.
template <class Policy, class In, class Values, class Out, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out ambidex_bounds(const Policy& policy, In begin, In end, Values values,
                                       Values values_end, Out out, bool upper) {
  const ptrdiff_t num = end - begin;
  const ptrdiff_t num_values = values_end - values;
  const auto items = thrust::ambidex_unwrap(begin);
  const auto in = thrust::ambidex_unwrap(values);
  const auto to = thrust::ambidex_unwrap(out);
  ambidex_run(
      policy, AMBIDEX_BODY {
        for (ptrdiff_t i = 0; i < num_values; ++i) {
          ptrdiff_t low = 0, high = num;
          while (low < high) {
            const ptrdiff_t middle = (low + high) / 2;
            const bool right = upper ? !(in[i] < items[middle]) : bool(items[middle] < in[i]);
            (right ? low : high) = right ? middle + 1 : middle;
          }
          to[i] = low;
        }
      });
  return out + num_values;
}
template <class Policy, class In, class Values, class Out, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out lower_bound(const Policy& policy, In begin, In end, Values values,
                                    Values values_end, Out out) {
  return thrust::ambidex_bounds(policy, begin, end, values, values_end, out, false);
}
AMBIDEX_DEDUCED(lower_bound)
template <class Policy, class In, class Values, class Out, AMBIDEX_WITH_POLICY>
AMBIDEX_HD_FUNCTION Out upper_bound(const Policy& policy, In begin, In end, Values values,
                                    Values values_end, Out out) {
  return thrust::ambidex_bounds(policy, begin, end, values, values_end, out, true);
}
AMBIDEX_DEDUCED(upper_bound)

}  // namespace thrust
