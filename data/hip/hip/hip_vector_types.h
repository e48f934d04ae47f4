// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ambidex_hip/prelude.h"
#include "ambidex_hip/vector_types.h"
