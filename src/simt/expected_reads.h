// SPDX-License-Identifier: Apache-2.0
// Loops of compare-and-exchange read the old value plainly first: a read that races, but whose
// value counts only if the exchange still finds it. Such a read is no problem if the thread's next
// access to shared memory is a compare-and-exchange of the same bytes; any other tells that it was
// one.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "simt/checker.h"

namespace ambidex::simt {

class ExpectedReads {
 public:
  explicit ExpectedReads(uint32_t num_threads) : reads_(num_threads) {}

  /// Before an access: what becomes of the thread's last one. True if `what` exchanges what that
  /// has read.
  bool settle(uint32_t thread, const Access& what) {
    Read& read = reads_[thread];
    const bool exchanges =
        what.compares && what.address == read.address && what.num_bytes == read.num_bytes;
    if (read.report && !exchanges) read.report();
    read = Read{};
    return exchanges;
  }
  void note(uint32_t thread, const Access& what) {
    reads_[thread].address = what.address;
    reads_[thread].num_bytes = what.num_bytes;
  }
  /// Whether the thread's last access was a plain read from there.
  bool is_open(uint32_t thread, uintptr_t address) const {
    return reads_[thread].address == address;
  }
  /// Keeps a race of that read until it is known what it was for.
  void hold(uint32_t thread, std::function<void()> report) {
    if (!reads_[thread].report) reads_[thread].report = std::move(report);
  }
  void settle_all() {
    for (Read& read : reads_) {
      if (read.report) read.report();
      read = Read{};
    }
  }

 private:
  struct Read {
    uintptr_t address = 0;
    int64_t num_bytes = 0;
    std::function<void()> report;  // empty: there was no race
  };
  std::vector<Read> reads_;
};

}  // namespace ambidex::simt
