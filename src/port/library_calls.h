// SPDX-License-Identifier: Apache-2.0
// Calls of libraries for which the executor has stand-ins of its own.
#pragma once

#include <set>
#include <string>

#include "port/translate.h"

namespace ambidex {

/// What the original calls of cuBLAS, cuRAND's host interface, Thrust and CUB's device-wide
/// algorithms, by the look of its text: "cublasSgemm", "thrust::reduce", "cub::DeviceScan".
std::set<std::string> library_calls(const TranslatedTree& tree);

}  // namespace ambidex
