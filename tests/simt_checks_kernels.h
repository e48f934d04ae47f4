// SPDX-License-Identifier: Apache-2.0
// Kernels that clang instruments, for tests of the checkers: each does its work rightly or, told
// so, with one mistake.
#pragma once

extern "C" {
// Shared memory of the block that the calling worker runs, with 64 bytes before and after.
void* checked_tile_address();   // int[256]
void* checked_bytes_address();  // char[32]

// arguments: {int* in, int* out, int mistake}
void checked_tree(void** arguments);     // 1: no barrier at 64; 2: no wave barriers in the tail
void checked_stencil(void** arguments);  // 1: no barrier; 2: second round without a barrier
void checked_partial_fill(void** arguments);  // 1: half of it
void checked_bounds(void** arguments);     // 1: in[n], 2: out[-1], 3: tile[256], 4: in is constant
void checked_histogram(void** arguments);  // 1: no barrier before reading
void checked_flag(void** arguments);       // 1: no fence before the flag, 2: none after
void checked_copy(void** arguments);       // 1: one byte too many, by memcpy
void checked_neighbour(void** arguments);  // 1: a shuffle for a barrier
void checked_collective(void** arguments);
void checked_exchange(void** arguments);  // eight exchanges
}
