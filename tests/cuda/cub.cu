// SPDX-License-Identifier: Apache-2.0
// CUB's warps and blocks: reductions, scans and sorts against plain loops.
#include <algorithm>
#include <cub/cub.cuh>

#include "check.h"

constexpr int kThreads = 96, kItems = 3, kNum = kThreads * kItems;

struct Least {
  template <class T>
  __device__ T operator()(const T& a, const T& b) const {
    return b < a ? b : a;
  }
};

// out [6][kNum]
__global__ void blocks(const int* in, int* out) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Sort = cub::BlockRadixSort<int, kThreads, kItems, int>;
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  __shared__ union {
    typename Reduce::TempStorage reduce;
    typename Scan::TempStorage scan;
    typename Sort::TempStorage sort;
    typename Load::TempStorage load;
  } storage;
  __shared__ typename cub::WarpReduce<int>::TempStorage warps[kThreads / 32];
  const int thread = int(threadIdx.x);
  int items[kItems], places[kItems], sums[kItems], total;
  Load(storage.load).Load(in, items);
  __syncthreads();
  const int sum = Reduce(storage.reduce).Sum(items);
  __syncthreads();
  const int least = Reduce(storage.reduce).Reduce(items, Least());
  __syncthreads();
  Scan(storage.scan).ExclusiveSum(items, sums, total);
  __syncthreads();
  const int warp = cub::WarpReduce<int>(warps[thread / 32]).Sum(items[0]);
  for (int i = 0; i < kItems; ++i) {
    out[thread * kItems + i] = sums[i];
    places[i] = thread * kItems + i;
  }
  Sort(storage.sort).Sort(items, places);
  for (int i = 0; i < kItems; ++i) {
    out[kNum + thread * kItems + i] = items[i];
    out[2 * kNum + thread * kItems + i] = places[i];
  }
  if (thread == 0) out[3 * kNum] = sum;
  if (thread == 0) out[3 * kNum + 1] = least;
  out[4 * kNum + thread] = total;
  if (thread % 32 == 0) out[5 * kNum + thread / 32] = warp;
}

int main() {
  unsigned state = 31;
  std::vector<int> in;
  for (int i = 0; i < kNum; ++i) in.push_back(int(next_random(state) % 200) - 100);
  Array<int> device_in(in), device_out(6 * kNum);
  blocks<<<1, kThreads>>>(device_in.device, device_out.device);
  const std::vector<int> got = device_out.values();
  std::vector<int> places;
  for (int i = 0; i < kNum; ++i) places.push_back(i);
  std::stable_sort(places.begin(), places.end(), [&](int a, int b) { return in[a] < in[b]; });
  int sum = 0;
  for (int i = 0; i < kNum; ++i) {
    CHECK_EQUAL("a scan", i, got[i], sum);
    sum += in[i];
    CHECK_EQUAL("a sorted key", i, got[kNum + i], in[places[i]]);
    CHECK_EQUAL("a sorted value", i, got[2 * kNum + i], places[i]);
  }
  CHECK_EQUAL("a sum", 0, got[3 * kNum], sum);
  CHECK_EQUAL("a minimum", 0, got[3 * kNum + 1], *std::min_element(in.begin(), in.end()));
  for (int i = 0; i < kThreads; ++i) CHECK_EQUAL("a total", i, got[4 * kNum + i], sum);
  for (int w = 0; w < kThreads / 32; ++w) {
    int of_warp = 0;
    for (int i = 0; i < 32; ++i) of_warp += in[(w * 32 + i) * kItems];
    CHECK_EQUAL("a warp", w, got[5 * kNum + w], of_warp);
  }

  Array<int> scanned(kNum), sorted(kNum);
  void* room = nullptr;
  size_t num_bytes = 0, more = 0;
  cub::DeviceScan::InclusiveSum(nullptr, num_bytes, device_in.device, scanned.device, kNum);
  cub::DeviceRadixSort::SortKeysDescending(nullptr, more, device_in.device, sorted.device, kNum);
  num_bytes = std::max(num_bytes, more);
  cudaMalloc(&room, num_bytes);
  cub::DeviceScan::InclusiveSum(room, num_bytes, device_in.device, scanned.device, kNum);
  cub::DeviceRadixSort::SortKeysDescending(room, num_bytes, device_in.device, sorted.device, kNum);
  const std::vector<int> scan = scanned.values(), keys = sorted.values();
  std::sort(in.rbegin(), in.rend());
  for (int i = 0; i < kNum; ++i) CHECK_EQUAL("a device's key", i, keys[i], in[i]);
  for (int i = 1; i < kNum; ++i) {
    check(scan[i] - scan[i - 1] == device_in.values()[i], "a device's scan", i);
  }
  cudaFree(room);
  return finish();
}
