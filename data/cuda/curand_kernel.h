// SPDX-License-Identifier: Apache-2.0
// cuRAND's device API: XORWOW and Philox4x32-10, whose sequences are cuRAND's bit for bit; the
// floating-point distributions are too, up to the last bits of log, sin and cos.
#pragma once
#pragma GCC system_header

#include "cuda_runtime.h"
//
#include "curand.h"
//
#include "ambidex_cuda/random_philox.h"
#include "ambidex_cuda/random_xorwow.h"
//
#include "ambidex_cuda/random_distributions.h"
