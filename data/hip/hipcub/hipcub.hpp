// SPDX-License-Identifier: Apache-2.0
// hipCUB's collectives of waves and blocks. Results are those of CUB's documentation; the ways to
// them are plain.
#pragma once

#include "hipcub/block.h"
#include "hipcub/device.h"
#include "hipcub/warp.h"
