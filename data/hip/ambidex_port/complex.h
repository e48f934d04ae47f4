// SPDX-License-Identifier: Apache-2.0
// Functions of cuComplex.h that HIP has without CUDA's guard: its squares overflow [N13].
#ifndef AMBIDEX_PORT_COMPLEX_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_COMPLEX_H

#include <hip/hip_complex.h>

#include "ambidex_port/platform.h"

namespace ambidex_port {

AMBIDEX_PORT_BOTH float cabsf(hipFloatComplex z) { return hypotf(z.x, z.y); }
AMBIDEX_PORT_BOTH double cabs(hipDoubleComplex z) { return hypot(z.x, z.y); }

#define AMBIDEX_PORT_COMPLEX_QUOTIENT(C, T, name, make)                         \
  AMBIDEX_PORT_BOTH C name(C x, C y) {                                          \
    const T size = (y.x < T(0) ? -y.x : y.x) + (y.y < T(0) ? -y.y : y.y);       \
    const T ax = x.x / size, ay = x.y / size, bx = y.x / size, by = y.y / size; \
    const T square = bx * bx + by * by;                                         \
    return make((ax * bx + ay * by) / square, (ay * bx - ax * by) / square);    \
  }
AMBIDEX_PORT_COMPLEX_QUOTIENT(hipFloatComplex, float, cdivf, make_hipFloatComplex)
AMBIDEX_PORT_COMPLEX_QUOTIENT(hipDoubleComplex, double, cdiv, make_hipDoubleComplex)
#undef AMBIDEX_PORT_COMPLEX_QUOTIENT

}  // namespace ambidex_port

#endif  // AMBIDEX_PORT_COMPLEX_H
