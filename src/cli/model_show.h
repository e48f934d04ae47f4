// SPDX-License-Identifier: Apache-2.0
// What `ambidex model` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "ambidex/model.h"

namespace ambidex {

/// One line a preset.
std::string model_list_text();
nlohmann::ordered_json model_list_json();

/// Sizes, tables and ops; tables that differ in their rows alone share a line, and so do layers
/// that are alike.
std::string text_of(const ModelSpec& model);
nlohmann::ordered_json json_of(const ModelSpec& model);

}  // namespace ambidex
