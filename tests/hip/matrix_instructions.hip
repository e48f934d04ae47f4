// SPDX-License-Identifier: Apache-2.0
// Matrix instructions against three loops: every lane's operands and sums by the layouts that AMD
// documents, worked out for each instruction by itself.
#include "check.h"

namespace {

typedef float F4 __attribute__((ext_vector_type(4)));
typedef float F16 __attribute__((ext_vector_type(16)));
typedef double D4 __attribute__((ext_vector_type(4)));
typedef int I4 __attribute__((ext_vector_type(4)));
typedef int I16 __attribute__((ext_vector_type(16)));
typedef _Float16 H4 __attribute__((ext_vector_type(4)));
typedef short S4 __attribute__((ext_vector_type(4)));

#define AMBIDEX_INSTRUCTION(Name, Operand, Sums, builtin)                          \
  struct Name {                                                                    \
    using A = Operand;                                                             \
    using C = Sums;                                                                \
    static __device__ Sums run(Operand a, Operand b, Sums c) {                     \
      return __builtin_amdgcn_mfma_##builtin(a, b, c, 0, 0, 0);                    \
    }                                                                              \
  };
AMBIDEX_INSTRUCTION(Single16, float, F4, f32_16x16x4f32)
AMBIDEX_INSTRUCTION(Single32, float, F16, f32_32x32x2f32)
AMBIDEX_INSTRUCTION(Half16, H4, F4, f32_16x16x16f16)
AMBIDEX_INSTRUCTION(Half32, H4, F16, f32_32x32x8f16)
AMBIDEX_INSTRUCTION(Brain16, S4, F4, f32_16x16x16bf16_1k)
AMBIDEX_INSTRUCTION(Brain32, S4, F16, f32_32x32x8bf16_1k)
AMBIDEX_INSTRUCTION(Double16, double, D4, f64_16x16x4f64)
AMBIDEX_INSTRUCTION(Byte16, long, I4, i32_16x16x32_i8)
AMBIDEX_INSTRUCTION(Byte32, long, I16, i32_32x32x16_i8)

template <class Instruction>
__global__ void multiply(const typename Instruction::A* a, const typename Instruction::A* b,
                         typename Instruction::C* c) {
  const unsigned i = threadIdx.x;
  c[i] = Instruction::run(a[i], b[i], c[i]);
}

// Element i of a register of operands, from a small integer.
void set(float& to, int, int value) { to = static_cast<float>(value); }
void set(double& to, int, int value) { to = value; }
void set(H4& to, int i, int value) { to[i] = static_cast<_Float16>(value); }
void set(S4& to, int i, int value) {
  const float number = static_cast<float>(value);
  unsigned bits;
  __builtin_memcpy(&bits, &number, 4);
  to[i] = static_cast<short>(bits >> 16);
}
void set(long& to, int i, int value) {
  to = (to & ~(255l << 8 * i)) | static_cast<long>(value & 255) << 8 * i;
}

int a_of(int row, int k) { return (row * 7 + k * 3) % 13 - 6; }
int b_of(int k, int column) { return (k * 5 + column * 11) % 9 - 4; }
int c_of(int row, int column) { return (row * 3 + column) % 5; }

// Where the sums are: rows of lane and register, from the tables of the ISA documents.
int row_of_16(int lane, int i) { return lane / 16 * 4 + i; }
int row_of_16_double(int lane, int i) { return i * 4 + lane / 16; }
int row_of_32(int lane, int i) {
  constexpr int kFirst[4] = {0, 8, 16, 24};  // of four registers each; the upper lanes 4 behind
  return kFirst[i / 4] + (lane >= 32 ? 4 : 0) + i % 4;
}

template <class Instruction>
void check(const char* what, int m, int num_k, int (*row_of)(int, int)) {
  using A = typename Instruction::A;
  using C = typename Instruction::C;
  const int held = num_k * m / 64, num_sums = m * m / 64;
  Array<A> a(64, A{}), b(64, A{});
  Array<C> c(64, C{});
  for (int lane = 0; lane < 64; ++lane) {
    for (int i = 0; i < held; ++i) {
      set(a[lane], i, a_of(lane % m, lane / m * held + i));
      set(b[lane], i, b_of(lane / m * held + i, lane % m));
    }
    for (int i = 0; i < num_sums; ++i) c[lane][i] = c_of(row_of(lane, i), lane % m);
  }
  for (auto* one : {&a, &b}) one->up();
  c.up();
  multiply<Instruction><<<1, 64>>>(a.device, b.device, c.device);
  c.down();
  for (int lane = 0; lane < 64; ++lane) {
    for (int i = 0; i < num_sums; ++i) {
      const int row = row_of(lane, i), column = lane % m;
      int sum = c_of(row, column);
      for (int k = 0; k < num_k; ++k) sum += a_of(row, k) * b_of(k, column);
      expect(what, lane * num_sums + i, static_cast<double>(c[lane][i]), sum);
    }
  }
}

// A wave loads 64 words to consecutive slots, whatever address a lane names but the first.
__global__ void gather(const float* from, const int* index, float* to) {
  __shared__ float tile[128];
  const unsigned wave = threadIdx.x / 64 * 64;
  __builtin_amdgcn_global_load_lds(
      (__attribute__((address_space(1))) void*)(from + index[threadIdx.x]),
      (__attribute__((address_space(3))) void*)(tile + wave), 4, 0, 0);
  __syncthreads();
  to[threadIdx.x] = tile[127 - threadIdx.x];
}

void check_gather() {
  Array<float> from(300), to(128);
  Array<int> index(128);
  for (int i = 0; i < 300; ++i) from[i] = static_cast<float>(i);
  for (int i = 0; i < 128; ++i) index[i] = i * 37 % 300;
  from.up();
  index.up();
  gather<<<1, 128>>>(from.device, index.device, to.device);
  to.down();
  for (int i = 0; i < 128; ++i) expect("gather", i, to[i], (127 - i) * 37 % 300);
}

}  // namespace

int main() {
  int width = 0;
  (void)hipDeviceGetAttribute(&width, hipDeviceAttributeWarpSize, 0);
  if (width != 64) return finish();
  check<Single16>("16x16x4f32", 16, 4, row_of_16);
  check<Single32>("32x32x2f32", 32, 2, row_of_32);
  check<Half16>("16x16x16f16", 16, 16, row_of_16);
  check<Half32>("32x32x8f16", 32, 8, row_of_32);
  check<Brain16>("16x16x16bf16", 16, 16, row_of_16);
  check<Brain32>("32x32x8bf16", 32, 8, row_of_32);
  check<Double16>("16x16x4f64", 16, 4, row_of_16_double);
  check<Byte16>("16x16x32i8", 16, 32, row_of_16);
  check<Byte32>("32x32x16i8", 32, 16, row_of_32);
  check_gather();
  return finish();
}
