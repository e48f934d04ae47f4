// SPDX-License-Identifier: Apache-2.0
// Functions of a warp that need the values of all lanes at once: match and reduce.
#pragma once
#pragma GCC system_header

#include "warp.h"

namespace ambidex_cuda {

struct MatchPayload {
  unsigned long long value;
  unsigned int same;   // lanes with this value
  unsigned int lanes;  // lanes that take part
};
static AMBIDEX_COMBINE void combine_match(void** payloads, ambidex_simt_u32 wave_width) {
  for (ambidex_simt_u32 i = 0; i < wave_width; ++i) {
    MatchPayload* const mine = static_cast<MatchPayload*>(payloads[i]);
    if (mine == nullptr) continue;
    mine->same = 0;
    mine->lanes = 0;
    for (ambidex_simt_u32 j = 0; j < wave_width; ++j) {
      const MatchPayload* const other = static_cast<const MatchPayload*>(payloads[j]);
      if (other == nullptr) continue;
      mine->lanes |= 1u << j;
      if (other->value == mine->value) mine->same |= 1u << j;
    }
  }
}
template <class T>
AMBIDEX_MEMBER_D MatchPayload match(unsigned int mask, T value) {
  MatchPayload payload{0, 0, 0};
  __builtin_memcpy(&payload.value, &value, sizeof(T));
  ambidex_simt_collective(lanes_of(mask), &payload, combine_match);
  return payload;
}

// Folds the values of all lanes in order of lanes; every lane gets the result.
template <class T, class Op>
inline AMBIDEX_COMBINE void combine_fold(void** payloads, ambidex_simt_u32 wave_width) {
  bool any = false;
  T sum{};
  for (ambidex_simt_u32 i = 0; i < wave_width; ++i) {
    if (payloads[i] == nullptr) continue;
    const T value = *static_cast<const T*>(payloads[i]);
    sum = any ? Op::of(sum, value) : value;
    any = true;
  }
  for (ambidex_simt_u32 i = 0; i < wave_width; ++i) {
    if (payloads[i] != nullptr) *static_cast<T*>(payloads[i]) = sum;
  }
}
template <class Op, class T>
AMBIDEX_MEMBER_D T fold(unsigned int mask, T value) {
  ambidex_simt_collective(lanes_of(mask), &value, combine_fold<T, Op>);
  return value;
}
struct FoldAdd {
  template <class T>
  AMBIDEX_MEMBER_D static T of(T a, T b) {
    return T(a + b);
  }
};
struct FoldMin {
  template <class T>
  AMBIDEX_MEMBER_D static T of(T a, T b) {
    return b < a ? b : a;
  }
};
struct FoldMax {
  template <class T>
  AMBIDEX_MEMBER_D static T of(T a, T b) {
    return a < b ? b : a;
  }
};
struct FoldAnd {
  AMBIDEX_MEMBER_D static unsigned int of(unsigned int a, unsigned int b) { return a & b; }
};
struct FoldOr {
  AMBIDEX_MEMBER_D static unsigned int of(unsigned int a, unsigned int b) { return a | b; }
};
struct FoldXor {
  AMBIDEX_MEMBER_D static unsigned int of(unsigned int a, unsigned int b) { return a ^ b; }
};

}  // namespace ambidex_cuda

#define AMBIDEX_MATCHES(T)                                                         \
  AMBIDEX_D unsigned int __match_any_sync(unsigned int mask, T value) {            \
    return ambidex_cuda::match(mask, value).same;                                  \
  }                                                                                \
  AMBIDEX_D unsigned int __match_all_sync(unsigned int mask, T value, int* pred) { \
    const ambidex_cuda::MatchPayload found = ambidex_cuda::match(mask, value);     \
    *pred = found.same == found.lanes;                                             \
    return *pred ? mask : 0;                                                       \
  }
AMBIDEX_MATCHES(int)
AMBIDEX_MATCHES(unsigned int)
AMBIDEX_MATCHES(long)
AMBIDEX_MATCHES(unsigned long)
AMBIDEX_MATCHES(long long)
AMBIDEX_MATCHES(unsigned long long)
AMBIDEX_MATCHES(float)
AMBIDEX_MATCHES(double)

// The sum of int wraps, as the hardware's does.
AMBIDEX_D unsigned int __reduce_add_sync(unsigned int mask, unsigned int value) {
  return ambidex_cuda::fold<ambidex_cuda::FoldAdd>(mask, value);
}
AMBIDEX_D int __reduce_add_sync(unsigned int mask, int value) {
  return int(ambidex_cuda::fold<ambidex_cuda::FoldAdd>(mask, unsigned(value)));
}
#define AMBIDEX_REDUCES(T)                                         \
  AMBIDEX_D T __reduce_min_sync(unsigned int mask, T value) {      \
    return ambidex_cuda::fold<ambidex_cuda::FoldMin>(mask, value); \
  }                                                                \
  AMBIDEX_D T __reduce_max_sync(unsigned int mask, T value) {      \
    return ambidex_cuda::fold<ambidex_cuda::FoldMax>(mask, value); \
  }
AMBIDEX_REDUCES(int)
AMBIDEX_REDUCES(unsigned int)
AMBIDEX_D unsigned int __reduce_and_sync(unsigned int mask, unsigned int value) {
  return ambidex_cuda::fold<ambidex_cuda::FoldAnd>(mask, value);
}
AMBIDEX_D unsigned int __reduce_or_sync(unsigned int mask, unsigned int value) {
  return ambidex_cuda::fold<ambidex_cuda::FoldOr>(mask, value);
}
AMBIDEX_D unsigned int __reduce_xor_sync(unsigned int mask, unsigned int value) {
  return ambidex_cuda::fold<ambidex_cuda::FoldXor>(mask, value);
}
