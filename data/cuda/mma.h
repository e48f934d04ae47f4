// SPDX-License-Identifier: Apache-2.0
// nvcuda::wmma. CUDA leaves open which lane holds which element; here a fragment has the elements
// that an H200 was seen to give it, so that code which relies on that does what it does there.
// Products are summed exactly enough (double, or 32 bits that wrap) and rounded once; hardware
// sums in an order of its own.
#pragma once
#pragma GCC system_header

#include "cuda_bf16.h"
#include "cuda_fp16.h"
//
#include "ambidex_cuda/fragments.h"
//
#include "ambidex_cuda/fragment_product.h"

AMBIDEX_D float __float_to_tf32(float in) { return nvcuda::wmma::__float_to_tf32(in); }
