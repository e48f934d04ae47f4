// SPDX-License-Identifier: Apache-2.0
// Groups of whole blocks: thread_block, grid_group, cluster_group; and thread_group, which stands
// for any group that is known at run time only.
#pragma once
#pragma GCC system_header

#include "../cuda_runtime.h"

namespace ambidex_cuda {

AMBIDEX_D unsigned int linear_thread() { return AMBIDEX_SELF->linear_thread; }
AMBIDEX_D unsigned int threads_of_block() {
  return AMBIDEX_SELF->block_size[0] * AMBIDEX_SELF->block_size[1] * AMBIDEX_SELF->block_size[2];
}
AMBIDEX_D unsigned long long blocks_of_grid() {
  return (unsigned long long)AMBIDEX_SELF->grid_size[0] * AMBIDEX_SELF->grid_size[1] *
         AMBIDEX_SELF->grid_size[2];
}
AMBIDEX_D unsigned long long linear_block() {
  return ((unsigned long long)AMBIDEX_SELF->block[2] * AMBIDEX_SELF->grid_size[1] +
          AMBIDEX_SELF->block[1]) *
             AMBIDEX_SELF->grid_size[0] +
         AMBIDEX_SELF->block[0];
}
// Number of lanes of `mask` below this one.
AMBIDEX_D unsigned int rank_in(unsigned int mask) { return __popc(mask & ((1u << lane()) - 1u)); }

// A value of any size that can be copied, in words of 8 bytes.
template <class T>
AMBIDEX_MEMBER_D T shuffle_any(unsigned int mask, T value, unsigned int source) {
  constexpr int kWords = (int(sizeof(T)) + 7) / 8;
  ambidex_simt_u64 words[kWords] = {};
  __builtin_memcpy(words, &value, sizeof(T));
  for (int i = 0; i < kWords; ++i)
    words[i] = ambidex_simt_shuffle(lanes_of(mask), words[i], source);
  __builtin_memcpy(&value, words, sizeof(T));
  return value;
}

}  // namespace ambidex_cuda

namespace cooperative_groups {

class thread_group {
 public:
  AMBIDEX_MEMBER_D unsigned long long size() const { return num_threads_; }
  AMBIDEX_MEMBER_D unsigned long long num_threads() const { return num_threads_; }
  AMBIDEX_MEMBER_D unsigned long long thread_rank() const { return rank_; }
  AMBIDEX_MEMBER_D bool is_valid() const { return true; }
  AMBIDEX_MEMBER_D void sync() const {
    if (kind_ == Kind::block) ambidex_simt_barrier();
    if (kind_ == Kind::grid) ambidex_simt_grid_barrier();
    if (kind_ == Kind::lanes) __syncwarp(mask_);
  }
  AMBIDEX_MEMBER_D unsigned int ambidex_mask() const { return mask_; }
  AMBIDEX_MEMBER_D bool ambidex_is_block() const { return kind_ == Kind::block; }

 protected:
  enum class Kind { one, lanes, block, grid };
  AMBIDEX_MEMBER_D thread_group(Kind kind, unsigned int mask, unsigned long long num_threads,
                                unsigned long long rank)
      : kind_(kind), mask_(mask), num_threads_(num_threads), rank_(rank) {}
  Kind kind_;
  unsigned int mask_;  // of lanes, for Kind::lanes
  unsigned long long num_threads_;
  unsigned long long rank_;
};

class thread_block : public thread_group {
 public:
  struct arrival_token {};
  AMBIDEX_MEMBER_D static void sync() { ambidex_simt_barrier(); }
  // Both halves of a split barrier in one: a block that works in between waits longer.
  AMBIDEX_MEMBER_D static arrival_token barrier_arrive() {
    ambidex_simt_barrier();
    return {};
  }
  AMBIDEX_MEMBER_D static void barrier_wait(arrival_token&&) {}
  AMBIDEX_MEMBER_D static unsigned int thread_rank() { return ambidex_cuda::linear_thread(); }
  AMBIDEX_MEMBER_D static unsigned int num_threads() { return ambidex_cuda::threads_of_block(); }
  AMBIDEX_MEMBER_D static unsigned int size() { return ambidex_cuda::threads_of_block(); }
  AMBIDEX_MEMBER_D static dim3 group_index() { return blockIdx; }
  AMBIDEX_MEMBER_D static dim3 thread_index() { return threadIdx; }
  AMBIDEX_MEMBER_D static dim3 group_dim() { return blockDim; }
  AMBIDEX_MEMBER_D static dim3 dim_threads() { return blockDim; }

 private:
  friend AMBIDEX_MEMBER_D thread_block this_thread_block();
  AMBIDEX_MEMBER_D thread_block()
      : thread_group(Kind::block, 0, ambidex_cuda::threads_of_block(),
                     ambidex_cuda::linear_thread()) {}
};
AMBIDEX_MEMBER_D thread_block this_thread_block() { return thread_block(); }

class grid_group : public thread_group {
 public:
  struct arrival_token {};
  AMBIDEX_MEMBER_D bool is_valid() const { return true; }
  AMBIDEX_MEMBER_D void sync() const { ambidex_simt_grid_barrier(); }
  AMBIDEX_MEMBER_D arrival_token barrier_arrive() const {
    ambidex_simt_grid_barrier();
    return {};
  }
  AMBIDEX_MEMBER_D void barrier_wait(arrival_token&&) const {}
  AMBIDEX_MEMBER_D static unsigned long long num_blocks() { return ambidex_cuda::blocks_of_grid(); }
  AMBIDEX_MEMBER_D static unsigned long long block_rank() { return ambidex_cuda::linear_block(); }
  AMBIDEX_MEMBER_D static dim3 block_index() { return blockIdx; }
  AMBIDEX_MEMBER_D static dim3 dim_blocks() { return gridDim; }
  AMBIDEX_MEMBER_D static dim3 group_dim() { return gridDim; }
  AMBIDEX_MEMBER_D static unsigned long long thread_rank() {
    return ambidex_cuda::linear_block() * ambidex_cuda::threads_of_block() +
           ambidex_cuda::linear_thread();
  }
  AMBIDEX_MEMBER_D static unsigned long long num_threads() {
    return ambidex_cuda::blocks_of_grid() * ambidex_cuda::threads_of_block();
  }
  AMBIDEX_MEMBER_D static unsigned long long size() { return num_threads(); }

 private:
  friend AMBIDEX_MEMBER_D grid_group this_grid();
  AMBIDEX_MEMBER_D grid_group() : thread_group(Kind::grid, 0, num_threads(), thread_rank()) {}
};
AMBIDEX_MEMBER_D grid_group this_grid() { return grid_group(); }

// The executor runs every block as a cluster of its own; a kernel that asks for another block's
// shared memory is stopped.
class cluster_group : public thread_group {
 public:
  struct arrival_token {};
  AMBIDEX_MEMBER_D static void sync() { ambidex_simt_barrier(); }
  AMBIDEX_MEMBER_D static arrival_token barrier_arrive() {
    ambidex_simt_barrier();
    return {};
  }
  AMBIDEX_MEMBER_D static void barrier_wait() {}
  AMBIDEX_MEMBER_D static void barrier_wait(arrival_token&&) {}
  AMBIDEX_MEMBER_D static unsigned int block_rank() { return 0; }
  AMBIDEX_MEMBER_D static unsigned int num_blocks() { return 1; }
  AMBIDEX_MEMBER_D static dim3 block_index() { return dim3(0, 0, 0); }
  AMBIDEX_MEMBER_D static dim3 dim_blocks() { return dim3(1, 1, 1); }
  AMBIDEX_MEMBER_D static dim3 dim_threads() { return blockDim; }
  AMBIDEX_MEMBER_D static dim3 thread_index() { return threadIdx; }
  AMBIDEX_MEMBER_D static unsigned int thread_rank() { return ambidex_cuda::linear_thread(); }
  AMBIDEX_MEMBER_D static unsigned int num_threads() { return ambidex_cuda::threads_of_block(); }
  AMBIDEX_MEMBER_D static unsigned int size() { return num_threads(); }
  AMBIDEX_MEMBER_D static unsigned int query_shared_rank(const void*) { return 0; }
  template <class T>
  AMBIDEX_MEMBER_D static T* map_shared_rank(T* address, int rank) {
    if (rank != 0) ambidex_simt_trap("clusters of more than one block are not executed");
    return address;
  }

 private:
  friend AMBIDEX_MEMBER_D cluster_group this_cluster();
  AMBIDEX_MEMBER_D cluster_group()
      : thread_group(Kind::block, 0, ambidex_cuda::threads_of_block(),
                     ambidex_cuda::linear_thread()) {}
};
AMBIDEX_MEMBER_D cluster_group this_cluster() { return cluster_group(); }

}  // namespace cooperative_groups
