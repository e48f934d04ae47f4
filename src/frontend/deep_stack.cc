// SPDX-License-Identifier: Apache-2.0
#include "frontend/deep_stack.h"

#include <llvm/Support/thread.h>

#include <exception>
#include <optional>

namespace ambidex {

void on_deep_stack(const std::function<void()>& call) {
  std::exception_ptr failure;
  llvm::thread thread(std::optional<unsigned>(kDeepStackBytes), [&] {
    try {
      call();
    } catch (...) {
      failure = std::current_exception();
    }
  });
  thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace ambidex
