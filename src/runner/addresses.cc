// SPDX-License-Identifier: Apache-2.0
#include "runner/addresses.h"

#include <algorithm>
#include <cstring>

namespace ambidex::runner {
namespace {

constexpr size_t kMaxAddresses = 65536;  // of one buffer
constexpr uintptr_t kWordBytes = sizeof(uintptr_t);

// The place of an address, or the one that it is the end of.
std::optional<SimtPlace> place_of(const SimtMemory& memory, uintptr_t address) {
  auto place = memory.find(reinterpret_cast<const void*>(address));
  return place ? place : memory.find(reinterpret_cast<const void*>(address - 1));
}

}  // namespace

void AddressSpan::add(const void* begin, int64_t num_bytes) {
  const auto first = reinterpret_cast<uintptr_t>(begin);
  low = std::min(low, first);
  high = std::max(high, first + static_cast<uintptr_t>(num_bytes));
}

AddressSpan span_of_program(const Runtime& state) {
  AddressSpan span;
  for (const auto& [begin, allocation] : state.allocations) {
    span.add(reinterpret_cast<const void*>(begin), allocation.num_bytes);
  }
  for (const Variable& variable : state.module.variables) {
    if (variable.file >= 0) span.add(variable.address, variable.num_bytes);
  }
  return span;
}

nlohmann::json addresses_in(const SimtMemory& memory, const AddressSpan& span, const char* begin,
                            int64_t num_bytes, const BufferIndex& index_of) {
  nlohmann::json rows = nlohmann::json::array();
  const auto first = reinterpret_cast<uintptr_t>(begin);
  const auto skipped = static_cast<int64_t>((kWordBytes - first % kWordBytes) % kWordBytes);
  for (int64_t at = skipped; at + static_cast<int64_t>(kWordBytes) <= num_bytes;
       at += static_cast<int64_t>(kWordBytes)) {
    uintptr_t word = 0;
    std::memcpy(&word, begin + at, sizeof word);
    if (word < span.low || word > span.high) continue;
    const auto place = place_of(memory, word);
    const int64_t buffer = place ? index_of(*place) : -1;
    if (buffer < 0) continue;
    if (rows.size() == kMaxAddresses) return nlohmann::json::array();
    rows.push_back({at, buffer, word - reinterpret_cast<uintptr_t>(place->begin)});
  }
  return rows;
}

}  // namespace ambidex::runner
