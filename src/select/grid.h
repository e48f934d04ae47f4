// SPDX-License-Identifier: Apache-2.0
// Candidates of a template before anybody has looked at the sizes of an op.
#pragma once

#include <vector>

#include "ambidex/cost.h"

namespace ambidex {

/// Every configuration that the template can generate for ops of op's prepare_key(), in the
/// order of enumerate(); some may be illegal.
std::vector<GemmConfig> grid(const GemmModel& model, const GemmOp& op);

/// The part of `configs` that large ops of op's prepare_key() can use. What is left out is illegal
/// for every such op: it needs too much of the device.
std::vector<GemmConfig> without_hopeless(const GemmModel& model, const GemmOp& op,
                                         std::vector<GemmConfig> configs);

}  // namespace ambidex
