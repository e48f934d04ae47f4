// SPDX-License-Identifier: Apache-2.0
// malloc and free of kernels. What a kernel leaves there, a later one may use and free.
#pragma once

#include <cstdint>

#include "ambidex/simt_memory.h"

namespace ambidex::simt {

/// From `memory`, where the checker knows it, or from the host's heap if that is null. Null if
/// there is no room: of the host's heap, kernels get 1 GiB.
void* device_malloc(SimtMemory* memory, uint64_t num_bytes);
/// False if device_malloc has not given it, or it is free already. Null may be freed.
bool device_free(SimtMemory* memory, void* pointer);

}  // namespace ambidex::simt
