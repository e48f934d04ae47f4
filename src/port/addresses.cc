// SPDX-License-Identifier: Apache-2.0
#include "port/addresses.h"

#include <cstring>
#include <random>

namespace ambidex {
namespace {

uint64_t stand_in(const StoredAddress& address) {
  static const uint64_t origin = [] {
    std::random_device device;
    return uint64_t{device()} << 32 | device();
  }();
  constexpr int kOffsetBits = 40;  // buffers are smaller
  return origin + (static_cast<uint64_t>(address.buffer) << kOffsetBits) +
         static_cast<uint64_t>(address.offset);
}

}  // namespace

std::vector<StoredAddress> addresses_of(const nlohmann::json& rows) {
  std::vector<StoredAddress> addresses;
  for (const auto& row : rows) addresses.push_back({row.at(0), row.at(1), row.at(2)});
  return addresses;
}

nlohmann::json to_json(const std::vector<StoredAddress>& addresses) {
  nlohmann::json rows = nlohmann::json::array();
  for (const StoredAddress& one : addresses) rows.push_back({one.at, one.buffer, one.offset});
  return rows;
}

void set_stand_ins(const std::vector<StoredAddress>& addresses, std::string& bytes) {
  for (const StoredAddress& address : addresses) {
    const uint64_t word = stand_in(address);
    const auto at = static_cast<size_t>(address.at);
    if (address.at < 0 || at > bytes.size() || sizeof word > bytes.size() - at) continue;
    std::memcpy(bytes.data() + at, &word, sizeof word);
  }
}

}  // namespace ambidex
