// SPDX-License-Identifier: Apache-2.0
// The headers of data/cuda and data/hip, compiled into ambidex-clang.
#pragma once

#include <span>

#include "base/embedded.h"

namespace ambidex {

std::span<const EmbeddedFile> embedded_headers();

}  // namespace ambidex
