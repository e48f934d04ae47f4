// SPDX-License-Identifier: Apache-2.0
// Addresses that lie in recorded memory. Two processes have other ones for the same place, so each
// is kept as what it points into, and its bits are those of a stand-in that this process has drawn:
// equal for equal places, and nothing that a program under test could know.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ambidex {

struct StoredAddress {
  int64_t at = 0;      // of the word, bytes into its buffer
  int64_t buffer = 0;  // of the launch, that it points into
  int64_t offset = 0;
};

/// From [[at, buffer, offset]], as ambidex-simt has them.
std::vector<StoredAddress> addresses_of(const nlohmann::json& rows);
nlohmann::json to_json(const std::vector<StoredAddress>& addresses);

/// Puts stand-ins in their places.
void set_stand_ins(const std::vector<StoredAddress>& addresses, std::string& bytes);

}  // namespace ambidex
