// SPDX-License-Identifier: Apache-2.0
#include "simt_checks_kernels.h"

#include "ambidex/simt_device.h"

namespace {

template <class T, int n>
struct Guarded {
  char before[64];
  T values[n];
  char after[64];
};
thread_local Guarded<int, 256> guarded_tile;
thread_local Guarded<char, 32> guarded_bytes;

struct Arguments {
  int* in;
  int* out;
  int mistake;
};

// As a module's thunk: not instrumented, since arguments are in memory of the host.
__attribute__((no_sanitize("thread"))) void call(void** arguments, void (*kernel)(Arguments)) {
  kernel({*static_cast<int**>(arguments[0]), *static_cast<int**>(arguments[1]),
          *static_cast<int*>(arguments[2])});
}

unsigned thread() { return ambidex_simt_self()->thread[0]; }
unsigned num_threads() { return ambidex_simt_self()->block_size[0]; }
int* tile() { return guarded_tile.values; }

void tree(Arguments a) {
  const unsigned i = thread();
  tile()[i] = a.in[i];
  ambidex_simt_barrier();
  for (unsigned s = num_threads() / 2; s >= 32; s /= 2) {
    if (i < s) tile()[i] += tile()[i + s];  // MARK tree
    if (s != 64 || a.mistake != 1) ambidex_simt_barrier();
  }
  if (i < 32) {
    for (unsigned s = 16; s > 0; s /= 2) {
      const int other = i < s ? tile()[i + s] : 0;  // MARK tail
      if (a.mistake != 2) ambidex_simt_wave_barrier(0xffffffff);
      if (i < s) tile()[i] += other;  // MARK tail
      if (a.mistake != 2) ambidex_simt_wave_barrier(0xffffffff);
    }
  }
  if (i == 0) a.out[0] = tile()[0];
}

void stencil(Arguments a) {
  const unsigned i = thread(), n = num_threads();
  int value = a.in[i];
  for (int round = 0; round < 2; ++round) {
    tile()[i] = value;  // MARK stencil write
    if (a.mistake != 1) ambidex_simt_barrier();
    value += tile()[(i + 1) % n];  // MARK stencil read
    if (a.mistake != 2) ambidex_simt_barrier();
  }
  a.out[i] = value;
}

void partial_fill(Arguments a) {
  const unsigned i = thread();
  if (i < (a.mistake == 1 ? 16 : 32)) guarded_bytes.values[i] = static_cast<char>(a.in[i]);
  ambidex_simt_barrier();
  if (i < 32) a.out[i] = guarded_bytes.values[i];  // MARK partial
}

void bounds(Arguments a) {
  const unsigned i = thread();
  tile()[i] = a.in[i + (a.mistake == 1)];  // MARK bounds in
  a.out[i] = 0;
  if (i == 0 && a.mistake == 2) a.out[-1] = 1;    // MARK bounds out
  if (i == 0 && a.mistake == 3) tile()[256] = 1;  // MARK bounds tile
  if (i == 0 && a.mistake == 4) a.in[0] = 1;      // MARK bounds constant
}

void histogram(Arguments a) {
  const unsigned i = thread();
  if (i < 16) tile()[i] = 0;
  ambidex_simt_barrier();
  __atomic_fetch_add(&tile()[a.in[i] & 15], 1, __ATOMIC_RELAXED);
  if (a.mistake != 1) ambidex_simt_barrier();
  if (i < 16) a.out[i] = tile()[i];  // MARK histogram
}

// Thread 0 tells thread 64, of another wave.
void flag(Arguments a) {
  const unsigned i = thread();
  volatile int* ready = &tile()[128];
  if (i == 0) *ready = 0;
  ambidex_simt_barrier();
  if (i == 0) {
    tile()[0] = a.in[0];
    if (a.mistake != 1) ambidex_simt_fence(0);
    *ready = 1;
  }
  if (i == 64) {
    while (*ready == 0) {
    }
    if (a.mistake != 2) ambidex_simt_fence(0);
    a.out[0] = tile()[0];  // MARK flag
  }
}

void copy(Arguments a) {
  if (thread() != 0) return;
  const int n = static_cast<int>(num_threads()) * 4 + (a.mistake == 1);
  __builtin_memcpy(a.out, a.in, static_cast<unsigned long>(n));  // MARK copy
}

// A lane reads what its neighbour wrote, after a barrier of the wave or only a shuffle.
void neighbour(Arguments a) {
  const unsigned i = thread();
  tile()[i] = a.in[i];  // MARK neighbour
  if (a.mistake == 0) ambidex_simt_wave_barrier(0xffffffff);
  if (a.mistake == 1) ambidex_simt_shuffle(0xffffffff, 0, 0);
  a.out[i] = tile()[i ^ 1];  // MARK neighbour
}

// The sum over a wave, made in one place for all its lanes.
void sum_payloads(void** payloads, unsigned width) {
  int sum = 0;
  for (unsigned i = 0; i < width; ++i) sum += *static_cast<int*>(payloads[i]);
  for (unsigned i = 0; i < width; ++i) *static_cast<int*>(payloads[i]) = sum;
}
void collective(Arguments a) {
  const unsigned i = thread();
  int value = a.in[i];
  ambidex_simt_collective(0xffffffff, &value, sum_payloads);
  a.out[i] = value;
}

void exchange(Arguments a) {
  const unsigned i = ambidex_simt_self()->block[0] * num_threads() + thread();
  unsigned long value = static_cast<unsigned long>(a.in[i]);
  const unsigned lane = ambidex_simt_self()->lane;
  for (unsigned s = 1; s <= 16; s *= 2) {
    value += ambidex_simt_shuffle(0xffffffff, value, lane ^ s);
  }
  tile()[thread()] = static_cast<int>(value);
  ambidex_simt_barrier();
  value = static_cast<unsigned long>(tile()[thread() ^ 32]);
  for (unsigned s = 1; s <= 4; s *= 2) {
    value += ambidex_simt_shuffle(0xffffffff, value, lane ^ s);
  }
  a.out[i] = static_cast<int>(value);
}

}  // namespace

extern "C" {
void* checked_tile_address() { return guarded_tile.values; }
void* checked_bytes_address() { return guarded_bytes.values; }
#define AMBIDEX_KERNEL(name)                                                     \
  __attribute__((no_sanitize("thread"))) void checked_##name(void** arguments) { \
    call(arguments, name);                                                       \
  }
AMBIDEX_KERNEL(tree)
AMBIDEX_KERNEL(stencil)
AMBIDEX_KERNEL(partial_fill)
AMBIDEX_KERNEL(bounds)
AMBIDEX_KERNEL(histogram)
AMBIDEX_KERNEL(flag)
AMBIDEX_KERNEL(copy)
AMBIDEX_KERNEL(neighbour)
AMBIDEX_KERNEL(collective)
AMBIDEX_KERNEL(exchange)
}
