// SPDX-License-Identifier: Apache-2.0
// The words of the enumerations in model.h, in the order of their enumerators.
#pragma once

#include <span>
#include <string>

#include "ambidex/model.h"

namespace ambidex {

std::span<const std::string> names_of(OptimizerKind);
std::span<const std::string> names_of(ScheduleKind);
std::span<const std::string> names_of(DenseTransform);
std::span<const std::string> names_of(IdEncoding);
std::span<const std::string> names_of(Pooling);
std::span<const std::string> names_of(InteractionKind);
std::span<const std::string> names_of(LossKind);
std::span<const std::string> names_of(SplitKind);
std::span<const std::string> names_of(SplitPart);
std::span<const std::string> names_of(SequenceKind);

}  // namespace ambidex
