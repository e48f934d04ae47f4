// SPDX-License-Identifier: Apache-2.0
// Remainders by a divisor that is known in advance: two multiplications instead of a division
// (Lemire, Kaser, Kurz, "Faster remainder by direct computation", 2019).
#pragma once

#include <cstdint>

namespace ambidex {

class Modulo {
 public:
  /// `divisor` in [1, 2^32)
  explicit Modulo(uint64_t divisor = 1)
      : divisor_(divisor), reciprocal_(~uint64_t{0} / divisor + 1) {}

  uint32_t of(uint32_t value) const {
    __extension__ using Wide = unsigned __int128;
    const uint64_t fraction = reciprocal_ * value;
    return static_cast<uint32_t>((static_cast<Wide>(fraction) * divisor_) >> 64);
  }
  uint32_t of_long(uint64_t value) const { return static_cast<uint32_t>(value % divisor_); }

 private:
  uint64_t divisor_;
  uint64_t reciprocal_;
};

}  // namespace ambidex
