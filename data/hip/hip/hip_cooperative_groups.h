// SPDX-License-Identifier: Apache-2.0
// Cooperative groups as HIP has them: no reduce, no scan.
#pragma once

#include "hip/hip_runtime.h"

namespace cooperative_groups {

class thread_group {  // a block or less, by its size and the caller's place in it
 public:
  AMBIDEX_HIP_DEVICE thread_group(unsigned size, unsigned rank, bool is_block)
      : size_(size), rank_(rank), is_block_(is_block) {}
  AMBIDEX_HIP_DEVICE unsigned size() const { return size_; }
  AMBIDEX_HIP_DEVICE unsigned num_threads() const { return size_; }
  AMBIDEX_HIP_DEVICE unsigned thread_rank() const { return rank_; }
  AMBIDEX_HIP_DEVICE bool is_valid() const { return true; }
  AMBIDEX_HIP_DEVICE void sync() const { is_block_ ? __syncthreads() : __syncwarp(); }

 protected:
  unsigned size_, rank_;
  bool is_block_;
};

class thread_block : public thread_group {
 public:
  AMBIDEX_HIP_DEVICE thread_block()
      : thread_group(blockDim.x * blockDim.y * blockDim.z, __ambidex_linear_thread(), true) {}
  AMBIDEX_HIP_DEVICE static void sync() { __syncthreads(); }
  AMBIDEX_HIP_DEVICE static unsigned thread_rank() { return __ambidex_linear_thread(); }
  AMBIDEX_HIP_DEVICE static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  AMBIDEX_HIP_DEVICE static unsigned num_threads() { return size(); }
  AMBIDEX_HIP_DEVICE static dim3 group_index() { return dim3(blockIdx); }
  AMBIDEX_HIP_DEVICE static dim3 thread_index() { return dim3(threadIdx); }
  AMBIDEX_HIP_DEVICE static dim3 group_dim() { return dim3(blockDim); }
  AMBIDEX_HIP_DEVICE static dim3 dim_threads() { return dim3(blockDim); }
};
AMBIDEX_HIP_DEVICE thread_block this_thread_block() { return thread_block(); }

class grid_group {
 public:
  AMBIDEX_HIP_DEVICE static unsigned block_rank() {
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  }
  AMBIDEX_HIP_DEVICE static unsigned num_blocks() { return gridDim.x * gridDim.y * gridDim.z; }
  AMBIDEX_HIP_DEVICE static unsigned long long size() {
    return static_cast<unsigned long long>(num_blocks()) * thread_block::size();
  }
  AMBIDEX_HIP_DEVICE static unsigned long long num_threads() { return size(); }
  AMBIDEX_HIP_DEVICE static unsigned long long thread_rank() {
    return static_cast<unsigned long long>(block_rank()) * thread_block::size() +
           thread_block::thread_rank();
  }
  AMBIDEX_HIP_DEVICE static dim3 group_dim() { return dim3(gridDim); }
  AMBIDEX_HIP_DEVICE static dim3 dim_blocks() { return dim3(gridDim); }
  AMBIDEX_HIP_DEVICE static bool is_valid() { return true; }
  AMBIDEX_HIP_DEVICE static void sync();
};
AMBIDEX_HIP_DEVICE grid_group this_grid() { return grid_group(); }

#if defined(AMBIDEX_HIP_GFX)
extern "C" __device__ void __ockl_grid_sync();  // of ROCm's device library
AMBIDEX_HIP_DEVICE void grid_group::sync() { __ockl_grid_sync(); }
#else
AMBIDEX_HIP_DEVICE void grid_group::sync() { ambidex_simt_grid_barrier(); }
#endif

template <unsigned n, class Parent = void>
class thread_block_tile {
  static_assert(n > 0 && (n & (n - 1)) == 0 && n <= 64, "a tile has a power of two up to 64");

 public:
  AMBIDEX_HIP_DEVICE thread_block_tile() {}
  // A tile of any parent is a tile, as `thread_block_tile<32> t = tiled_partition<32>(block)`
  // wants.
  template <class Other>
  AMBIDEX_HIP_DEVICE thread_block_tile(const thread_block_tile<n, Other>&) {}
  AMBIDEX_HIP_DEVICE static constexpr unsigned size() { return n; }
  AMBIDEX_HIP_DEVICE static constexpr unsigned num_threads() { return n; }
  AMBIDEX_HIP_DEVICE static unsigned thread_rank() { return __ambidex_linear_thread() & (n - 1); }
  AMBIDEX_HIP_DEVICE static unsigned meta_group_rank() { return __ambidex_linear_thread() / n; }
  AMBIDEX_HIP_DEVICE static unsigned meta_group_size() {
    return (thread_block::size() + n - 1) / n;
  }
  AMBIDEX_HIP_DEVICE static void sync() { __syncwarp(); }
  AMBIDEX_HIP_DEVICE static bool is_valid() { return true; }
  template <class T>
  AMBIDEX_HIP_DEVICE T shfl(T value, int source) const {
    static_assert(std::is_arithmetic_v<T>, "ROCm's groups exchange numbers alone");
    return __shfl(value, source, n);
  }
  template <class T>
  AMBIDEX_HIP_DEVICE T shfl_up(T value, unsigned delta) const {
    static_assert(std::is_arithmetic_v<T>, "ROCm's groups exchange numbers alone");
    return __shfl_up(value, delta, n);
  }
  template <class T>
  AMBIDEX_HIP_DEVICE T shfl_down(T value, unsigned delta) const {
    static_assert(std::is_arithmetic_v<T>, "ROCm's groups exchange numbers alone");
    return __shfl_down(value, delta, n);
  }
  template <class T>
  AMBIDEX_HIP_DEVICE T shfl_xor(T value, unsigned lanes) const {
    static_assert(std::is_arithmetic_v<T>, "ROCm's groups exchange numbers alone");
    return __shfl_xor(value, static_cast<int>(lanes), n);
  }
  // Bit i is the tile's thread i.
  AMBIDEX_HIP_DEVICE unsigned long long ballot(int predicate) const {
    return own(__ballot(predicate));
  }
  AMBIDEX_HIP_DEVICE int any(int predicate) const { return ballot(predicate) != 0; }
  AMBIDEX_HIP_DEVICE int all(int predicate) const { return ballot(predicate == 0) == 0; }
  template <class T>
  AMBIDEX_HIP_DEVICE unsigned long long match_any(T value) const {
    return own(__match_any(value));
  }
  template <class T>
  AMBIDEX_HIP_DEVICE unsigned long long match_all(T value, int& predicate) const {
    const unsigned long long here = ballot(1);
    predicate = match_any(value) == here;
    return predicate ? here : 0;
  }

 private:
  AMBIDEX_HIP_DEVICE static unsigned long long own(unsigned long long lanes) {
    const unsigned shift = __lane_id() & ~(n - 1);
    return n == 64 ? lanes : lanes >> shift & ((1ull << (n & 63)) - 1);
  }
};
template <unsigned n, class Parent>
AMBIDEX_HIP_DEVICE thread_block_tile<n, Parent> tiled_partition(const Parent&) {
  return {};
}

class coalesced_group {
 public:
  AMBIDEX_HIP_DEVICE explicit coalesced_group(unsigned long long lanes) : lanes_(lanes) {}
  AMBIDEX_HIP_DEVICE unsigned size() const { return __builtin_popcountll(lanes_); }
  AMBIDEX_HIP_DEVICE unsigned num_threads() const { return size(); }
  AMBIDEX_HIP_DEVICE unsigned thread_rank() const {
    return __builtin_popcountll(lanes_ & __lanemask_lt());
  }
  AMBIDEX_HIP_DEVICE void sync() const { __syncwarp(); }
  AMBIDEX_HIP_DEVICE bool is_valid() const { return true; }
  template <class T>
  AMBIDEX_HIP_DEVICE T shfl(T value, int source) const {
    static_assert(std::is_arithmetic_v<T>, "ROCm's groups exchange numbers alone");
    return __shfl(value, lane_of(static_cast<unsigned>(source) % size()), 64);
  }
  template <class T>
  AMBIDEX_HIP_DEVICE T shfl_down(T value, unsigned delta) const {
    static_assert(std::is_arithmetic_v<T>, "ROCm's groups exchange numbers alone");
    const unsigned from = thread_rank() + delta;
    return __shfl(value, lane_of(from < size() ? from : thread_rank()), 64);
  }
  template <class T>
  AMBIDEX_HIP_DEVICE T shfl_up(T value, unsigned delta) const {
    static_assert(std::is_arithmetic_v<T>, "ROCm's groups exchange numbers alone");
    const unsigned rank = thread_rank();
    return __shfl(value, lane_of(rank >= delta ? rank - delta : rank), 64);
  }
  AMBIDEX_HIP_DEVICE unsigned long long ballot(int predicate) const {
    return own(__ballot(predicate));
  }
  AMBIDEX_HIP_DEVICE int any(int predicate) const { return ballot(predicate) != 0; }
  AMBIDEX_HIP_DEVICE int all(int predicate) const { return ballot(predicate == 0) == 0; }
  template <class T>
  AMBIDEX_HIP_DEVICE unsigned long long match_any(T value) const {
    return own(__match_any(value));
  }

 private:
  AMBIDEX_HIP_DEVICE int lane_of(unsigned rank) const {
    unsigned long long left = lanes_;
    for (; rank > 0; --rank) left &= left - 1;
    return __builtin_ctzll(left);
  }
  AMBIDEX_HIP_DEVICE unsigned long long own(unsigned long long lanes) const {
    unsigned long long result = 0;
    unsigned rank = 0;
    for (unsigned long long left = lanes_; left != 0; left &= left - 1, ++rank) {
      if (lanes & left & -left) result |= 1ull << rank;
    }
    return result;
  }
  unsigned long long lanes_;
};
AMBIDEX_HIP_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <class Group>
AMBIDEX_HIP_DEVICE void sync(const Group& group) {
  group.sync();
}
AMBIDEX_HIP_DEVICE thread_group tiled_partition(const thread_group& parent, unsigned size) {
  return thread_group(size, parent.thread_rank() & (size - 1), false);
}

}  // namespace cooperative_groups
