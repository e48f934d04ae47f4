// SPDX-License-Identifier: Apache-2.0
// Keys of an embedding update: the row of a table in the high half, below it who contributes.
#pragma once

#include <cstdint>
#include <span>

namespace ambidex {

inline uint64_t row_of(uint64_t key) { return key >> 32; }

/// Sorts by row, in [0, rows), keeping the order of keys with the same row. `other` is as long as
/// `keys`; the result is in the one or the other.
std::span<const uint64_t> sort_by_row(std::span<uint64_t> keys, std::span<uint64_t> other,
                                      int64_t rows);

}  // namespace ambidex
