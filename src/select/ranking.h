// SPDX-License-Identifier: Apache-2.0
// From predicted seconds to an order, and to how far the order can be believed.
#pragma once

#include <cstdint>
#include <span>

#include "ambidex/select.h"

namespace ambidex {

/// Nobody times more candidates than this to settle a doubt.
inline constexpr int64_t kMaxMeasured = 32;

/// The part of sigma that differs between candidates of one op; the rest moves all alike and
/// leaves their order. docs/selection.md says what it was fitted on.
inline constexpr double kIndependentRatio = 0.42;

struct Confidence {
  double first = 1;       // chance that the fastest predicted one is close to the best
  int64_t measure_k = 1;  // so many hold a close one with options.measure_confidence
};

/// Whether the fastest of `seconds` can be believed, if ln(measured / predicted) of each scatters
/// with `sigma`. Infinite seconds do not take part. `order` lists the fastest, fastest first.
Confidence confidence_of(std::span<const double> seconds, std::span<const int32_t> order,
                         double sigma, const SelectOptions& options);

/// Writes the indices of the fastest finite `seconds`, fastest first, equals in their order, as
/// many as `order` holds; returns how many were written.
int64_t sort_fastest(std::span<const double> seconds, std::span<int32_t> order);

}  // namespace ambidex
