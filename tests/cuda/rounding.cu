// SPDX-License-Identifier: Apache-2.0
// Arithmetic and conversions with a named rounding, against the host's rounding modes.
#include <cfenv>
#include <cmath>

#include "check.h"

#define EACH_ROUNDING(X) X(rn, 0) X(rz, 1) X(ru, 2) X(rd, 3)
constexpr int kModes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
constexpr int kNum = 20000;

// out [4 roundings][6 operations][kNum]
__global__ void floats(const float* in, float* out) {
  for (int i = threadIdx.x; i < kNum; i += blockDim.x) {
    const float a = in[i], b = in[kNum + i], c = in[2 * kNum + i];
#define OPERATIONS(r, n)                      \
  {                                           \
    float* const at = out + n * 6 * kNum + i; \
    at[0] = __fadd_##r(a, b);                 \
    at[kNum] = __fsub_##r(a, b);              \
    at[2 * kNum] = __fmul_##r(a, b);          \
    at[3 * kNum] = __fdiv_##r(a, b);          \
    at[4 * kNum] = __fsqrt_##r(a);            \
    at[5 * kNum] = __fmaf_##r(a, b, c);       \
  }
    EACH_ROUNDING(OPERATIONS)
  }
}
__global__ void doubles(const double* in, double* out) {
  for (int i = threadIdx.x; i < kNum; i += blockDim.x) {
    const double a = in[i], b = in[kNum + i], c = in[2 * kNum + i];
#undef OPERATIONS
#define OPERATIONS(r, n)                       \
  {                                            \
    double* const at = out + n * 6 * kNum + i; \
    at[0] = __dadd_##r(a, b);                  \
    at[kNum] = __dsub_##r(a, b);               \
    at[2 * kNum] = __dmul_##r(a, b);           \
    at[3 * kNum] = __ddiv_##r(a, b);           \
    at[4 * kNum] = __dsqrt_##r(a);             \
    at[5 * kNum] = __fma_##r(a, b, c);         \
  }
    EACH_ROUNDING(OPERATIONS)
  }
}

template <class T>
T operation(int which, T a, T b, T c) {
  volatile T x = a, y = b, z = c;
  if (which == 0) return x + y;
  if (which == 1) return x - y;
  if (which == 2) return x * y;
  if (which == 3) return x / y;
  if (which == 4) return std::sqrt(T(x));
  return std::fma(T(x), T(y), T(z));
}

// Numbers of all sizes, many of them near each other, some at the ends.
template <class T, class Bits>
std::vector<T> numbers(int exponent_bits, int fraction_bits) {
  unsigned state = 77;
  std::vector<T> result;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  for (int i = 0; i < 3 * kNum; ++i) {
    unsigned long long wide = next_random(state);
    wide = wide << 32 | next_random(state);
    Bits bits = Bits(wide);
    const int span = i % 4 == 0 ? 2 * bias : i % 4 == 1 ? 60 : 4;
    Bits exponent = Bits(bias - span / 2 + int(next_random(state) % unsigned(span)));
    if (i % 17 == 0) exponent = Bits(i % 2 == 0 ? 2 * bias : i % 3);
    const Bits fraction = i % 5 == 0 ? Bits(bits & 3u) : bits & ((Bits(1) << fraction_bits) - 1u);
    bits = (exponent << fraction_bits) | fraction |
           (Bits(next_random(state) & 1u) << (8 * sizeof(Bits) - 1));
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    result.push_back(i % 101 == 0 ? T(0) : value);
  }
  return result;
}

template <class T>
bool matches(T got, T expected) {
  return expected != expected ? got != got : same(got, expected);
}

template <class T>
void check_arithmetic(const char* name, const std::vector<T>& in, const std::vector<T>& got) {
  for (int rounding = 0; rounding < 4; ++rounding) {
    std::fesetround(kModes[rounding]);
    std::vector<T> expected;
    for (int which = 0; which < 6; ++which) {
      for (int i = 0; i < kNum; ++i) {
        expected.push_back(operation(which, in[i], in[kNum + i], in[2 * kNum + i]));
      }
    }
    std::fesetround(FE_TONEAREST);
    for (int i = 0; i < 6 * kNum; ++i) {
      check(matches(got[rounding * 6 * kNum + i], expected[i]), name, rounding * 6 * kNum + i);
    }
  }
}

__global__ void conversions(const double* in, const long long* whole, float* narrow,
                            long long* integers, float* of_integers) {
  for (int i = threadIdx.x; i < kNum; i += blockDim.x) {
#define CONVERT(r, n)                                                          \
  narrow[n * kNum + i] = __double2float_##r(in[i]);                            \
  integers[(n * 4 + 0) * kNum + i] = __float2int_##r(float(in[i]));            \
  integers[(n * 4 + 1) * kNum + i] = __float2uint_##r(float(in[i]));           \
  integers[(n * 4 + 2) * kNum + i] = __double2ll_##r(in[i]);                   \
  integers[(n * 4 + 3) * kNum + i] = (long long)__float2ull_##r(float(in[i])); \
  of_integers[(n * 2 + 0) * kNum + i] = __ll2float_##r(whole[i]);              \
  of_integers[(n * 2 + 1) * kNum + i] = __uint2float_##r((unsigned)whole[i]);
    EACH_ROUNDING(CONVERT)
  }
}

// Saturated: least and most are exact in double, or one above what is representable.
long long saturated(double rounded, double least, double end, long long at_least,
                    long long at_most) {
  if (rounded >= end) return at_most;
  return rounded < least
             ? at_least
             : (end > 1e19 ? (long long)(unsigned long long)rounded : (long long)rounded);
}

void check_conversions() {
  std::vector<double> in = numbers<double, unsigned long long>(11, 52);
  in.resize(kNum);
  unsigned state = 3;
  std::vector<long long> whole;
  for (int i = 0; i < kNum; ++i) {
    if (i % 2 == 0)
      in[i] = std::ldexp(double(int(next_random(state))), int(next_random(state) % 70) - 40);
    whole.push_back(
        (long long)((unsigned long long)next_random(state) << 32 | next_random(state)) >> i % 64);
  }
  Array<double> device_in(in);
  Array<long long> device_whole(whole), integers(16 * kNum);
  Array<float> narrow(4 * kNum), of_integers(8 * kNum);
  conversions<<<1, 64>>>(device_in.device, device_whole.device, narrow.device, integers.device,
                         of_integers.device);
  const std::vector<float> got_narrow = narrow.values(), got_of = of_integers.values();
  const std::vector<long long> got = integers.values();
  for (int n = 0; n < 4; ++n) {
    for (int i = 0; i < kNum; ++i) {
      volatile double x = in[i];
      volatile float f = float(x);
      volatile long long w = whole[i];
      std::fesetround(kModes[n]);
      const volatile float to_float = float(x);
      const double whole_of_float = std::nearbyint(double(f));
      const double whole_of_double = std::nearbyint(x);
      const volatile float of_long = float(w);
      const volatile float of_unsigned = float((long long)(unsigned)w);
      std::fesetround(FE_TONEAREST);
      CHECK_EQUAL("__double2float", n * kNum + i, got_narrow[n * kNum + i], float(to_float));
      CHECK_EQUAL("__ll2float", n * kNum + i, got_of[n * 2 * kNum + i], float(of_long));
      CHECK_EQUAL("__uint2float", n * kNum + i, got_of[(n * 2 + 1) * kNum + i], float(of_unsigned));
      const long long expected[4] = {
          saturated(whole_of_float, -0x1p31, 0x1p31, -0x80000000ll, 0x7fffffffll),
          saturated(whole_of_float, 0.0, 0x1p32, 0, 0xffffffffll),
          saturated(whole_of_double, -0x1p63, 0x1p63, -0x7fffffffffffffffll - 1,
                    0x7fffffffffffffffll),
          saturated(whole_of_float, 0.0, 0x1p64, 0, -1)};
      for (int k = 0; k < 4; ++k) {
        CHECK_EQUAL("a conversion to an integer", (n * 4 + k) * kNum + i,
                    got[(n * 4 + k) * kNum + i], expected[k]);
      }
    }
  }
}

int main() {
  const std::vector<float> f = numbers<float, unsigned>(8, 23);
  Array<float> in(f), out(24 * kNum);
  floats<<<1, 64>>>(in.device, out.device);
  check_arithmetic("a float operation", f, out.values());
  const std::vector<double> d = numbers<double, unsigned long long>(11, 52);
  Array<double> double_in(d), double_out(24 * kNum);
  doubles<<<1, 64>>>(double_in.device, double_out.device);
  check_arithmetic("a double operation", d, double_out.values());
  check_conversions();
  return finish();
}
