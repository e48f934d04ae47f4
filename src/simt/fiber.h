// SPDX-License-Identifier: Apache-2.0
// Switching from one fiber to another, without a detour over a third.
#pragma once

#include <boost/context/detail/fcontext.hpp>

#include "simt/block.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#endif

namespace ambidex::simt {

/// Makes the fiber begin at the top of its stack with `run`, which must not return.
void prepare_fiber(Fiber& fiber, void (*run)());

/// As switch_fiber, for a fiber that will not run again.
[[noreturn]] void leave_fiber(Fiber& from, Fiber& to);

// The address sanitizer must be told which stack is in use.
inline void begin_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const Fiber& to) {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(fake_stack, to.stack.begin,
                                 static_cast<size_t>(to.stack.top - to.stack.begin));
#endif
}

/// First thing on the new stack. `from` is the fiber that ran before; the stack of the worker
/// itself becomes known here.
inline void end_switch([[maybe_unused]] Fiber& to, Fiber& from, void* from_context) {
  from.context = from_context;
#ifdef __SANITIZE_ADDRESS__
  const void* begin = nullptr;
  size_t num_bytes = 0;
  __sanitizer_finish_switch_fiber(to.fake_stack, &begin, &num_bytes);
  to.fake_stack = nullptr;
  from.stack.begin = static_cast<char*>(const_cast<void*>(begin));
  from.stack.top = from.stack.begin + num_bytes;
#endif
}

/// Goes on with `to`; returns when somebody switches back to `from`. Inlined, as is all between it
/// and the kernel: the processor predicts no return address after a switch, so that each level of
/// calls would cost a misprediction.
[[gnu::always_inline]] inline void switch_fiber(Fiber& from, Fiber& to) {
  current = &to.current;
  begin_switch(&from.fake_stack, to);
  const auto back = boost::context::detail::jump_fcontext(to.context, &from);
  end_switch(from, *static_cast<Fiber*>(back.data), back.fctx);
}

}  // namespace ambidex::simt
