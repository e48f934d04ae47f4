// SPDX-License-Identifier: Apache-2.0
// The functions that CUDA builds in.
#pragma once
#pragma GCC system_header

#include "ambidex_cuda/keywords.h"
#include "ambidex_cuda/standard.h"
//
#include "device_launch_parameters.h"
#include "vector_functions.h"
//
#include "ambidex_cuda/integer.h"
//
#include "ambidex_cuda/conversions.h"
#include "ambidex_cuda/math.h"
//
#include "ambidex_cuda/rounding.h"
//
#include "ambidex_cuda/atomics.h"
#include "ambidex_cuda/block.h"
#include "ambidex_cuda/dpx.h"
#include "ambidex_cuda/memory.h"
#include "ambidex_cuda/simd_words.h"
#include "ambidex_cuda/warp.h"
#include "ambidex_cuda/warp_reduce.h"
