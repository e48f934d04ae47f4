// SPDX-License-Identifier: Apache-2.0
// open_hugectr for files that are open, or in memory.
#pragma once

#include <vector>

#include "data/bytes.h"
#include "data/source.h"

namespace ambidex {

Source open_hugectr(const std::vector<ByteFile>& files, const RecordLayout& layout);

}  // namespace ambidex
