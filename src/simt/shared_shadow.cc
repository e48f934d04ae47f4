// SPDX-License-Identifier: Apache-2.0
#include "simt/shared_shadow.h"

#include <algorithm>

namespace ambidex::simt {
namespace {

// Atomic accesses do not race with each other. Volatile ones are relaxed atomics in PTX's memory
// model; between lanes of a wave they are where code trusts in lockstep, and are taken as plain.
bool may_race(const Trace& before, const SharedAccess& now) {
  if (before.sort == AccessSort::plain || now.sort == AccessSort::plain) return true;
  if (before.sort == AccessSort::atomic || now.sort == AccessSort::atomic) return false;
  return before.thread / now.wave_width == now.thread / now.wave_width && !now.lockstep_volatile;
}

void compare(const Orders& orders, const Trace& before, bool writes, const SharedAccess& now,
             Findings& findings) {
  if (orders.knows(now.thread, before.thread, before.time) || !may_race(before, now)) return;
  if (findings.conflict.time != 0) return;
  findings.conflict = before;
  findings.conflict_writes = writes;
}

void find(const Orders& orders, const Cell& cell, int64_t num_bytes, const SharedAccess& now,
          Findings& findings) {
  if (now.kind != AccessKind::write && cell.write.time <= orders.block_begin()) {
    findings.num_uninitialised += num_bytes;
  }
  compare(orders, cell.write, true, now, findings);
  if (cell.write.more) compare(orders, cell.other_write, true, now, findings);
  if (now.kind == AccessKind::read) return;
  compare(orders, cell.read, false, now, findings);
  if (!cell.read.more) return;
  compare(orders, cell.other_read, false, now, findings);
  compare(orders, cell.far_read, false, now, findings);
}

// `before` gives way to an access by `now`. Whether it is worth keeping as another.
bool keeps(const Trace& before, const SharedAccess& now) {
  return before.thread != now.thread ||
         (before.sort == AccessSort::plain && now.sort != AccessSort::plain);
}

void note_read(const Orders& orders, Cell& cell, const Trace& trace, const SharedAccess& now) {
  Trace& last = cell.read;
  const bool old = orders.all_know(last.time);
  const bool more = !old && (last.more || keeps(last, now));
  if (!old && keeps(last, now)) {
    if (!last.more) cell.other_read = cell.far_read = Trace{};
    cell.other_read = last;
    if (last.thread / now.wave_width != now.thread / now.wave_width) cell.far_read = last;
  }
  last = trace;
  last.more = more;
}

void note_write(const Orders& orders, Cell& cell, const Trace& trace, const SharedAccess& now) {
  Trace& last = cell.write;
  if (now.sort == AccessSort::plain) {
    last = trace;
    cell.read = Trace{};
    return;
  }
  const bool old = orders.all_know(last.time);
  const bool more = !old && (last.more || keeps(last, now));
  const bool other_is_plain = last.more && cell.other_write.sort == AccessSort::plain;
  if (!old && keeps(last, now) && !(other_is_plain && last.sort != AccessSort::plain)) {
    cell.other_write = last;
  }
  last = trace;
  last.more = more;
}

void touch(const Orders& orders, Cell& cell, int64_t num_bytes, const SharedAccess& now,
           Findings& findings) {
  find(orders, cell, num_bytes, now, findings);
  const Trace trace{now.program_counter, orders.now(), static_cast<uint16_t>(now.thread), now.sort,
                    false};
  if (now.kind != AccessKind::read) note_write(orders, cell, trace, now);
  if (now.kind == AccessKind::read) note_read(orders, cell, trace, now);
}

}  // namespace

void SharedShadow::access(const Orders& orders, int64_t offset, int64_t num_bytes,
                          const SharedAccess& what, Findings& findings) {
  if (words_.empty()) {
    words_.resize(static_cast<size_t>((num_bytes_ + 3) / 4));
    is_split_.resize(words_.size());
  }
  const int64_t end = offset + num_bytes;
  while (offset < end) {
    const auto word = static_cast<size_t>(offset / 4);
    const int64_t part = offset % 4;
    const bool whole = part == 0 && end - offset >= 4;
    if (whole && !is_split_[word]) {
      touch(orders, words_[word], 4, what, findings);
      offset += 4;
      continue;
    }
    if (!is_split_[word]) split(word);
    const int64_t last = whole ? 4 : std::min<int64_t>(4, part + end - offset);
    for (int64_t i = part; i < last; ++i) touch(orders, byte_cell(word, i), 1, what, findings);
    // A plain write leaves the same in all four.
    if (whole && what.kind != AccessKind::read && what.sort == AccessSort::plain) {
      is_split_[word] = false;
    }
    offset += last - part;
  }
}

void SharedShadow::split(size_t word) {
  if (parts_.empty()) parts_.resize(words_.size() * 3);
  for (int64_t i = 1; i < 4; ++i) byte_cell(word, i) = words_[word];
  is_split_[word] = true;
}

bool SharedShadow::initialised(const Orders& orders, int64_t offset) const {
  if (words_.empty()) return false;
  const auto word = static_cast<size_t>(offset / 4);
  const Cell& cell = is_split_[word] ? byte_cell(word, offset % 4) : words_[word];
  return cell.write.time > orders.block_begin();
}

void SharedShadow::forget_write(int64_t offset) {
  if (words_.empty()) return;
  const auto word = static_cast<size_t>(offset / 4);
  if (!is_split_[word]) split(word);
  byte_cell(word, offset % 4).write = Trace{};
}

void SharedShadow::forgive_reads(int64_t offset, int64_t num_bytes, uint32_t thread) {
  if (words_.empty()) return;
  for (int64_t i = offset; i < offset + num_bytes; ++i) {
    const auto word = static_cast<size_t>(i / 4);
    Cell& cell = is_split_[word] ? byte_cell(word, i % 4) : words_[word];
    for (Trace* read : {&cell.read, &cell.other_read, &cell.far_read}) {
      if (read->thread == thread) read->sort = AccessSort::atomic;
    }
  }
}

void SharedShadow::restart() {
  words_.clear();
  parts_.clear();
  is_split_.clear();
}

}  // namespace ambidex::simt
