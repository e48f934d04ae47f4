// SPDX-License-Identifier: Apache-2.0
// Loads and stores with a cache hint, which says nothing about the value, and address spaces.
#pragma once
#pragma GCC system_header

#include "../vector_types.h"

#define AMBIDEX_CACHED(T)                                  \
  AMBIDEX_D T __ldg(const T* ptr) { return *ptr; }         \
  AMBIDEX_D T __ldca(const T* ptr) { return *ptr; }        \
  AMBIDEX_D T __ldcg(const T* ptr) { return *ptr; }        \
  AMBIDEX_D T __ldcs(const T* ptr) { return *ptr; }        \
  AMBIDEX_D T __ldlu(const T* ptr) { return *ptr; }        \
  AMBIDEX_D T __ldcv(const T* ptr) { return *ptr; }        \
  AMBIDEX_D void __stwb(T* ptr, T value) { *ptr = value; } \
  AMBIDEX_D void __stcg(T* ptr, T value) { *ptr = value; } \
  AMBIDEX_D void __stcs(T* ptr, T value) { *ptr = value; } \
  AMBIDEX_D void __stwt(T* ptr, T value) { *ptr = value; }
AMBIDEX_CACHED(char)
AMBIDEX_CACHED(signed char)
AMBIDEX_CACHED(unsigned char)
AMBIDEX_CACHED(short)
AMBIDEX_CACHED(unsigned short)
AMBIDEX_CACHED(int)
AMBIDEX_CACHED(unsigned int)
AMBIDEX_CACHED(long)
AMBIDEX_CACHED(unsigned long)
AMBIDEX_CACHED(long long)
AMBIDEX_CACHED(unsigned long long)
AMBIDEX_CACHED(float)
AMBIDEX_CACHED(double)
AMBIDEX_CACHED(char2)
AMBIDEX_CACHED(char4)
AMBIDEX_CACHED(uchar2)
AMBIDEX_CACHED(uchar4)
AMBIDEX_CACHED(short2)
AMBIDEX_CACHED(short4)
AMBIDEX_CACHED(ushort2)
AMBIDEX_CACHED(ushort4)
AMBIDEX_CACHED(int2)
AMBIDEX_CACHED(int4)
AMBIDEX_CACHED(uint2)
AMBIDEX_CACHED(uint4)
AMBIDEX_CACHED(longlong2)
AMBIDEX_CACHED(ulonglong2)
AMBIDEX_CACHED(float2)
AMBIDEX_CACHED(float4)
AMBIDEX_CACHED(double2)

// Every address of the executor is a generic one; what lies in shared memory is known only to it,
// so these convert and do not ask.
AMBIDEX_D size_t __cvta_generic_to_shared(const void* ptr) { return reinterpret_cast<size_t>(ptr); }
AMBIDEX_D size_t __cvta_generic_to_global(const void* ptr) { return reinterpret_cast<size_t>(ptr); }
AMBIDEX_D size_t __cvta_generic_to_local(const void* ptr) { return reinterpret_cast<size_t>(ptr); }
AMBIDEX_D size_t __cvta_generic_to_constant(const void* ptr) {
  return reinterpret_cast<size_t>(ptr);
}
AMBIDEX_D void* __cvta_shared_to_generic(size_t ptr) { return reinterpret_cast<void*>(ptr); }
AMBIDEX_D void* __cvta_global_to_generic(size_t ptr) { return reinterpret_cast<void*>(ptr); }
AMBIDEX_D void* __cvta_local_to_generic(size_t ptr) { return reinterpret_cast<void*>(ptr); }
AMBIDEX_D void* __cvta_constant_to_generic(size_t ptr) { return reinterpret_cast<void*>(ptr); }
__attribute__((device)) unsigned int __isGlobal(const void* ptr);
__attribute__((device)) unsigned int __isShared(const void* ptr);
__attribute__((device)) unsigned int __isConstant(const void* ptr);
__attribute__((device)) unsigned int __isLocal(const void* ptr);
__attribute__((device)) unsigned int __isGridConstant(const void* ptr);
