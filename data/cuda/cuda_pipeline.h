// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies to shared memory. Here each is done when it is issued; what the program must
// do before other threads read (wait and a barrier) is still its own.
#pragma once
#pragma GCC system_header

#include "ambidex_cuda/scopes.h"

AMBIDEX_D void __pipeline_memcpy_async(void* dst_shared, const void* src_global,
                                       size_t size_and_align, size_t zfill = 0) {
  ambidex_cuda::copy_part(dst_shared, src_global, size_and_align - zfill, 0, 1);
  char* const end = static_cast<char*>(dst_shared) + size_and_align;
  for (size_t i = 1; i <= zfill; ++i) end[-ptrdiff_t(i)] = 0;
}
AMBIDEX_D void __pipeline_commit() {}
AMBIDEX_D void __pipeline_wait_prior(size_t) {}
