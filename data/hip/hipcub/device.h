// SPDX-License-Identifier: Apache-2.0
// Algorithms of whole devices, and iterators: one thread goes over the data. For checking programs
// that use them, not for speed.
#pragma once

#include "ambidex_hip/library_begin.h"
//
#include "../../cuda/ambidex_cuda/cub_device_more.h"
#include "../../cuda/ambidex_cuda/cub_iterators.h"
//
#include "ambidex_hip/library_end.h"
