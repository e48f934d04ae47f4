// SPDX-License-Identifier: Apache-2.0
#include "port/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ambidex {
namespace {

// Spacing of the type's numbers at a value; nothing at 0, where any error is that of many.
std::optional<double> ulp_at(Element element, double value) {
  if (value == 0) return std::nullopt;
  const double least_normal = 4 / element_max(element);
  const double magnitude = std::max(std::fabs(value), least_normal);
  return element_epsilon(element) * std::exp2(std::floor(std::log2(magnitude)));
}

}  // namespace

void add_output(std::vector<OutputSeen>& outputs, const OutputSeen& seen) {
  const auto found = std::find_if(outputs.begin(), outputs.end(),
                                  [&](const OutputSeen& own) { return own.name == seen.name; });
  if (found == outputs.end()) {
    outputs.push_back(seen);
    return;
  }
  found->error_class = std::max(found->error_class, seen.error_class);
  found->num_different += seen.num_different;
  found->has_number = found->has_number || seen.has_number;
  if (seen.worst && (!found->worst || found->worst->ratio() < seen.worst->ratio())) {
    found->worst = seen.worst;
  }
}

bool has_new_number(Element element, std::string_view before, std::string_view after) {
  const auto stride = static_cast<size_t>(element_bytes(element));
  const bool comparable = before.size() == after.size();
  for (size_t at = 0; at + stride <= after.size(); at += stride) {
    if (comparable && before.substr(at, stride) == after.substr(at, stride)) continue;
    const auto* const bytes = reinterpret_cast<const std::byte*>(after.data()) + at;
    if (std::isfinite(decode(element, bytes))) return true;
  }
  return false;
}

bool has_no_number(std::span<const OutputSeen> outputs) {
  bool any = false;
  for (const OutputSeen& output : outputs) {
    if (!is_float(output.element)) continue;
    if (output.has_number) return false;
    any = true;
  }
  return any;
}

std::string text_of(const ElementError& error, Element element) {
  const std::string text = fmt::format("{:.3g} of {:.3g} allowed", error.error, error.allowed);
  const auto ulp = ulp_at(element, error.expected);
  return ulp ? fmt::format("{} ({:.3g} of {:.3g} ulp)", text, error.error / *ulp,
                           error.allowed / *ulp)
             : text + " at 0";
}

nlohmann::json to_json(const std::vector<OutputSeen>& outputs) {
  nlohmann::json rows = nlohmann::json::array();
  for (const OutputSeen& output : outputs) {
    nlohmann::json row{{"name", output.name},
                       {"element", name_of(output.element)},
                       {"error_class", name_of(output.error_class)},
                       {"num_different", output.num_different}};
    if (output.worst) {
      row["worst"] = {{"expected", output.worst->expected},
                      {"error", output.worst->error},
                      {"allowed", output.worst->allowed}};
      if (const auto ulp = ulp_at(output.element, output.worst->expected)) {
        row["worst"]["error_ulp"] = output.worst->error / *ulp;
      }
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace ambidex
