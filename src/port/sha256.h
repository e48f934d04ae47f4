// SPDX-License-Identifier: Apache-2.0
// A name for bytes that nobody can give to other bytes.
#pragma once

#include <string>
#include <string_view>

namespace ambidex {

/// SHA-256 (FIPS 180-4) as 64 hex digits.
std::string sha256(std::string_view bytes);

}  // namespace ambidex
