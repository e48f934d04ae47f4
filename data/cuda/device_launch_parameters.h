// SPDX-License-Identifier: Apache-2.0
// threadIdx, blockIdx, blockDim, gridDim and warpSize.
#pragma once
#pragma GCC system_header

#include "vector_types.h"

extern "C" {
AMBIDEX_SIMT const struct AmbidexSimtThread* ambidex_simt_self(void) __attribute__((const));
}

// The executor's record of this thread is no memory of the kernel's: read through an address space
// that is the ordinary one on x86 and that the thread sanitizer leaves alone.
#define AMBIDEX_SELF \
  ((const __attribute__((address_space(272))) AmbidexSimtThread*)ambidex_simt_self())

#define AMBIDEX_BUILT_IN_INDEX(type, field)                                                        \
  struct type {                                                                                    \
    __declspec(property(get = ambidex_x)) unsigned int x;                                          \
    __declspec(property(get = ambidex_y)) unsigned int y;                                          \
    __declspec(property(get = ambidex_z)) unsigned int z;                                          \
    AMBIDEX_MEMBER_D unsigned int ambidex_x() const { return AMBIDEX_SELF->field[0]; }             \
    AMBIDEX_MEMBER_D unsigned int ambidex_y() const { return AMBIDEX_SELF->field[1]; }             \
    AMBIDEX_MEMBER_D unsigned int ambidex_z() const { return AMBIDEX_SELF->field[2]; }             \
    AMBIDEX_MEMBER_D operator uint3() const {                                                      \
      return uint3{ambidex_x(), ambidex_y(), ambidex_z()};                                         \
    }                                                                                              \
    AMBIDEX_MEMBER_D operator dim3() const { return dim3(ambidex_x(), ambidex_y(), ambidex_z()); } \
  }
AMBIDEX_BUILT_IN_INDEX(AmbidexThreadIdx, thread);
AMBIDEX_BUILT_IN_INDEX(AmbidexBlockIdx, block);
AMBIDEX_BUILT_IN_INDEX(AmbidexBlockDim, block_size);
AMBIDEX_BUILT_IN_INDEX(AmbidexGridDim, grid_size);
#undef AMBIDEX_BUILT_IN_INDEX

extern const __attribute__((device, weak)) AmbidexThreadIdx threadIdx;
extern const __attribute__((device, weak)) AmbidexBlockIdx blockIdx;
extern const __attribute__((device, weak)) AmbidexBlockDim blockDim;
extern const __attribute__((device, weak)) AmbidexGridDim gridDim;
static const __attribute__((device)) int warpSize = 32;
