// SPDX-License-Identifier: Apache-2.0
// Matrix instructions of CDNA, and loads that go past the registers into LDS, as functions of the
// executor. Layouts are those of the "AMD matrix instruction calculator": operands have row (of A)
// or column (of B) lane % m, and k = num (lane / m) + i; sums have column lane % m, and row
// 4 (lane / m) + i % 4 + 256 / m (i / 4), but in double 4 i + lane / 16.
#pragma once

#if defined(__cplusplus)

#define AMBIDEX_HIP_COMBINE \
  static inline __attribute__((device, unused, disable_sanitizer_instrumentation))

AMBIDEX_HIP_COMBINE float __ambidex_factor(_Float16 x) { return static_cast<float>(x); }
AMBIDEX_HIP_COMBINE float __ambidex_factor(__bf16 x) { return static_cast<float>(x); }
AMBIDEX_HIP_COMBINE float __ambidex_factor(short x) {  // the bits of a bfloat16
  return __builtin_bit_cast(float, static_cast<unsigned>(static_cast<unsigned short>(x)) << 16);
}

// Element i of what a lane holds of A or B.
template <class Operand>
AMBIDEX_HIP_COMBINE float __ambidex_element(const Operand& all, int i) {
  return __ambidex_factor(all[i]);
}
AMBIDEX_HIP_COMBINE float __ambidex_element(float one, int) { return one; }
AMBIDEX_HIP_COMBINE double __ambidex_element(double one, int) { return one; }
AMBIDEX_HIP_COMBINE int __ambidex_element(long bytes, int i) {
  return static_cast<signed char>(bytes >> 8 * i);
}

AMBIDEX_HIP_COMBINE float __ambidex_add(float a, float b, float sum) {
  return __builtin_fmaf(a, b, sum);
}
AMBIDEX_HIP_COMBINE double __ambidex_add(double a, double b, double sum) {
  return __builtin_fma(a, b, sum);
}
AMBIDEX_HIP_COMBINE int __ambidex_add(int a, int b, int sum) {
  return static_cast<int>(static_cast<unsigned>(sum) + static_cast<unsigned>(a * b));
}

// Of one lane.
template <class Operand, class Sums>
struct __ambidex_product {
  const Operand *a, *b;
  Sums* sums;
  bool complete;  // all 64 lanes took part: the instruction reads their registers in any case
};

// Row of sum i that `part`, a lane / m, holds.
template <int m, class Sums>
AMBIDEX_HIP_COMBINE int __ambidex_row(int part, int i, const Sums& sums) {
  return sizeof(sums[0]) == 8 ? 4 * i + part : 4 * part + i % 4 + 256 / m * (i / 4);
}

template <int m, int k, class Operand, class Sums>
AMBIDEX_HIP_COMBINE void __ambidex_multiply(void** payloads, unsigned width) {
  using Product = __ambidex_product<Operand, Sums>;
  constexpr int kHeld = k * m / 64;
  bool complete = width == 64;
  for (unsigned lane = 0; lane < width; ++lane) complete = complete && payloads[lane];
  for (unsigned lane = 0; lane < width; ++lane) {
    Product* const own = static_cast<Product*>(payloads[lane]);
    if (own == nullptr) continue;
    own->complete = complete;
    const int column = lane % m;
    for (int i = 0; complete && i < m * m / 64; ++i) {
      const int row = __ambidex_row<m>(lane / m, i, *own->sums);
      auto sum = (*own->sums)[i];
      for (int step = 0; step < k; ++step) {
        const int part = step / kHeld * m;
        const auto* a = static_cast<Product*>(payloads[part + row])->a;
        const auto* b = static_cast<Product*>(payloads[part + column])->b;
        sum = __ambidex_add(__ambidex_element(*a, step % kHeld),
                            __ambidex_element(*b, step % kHeld), sum);
      }
      (*own->sums)[i] = sum;
    }
  }
}

// type: of the operands, as ambidex_simt_matrix_product() takes it.
template <int m, int k, int type, class Operand, class Sums>
AMBIDEX_HIP_DEVICE Sums __ambidex_mfma(Operand a, Operand b, Sums sums, int cbsz, int abid,
                                       int blgp) {
  if (cbsz != 0 || abid != 0 || blgp != 0) {
    ambidex_simt_trap("the executor has matrix instructions with cbsz, abid and blgp 0 only");
  }
  __ambidex_product<Operand, Sums> payload{&a, &b, &sums, false};
  ambidex_simt_matrix_product(type, 2ul * m * m * k / 64);
  ambidex_simt_collective(AMBIDEX_SIMT_CONVERGED, &payload,
                          __ambidex_multiply<m, k, Operand, Sums>);
  if (!payload.complete) {
    ambidex_simt_trap("a matrix instruction needs all 64 lanes of a wave at the same place");
  }
  return sums;
}

// CDNA 3 and 4.
#define __builtin_amdgcn_mfma_f32_16x16x4f32 __ambidex_mfma<16, 4, 0, float>
#define __builtin_amdgcn_mfma_f32_32x32x2f32 __ambidex_mfma<32, 2, 0, float>
#define __builtin_amdgcn_mfma_f32_16x16x16f16 __ambidex_mfma<16, 16, 2>
#define __builtin_amdgcn_mfma_f32_32x32x8f16 __ambidex_mfma<32, 8, 2>
#define __builtin_amdgcn_mfma_f32_16x16x16bf16_1k __ambidex_mfma<16, 16, 3>
#define __builtin_amdgcn_mfma_f32_32x32x8bf16_1k __ambidex_mfma<32, 8, 3>
#define __builtin_amdgcn_mfma_f64_16x16x4f64 __ambidex_mfma<16, 4, 255, double>
#define __builtin_amdgcn_mfma_i32_16x16x32_i8 __ambidex_mfma<16, 32, 8, long>
#define __builtin_amdgcn_mfma_i32_32x32x16_i8 __ambidex_mfma<32, 16, 8, long>
// CDNA 4 alone.
#define __builtin_amdgcn_mfma_f32_16x16x32_f16 __ambidex_mfma<16, 32, 2>
#define __builtin_amdgcn_mfma_f32_32x32x16_f16 __ambidex_mfma<32, 16, 2>
#define __builtin_amdgcn_mfma_f32_16x16x32_bf16 __ambidex_mfma<16, 32, 3>
#define __builtin_amdgcn_mfma_f32_32x32x16_bf16 __ambidex_mfma<32, 16, 3>

template <bool kWords>
struct __ambidex_unit {
  using Type = unsigned;
};
template <>
struct __ambidex_unit<false> {
  using Type = char;
};

// Each lane's own address to the slot of its number behind the first active lane's `to`; `offset`
// goes to both. Here the bytes are there at once. On hardware __syncthreads waits for them, and the
// compiler does so before the wave's own loads: what the wave reads without is a race here, too.
template <int num_bytes>
AMBIDEX_HIP_DEVICE void __ambidex_load_lds(const void* from, void* to, int offset) {
  static_assert(
      num_bytes == 1 || num_bytes == 2 || num_bytes == 4 || num_bytes == 12 || num_bytes == 16,
      "global_load_lds moves 1, 2, 4, 12 or 16 bytes for each lane");
  const unsigned long active = ambidex_simt_active_lanes();
  const unsigned long base = ambidex_simt_shuffle(
      AMBIDEX_SIMT_CONVERGED, reinterpret_cast<unsigned long>(to), __builtin_ctzl(active));
  using Word = typename __ambidex_unit<num_bytes % 4 == 0>::Type;
  const Word* const source = reinterpret_cast<const Word*>(static_cast<const char*>(from) + offset);
  Word* const target = reinterpret_cast<Word*>(base + static_cast<unsigned>(offset) +
                                               ambidex_simt_self()->lane * num_bytes);
  for (unsigned i = 0; i < num_bytes / sizeof(Word); ++i) target[i] = source[i];
}
// The GPU's compiler refuses other sizes, and sizes that are no constants.
template <class From, class To>
AMBIDEX_HIP_DEVICE void __ambidex_global_load_lds(From from, To to, unsigned num_bytes, int offset,
                                                  unsigned) {
  const void* const source = (const void*)from;
  void* const target = (void*)to;
  if (num_bytes == 1) return __ambidex_load_lds<1>(source, target, offset);
  if (num_bytes == 2) return __ambidex_load_lds<2>(source, target, offset);
  if (num_bytes == 4) return __ambidex_load_lds<4>(source, target, offset);
  if (num_bytes == 12) return __ambidex_load_lds<12>(source, target, offset);
  if (num_bytes == 16) return __ambidex_load_lds<16>(source, target, offset);
  __builtin_trap();
}
#define __builtin_amdgcn_global_load_lds __ambidex_global_load_lds

#endif
