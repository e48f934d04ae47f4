// SPDX-License-Identifier: Apache-2.0
// Random numbers without a state: a number is a function of a key and a counter, so that any
// thread can draw any of them, and a resumed run draws the same.
#pragma once

#include <cstdint>

namespace ambidex {

/// 64 random bits of (key, counter); SplitMix64's finaliser (Steele et al. 2014) twice.
inline uint64_t random_bits(uint64_t key, uint64_t counter) {
  const auto mix = [](uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  return mix(mix(key + 0x9e3779b97f4a7c15u) + (counter + 1) * 0x9e3779b97f4a7c15u);
}

/// In [0, 1), a multiple of 2^-53.
inline double random_unit(uint64_t key, uint64_t counter) {
  return static_cast<double>(random_bits(key, counter) >> 11) * 0x1p-53;
}

/// A key for a purpose below another key: layers of a seed, steps of a layer, ...
inline uint64_t random_key(uint64_t key, uint64_t purpose) { return random_bits(~key, purpose); }

}  // namespace ambidex
