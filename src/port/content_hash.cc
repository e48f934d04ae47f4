// SPDX-License-Identifier: Apache-2.0
#include "port/content_hash.h"

#include <fmt/format.h>

#include <cstdint>

namespace ambidex {

std::string content_hash(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  }
  return fmt::format("{:016x}", hash);
}

}  // namespace ambidex
