// SPDX-License-Identifier: Apache-2.0
// CUB: warps and blocks as they are, devices sequentially.
#pragma once
#pragma GCC system_header

#include "../ambidex_cuda/cub_block.h"
#include "../ambidex_cuda/cub_exchange.h"
#include "../ambidex_cuda/cub_warp.h"
//
#include "../ambidex_cuda/cub_device.h"
#include "../ambidex_cuda/cub_sort.h"
//
#include "../ambidex_cuda/cub_device_more.h"
#include "../ambidex_cuda/cub_iterators.h"
