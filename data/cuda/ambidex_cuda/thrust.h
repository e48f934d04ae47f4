// SPDX-License-Identifier: Apache-2.0
// All that the headers of thrust/ declare.
#pragma once
#include "thrust_algorithms.h"
