// SPDX-License-Identifier: Apache-2.0
#include "simt/fiber.h"

#include <cstdlib>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace ambidex::simt {
namespace {

namespace context = boost::context::detail;

using Run = void (*)();

void begin_fiber(context::transfer_t transfer) {
  Fiber& self = current_fiber();
  end_switch(self, *static_cast<Fiber*>(transfer.data), transfer.fctx);
  self.run();
  std::abort();
}

}  // namespace

void prepare_fiber(Fiber& fiber, Run run) {
#ifdef __SANITIZE_ADDRESS__
  // A launch that a problem ended has left frames behind.
  __asan_unpoison_memory_region(fiber.stack.begin,
                                static_cast<size_t>(fiber.stack.top - fiber.stack.begin));
  fiber.fake_stack = nullptr;
#endif
  fiber.context = context::make_fcontext(
      fiber.stack.top, static_cast<size_t>(fiber.stack.top - fiber.stack.begin), begin_fiber);
  fiber.run = run;
}

void leave_fiber(Fiber& from, Fiber& to) {
  current = &to.current;
  begin_switch(nullptr, to);
  context::jump_fcontext(to.context, &from);
  std::abort();
}

}  // namespace ambidex::simt
