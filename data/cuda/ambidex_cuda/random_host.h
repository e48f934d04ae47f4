// SPDX-License-Identifier: Apache-2.0
// cuRAND's generators of the host: element i of all that a generator has given is a hash of its
// seed and i. curandGeneratePoisson is declared only.
#pragma once
#pragma GCC system_header

#include "sequential.h"

// Of this implementation.
struct curandGenerator_st {
  unsigned long long seed, offset;
  cudaStream_t stream;
  bool on_host;
};

namespace ambidex_cuda {

// SplitMix64 of Steele, Lea and Flood (OOPSLA 2014).
AMBIDEX_HD unsigned long long random_bits_at(unsigned long long seed, unsigned long long place) {
  unsigned long long z = seed * 0xD1342543DE82EF95ull + (place + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}
// In (0, 1].
AMBIDEX_HD double random_unit(unsigned long long bits) {
  return double((bits >> 11) + 1) * 0x1p-53;
}
AMBIDEX_HD float random_unit_float(unsigned long long bits) {
  return float((bits >> 40) + 1) * 0x1p-24f;
}
// Box and Muller's.
AMBIDEX_HD double random_normal(unsigned long long seed, unsigned long long place) {
  const double u = random_unit(random_bits_at(seed, 2 * place));
  const double v = random_unit(random_bits_at(seed, 2 * place + 1));
  return sqrt(-2.0 * log(u)) * cos(6.28318530717958647692 * v);
}

// `value(seed, place)` for each element.
template <class T, class Value>
inline curandStatus_t random_fill(curandGenerator_t generator, T* out, size_t num, Value value) {
  if (generator == nullptr) return CURAND_STATUS_NOT_INITIALIZED;
  const unsigned long long seed = generator->seed, first = generator->offset;
  generator->offset += num;
  const auto fill = [=] __attribute__((host, device)) () {
    for (size_t i = 0; i < num; ++i) out[i] = value(seed, first + i);
  };
  if (generator->on_host) {
    fill();
    return CURAND_STATUS_SUCCESS;
  }
  return run_on_device(fill, generator->stream) == cudaSuccess ? CURAND_STATUS_SUCCESS
                                                               : CURAND_STATUS_LAUNCH_FAILURE;
}

}  // namespace ambidex_cuda

inline curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t) {
  *generator = new curandGenerator_st{0, 0, nullptr, false};
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t) {
  *generator = new curandGenerator_st{0, 0, nullptr, true};
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator) {
  delete generator;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGetVersion(int* version) {
  *version = 100300;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream) {
  generator->stream = stream;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator,
                                                         unsigned long long seed) {
  generator->seed = seed;
  generator->offset = 0;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator,
                                               unsigned long long offset) {
  generator->offset = offset;
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t, curandOrdering_t) {
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t, unsigned int) {
  return CURAND_STATUS_SUCCESS;
}
inline curandStatus_t curandGenerateSeeds(curandGenerator_t) { return CURAND_STATUS_SUCCESS; }

#define AMBIDEX_RANDOM(name, T, expression)                                                    \
  inline curandStatus_t name(curandGenerator_t generator, T* outputPtr, size_t num) {          \
    return ambidex_cuda::random_fill(                                                          \
        generator, outputPtr, num,                                                             \
        [] __attribute__((host, device)) (unsigned long long seed, unsigned long long place) { \
          const unsigned long long bits = ambidex_cuda::random_bits_at(seed, place);           \
          return static_cast<T>(expression);                                                   \
        });                                                                                    \
  }
AMBIDEX_RANDOM(curandGenerate, unsigned int, bits >> 32)
AMBIDEX_RANDOM(curandGenerateLongLong, unsigned long long, bits)
AMBIDEX_RANDOM(curandGenerateUniform, float, ambidex_cuda::random_unit_float(bits))
AMBIDEX_RANDOM(curandGenerateUniformDouble, double, ambidex_cuda::random_unit(bits))
#undef AMBIDEX_RANDOM

#define AMBIDEX_RANDOM(name, T, function)                                                          \
  inline curandStatus_t name(curandGenerator_t generator, T* outputPtr, size_t n, T mean,          \
                             T stddev) {                                                           \
    return ambidex_cuda::random_fill(                                                              \
        generator, outputPtr,                                                                      \
        n, [=] __attribute__((host, device)) (unsigned long long seed, unsigned long long place) { \
          return static_cast<T>(                                                                   \
              function(mean + stddev * ambidex_cuda::random_normal(seed, place)));                 \
        });                                                                                        \
  }
AMBIDEX_RANDOM(curandGenerateNormal, float, double)
AMBIDEX_RANDOM(curandGenerateNormalDouble, double, double)
AMBIDEX_RANDOM(curandGenerateLogNormal, float, exp)
AMBIDEX_RANDOM(curandGenerateLogNormalDouble, double, exp)
#undef AMBIDEX_RANDOM

extern "C" curandStatus_t curandGeneratePoisson(curandGenerator_t generator,
                                                unsigned int* outputPtr, size_t n, double lambda);
