// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

void say() { std::printf("hello\n"); }
