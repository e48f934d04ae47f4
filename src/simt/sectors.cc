// SPDX-License-Identifier: Apache-2.0
#include "simt/sectors.h"

#include <bit>

namespace ambidex::simt {
namespace {

constexpr size_t kFewest = 1024;
constexpr uint64_t kMix = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio: neighbours go far apart

bool is_empty(const SectorBytes& slot) { return (slot.read | slot.written) == 0; }

}  // namespace

size_t Sectors::slot_of(uint64_t sector) const {
  const size_t mask = slots_.size() - 1;
  size_t slot = static_cast<size_t>((sector * kMix) >> 20) & mask;
  while (!is_empty(slots_[slot]) && slots_[slot].sector != sector) slot = (slot + 1) & mask;
  return slot;
}

void Sectors::add(const SectorBytes& bytes) {
  if (is_empty(bytes)) return;
  if (slots_.size() < 2 * (used_.size() + 1)) grow();
  const size_t slot = slot_of(bytes.sector);
  SectorBytes& known = slots_[slot];
  if (is_empty(known)) {
    known.sector = bytes.sector;
    used_.push_back(static_cast<uint32_t>(slot));
  }
  known.read |= bytes.read;
  known.written |= bytes.written;
}

void Sectors::grow() {
  Sectors larger;
  larger.slots_.resize(slots_.empty() ? kFewest : 4 * slots_.size());
  larger.used_.reserve(used_.size());
  larger.add_all(*this);
  *this = std::move(larger);
}

void Sectors::add_all(const Sectors& other) {
  for (const uint32_t slot : other.used_) add(other.slots_[slot]);
}

void Sectors::clear() {
  for (const uint32_t slot : used_) slots_[slot] = {};
  used_.clear();
}

bool Sectors::has(uint64_t sector, bool written) const {
  const SectorBytes& slot = slots_[slot_of(sector)];
  return (written ? slot.written : slot.read) != 0;
}

SimtPieces Sectors::pieces(bool written) const {
  SimtPieces pieces;
  for (const uint32_t slot : used_) {
    const SectorBytes& bytes = slots_[slot];
    if ((written ? bytes.written : bytes.read) == 0) continue;
    ++pieces.sectors;
    // The first sector of a larger piece stands for it.
    const uint64_t in_line = bytes.sector % 4;
    const bool first_of_half = in_line % 2 == 0 || !has(bytes.sector - 1, written);
    pieces.half_lines += first_of_half;
    const uint64_t half = bytes.sector - in_line % 2;
    pieces.lines +=
        first_of_half && (in_line < 2 || (!has(half - 1, written) && !has(half - 2, written)));
  }
  return pieces;
}

int64_t Sectors::num_bytes(bool written) const {
  int64_t num = 0;
  for (const uint32_t slot : used_) {
    num += std::popcount(written ? slots_[slot].written : slots_[slot].read);
  }
  return num;
}

}  // namespace ambidex::simt
