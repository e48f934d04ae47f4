// SPDX-License-Identifier: Apache-2.0
// The error that a call ends in, for tests of refusals.
#pragma once

#include <string>

#include "ambidex/base.h"

namespace ambidex {

struct Caught {
  ErrorKind kind = ErrorKind::internal;
  std::string message = "no error";
};

template <class F>
Caught caught(F call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.kind, error.what()};
  }
  return {};
}

}  // namespace ambidex
