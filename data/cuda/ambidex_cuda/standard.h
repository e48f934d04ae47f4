// SPDX-License-Identifier: Apache-2.0
// The C and C++ library for kernels. Mathematical and string functions are those of the host,
// declared for both sides; what must differ (printf, malloc, assert) is overloaded for the device.
#pragma once
#pragma GCC system_header

// Before the library, which includes clang's <new>: the device's operators new and delete call
// them.
AMBIDEX_D void* malloc(__SIZE_TYPE__ num_bytes) { return ambidex_simt_malloc(num_bytes); }
AMBIDEX_D void free(void* pointer) { ambidex_simt_free(pointer); }
// What a table of virtual functions holds for those that nobody has defined, or has deleted.
extern "C" {
__attribute__((device, weak, nodebug)) void __cxa_pure_virtual() {
  ambidex_simt_trap("a call of a pure virtual function");
}
__attribute__((device, weak, nodebug)) void __cxa_deleted_virtual() {
  ambidex_simt_trap("a call of a deleted virtual function");
}
}

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <type_traits>
#include <utility>

AMBIDEX_D int abs(int value) { return value < 0 ? -value : value; }
AMBIDEX_D long labs(long value) { return value < 0 ? -value : value; }
AMBIDEX_D long long llabs(long long value) { return value < 0 ? -value : value; }

// glibc declares functions of its own with the names of CUDA's approximate ones.
#define __cosf ambidex_glibc_cosf
#define __sinf ambidex_glibc_sinf
#define __tanf ambidex_glibc_tanf
#define __expf ambidex_glibc_expf
#define __exp10f ambidex_glibc_exp10f
#define __logf ambidex_glibc_logf
#define __log2f ambidex_glibc_log2f
#define __log10f ambidex_glibc_log10f
#define __powf ambidex_glibc_powf
#define __sincosf ambidex_glibc_sincosf
#define __tanhf ambidex_glibc_tanhf
// After what they include themselves: an algorithm may not be declared for both sides here and for
// the host elsewhere. What is constexpr in C++17 (std::max, std::move) is for both sides anyway.
#pragma clang force_cuda_host_device begin
#include <math.h>
#include <string.h>

#include <cmath>
#include <cstring>
#pragma clang force_cuda_host_device end
#undef __cosf
#undef __sinf
#undef __tanf
#undef __expf
#undef __exp10f
#undef __logf
#undef __log2f
#undef __log10f
#undef __powf
#undef __sincosf
#undef __tanhf

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
static __attribute__((device, noinline, nodebug, unused)) int printf(const char* format, ...) {
  __builtin_va_list values;
  __builtin_va_start(values, format);
  const int count = ambidex_simt_vprintf(format, values);
  __builtin_va_end(values);
  return count;
}
#pragma clang diagnostic pop
AMBIDEX_D void __ambidex_assert_fail(const char* text) { ambidex_simt_trap(text); }
AMBIDEX_D void __assert_fail(const char* text, const char* file, unsigned line,
                             const char* function) noexcept {
  printf("%s:%u: %s: Assertion `%s' failed.\n", file, line, function, text);
  ambidex_simt_trap(text);
}
AMBIDEX_D void abort() { ambidex_simt_trap("abort()"); }
namespace std {
using ::abs;
using ::free;
using ::labs;
using ::llabs;
using ::malloc;
using ::printf;
}  // namespace std

namespace ambidex_cuda {
// std::declval for both sides: in a kernel's lambda clang refuses the host's even unevaluated.
template <class T>
__attribute__((host, device)) T&& some() noexcept;
}  // namespace ambidex_cuda
