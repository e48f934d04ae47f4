// SPDX-License-Identifier: Apache-2.0
// SIGINT and its like as something that unwinds, so that what was made on the way is cleared up.
#pragma once

namespace ambidex {

/// Thrown where work waits for something. No std::exception: nobody is to take it for a failure
/// and go on.
struct Interrupted {
  int signal = 0;
};

/// While one lives, work asks throw_if_interrupted often enough for a person who waits.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;
};

/// For a handler of `signal`: false if the process has to end at once, since nothing here unwinds,
/// or was asked to before.
bool request_interrupt(int signal) noexcept;

/// throws Interrupted once one was requested
void throw_if_interrupted();

}  // namespace ambidex
