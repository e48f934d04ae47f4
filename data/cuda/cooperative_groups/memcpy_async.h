// SPDX-License-Identifier: Apache-2.0
// cg::memcpy_async: a copy that the threads of a group share, done when wait returns. Here every
// thread copies its part at once, and wait is the barrier that makes the parts seen.
#pragma once
#pragma GCC system_header

#include "../ambidex_cuda/scopes.h"
#include "../cooperative_groups.h"

namespace cooperative_groups {

template <class Group>
AMBIDEX_MEMBER_D void ambidex_copy_bytes(const Group& group, void* dst, const void* src,
                                         size_t num_bytes) {
  ambidex_cuda::copy_part(dst, src, num_bytes, size_t(group.thread_rank()),
                          size_t(group.num_threads()));
}

template <class Group, class T>
AMBIDEX_MEMBER_D void memcpy_async(const Group& group, T* dst, const T* src, size_t num_bytes) {
  ambidex_copy_bytes(group, dst, src, num_bytes);
}
template <class Group>
AMBIDEX_MEMBER_D void memcpy_async(const Group& group, void* dst, const void* src,
                                   size_t num_bytes) {
  ambidex_copy_bytes(group, dst, src, num_bytes);
}
template <class Group, class T, size_t kAlignment>
AMBIDEX_MEMBER_D void memcpy_async(const Group& group, T* dst, const T* src,
                                   const cuda::aligned_size_t<kAlignment>& num_bytes) {
  ambidex_copy_bytes(group, dst, src, size_t(num_bytes));
}
// Counts of elements: as many as both have.
template <class Group, class T>
AMBIDEX_MEMBER_D void memcpy_async(const Group& group, T* dst, size_t dst_count, const T* src,
                                   size_t src_count) {
  const size_t count = dst_count < src_count ? dst_count : src_count;
  ambidex_copy_bytes(group, dst, src, count * sizeof(T));
}
template <class Group>
AMBIDEX_MEMBER_D void wait(const Group& group) {
  group.sync();
}
template <unsigned int kStages, class Group>
AMBIDEX_MEMBER_D void wait_prior(const Group& group) {
  group.sync();
}

}  // namespace cooperative_groups
