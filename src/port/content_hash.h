// SPDX-License-Identifier: Apache-2.0
// Whether bytes are those that were looked at before.
#pragma once

#include <string>
#include <string_view>

namespace ambidex {

/// FNV-1a of 64 bits in 16 hexadecimal digits. Tells changes, not attacks.
std::string content_hash(std::string_view bytes);

}  // namespace ambidex
