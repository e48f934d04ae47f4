// SPDX-License-Identifier: Apache-2.0
// What the headers of namespace cuda share: scopes, aligned sizes, and the copy of a group's part.
#pragma once
#pragma GCC system_header

#include "../cuda_runtime.h"

namespace ambidex_cuda {

// Copies the units that thread `rank` of `num` has, as wide as addresses and size allow.
AMBIDEX_D void copy_part(void* dst, const void* src, size_t num_bytes, size_t rank, size_t num) {
  const size_t at = reinterpret_cast<size_t>(dst) | reinterpret_cast<size_t>(src) | num_bytes;
  if (at % 4 == 0) {
    const size_t unit = at % 16 == 0 ? 4 : at % 8 == 0 ? 2 : 1;  // of 4 bytes
    for (size_t i = rank * unit; i < num_bytes / 4; i += num * unit) {
      for (size_t k = i; k < i + unit; ++k) {
        static_cast<unsigned int*>(dst)[k] = static_cast<const unsigned int*>(src)[k];
      }
    }
    return;
  }
  for (size_t i = rank; i < num_bytes; i += num) {
    static_cast<char*>(dst)[i] = static_cast<const char*>(src)[i];
  }
}

}  // namespace ambidex_cuda

namespace cuda {

enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};

template <size_t kAlignment>
struct aligned_size_t {
  static constexpr size_t align = kAlignment;
  size_t value;
  AMBIDEX_MEMBER_HD explicit aligned_size_t(size_t bytes) : value(bytes) {}
  AMBIDEX_MEMBER_HD operator size_t() const { return value; }
};

}  // namespace cuda
