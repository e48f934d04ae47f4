// SPDX-License-Identifier: Apache-2.0
// What `ambidex select` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "ambidex/select.h"
#include "cli/shapes.h"

namespace ambidex {

/// "12.3 us", "1.25 ms"
std::string seconds_text(double seconds);
/// "8192x1024x512 bf16 NN", with what differs from a plain product behind it
std::string op_text(const GemmOp& op);

nlohmann::ordered_json json_of(const GemmOp& op);
/// {template, config: {...}}
nlohmann::ordered_json json_of(const GemmConfig& config);
/// {seconds, interval_seconds, binds, terms}
nlohmann::ordered_json json_of(const Estimate& estimate);

struct ShapeSelection {
  Shape shape;
  Selection selection;
};

std::string text_of(const GemmSelector& selector, const GemmOp& op, const SelectOptions& options,
                    std::span<const Ranked> top, const Selection& selection);
nlohmann::ordered_json json_of(const GemmSelector& selector, const GemmOp& op,
                               const SelectOptions& options, std::span<const Ranked> top,
                               const Selection& selection);

/// The same of a whole file of shapes, with the total time.
std::string text_of(const GemmSelector& selector, std::span<const ShapeSelection> rows);
nlohmann::ordered_json json_of(const GemmSelector& selector, std::span<const ShapeSelection> rows);

}  // namespace ambidex
