// SPDX-License-Identifier: Apache-2.0
// All buffers of a launch after the original and after the port.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "port/compare.h"

namespace ambidex {

using BufferViews = std::vector<std::string_view>;  // contents, in the order of a launch's buffers

/// What the original leaves on the same input when it runs otherwise: the material of its own
/// error.
struct FurtherRuns {
  std::vector<BufferViews> orders;     // blocks, waves and lanes in other orders
  std::vector<BufferViews> roundings;  // floats rounded in other directions
};

struct Agreement {
  bool same_bits = true;
  std::string difference;            // the first that is not right; "" if all are
  std::optional<Divergence> first;   // where it is one element
  std::string contradicted;          // what the original does not agree with itself about; else ""
  std::vector<std::string> unbound;  // "keys and values": compared each by itself; compare_rows
  std::vector<OutputSeen> outputs;   // that the original changed
};

/// Compares in order, up to the first buffer that is wrong. `further` is called at most once, and
/// only if bits differ.
Agreement compare_buffers(const KernelView& view, const TracedLaunch& launch,
                          const BufferViews& original, const BufferViews& port,
                          const std::function<FurtherRuns()>& further);

/// Contents after a recorded launch.
BufferViews after(const TracedLaunch& launch);

/// Whether two launches are of the same kernel in the same geometry; says what differs.
std::string launch_difference(const TracedLaunch& original, const TracedLaunch& port);

}  // namespace ambidex
