// SPDX-License-Identifier: Apache-2.0
// Small functions of CUB.
#pragma once
#pragma GCC system_header

#include "cub_functors.h"
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

}  // namespace cub

namespace ambidex_cuda {

// Values that wait in shared memory: of any type, without a constructor.
template <class T, int kNum>
struct RawArray {
  alignas(T) unsigned char bytes[sizeof(T) * kNum];
  AMBIDEX_MEMBER_D T& operator[](int i) { return reinterpret_cast<T*>(bytes)[i]; }
};
}  // namespace ambidex_cuda
