// SPDX-License-Identifier: Apache-2.0
// Sizes and sense of a model, with the place of what is wrong.
#pragma once

#include <functional>
#include <string>

#include "ambidex/model.h"

namespace ambidex {

/// Called with the path of a field ("tables.C1.rows") and what is wrong with it; throws.
using Complain = std::function<void(const std::string& path, const std::string& what)>;

void validate_with(const ModelSpec& model, const Complain& complain);

// Its parts.
void validate_tables(const ModelSpec& model, const Complain& complain);
void validate_towers(const ModelSpec& model, const Complain& complain);
void validate_sequence(const ModelSpec& model, const Complain& complain);

/// Complains unless least <= value <= most.
void expect_within(const Complain& complain, const std::string& path, int64_t value, int64_t least,
                   int64_t most);
void expect_widths(const Complain& complain, const std::string& path,
                   const std::vector<int64_t>& widths);

inline constexpr int64_t kMaxWidth = 1 << 20;  // of a layer

}  // namespace ambidex
