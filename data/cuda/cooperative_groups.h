// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: blocks, grids, tiles of a warp and coalesced threads.
#pragma once
#pragma GCC system_header

#include "cuda_runtime.h"
//
#include "ambidex_cuda/groups.h"
//
#include "ambidex_cuda/tiles.h"
//
#include "ambidex_cuda/coalesced.h"
//
#include "ambidex_cuda/partitions.h"
