// SPDX-License-Identifier: Apache-2.0
// A fuzz target is one file with one call:
//
//   AMBIDEX_FUZZ(text) { parse_device(text, "fuzz.yaml"); }
//
// Whatever the text, the call returns or throws an Error that is not `internal`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "ambidex/base.h"

namespace ambidex {

template <class Read>
int fuzz_once(std::string_view text, Read read) {
  try {
    read(text);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::internal) return 0;
    std::fprintf(stderr, "internal: %s\n", error.what());
    std::abort();
  }
  return 0;
}

}  // namespace ambidex

#define AMBIDEX_FUZZ(text)                                                        \
  static void fuzz_text(std::string_view text);                                   \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {       \
    const std::string_view input(reinterpret_cast<const char*>(data), size);      \
    return ambidex::fuzz_once(input, [](std::string_view it) { fuzz_text(it); }); \
  }                                                                               \
  static void fuzz_text(std::string_view text)
