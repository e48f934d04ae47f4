// SPDX-License-Identifier: Apache-2.0
// Addresses of device memory that lie in device memory: tables of rows, linked nodes, structures
// with pointers. Their bits are those of one process; what they point into can be told to another.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "runner/state.h"

namespace ambidex::runner {

/// The number of the buffer that begins with the place; -1 if it is none.
using BufferIndex = std::function<int64_t(const SimtPlace& place)>;

/// Beyond which no word is looked up.
struct AddressSpan {
  uintptr_t low = UINTPTR_MAX, high = 0;
  void add(const void* begin, int64_t num_bytes);
};
/// Of all that a program has: allocations, and variables of its module.
AddressSpan span_of_program(const Runtime& state);

/// [[at, buffer, offset]] of the aligned words among [begin, begin + num_bytes) that are addresses
/// of buffers, or of their ends. Empty where there are more than anybody would follow.
nlohmann::json addresses_in(const SimtMemory& memory, const AddressSpan& span, const char* begin,
                            int64_t num_bytes, const BufferIndex& index_of);

}  // namespace ambidex::runner
