// SPDX-License-Identifier: Apache-2.0
// Integer intrinsics, words of two and four elements, atomics and the barriers that count.
#include "check.h"

constexpr int kNum = 3000;

// out [12][kNum]
__global__ void integers(const unsigned* in, unsigned* out) {
  for (int i = threadIdx.x; i < kNum; i += blockDim.x) {
    const unsigned a = in[i], b = in[kNum + i], c = in[2 * kNum + i];
    const unsigned results[12] = {unsigned(__popc(a)),
                                  unsigned(__clz(int(a >> (b & 31)))),
                                  unsigned(__ffs(int(a << (b & 31)))),
                                  __brev(a),
                                  __byte_perm(a, b, c),
                                  __funnelshift_l(a, b, c),
                                  unsigned(__mulhi(int(a), int(b))),
                                  unsigned(__dp4a(int(a), int(b), int(c))),
                                  __vadd4(a, b),
                                  __vmaxs2(a, b),
                                  __vsubus4(a, b),
                                  unsigned(__hadd(int(a), int(b)))};
    for (int k = 0; k < 12; ++k) out[k * kNum + i] = results[k];
  }
}

unsigned element(unsigned word, int i, int bits) {
  return word >> (i * bits) & ((1u << bits) - 1u);
}

void check_integers() {
  unsigned state = 17;
  std::vector<unsigned> in;
  for (int i = 0; i < 3 * kNum; ++i) in.push_back(next_random(state));
  Array<unsigned> device_in(in), device_out(12 * kNum);
  integers<<<1, 64>>>(device_in.device, device_out.device);
  const std::vector<unsigned> got = device_out.values();
  for (int i = 0; i < kNum; ++i) {
    const unsigned a = in[i], b = in[kNum + i], c = in[2 * kNum + i];
    unsigned expected[12] = {};
    const unsigned right = a >> (b & 31), left = a << (b & 31);
    for (int k = 0; k < 32; ++k) {
      expected[0] += a >> k & 1u;
      expected[3] |= (a >> k & 1u) << (31 - k);
    }
    while (expected[1] < 32 && !(right << expected[1] & 0x80000000u)) ++expected[1];
    for (int k = 31; k >= 0; --k) {
      if (left >> k & 1u) expected[2] = unsigned(k) + 1;
    }
    long long dot = int(c);
    for (int k = 0; k < 4; ++k) {
      const unsigned from = element(c, k, 4) & 7u;
      expected[4] |= (from < 4 ? element(a, int(from), 8) : element(b, int(from) - 4, 8))
                     << (8 * k);
      const int x = (signed char)element(a, k, 8), y = (signed char)element(b, k, 8);
      dot += x * y;
      expected[8] |= (element(a, k, 8) + element(b, k, 8) & 0xffu) << (8 * k);
      const unsigned p = element(a, k, 8), q = element(b, k, 8);
      expected[10] |= (p > q ? p - q : 0u) << (8 * k);
    }
    const int shift = int(c & 31u);
    expected[5] = shift == 0 ? b : b << shift | a >> (32 - shift);
    expected[6] = unsigned((long long)int(a) * int(b) >> 32);
    expected[7] = unsigned(dot);
    for (int k = 0; k < 2; ++k) {
      const short x = short(element(a, k, 16)), y = short(element(b, k, 16));
      expected[9] |= unsigned((unsigned short)(x > y ? x : y)) << (16 * k);
    }
    expected[11] = unsigned(((long long)int(a) + int(b)) >> 1);
    for (int k = 0; k < 12; ++k) {
      CHECK_EQUAL("an integer", k * kNum + i, got[k * kNum + i], expected[k]);
    }
  }
}

struct Totals {
  int sum, least, most;
  unsigned ands, ors, xors, wrapped_up, wrapped_down, by_swap;
  unsigned long long wide;
  float single;
  double precise;
};
// Of blocks of 64 threads; values are whole, so that sums are exact.
__global__ void totals(Totals* t, int* counts) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(&t->sum, i);
  atomicMin(&t->least, -i);
  atomicMax(&t->most, i);
  atomicAnd(&t->ands, ~(1u << (i % 8)));
  atomicOr(&t->ors, 1u << (i % 16));
  atomicXor(&t->xors, unsigned(i));
  atomicInc(&t->wrapped_up, 9u);
  atomicDec(&t->wrapped_down, 9u);
  atomicAdd(&t->wide, 1ull << 33);
  atomicAdd(&t->single, float(i));
  atomicAdd(&t->precise, double(i));
  unsigned old = t->by_swap, seen;
  do {
    seen = old;
    old = atomicCAS(&t->by_swap, seen, seen + 3u);
  } while (old != seen);
  counts[4 * i] = __syncthreads_count(threadIdx.x % 3 == 0);
  counts[4 * i + 1] = __syncthreads_and(threadIdx.x < 63) != 0;
  counts[4 * i + 2] = __syncthreads_or(threadIdx.x == 63) != 0;
  counts[4 * i + 3] = int(warpSize);
}
void check_totals() {
  Totals start{};
  start.ands = ~0u;
  Array<Totals> device(std::vector<Totals>{start});
  Array<int> counts(4 * 192);
  totals<<<3, 64>>>(device.device, counts.device);
  const Totals got = device.values()[0];
  unsigned xors = 0;
  for (unsigned i = 0; i < 192; ++i) xors ^= i;
  const int sum = 191 * 192 / 2;
  check(got.sum == sum && got.least == -191 && got.most == 191, "a total of int", got.sum);
  check(got.ands == ~0xffu && got.ors == 0xffffu && got.xors == xors, "a total of bits", got.ors);
  check(got.wrapped_up == 192 % 10, "atomicInc", got.wrapped_up);
  check(got.wrapped_down == 8, "atomicDec", got.wrapped_down);  // 0, 9, 8 ... : 192 steps of 10
  check(got.wide == 192ull << 33, "a wide total", (long long)got.wide);
  check(got.single == float(sum) && got.precise == double(sum), "a total of float", sum);
  check(got.by_swap == 3 * 192, "atomicCAS", got.by_swap);
  const std::vector<int> seen = counts.values();
  for (int i = 0; i < 192; ++i) {
    check(
        seen[4 * i] == 22 && seen[4 * i + 1] == 0 && seen[4 * i + 2] == 1 && seen[4 * i + 3] == 32,
        "a barrier", i);
  }
}

int main() {
  check_integers();
  check_totals();
  return finish();
}
