// SPDX-License-Identifier: Apache-2.0
// What `ambidex devices` prints of one device or system.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "ambidex/devices.h"

namespace ambidex {

/// "2.2 GHz" for ("clock_hz", 2.2e9): the customary unit, read off the end of the key.
std::string scaled(std::string_view key, double value);

/// Every field, absent ones as "unknown", with the number of its source in the list below.
std::string text_of(const Device& device);
std::string text_of(const System& system);

/// The same keys as in YAML, base SI, absent numbers as null; a device also carries its hash.
nlohmann::ordered_json json_of(const Device& device);
nlohmann::ordered_json json_of(const System& system);

}  // namespace ambidex
