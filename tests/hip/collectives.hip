// SPDX-License-Identifier: Apache-2.0
// hipCUB's collectives against plain loops.
#include <algorithm>
#include <hipcub/hipcub.hpp>

#include "check.h"

namespace {

constexpr int kThreads = 96;

__global__ void blocks(const int* in, int* sums, int* sorted, int* values) {
  const int t = static_cast<int>(threadIdx.x);
  using Reduce = hipcub::BlockReduce<int, kThreads>;
  using Scan = hipcub::BlockScan<int, kThreads>;
  using Sort = hipcub::BlockRadixSort<int, kThreads, 2, int>;
  __shared__ typename Reduce::TempStorage reduce;
  __shared__ typename Scan::TempStorage scan;
  __shared__ typename Sort::TempStorage sort;
  const int sum = Reduce(reduce).Sum(in[t]);
  if (t == 0) sums[0] = sum;
  int before = 0, total = 0;
  Scan(scan).ExclusiveSum(in[t], before, total);
  sums[1 + t] = before;
  if (t == 5) sums[100] = total;
  int keys[2] = {in[t], -in[t]}, tags[2] = {t, t + kThreads};
  Sort(sort).Sort(keys, tags);
  for (int i = 0; i < 2; ++i) {
    sorted[2 * t + i] = keys[i];
    values[2 * t + i] = tags[i];
  }
}
__global__ void warps(const int* in, int* out) {
  const int t = static_cast<int>(threadIdx.x);
  using Reduce = hipcub::WarpReduce<int, 32>;
  using Scan = hipcub::WarpScan<int, 32>;
  __shared__ typename Reduce::TempStorage reduce[kThreads / 32];
  __shared__ typename Scan::TempStorage scan[kThreads / 32];
  const int most = Reduce(reduce[t / 32]).Reduce(in[t], hipcub::Max());
  if (t % 32 == 0) out[t] = most;
  int sum = 0;
  Scan(scan[t / 32]).InclusiveSum(in[t], sum);
  out[kThreads + t] = sum;
}

void check_blocks(Array<int>& in) {
  Array<int> sums(128), sorted(2 * kThreads), values(2 * kThreads);
  blocks<<<1, kThreads>>>(in.device, sums.device, sorted.device, values.device);
  sums.down();
  sorted.down();
  values.down();
  int total = 0;
  std::vector<int> wanted;
  for (int t = 0; t < kThreads; ++t) {
    expect("exclusive sum", t, sums[1 + t], total);
    total += in[t];
    wanted.push_back(in[t]);
    wanted.push_back(-in[t]);
  }
  expect("sum", 0, sums[0], total);
  expect("aggregate", 5, sums[100], total);
  std::sort(wanted.begin(), wanted.end());
  for (int i = 0; i < 2 * kThreads; ++i) {
    const int tag = values[i];
    expect("sorted", i, sorted[i], wanted[i]);
    expect("value", i, tag < kThreads ? in[tag] : -in[tag - kThreads], wanted[i]);
  }
}
void check_warps(Array<int>& in) {
  Array<int> out(2 * kThreads);
  warps<<<1, kThreads>>>(in.device, out.device);
  out.down();
  for (int warp = 0; warp < kThreads / 32; ++warp) {
    int sum = 0, most = in[32 * warp];
    for (int i = 0; i < 32; ++i) {
      sum += in[32 * warp + i];
      most = std::max(most, in[32 * warp + i]);
      expect("inclusive sum", i, out[kThreads + 32 * warp + i], sum);
    }
    expect("most", warp, out[32 * warp], most);
  }
}
void check_device(Array<int>& in) {
  Array<int> out(kThreads), storage(4);
  size_t num_bytes = 0;
  (void)hipcub::DeviceReduce::Min(nullptr, num_bytes, in.device, out.device, kThreads);
  expect("storage", 0, num_bytes > 0 && num_bytes <= 16, true);
  (void)hipcub::DeviceReduce::Min(storage.device, num_bytes, in.device, out.device, kThreads);
  out.down();
  expect("least", 0, out[0], *std::min_element(in.host.begin(), in.host.end()));
  (void)hipcub::DeviceScan::InclusiveSum(storage.device, num_bytes, in.device, out.device,
                                         kThreads);
  out.down();
  for (int i = 0, sum = 0; i < kThreads; ++i) expect("scan", i, out[i], sum += in[i]);
}

}  // namespace

int main() {
  Array<int> in(kThreads);
  for (int t = 0; t < kThreads; ++t) in[t] = t * 37 % 101 - 50;
  in.up();
  check_blocks(in);
  check_warps(in);
  check_device(in);
  return finish();
}
