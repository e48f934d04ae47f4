// SPDX-License-Identifier: Apache-2.0
// hipRAND's host API, as data/cuda has cuRAND's: the numbers are not the library's.
#pragma once

#include "ambidex_hip/library_begin.h"
//
#include "ambidex_hip/random_begin.h"
//
#include "../../cuda/curand.h"
//
#include "ambidex_hip/library_end.h"
#include "ambidex_hip/random_end.h"
