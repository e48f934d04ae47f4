// SPDX-License-Identifier: Apache-2.0
#include "kernels/isa.h"

#include <algorithm>
#include <atomic>

namespace ambidex {
namespace {

Isa widest_of_cpu() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi2")) {
    return Isa::plain;
  }
  // Every CPU with AVX2 converts f16.
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return has_avx512 ? Isa::avx512 : Isa::avx2;
#else
  return Isa::plain;
#endif
}

std::atomic<Isa>& limit() {
  static std::atomic<Isa> widest{Isa::avx512};
  return widest;
}

}  // namespace

Isa isa() {
  static const Isa of_cpu = widest_of_cpu();
  return std::min(of_cpu, limit().load(std::memory_order_relaxed));
}

IsaLimit::IsaLimit(Isa widest) : before_(limit().exchange(widest)) {}
IsaLimit::~IsaLimit() { limit().store(before_); }

}  // namespace ambidex
