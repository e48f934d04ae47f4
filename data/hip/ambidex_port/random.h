// SPDX-License-Identifier: Apache-2.0
// cuRAND's device generators with cuRAND's numbers. hipRAND seeds and scales otherwise, so that a
// program would get another sequence from the same seed. Functions have cuRAND's names and are
// found by the type of the state: ambidex_port::curandState, curandStatePhilox4_32_10_t.
#ifndef AMBIDEX_PORT_RANDOM_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_RANDOM_H

#include "ambidex_port/random_distributions.h"

#endif  // AMBIDEX_PORT_RANDOM_H
