// SPDX-License-Identifier: Apache-2.0
// Launches to try beside those that a program makes: other values in its buffers, smaller sizes in
// its scalars.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "port/compare.h"
#include "port/formula.h"
#include "port/trace.h"
#include "port/values.h"

namespace ambidex {

/// A recorded launch, changed.
struct LaunchCase {
  std::string name;  // "values wide", "n = 33"
  TracedLaunch launch;
  bool needs_number = false;  // worth something only if the original's floats are not all NaN
};

/// Every pattern of values in the float buffers that had been written before the launch, at least
/// in part, while integers stay; then integers drawn from the range that the launch's have, at its
/// ends, and at those of their type. They may be indices: what the original cannot take is left out
/// later.
std::vector<LaunchCase> value_cases(const TracedLaunch& launch, const KernelView& view,
                                    uint64_t key);

/// Parameters of the launch that are floats and no pointers.
std::vector<size_t> float_scalars(const TracedLaunch& launch, const KernelView& view);

/// Other numbers in one float argument after another: one drawn around the recorded one, one from
/// N(0, 1), and 0.
std::vector<LaunchCase> float_cases(const TracedLaunch& launch, const KernelView& view,
                                    uint64_t key);

/// Of the integers in a buffer; nothing if there are none, or doubles do not hold them all.
std::optional<IntegerRange> integer_range(const std::string& bytes, Element element);

/// Formulas of a launch, from `ambidex-clang facts`; absent where it is not known.
struct LaunchFormulas {
  std::vector<std::string> parameters;  // names, of the kernel
  std::optional<std::array<std::string, 3>> grid, block;
  std::optional<std::string> dynamic_shared_bytes;
};

/// The formulas, among those of all launches of this kernel in `facts`, whose values at the
/// launch's own scalars are its grid, block and shared bytes.
std::optional<LaunchFormulas> matching_formulas(const nlohmann::json& facts,
                                                const TracedLaunch& launch);

/// Sets the launch's geometry by formulas; false if they have no value or one that cannot run.
bool apply(const LaunchFormulas& formulas, const Variables& variables, TracedLaunch& launch);

/// The launch with another value of an integer parameter, its geometry by the formulas; nothing if
/// there is no such parameter, or no such launch.
std::optional<TracedLaunch> resized(const TracedLaunch& launch, const KernelView& view,
                                    const std::optional<LaunchFormulas>& formulas,
                                    const std::string& parameter, int64_t value);

/// Sizes at which kernels go wrong (1, around a warp, a wave, a block) and two drawn by `key`, for
/// one integer argument after another, and the constants that the code compares with; then all of
/// them odd at once. Never above the recorded value, so that the recorded buffers are large enough.
/// The grid follows by its formula, or stays if there is none.
std::vector<LaunchCase> size_cases(const TracedLaunch& launch, const KernelView& view,
                                   const std::optional<LaunchFormulas>& formulas, uint64_t key);

/// The integer arguments of a launch by their parameters' names.
Variables scalars_of(const TracedLaunch& launch, const KernelView& view);

}  // namespace ambidex
