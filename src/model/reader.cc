// SPDX-License-Identifier: Apache-2.0
#include "model/reader.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace ambidex {

void ModelReader::read(const YamlNode& node, const std::string& path, std::string& value) {
  const bool is_empty = node.kind == YamlKind::scalar && node.quoted && node.text.empty();
  value = is_empty ? "" : map_.read_text(node, path);
}

void ModelReader::read(const YamlNode& node, const std::string& path, bool& value) {
  value = map_.read_flag(node, path);
}

void ModelReader::read(const YamlNode& node, const std::string& path, int64_t& value) {
  if (node.kind == YamlKind::scalar && !node.quoted) {
    const std::optional<int64_t> whole = int64_from_text(node.text);
    const double number = number_of(node).value_or(0.5);
    const bool is_exact = std::abs(number) <= static_cast<double>(kMaxCount);
    if (whole || (is_exact && number == std::floor(number))) {
      value = whole ? *whole : static_cast<int64_t>(number);
      return;
    }
  }
  map_.fail(node, path, fmt::format("expected a whole number, got {}", shown(node)));
}

void ModelReader::read(const YamlNode& node, const std::string& path, double& value) {
  const std::optional<double> number = number_of(node);
  if (!number) map_.fail(node, path, fmt::format("expected a number, got {}", shown(node)));
  value = *number;
}

void ModelReader::read(const YamlNode& node, const std::string& path, DType& value) {
  value = map_.read_dtype(node, path);
}

}  // namespace ambidex
