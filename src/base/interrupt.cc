// SPDX-License-Identifier: Apache-2.0
#include "base/interrupt.h"

#include <atomic>

namespace ambidex {
namespace {

std::atomic<int> num_interruptible = 0, requested = 0;  // without locks: a handler uses them
static_assert(std::atomic<int>::is_always_lock_free);

}  // namespace

Interruptible::Interruptible() { ++num_interruptible; }
Interruptible::~Interruptible() { --num_interruptible; }

bool request_interrupt(int signal) noexcept {
  return num_interruptible > 0 && requested.exchange(signal) == 0;
}

void throw_if_interrupted() {
  if (const int signal = requested; signal != 0) throw Interrupted{signal};
}

}  // namespace ambidex
