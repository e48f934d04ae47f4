// SPDX-License-Identifier: Apache-2.0
// Directed rounding of ambidex_port.h against the rounding modes of the host's own unit.
#include <cfenv>
#include <cstring>
#include <limits>

#include "ambidex_port.h"
#include "check.h"

namespace port = ambidex_port;

namespace {

template <class T>
struct Inputs {
  T a, b, c;
};

__global__ void floats(const Inputs<float>* in, float* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const float a = in[i].a, b = in[i].b, c = in[i].c;
  float* const o = out + 20 * i;
#define EACH(at, suffix)                    \
  o[at] = port::fadd_##suffix(a, b);        \
  o[at + 4] = port::fmul_##suffix(a, b);    \
  o[at + 8] = port::fmaf_##suffix(a, b, c); \
  o[at + 12] = port::fdiv_##suffix(a, b);   \
  o[at + 16] = port::fsqrt_##suffix(a < 0 ? -a : a);
  EACH(0, rn)
  EACH(1, rz)
  EACH(2, ru)
  EACH(3, rd)
}
__global__ void doubles(const Inputs<double>* in, double* out, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  const double a = in[i].a, b = in[i].b, c = in[i].c;
  double* const o = out + 20 * i;
#undef EACH
#define EACH(at, suffix)                   \
  o[at] = port::dadd_##suffix(a, b);       \
  o[at + 4] = port::dmul_##suffix(a, b);   \
  o[at + 8] = port::fma_##suffix(a, b, c); \
  o[at + 12] = port::ddiv_##suffix(a, b);  \
  o[at + 16] = port::dsqrt_##suffix(a < 0 ? -a : a);
  EACH(0, rn)
  EACH(1, rz)
  EACH(2, ru)
  EACH(3, rd)
}

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0 || (a != a && b != b);
}

template <class T>
void compare(const char* what, const Inputs<T>& in, const T* got) {
  const int modes[4] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};
  for (int mode = 0; mode < 4; ++mode) {
    const volatile T a = in.a, b = in.b, c = in.c;
    std::fesetround(modes[mode]);
    volatile T wanted[5];
    wanted[0] = a + b;
    wanted[1] = a * b;
    wanted[2] = std::fma(T(a), T(b), T(c));
    wanted[3] = a / b;
    wanted[4] = std::sqrt(std::fabs(T(a)));
    std::fesetround(FE_TONEAREST);
    for (int i = 0; i < 5; ++i) {
      const T w = wanted[i];
      if (same(w, got[4 * i + mode])) continue;
      std::printf("%s op %d mode %d of %a %a %a: got %a, wanted %a\n", what, i, mode, double(in.a),
                  double(in.b), double(in.c), double(got[4 * i + mode]), double(w));
      ++num_different;
    }
  }
}

unsigned long long state = 88172645463325252ull;
unsigned long long random_bits() {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
// Exponents within 30 of each other, so that sums interact; and for floats any bits at all.
template <class T>
T random_number(int i) {
  const unsigned long long bits = random_bits();
  if (sizeof(T) == 4 && i % 4 == 0) {
    const unsigned low = static_cast<unsigned>(bits);
    float x;
    std::memcpy(&x, &low, 4);
    return static_cast<T>(x);
  }
  const double mantissa = static_cast<double>(bits >> 11) * 0x1p-53 + 0.5;
  const T x = static_cast<T>(std::ldexp(mantissa, static_cast<int>(bits % 31) - 15));
  return bits & 0x400 ? -x : x;
}

template <class T, class Kernel>
void check(const char* what, Kernel kernel) {
  constexpr int kNum = 3000;
  Array<Inputs<T>> in(kNum);
  Array<T> out(20 * kNum);
  for (int i = 0; i < kNum; ++i) {
    in[i] = {random_number<T>(i), random_number<T>(i), random_number<T>(i)};
    if (i % 7 == 0) in[i].c = -in[i].a * in[i].b;
    if (i % 11 == 0) in[i].b = -in[i].a;
    if (i % 13 == 0) in[i].a = T(0);
    if (i % 17 == 0) in[i].c = T(-0.0);
    if (i % 19 == 0) in[i].b = std::numeric_limits<T>::max();
    if (i % 23 == 0) in[i].b = std::numeric_limits<T>::infinity();
    if (i % 29 == 0) in[i].a = T(9), in[i].b = T(3), in[i].c = T(-27);
  }
  in.up();
  kernel<<<(kNum + 127) / 128, 128>>>(in.device, out.device, kNum);
  out.down();
  for (int i = 0; i < kNum; ++i) compare(what, in[i], &out.host[static_cast<size_t>(20 * i)]);
}

}  // namespace

int main() {
  check<float>("float", floats);
  check<double>("double", doubles);
  return finish();
}
