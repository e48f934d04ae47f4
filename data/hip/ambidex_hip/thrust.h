// SPDX-License-Identifier: Apache-2.0
// rocThrust: what each header of thrust/ declares.
#pragma once

#include "ambidex_hip/library_begin.h"
//
#include "../../cuda/ambidex_cuda/thrust.h"
//
#include "ambidex_hip/library_end.h"
