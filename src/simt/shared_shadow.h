// SPDX-License-Identifier: Apache-2.0
// What is known of each byte of a shared variable: who wrote it last and who read it since. Four
// bytes that are always accessed together share a cell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simt/orders.h"

namespace ambidex::simt {

/// One access of the past.
struct Trace {
  uint64_t program_counter = 0;
  Time time = 0;
  uint16_t thread = 0;
  AccessSort sort = AccessSort::plain;
  bool more = false;  // the cell knows others of its kind
};

// Of all accesses that a later one could race with, so many are kept: the last, the last of
// another thread, and for reads the last of another wave. A write that is not atomic comes after
// all others or has been reported: they are forgotten then.
struct Cell {
  Trace write, read;
  Trace other_write, other_read, far_read;
};

/// What one access found.
struct Findings {
  int64_t num_uninitialised = 0;  // of the bytes that it reads
  Trace conflict;                 // time 0: none
  bool conflict_writes = false;
};

/// Who accesses, and how.
struct SharedAccess {
  uint32_t thread = 0;
  uint32_t wave_width = 32;
  AccessKind kind = AccessKind::read;
  AccessSort sort = AccessSort::plain;
  uint64_t program_counter = 0;
  bool lockstep_volatile = false;
};

class SharedShadow {
 public:
  explicit SharedShadow(int64_t num_bytes) : num_bytes_(num_bytes) {}

  void access(const Orders& orders, int64_t offset, int64_t num_bytes, const SharedAccess& what,
              Findings& findings);
  bool initialised(const Orders& orders, int64_t offset) const;
  void forget_write(int64_t offset);  // the byte is uninitialised again
  /// The thread's reads of these bytes count as atomic.
  void forgive_reads(int64_t offset, int64_t num_bytes, uint32_t thread);
  void restart();  // after Orders::restart()

 private:
  void split(size_t word);
  Cell& byte_cell(size_t word, int64_t part) {
    return part == 0 ? words_[word] : parts_[word * 3 + static_cast<size_t>(part) - 1];
  }
  const Cell& byte_cell(size_t word, int64_t part) const {
    return const_cast<SharedShadow*>(this)->byte_cell(word, part);
  }

  int64_t num_bytes_;
  std::vector<Cell> words_;  // empty until the first access
  std::vector<Cell> parts_;  // of bytes 1, 2, 3 of words that are split; empty until one is
  std::vector<bool> is_split_;
};

}  // namespace ambidex::simt
