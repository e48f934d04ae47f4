// SPDX-License-Identifier: Apache-2.0
// Threads that write the same value to one place do not harm each other: any = true, or a ballot
// that all lanes store. A write is seen before it is made, so that a race of two writes waits until
// what comes next shows whether the bytes have changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

namespace ambidex::simt {

class SameValues {
 public:
  /// Keeps a race of the write that is about to be made. `address` must be readable.
  void hold(uintptr_t address, int64_t num_bytes, std::function<void()> report) {
    begin_ = reinterpret_cast<const std::byte*>(address);
    before_.assign(begin_, begin_ + num_bytes);
    report_ = std::move(report);
  }
  /// When the write has been made, and before anything else is.
  void settle() {
    if (!report_) return;
    const std::function<void()> report = std::exchange(report_, nullptr);
    if (std::memcmp(begin_, before_.data(), before_.size()) != 0) report();
  }

 private:
  const std::byte* begin_ = nullptr;
  std::vector<std::byte> before_;
  std::function<void()> report_;  // empty: there was no race
};

}  // namespace ambidex::simt
