// SPDX-License-Identifier: Apache-2.0
// Defines one 16-bit floating type and its vector of two. Included by cuda_fp16.h and cuda_bf16.h,
// which name the types by macros:
//   AMBIDEX_T, AMBIDEX_T2          __half, __half2
//   AMBIDEX_RAW, AMBIDEX_RAW2      __half_raw, __half2_raw
//   AMBIDEX_FORMAT, AMBIDEX_DECODE ambidex_cuda::Binary16, ambidex_cuda::decode_binary16
//   AMBIDEX_CONVERSIONS            1 if it converts from and to integers implicitly

struct __attribute__((aligned(2))) AMBIDEX_RAW {
  unsigned short x;
};
struct __attribute__((aligned(4))) AMBIDEX_RAW2 {
  unsigned short x, y;
};

#define AMBIDEX_FROM(I)                                                                  \
  AMBIDEX_MEMBER_HD AMBIDEX_T(I value)                                                   \
      : __x(ambidex_cuda::encode<AMBIDEX_FORMAT>(ambidex_cuda::sticky_double(value))) {} \
  AMBIDEX_MEMBER_HD AMBIDEX_T& operator=(I value) { return *this = AMBIDEX_T(value); }
#define AMBIDEX_TO(I)                                                                      \
  AMBIDEX_MEMBER_HD operator I() const {                                                   \
    return ambidex_cuda::to_integer<I, ambidex_cuda::Rounding::zero>(AMBIDEX_DECODE(__x)); \
  }

struct __attribute__((aligned(2))) AMBIDEX_T {
 protected:
  unsigned short __x;

 public:
  AMBIDEX_T() = default;
  constexpr AMBIDEX_MEMBER_HD AMBIDEX_T(const AMBIDEX_RAW& raw) : __x(raw.x) {}
  AMBIDEX_MEMBER_HD AMBIDEX_T& operator=(const AMBIDEX_RAW& raw) {
    __x = raw.x;
    return *this;
  }
  AMBIDEX_MEMBER_HD volatile AMBIDEX_T& operator=(const AMBIDEX_RAW& raw) volatile {
    __x = raw.x;
    return *this;
  }
  AMBIDEX_MEMBER_HD operator AMBIDEX_RAW() const { return AMBIDEX_RAW{__x}; }
  AMBIDEX_MEMBER_HD operator AMBIDEX_RAW() const volatile { return AMBIDEX_RAW{__x}; }
  AMBIDEX_MEMBER_HD AMBIDEX_T(float value)
      : __x(ambidex_cuda::encode<AMBIDEX_FORMAT>(double(value))) {}
  AMBIDEX_MEMBER_HD AMBIDEX_T(double value) : __x(ambidex_cuda::encode<AMBIDEX_FORMAT>(value)) {}
#if AMBIDEX_CONVERSIONS
  AMBIDEX_MEMBER_HD operator float() const { return AMBIDEX_DECODE(__x); }
  AMBIDEX_MEMBER_HD AMBIDEX_T& operator=(float value) { return *this = AMBIDEX_T(value); }
  AMBIDEX_MEMBER_HD AMBIDEX_T& operator=(double value) { return *this = AMBIDEX_T(value); }
  AMBIDEX_FROM(short)
  AMBIDEX_FROM(unsigned short)
  AMBIDEX_FROM(int)
  AMBIDEX_FROM(unsigned int)
  AMBIDEX_FROM(long)
  AMBIDEX_FROM(unsigned long)
  AMBIDEX_FROM(long long)
  AMBIDEX_FROM(unsigned long long)
  AMBIDEX_TO(char)
  AMBIDEX_TO(signed char)
  AMBIDEX_TO(unsigned char)
  AMBIDEX_TO(short)
  AMBIDEX_TO(unsigned short)
  AMBIDEX_TO(int)
  AMBIDEX_TO(unsigned int)
  AMBIDEX_TO(long)
  AMBIDEX_TO(unsigned long)
  AMBIDEX_TO(long long)
  AMBIDEX_TO(unsigned long long)
  AMBIDEX_MEMBER_HD constexpr operator bool() const { return (__x & 0x7fffu) != 0; }
#endif
};
#undef AMBIDEX_FROM
#undef AMBIDEX_TO

struct __attribute__((aligned(4))) AMBIDEX_T2 {
  AMBIDEX_T x, y;
  AMBIDEX_T2() = default;
  constexpr AMBIDEX_MEMBER_HD AMBIDEX_T2(const AMBIDEX_T& a, const AMBIDEX_T& b) : x(a), y(b) {}
  AMBIDEX_MEMBER_HD AMBIDEX_T2(const AMBIDEX_RAW2& raw)
      : x(AMBIDEX_RAW{raw.x}), y(AMBIDEX_RAW{raw.y}) {}
  AMBIDEX_MEMBER_HD AMBIDEX_T2& operator=(const AMBIDEX_RAW2& raw) {
    x = AMBIDEX_RAW{raw.x};
    y = AMBIDEX_RAW{raw.y};
    return *this;
  }
  AMBIDEX_MEMBER_HD operator AMBIDEX_RAW2() const {
    return AMBIDEX_RAW2{AMBIDEX_RAW(x).x, AMBIDEX_RAW(y).x};
  }
};

namespace ambidex_cuda {
AMBIDEX_HD float value_of(AMBIDEX_T a) { return AMBIDEX_DECODE(AMBIDEX_RAW(a).x); }
AMBIDEX_HD unsigned short bits_of(AMBIDEX_T a) { return AMBIDEX_RAW(a).x; }
}  // namespace ambidex_cuda
