// SPDX-License-Identifier: Apache-2.0
// S03: lanes that wait for another lane of their wave.
#include <cuda_runtime.h>

#define LOCKED 1

__device__ int mutex;

__global__ void spins(int* counter) {
  while (atomicCAS(&mutex, 0, 1) != 0) {  // expect: S03 S0
  }
  ++*counter;
  __threadfence();
  atomicExch(&mutex, 0);
}

struct Lock {
  int* word;
  __device__ void lock() {
    while (atomicExch(word, LOCKED) != 0);  // expect: S03 S0
  }
  __device__ bool try_lock() { return atomicCAS(word, 0, 1) == 0; }
  __device__ void unlock() { atomicExch(word, 0); }
};

template <typename T>
__global__ void inserts(T* slots, int* words, T value) {
  Lock slot{&words[threadIdx.x % 7]};
  while (!slot.try_lock()) {  // expect: S03 S0
    __nanosleep(10);
  }
  slots[threadIdx.x % 7] += value;
  slot.unlock();
}

__global__ void waits_in_do(int* lock, int* out) {
  int seen;
  do {
    seen = atomicCAS(lock, 0, 1);
  } while (seen != 0);  // expect: S03 S0
  *out += 1;
  *lock = 0;
}

// Each lane waits for the one before it.
__global__ void chained(volatile int* ready, int* out) {
  const int i = threadIdx.x;
  if (i > 0) {
    while (ready[i - 1] == 0) {  // expect: S03 S0
    }
  }
  out[i] = i;
  ready[i] = 1;
}

__global__ void in_shared(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 5) flag = 1;
  auto wait = [&] {
    while (flag == 0);  // expect: S03 S0
  };
  wait();
  out[threadIdx.x] = flag;
}

__global__ void hand_over(volatile int* ready, int* data) {
  if (threadIdx.x == 0) {
    data[0] = 1;
    __threadfence_block();
    *ready = 1;
  } else {
    while (*ready == 0) {  // expect: S03 S0
    }
    data[threadIdx.x] = data[0];
  }
}

__global__ void in_turn(volatile int* turn, int* data) {
  while (*turn != threadIdx.x) {  // expect: S03 S0
  }
  data[0] = data[0] * 2 + threadIdx.x;
  *turn = threadIdx.x + 1;
}

// Retries that need nobody, a critical section inside the loop, one thread per block.
__device__ double add(double* address, double value) {
  unsigned long long* word = reinterpret_cast<unsigned long long*>(address);
  unsigned long long old = *word;
  unsigned long long assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

// Each round looks at another place.
__device__ int root_of(int* parent, int i) {
  while (parent[i] != i) {
    i = parent[i];
  }
  return i;
}
__device__ void insert(unsigned* table, unsigned key, unsigned size) {
  unsigned slot = key % size;
  while (atomicCAS(&table[slot], 0xffffffffu, key) != 0xffffffffu) {
    slot = (slot + 1) % size;
  }
}

__global__ void harmless(int* lock, int* out) {
  bool done = false;
  while (!done) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *out += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  }
  if (threadIdx.x == 0) {
    while (atomicCAS(&mutex, 0, 1) != 0) {
    }
    *out += 1;
    atomicExch(&mutex, 0);
  }
}
