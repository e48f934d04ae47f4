// SPDX-License-Identifier: Apache-2.0
// Launches of a kernel at sizes of our own, by its contract.
#pragma once

#include <cstdint>
#include <optional>

#include "port/contract.h"

namespace ambidex::repair {

/// Which sizes are scaled. Originals may want multiples of a tile, or one size left as it is.
enum class Scaling : uint8_t { drawn, exact, largest_alone };
inline constexpr Scaling kScalings[]{Scaling::drawn, Scaling::exact, Scaling::largest_alone};

/// The contract's first launch, its sizes above 1 times `scale`, and `drawn` up to an eighth more;
/// nothing if no such launch can be made, or one of more than 64 MiB. The symbol is left open.
std::optional<TracedLaunch> launch_at(const Contract& contract, double scale, Scaling scaling,
                                      uint64_t key);

/// The sizes of such a launch.
Variables sizes_at(const Contract& contract, double scale, Scaling scaling, uint64_t key);

}  // namespace ambidex::repair
