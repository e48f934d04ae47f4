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
  int n = 0;
  int num_slots = 0;
  int num_wrong = 0;
  std::vector<bool> told = std::vector<bool>(1024);

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

#define WANT(name, expected) checker.want(name, slot++, i, (uint64_t)(expected))
