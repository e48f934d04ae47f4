// SPDX-License-Identifier: Apache-2.0
// One loop compiled for several instruction sets, chosen when it runs. The library is built for
// the oldest CPU; only loops that take time have versions.
#pragma once

#include <cstdint>

#include "base/parallel.h"

namespace ambidex {

enum class Isa : uint8_t { plain, avx2, avx512 };

/// The widest that this CPU has (avx512: F, DQ, BW, VL), or less under an IsaLimit.
Isa isa();

/// For tests: no wider loops than these, in the whole process, while this object lives.
class IsaLimit {
 public:
  explicit IsaLimit(Isa widest);
  ~IsaLimit();
  IsaLimit(const IsaLimit&) = delete;
  IsaLimit& operator=(const IsaLimit&) = delete;

 private:
  Isa before_;
};

#if defined(__x86_64__)
#define AMBIDEX_AVX2 [[gnu::target("avx2,fma,f16c,bmi2")]]
#define AMBIDEX_AVX512_SETS "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma,f16c,bmi2"
#if defined(__clang__)
#define AMBIDEX_AVX512 [[gnu::target(AMBIDEX_AVX512_SETS)]]
#else
#define AMBIDEX_AVX512 [[gnu::target(AMBIDEX_AVX512_SETS ",prefer-vector-width=512")]]
#endif
#else
#define AMBIDEX_AVX2
#define AMBIDEX_AVX512
#endif

/// Marks a lambda whose body is compiled for each instruction set that it is called from.
#define AMBIDEX_INLINE __attribute__((always_inline))

template <class Body>
AMBIDEX_AVX2 void call_avx2(const Body& body) {
  body();
}

template <class Body>
AMBIDEX_AVX512 void call_avx512(const Body& body) {
  body();
}

/// Calls `body`, a lambda marked AMBIDEX_INLINE, in the version for isa(). It may contain no fused
/// multiply-add, so that its bits are the same in every version.
template <class Body>
void with_isa(const Body& body) {
  switch (isa()) {
    case Isa::avx512:
      return call_avx512(body);
    case Isa::avx2:
      return call_avx2(body);
    case Isa::plain:
      return body();
  }
}

/// Elements of one task in a loop over an array: 64 KiB of f32.
inline constexpr int64_t kBlock = 16384;

/// body(begin, end) over [0, size) in blocks, on all threads.
template <class Body>
void for_blocks(Workers& workers, int64_t size, int64_t block, const Body& body) {
  workers.run((size + block - 1) / block, [&](int64_t task) {
    const int64_t begin = task * block;
    body(begin, begin + block < size ? begin + block : size);
  });
}

}  // namespace ambidex
