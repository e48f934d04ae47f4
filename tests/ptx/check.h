// SPDX-License-Identifier: Apache-2.0
// A kernel puts what PTX computed into one slot after the other, the host says what plain C++ wants
// there, in the same order.
#pragma once

#include <cuda_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#define PUT(value) out[slot++ * n + i] = (uint64_t)(value)

template <class To, class From>
__host__ __device__ To same_bits(From from) {
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

struct Checker {
  std::vector<uint64_t> got;
  uint64_t* out = nullptr;  // of the device, as many
  int n = 0;
  int num_slots = 0;
  int num_wrong = 0;
  std::vector<bool> told = std::vector<bool>(1024);

  Checker(int num_inputs, int max_slots) : got((size_t)num_inputs * max_slots), n(num_inputs) {
    cudaMalloc(&out, got.size() * 8);
    cudaMemset(out, 0, got.size() * 8);
  }
  bool fetch() {
    return cudaMemcpy(got.data(), out, got.size() * 8, cudaMemcpyDeviceToHost) == cudaSuccess;
  }

  void want(const char* name, int slot, int i, uint64_t expected) {
    num_slots = slot + 1 > num_slots ? slot + 1 : num_slots;
    const uint64_t value = got[(size_t)slot * n + i];
    if (value == expected || told[slot]) return;
    told[slot] = true;
    ++num_wrong;
    std::printf("%s, input %d: got %llx, want %llx\n", name, i, (unsigned long long)value,
                (unsigned long long)expected);
  }
  int report() const {
    std::printf("%d of %d wrong\n", num_wrong, num_slots);
    return num_wrong != 0;
  }
};

/// One kernel over all inputs, one thread each.
template <class Launch, class Want>
int checked(int num_inputs, int max_slots, Launch launch, Want want) {
  Checker checker(num_inputs, max_slots);
  launch(checker.out);
  if (!checker.fetch()) return 1;
  for (int i = 0; i < num_inputs; ++i) want(checker, i);
  return checker.report();
}

#define WANT(name, expected) checker.want(name, slot++, i, (uint64_t)(expected))
