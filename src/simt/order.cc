// SPDX-License-Identifier: Apache-2.0
#include "simt/order.h"

#include <numeric>
#include <utility>

namespace ambidex::simt {
namespace {

/// The next of a sequence that looks random: splitmix64 (Steele, Lea and Flood, 2014).
uint64_t next_random(uint64_t& state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace

int64_t block_at(uint64_t seed, int64_t position, int64_t num_blocks) {
  if (seed == 0 || num_blocks == 1) return position;
  uint64_t state = seed;
  const auto count = static_cast<uint64_t>(num_blocks);
  const uint64_t start = next_random(state) % count;
  uint64_t step = next_random(state) % count;
  while (std::gcd(step, count) != 1) step = (step + 1) % count;
  const auto product = static_cast<unsigned __int128>(step) * static_cast<uint64_t>(position);
  return static_cast<int64_t>((product + start) % count);
}

void order_of(uint64_t seed, int64_t block, int64_t wave, std::span<uint8_t> order) {
  std::iota(order.begin(), order.end(), uint8_t{0});
  if (seed == 0) return;
  uint64_t state = seed;
  state = next_random(state) ^ static_cast<uint64_t>(block);
  state = next_random(state) ^ static_cast<uint64_t>(wave);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[next_random(state) % i]);
  }
}

}  // namespace ambidex::simt
