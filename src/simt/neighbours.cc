// SPDX-License-Identifier: Apache-2.0
#include "simt/neighbours.h"

#include <algorithm>
#include <bit>

namespace ambidex::simt {
namespace {

constexpr uint32_t kWidest = 16;  // bytes of a lane's access
constexpr uint32_t kWordBytes = 4;

using Indices = std::vector<size_t>;

Indices pieces_of(const WaveSite& site, const Occurrence& access, bool sorted) {
  Indices indices;
  for (int32_t at = access.first; at >= 0; at = site.pieces[indices.back()].next) {
    indices.push_back(static_cast<size_t>(at));
  }
  if (sorted) {
    std::sort(indices.begin(), indices.end(),
              [&](size_t a, size_t b) { return site.pieces[a].key < site.pieces[b].key; });
  }
  return indices;
}

// Bytes of a sector that lie in left halves of pieces of twice `size` bytes.
uint32_t left_halves(uint32_t size) {
  uint32_t bits = 0;
  for (uint32_t at = 0; at < 32; at += 2 * size) bits |= ((1u << size) - 1) << at;
  return bits;
}

// Bytes of each lane, if they are as many in all and could be half of a wider access; else 0.
uint32_t half_of(const Occurrence& access) {
  const uint32_t size = access.bytes / access.lanes;
  const bool even = size * access.lanes == access.bytes;
  return even && std::has_single_bit(size) && 2 * size <= kWidest ? size : 0;
}

bool sectors_fit(const WaveSite& left, const Occurrence& a, const WaveSite& right,
                 const Occurrence& b, uint32_t size) {
  const Indices of_left = pieces_of(left, a, true), of_right = pieces_of(right, b, true);
  if (of_left.size() != of_right.size()) return false;
  for (size_t i = 0; i < of_left.size(); ++i) {
    const Piece& l = left.pieces[of_left[i]];
    const Piece& r = right.pieces[of_right[i]];
    if (l.key != r.key || (l.bytes_or_lane & ~left_halves(size)) != 0 ||
        r.bytes_or_lane != l.bytes_or_lane << size) {
      return false;
    }
  }
  return true;
}

// Lanes come in the same order to both, so that their words are in the same order.
bool words_fit(const WaveSite& left, const Occurrence& a, const WaveSite& right,
               const Occurrence& b, uint32_t size) {
  const uint64_t words = size / kWordBytes;
  if (words == 0) return false;
  const Indices of_left = pieces_of(left, a, false), of_right = pieces_of(right, b, false);
  if (of_left.size() != of_right.size() || of_left.size() != words * a.lanes) return false;
  for (size_t i = 0; i < of_left.size(); ++i) {
    const Piece& l = left.pieces[of_left[i]];
    const Piece& r = right.pieces[of_right[i]];
    if (l.bytes_or_lane != r.bytes_or_lane || l.key / words % 2 != 0 || r.key != l.key + words) {
      return false;
    }
  }
  return true;
}

bool fit(const WaveSite& left, const WaveSite& right, bool has_words) {
  const size_t times = left.occurrences.size();
  if (times == 0 || times != right.occurrences.size()) return false;
  for (size_t i = 0; i < times; ++i) {
    const Occurrence& a = left.occurrences[i];
    const Occurrence& b = right.occurrences[i];
    if (a.lanes != b.lanes || a.bytes != b.bytes) return false;
    const uint32_t size = half_of(a);
    if (size == 0) return false;
    if (!(has_words ? words_fit(left, a, right, b, size) : sectors_fit(left, a, right, b, size))) {
      return false;
    }
  }
  return true;
}

void join(WaveSite& left, WaveSite& right, bool has_words) {
  for (size_t i = 0; i < left.occurrences.size(); ++i) {
    Occurrence& a = left.occurrences[i];
    const Indices of_right = pieces_of(right, right.occurrences[i], !has_words);
    const Indices of_left = has_words ? Indices{} : pieces_of(left, a, true);
    for (size_t k = 0; k < of_right.size(); ++k) {
      const Piece& piece = right.pieces[of_right[k]];
      if (!has_words) {
        left.pieces[of_left[k]].bytes_or_lane |= piece.bytes_or_lane;
        continue;
      }
      left.pieces.push_back({piece.key, piece.bytes_or_lane, a.first});
      a.first = static_cast<int32_t>(left.pieces.size()) - 1;
    }
    a.bytes += right.occurrences[i].bytes;
  }
  right.occurrences.clear();
}

bool join_any(std::span<WaveSite*> sites, bool has_words) {
  bool joined = false;
  for (WaveSite* left : sites) {
    for (WaveSite* right : sites) {
      if (left == right || !fit(*left, *right, has_words)) continue;
      join(*left, *right, has_words);
      joined = true;
    }
  }
  return joined;
}

}  // namespace

void merge_neighbours(std::span<WaveSite*> sites, bool has_words) {
  while (join_any(sites, has_words)) continue;
}

}  // namespace ambidex::simt
