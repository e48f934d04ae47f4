// SPDX-License-Identifier: Apache-2.0
#include "kernels/radix.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ambidex {
namespace {

constexpr size_t kFew = 24;      // below, insertion is faster than two passes
constexpr size_t kMany = 1024;   // from here on, wide digits are
constexpr int kNarrowDigit = 8;  // bits
constexpr int kWideDigit = 11;   // bits; 8 KiB of counts stay in the first cache
constexpr size_t kRowShift = 32;

void insertion_sort(std::span<uint64_t> keys) {
  for (size_t i = 1; i < keys.size(); ++i) {
    const uint64_t key = keys[i];
    size_t place = i;
    for (; place > 0 && row_of(keys[place - 1]) > row_of(key); --place) {
      keys[place] = keys[place - 1];
    }
    keys[place] = key;
  }
}

/// One stable pass by `kBits` bits of the row from `shift` on.
template <int kBits>
void scatter(std::span<const uint64_t> from, std::span<uint64_t> to, size_t shift) {
  constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
  uint32_t places[kMask + 1] = {};
  for (const uint64_t key : from) ++places[key >> shift & kMask];
  uint32_t sum = 0;
  for (uint32_t& place : places) sum += std::exchange(place, sum);
  for (const uint64_t key : from) to[places[key >> shift & kMask]++] = key;
}

template <int kBits>
std::span<const uint64_t> radix_sort(std::span<uint64_t> keys, std::span<uint64_t> other,
                                     int num_bits) {
  for (int bit = 0; bit < num_bits; bit += kBits) {
    scatter<kBits>(keys, other, kRowShift + static_cast<size_t>(bit));
    std::swap(keys, other);
  }
  return keys;
}

}  // namespace

std::span<const uint64_t> sort_by_row(std::span<uint64_t> keys, std::span<uint64_t> other,
                                      int64_t rows) {
  if (keys.size() < kFew) {
    insertion_sort(keys);
    return keys;
  }
  const int num_bits = std::bit_width(static_cast<uint64_t>(std::max<int64_t>(rows - 1, 0)));
  return keys.size() < kMany ? radix_sort<kNarrowDigit>(keys, other, num_bits)
                             : radix_sort<kWideDigit>(keys, other, num_bits);
}

}  // namespace ambidex
