// SPDX-License-Identifier: Apache-2.0
// Which bytes of memory have been read and written, by sectors of 32 bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "ambidex/simt_traffic.h"

namespace ambidex::simt {

/// One bit for each byte of a sector.
struct SectorBytes {
  uint64_t sector = 0;  // address / 32
  uint32_t read = 0, written = 0;
};

/// A set that grows, and is emptied at the cost of what is in it.
class Sectors {
 public:
  void add(const SectorBytes& bytes);
  void clear();
  /// Pieces with bytes that were read, or written.
  SimtPieces pieces(bool written) const;
  int64_t num_bytes(bool written) const;
  void add_all(const Sectors& other);

 private:
  size_t slot_of(uint64_t sector) const;
  bool has(uint64_t sector, bool written) const;
  void grow();

  std::vector<SectorBytes> slots_;  // a power of two; empty ones have no bytes
  std::vector<uint32_t> used_;
};

}  // namespace ambidex::simt
