// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA has and HIP lacks, has for kernels only or gives another meaning, against
// their definitions, in a kernel and on the host. Valid for nvcc too.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <math_constants.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#define BOTH __host__ __device__
constexpr int kCount = 64;
int failures = 0;

void check(bool good, const char* what, int where) {
  if (!good && ++failures <= 20) printf("%s differs at %d\n", what, where);
}
bool near(double got, double expected, double tolerance) {
  return got == expected || std::fabs(got - expected) <= tolerance * std::fabs(expected);
}

// Mathematics. `x` is in (0, 1).
constexpr int kMath = 26;
BOTH void mathematics(float x, double* out) {
  const double d = x;
  float sine, cosine;
  double wide_sine, wide_cosine;
  sincospi(x, &sine, &cosine);
  sincospi(d, &wide_sine, &wide_cosine);
  const double values[kMath] = {
      rsqrtf(x),   rsqrt(x),    rsqrt(d),   rcbrtf(x),      rcbrt(d),      sinpif(x),   sinpi(d),
      cospif(x),   cospi(d),    sine,       cosine,         wide_sine,     wide_cosine, exp10f(x),
      exp10(d),    normcdff(x), normcdf(d), normcdfinvf(x), normcdfinv(d), erfinvf(x),  erfinv(d),
      erfcinvf(x), erfcinv(d),  erfcxf(x),  erfcx(d),       exp10(x)};
  for (int i = 0; i < kMath; ++i) out[i] = values[i];
}
// By the C library, and for inverses by what they invert.
void expect_mathematics(const double* got, float x, const char* side, int where) {
  const double d = x, pi = 3.14159265358979323846;
  const double expected[] = {1 / std::sqrt(d),
                             1 / std::sqrt(d),
                             1 / std::sqrt(d),
                             1 / std::cbrt(d),
                             1 / std::cbrt(d),
                             std::sin(pi * d),
                             std::sin(pi * d),
                             std::cos(pi * d),
                             std::cos(pi * d),
                             std::sin(pi * d),
                             std::cos(pi * d),
                             std::sin(pi * d),
                             std::cos(pi * d),
                             std::pow(10, d),
                             std::pow(10, d),
                             0.5 * std::erfc(-d / std::sqrt(2.0)),
                             0.5 * std::erfc(-d / std::sqrt(2.0))};
  for (int i = 0; i < 17; ++i) {
    const bool is_zero = std::fabs(expected[i]) < 1e-15;
    check(is_zero ? std::fabs(got[i]) < 1e-7 : near(got[i], expected[i], 1e-6), side,
          where * 100 + i);
  }
  check(near(0.5 * std::erfc(-got[17] / std::sqrt(2.0)), d, 1e-5), side, where * 100 + 17);
  check(near(0.5 * std::erfc(-got[18] / std::sqrt(2.0)), d, 1e-12), side, where * 100 + 18);
  check(near(std::erf(got[19]), d, 1e-5) && near(std::erf(got[20]), d, 1e-12), side,
        where * 100 + 19);
  check(near(std::erfc(got[21]), d, 1e-5) && near(std::erfc(got[22]), d, 1e-12), side,
        where * 100 + 21);
  check(near(got[23], std::exp(d * d) * std::erfc(d), 1e-6), side, where * 100 + 23);
  check(near(got[24], std::exp(d * d) * std::erfc(d), 1e-13), side, where * 100 + 24);
  check(near(got[25], std::pow(10, d), 1e-6), side, where * 100 + 25);
}

// Minima and maxima: which overload is taken decides the value.
BOTH int bounds() {
  int wrong = 0;
  wrong += !(max(0.25f, 0.75f) == 0.75f) + !(min(0.25f, 0.75f) == 0.25f);
  wrong += !(max(0.25, 0.75f) == 0.75) + !(min(1.5f, 1.25) == 1.25);
  wrong += !(max(1u, -1) == 0xffffffffu) + !(min(-2, 7u) == 7u);
  wrong += !(max(1ull << 63, 5ull) == 1ull << 63) + !(min(-1ll, 5ll) == -1ll);
  wrong += !(max((1ll << 53) + 1, 1ll << 53) == (1ll << 53) + 1);
  wrong += !(umax(3u, 0x80000000u) == 0x80000000u) + !(llmin(-4ll, 4ll) == -4ll);
  wrong += !(ullmax(1ull, ~0ull) == ~0ull);
  return wrong;
}

// Conversions in a named direction: by the neighbours of the exact number.
__global__ void convert(const long long* in, float* low, float* high, float* zero, double* wide) {
  const int i = threadIdx.x;
  low[i] = __ll2float_rd(in[i]);
  high[i] = __ll2float_ru(in[i]);
  zero[i] = __ll2float_rz(in[i]);
  wide[i] = __ll2double_rd(in[i]);
}
void expect_conversions(const long long* in, const float* low, const float* high, const float* zero,
                        const double* wide) {
  for (int i = 0; i < kCount; ++i) {
    const __float128 exact = in[i];
    check(low[i] <= exact && std::nextafter(low[i], INFINITY) > exact, "__ll2float_rd", i);
    check(high[i] >= exact && std::nextafter(high[i], -INFINITY) < exact, "__ll2float_ru", i);
    check(zero[i] == (in[i] < 0 ? high[i] : low[i]), "__ll2float_rz", i);
    check(wide[i] <= exact && std::nextafter(wide[i], (double)INFINITY) > exact, "__ll2double_rd",
          i);
  }
}
__global__ void to_integers(const double* in, int* i32, unsigned* u32, long long* i64, float* f32) {
  const double x = in[threadIdx.x];
  int* const out = i32 + 4 * threadIdx.x;
  out[0] = __double2int_rd(x);
  out[1] = __double2int_ru(x);
  out[2] = __double2int_rz(x);
  out[3] = __double2int_rn(x);
  u32[threadIdx.x] = __double2uint_ru(x);
  i64[threadIdx.x] = __float2ll_rd((float)x);
  f32[2 * threadIdx.x] = __double2float_rd(x);
  f32[2 * threadIdx.x + 1] = __double2float_ru(x);
}
double clamped(double x, double least, double most) { return std::fmin(std::fmax(x, least), most); }
void expect_integers(const double* in, const int* i32, const unsigned* u32, const long long* i64,
                     const float* f32) {
  for (int i = 0; i < kCount; ++i) {
    const double x = in[i], way[4] = {std::floor(x), std::ceil(x), std::trunc(x), std::rint(x)};
    for (int k = 0; k < 4; ++k) {
      check(i32[4 * i + k] == (int)clamped(way[k], -2147483648.0, 2147483647.0), "__double2int", i);
    }
    check(u32[i] == (unsigned)clamped(std::ceil(x), 0, 4294967295.0), "__double2uint_ru", i);
    const double narrow = std::floor((float)x);
    const long long expected = narrow >= 0x1p63   ? 0x7fffffffffffffffll
                               : narrow < -0x1p63 ? -0x7fffffffffffffffll - 1
                                                  : (long long)narrow;
    check(i64[i] == expected, "__float2ll_rd", i);
    check(f32[2 * i] <= x && std::nextafter(f32[2 * i], INFINITY) > x, "__double2float_rd", i);
    check(f32[2 * i + 1] >= x && std::nextafter(f32[2 * i + 1], -INFINITY) < x, "__double2float_ru",
          i);
  }
}

// Halves and bfloat16: results as floats, by arithmetic of floats.
constexpr int kHalf = 24;
template <class T>
struct Pair;
template <>
struct Pair<__half> {
  static __device__ __half2 both(__half a, __half b) { return __halves2half2(a, b); }
  static __device__ float low(__half2 v) { return __low2float(v); }
  static __device__ float wide(__half v) { return __half2float(v); }
  static __device__ __half of(float x) { return __float2half(x); }
};
template <>
struct Pair<__nv_bfloat16> {
  static __device__ __nv_bfloat162 both(__nv_bfloat16 a, __nv_bfloat16 b) {
    return __halves2bfloat162(a, b);
  }
  static __device__ float low(__nv_bfloat162 v) { return __low2float(v); }
  static __device__ float wide(__nv_bfloat16 v) { return __bfloat162float(v); }
  static __device__ __nv_bfloat16 of(float x) { return __float2bfloat16(x); }
};
template <class T>
__global__ void halves(const float* in, float* out) {
  using P = Pair<T>;
  const T a = P::of(in[threadIdx.x]), b = P::of(in[(threadIdx.x + 5) % kCount]), c = P::of(0.5f);
  const auto v = P::both(a, c), w = P::both(b, c), u = P::both(c, c);
  float* const r = out + kHalf * threadIdx.x;
  r[0] = P::wide(__hadd_sat(a, b));
  r[1] = P::wide(__hsub_sat(a, b));
  r[2] = P::wide(__hmul_sat(a, b));
  r[3] = P::low(__hmul2_sat(v, w));
  r[4] = P::wide(__hfma_sat(a, b, c));
  r[5] = P::wide(__hfma_relu(a, b, c));
  r[6] = P::low(__hfma2_relu(v, w, u));
  r[7] = P::wide(__hmax_nan(a, b));
  r[8] = P::wide(__hmin_nan(a, b));
  r[9] = __heq(a, b) + 2 * __hne(a, b) + 4 * __hlt(a, b) + 8 * __hge(a, b);
  r[10] = __hequ(a, b) + 2 * __hneu(a, b) + 4 * __hltu(a, b) + 8 * __hgeu(a, b);
  r[11] = __hleu(a, b) + 2 * __hgtu(a, b);
  r[12] = __heq2_mask(v, w) & 0xffffu ? 1 : 0;
  r[13] = __hbgtu2(v, w) + 2 * __hbleu2(v, w);  // the upper halves are equal
  r[14] = P::low(__hltu2(v, w));
  r[15] = P::low(__hisnan2(v));
  r[16] = P::low(__h2div(v, u));
  r[17] = P::low(__hcmadd(v, w, u));
  r[18] = P::wide(a);
  r[19] = P::wide(b);
}
float unit(float x) { return x > 0 ? (x < 1 ? x : 1) : 0; }
void expect_halves(const float* out, double tolerance, const char* what) {
  for (int i = 0; i < kCount; ++i) {
    const float* const r = out + kHalf * i;
    const float a = r[18], b = r[19];
    const bool is_nan = a != a || b != b;
    check(near(r[0], unit(a + b), tolerance) && near(r[1], unit(a - b), tolerance), what, i);
    check(near(r[2], unit(a * b), tolerance) && r[3] == r[2], what, i);
    check(near(r[4], unit(a * b + 0.5f), tolerance), what, i);
    const float sum = a * b + 0.5f;
    check(is_nan ? r[5] != r[5] : sum < 0 ? r[5] == 0 : near(r[5], sum, tolerance), what, i);
    check(is_nan ? r[6] != r[6] : r[6] == r[5], what, i);
    check(
        is_nan ? r[7] != r[7] && r[8] != r[8] : r[7] == std::fmax(a, b) && r[8] == std::fmin(a, b),
        what, i);
    const int ordered = is_nan ? 0 : (a == b) + 2 * (a != b) + 4 * (a < b) + 8 * (a >= b);
    check(r[9] == ordered && r[10] == (is_nan ? 15 : ordered), what, 100 + i);
    check(r[11] == (is_nan ? 3 : (a <= b) + 2 * (a > b)), what, 200 + i);
    check(r[12] == (a == b) && r[14] == (is_nan || a < b), what, 300 + i);
    check(r[13] == 2 * (is_nan || a <= b) && r[15] == (a != a), what, 400 + i);
    if (!is_nan) check(near(r[16], a * 2, tolerance), what, 500 + i);
    const float real = a * b + 0.5f - 0.25f;
    if (!is_nan)
      check(std::fabs(r[17] - real) <= 4 * tolerance * (std::fabs(a * b) + 1), what, 600 + i);
  }
}
__global__ void half_integers(const long long* in, float* out) {
  float* const r = out + 6 * threadIdx.x;
  r[0] = __half2float(__ll2half_rd(in[threadIdx.x]));
  r[1] = __half2float(__ll2half_ru(in[threadIdx.x]));
  r[2] = __bfloat162float(__ll2bfloat16_rd(in[threadIdx.x]));
  r[3] = __bfloat162float(__ll2bfloat16_ru(in[threadIdx.x]));
  r[4] = __bfloat162int_rd(__float2bfloat16_ru((float)in[threadIdx.x] * 0.37f));
  r[5] = __bfloat162float(__float2bfloat16_ru((float)in[threadIdx.x] * 0.37f));
}
void expect_half_integers(const long long* in, const float* out) {
  for (int i = 0; i < kCount; ++i) {
    const float* const r = out + 6 * i;
    const __float128 x = in[i];
    check(r[0] <= x && r[1] >= x && r[2] <= x && r[3] >= x, "from integers, in direction", i);
    const double unit_half = std::fmax(std::fabs((double)in[i]) / 1024, 1),
                 size = std::fabs((double)in[i]);
    if (size < 65504) check(r[1] - r[0] <= unit_half, "__ll2half, one step", i);
    if (in[i] > 65504) check(r[0] == 65504 && r[1] == INFINITY, "__ll2half, overflow", i);
    check(r[3] - r[2] <= size / 64, "__ll2bfloat16, one step", i);
    const float y = (float)in[i] * 0.37f;
    check(r[5] >= y && r[5] - y <= std::fabs(y) / 64, "__float2bfloat16_ru", i);
    if (std::fabs(y) < 1e9f) check(r[4] == std::floor(r[5]), "__bfloat162int_rd", i);
  }
}

__global__ void dynamic_programming(const int* in, long long* out) {
  const int a = in[threadIdx.x], b = in[(threadIdx.x + 7) % kCount],
            c = in[(threadIdx.x + 13) % kCount];
  long long* const r = out + 16 * threadIdx.x;
  bool first, high, low;
  r[0] = __viaddmax_s32(a, b, c);
  r[1] = __viaddmin_u32(a, b, c);
  r[2] = __vimax3_s32_relu(a, b, c);
  r[3] = __vimin3_u32(a, b, c);
  r[4] = __vibmax_s32(a, b, &first) + (first ? 1ll << 40 : 0);
  r[5] = __viaddmax_s16x2(a, b, c);
  r[6] = __viaddmin_s16x2_relu(a, b, c);
  r[7] = __vimax3_u16x2(a, b, c);
  r[8] = __vibmin_u16x2(a, b, &high, &low) + (high ? 1ll << 40 : 0) + (low ? 1ll << 41 : 0);
  r[9] = __vimin_s32_relu(a, b);
}
template <class T>
T most(T a, T b) {
  return a > b ? a : b;
}
template <class E, class Op>
unsigned each_half(unsigned a, unsigned b, unsigned c, Op op) {
  unsigned result = 0;
  for (int i = 0; i < 32; i += 16)
    result |= (unsigned)(unsigned short)op((E)(a >> i), (E)(b >> i), (E)(c >> i)) << i;
  return result;
}
void expect_dynamic_programming(const int* in, const long long* out) {
  for (int i = 0; i < kCount; ++i) {
    const int a = in[i], b = in[(i + 7) % kCount], c = in[(i + 13) % kCount];
    const unsigned ua = a, ub = b, uc = c, sum = ua + ub;
    const long long* const r = out + 16 * i;
    check(r[0] == most((int)sum, c) && r[1] == (sum < uc ? sum : uc), "viaddmax", i);
    check(r[2] == most(most(most(a, b), c), 0), "vimax3", i);
    check(r[3] == -(long long)most(most(-(long long)ua, -(long long)ub), -(long long)uc), "vimin3",
          i);
    check(r[4] == most(a, b) + (a >= b ? 1ll << 40 : 0), "vibmax", i);
    check(r[5] == each_half<short>(
                      a, b, c, [](short x, short y, short z) { return most((short)(x + y), z); }),
          "viaddmax_s16x2", i);
    check(r[6] == each_half<short>(a, b, c,
                                   [](short x, short y, short z) {
                                     return most((short)((short)(x + y) < z ? (short)(x + y) : z),
                                                 (short)0);
                                   }),
          "viaddmin_s16x2_relu", i);
    check(r[7] == each_half<unsigned short>(a, b, c,
                                            [](unsigned short x, unsigned short y,
                                               unsigned short z) { return most(most(x, y), z); }),
          "vimax3_u16x2", i);
    const bool high = (ua >> 16) <= (ub >> 16), low = (ua & 0xffff) <= (ub & 0xffff);
    check(r[8] == each_half<unsigned short>(a, b, c,
                                            [](unsigned short x, unsigned short y, unsigned short) {
                                              return x < y ? x : y;
                                            }) +
                      (high ? 1ll << 40 : 0) + (low ? 1ll << 41 : 0),
          "vibmin_u16x2", i);
    check(r[9] == (a < b ? (a > 0 ? a : 0) : (b > 0 ? b : 0)), "vimin_s32_relu", i);
  }
}

BOTH double complex_error() {
  const cuFloatComplex p = make_cuComplex(3, 4), q = make_cuFloatComplex(1e30f, 2e30f);
  const cuDoubleComplex w = cuComplexFloatToDouble(p), z = make_cuDoubleComplex(1e300, -1e300);
  const cuFloatComplex product = cuCmulf(cuConjf(p), p), ratio = cuCdivf(q, q);
  const cuDoubleComplex sum = cuCsub(cuCadd(w, w), w), fused = cuCfma(w, w, w);
  double error = fabs(cuCrealf(product) - 25.0) + fabs(cuCimagf(product) * 1.0);
  error += fabs(cuCabsf(p) - 5.0) + fabs(cuCabs(z) / 1e300 - 1.4142135623730951);
  error += fabs(ratio.x - 1.0) + fabs(ratio.y * 1.0) + fabs(cuCreal(cuCdiv(z, z)) - 1.0);
  error +=
      fabs(sum.x - 3.0) + fabs(cuCimag(sum) - 4.0) + fabs(fused.x + 4.0) + fabs(fused.y - 28.0);
  return error + fabs(cuComplexDoubleToFloat(w).x - 3.0);
}

// A double that is just above the middle of two e4m3, by less than a float tells; and raw halves.
__global__ void bytes(unsigned* out) {
  out[0] = __nv_cvt_double_to_fp8(17.0 + 0x1p-40, __NV_SATFINITE, __NV_E4M3);
  out[1] = __nv_cvt_double_to_fp8(17.0, __NV_SATFINITE, __NV_E4M3);
  const __half_raw one = __nv_cvt_fp8_to_halfraw(0x38, __NV_E4M3);
  out[2] = __half_as_ushort(__half(one));
  out[3] = __nv_cvt_halfraw_to_fp8(one, __NV_SATFINITE, __NV_E5M2);
  out[4] = __half_as_ushort(CUDART_INF_FP16) | (unsigned)__bfloat16_as_ushort(CUDART_ONE_BF16)
                                                   << 16;
  __prof_trigger(0);
}

__global__ void everything(const float* x, double* math, int* wrong, double* complex) {
  mathematics(x[threadIdx.x], math + kMath * threadIdx.x);
  if (threadIdx.x == 0) *wrong = bounds();
  if (threadIdx.x == 1) *complex = complex_error();
}

template <class T>
T* managed(size_t count) {
  T* pointer;
  if (cudaMallocManaged(&pointer, count * sizeof(T)) != cudaSuccess) return nullptr;
  memset(pointer, 0, count * sizeof(T));
  return pointer;
}

int main() {
  float* const x = managed<float>(kCount);
  double* const math = managed<double>(kCount * kMath + 1);
  int* const wrong = managed<int>(1);
  for (int i = 0; i < kCount; ++i) x[i] = (i + 0.5f) / kCount;
  everything<<<1, kCount>>>(x, math, wrong, math + kCount * kMath);
  cudaDeviceSynchronize();
  check(*wrong == 0 && bounds() == 0, "min and max", *wrong * 100 + bounds());
  check(math[kCount * kMath] < 1e-6 && complex_error() < 1e-6, "complex", 0);
  for (int i = 0; i < kCount; ++i) {
    double host[kMath];
    mathematics(x[i], host);
    expect_mathematics(math + kMath * i, x[i], "mathematics, kernel", i);
    expect_mathematics(host, x[i], "mathematics, host", i);
  }

  long long* const in = managed<long long>(kCount);
  float* const floats = managed<float>(kCount * kHalf);
  double* const doubles = managed<double>(kCount);
  for (int i = 0; i < kCount; ++i)
    in[i] = (i % 2 ? -1 : 1) * (long long)(0x123456789abcdefull >> (i % 59));
  convert<<<1, kCount>>>(in, floats, floats + kCount, floats + 2 * kCount, doubles);
  cudaDeviceSynchronize();
  expect_conversions(in, floats, floats + kCount, floats + 2 * kCount, doubles);
  half_integers<<<1, kCount>>>(in, floats);
  cudaDeviceSynchronize();
  expect_half_integers(in, floats);

  int* const ints = managed<int>(4 * kCount);
  unsigned* const words = managed<unsigned>(kCount);
  long long* const longs = managed<long long>(16 * kCount);
  for (int i = 0; i < kCount; ++i)
    doubles[i] = (i % 2 ? -1 : 1) * std::ldexp(1.2345678912345 + i, i - 20);
  to_integers<<<1, kCount>>>(doubles, ints, words, longs, floats);
  cudaDeviceSynchronize();
  expect_integers(doubles, ints, words, longs, floats);

  for (int i = 0; i < kCount; ++i) x[i] = i % 11 == 3 ? NAN : (i * 37 % 29 - 14) * 0.125f;
  halves<__half><<<1, kCount>>>(x, floats);
  cudaDeviceSynchronize();
  expect_halves(floats, 0x1p-10, "half");
  halves<__nv_bfloat16><<<1, kCount>>>(x, floats);
  cudaDeviceSynchronize();
  expect_halves(floats, 0x1p-7, "bfloat16");

  for (int i = 0; i < kCount; ++i) ints[i] = (int)((unsigned)i * 2654435761u);
  dynamic_programming<<<1, kCount>>>(ints, longs);
  cudaDeviceSynchronize();
  expect_dynamic_programming(ints, longs);

  bytes<<<1, 1>>>(words);
  cudaDeviceSynchronize();
  check(words[0] == 0x59 && words[1] == 0x58, "__nv_cvt_double_to_fp8", words[0] * 256 + words[1]);
  check(words[2] == 0x3c00 && words[3] == 0x3c, "raw halves", words[2]);
  check(words[4] == 0x3f807c00u, "constants", words[4]);
  check(CUDART_PI_F == 3.14159265f && CUDART_LN2 == 0.69314718055994529, "mathematical constants",
        0);
  printf("%d differences\n", failures);
  return failures != 0;
}
