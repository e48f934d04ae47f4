// SPDX-License-Identifier: Apache-2.0
// The versions that a port answers with where a CUDA program asks: it stands for the newest
// architecture and toolkit whose meaning the port keeps.                               [R07 R08
// R09]
#ifndef AMBIDEX_PORT_PREPROCESSOR_H  // a name, since a port brings its own copy
#define AMBIDEX_PORT_PREPROCESSOR_H

// Of the device that the port's kernels stand for, on the host too.
#define AMBIDEX_PORT_ARCHITECTURE 900

// What __CUDA_ARCH__ is: a number in device code, 0 in host code.
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define AMBIDEX_PORT_CUDA_ARCH AMBIDEX_PORT_ARCHITECTURE
#define AMBIDEX_PORT_CUDA_ARCH_AT_MOST(architecture) (architecture)
#else
#define AMBIDEX_PORT_CUDA_ARCH 0
#define AMBIDEX_PORT_CUDA_ARCH_AT_MOST(architecture) 0
#endif

// What CUDA_VERSION and CUDART_VERSION are.
#define AMBIDEX_PORT_CUDA_VERSION 12080

#endif  // AMBIDEX_PORT_PREPROCESSOR_H
