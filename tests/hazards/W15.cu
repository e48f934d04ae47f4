// SPDX-License-Identifier: Apache-2.0
// W15: CUB's warp functions without their logical width.
#include <cub/cub.cuh>

template <typename T>
__global__ void sums(const T* in, T* out) {
  using WarpReduce = cub::WarpReduce<T>;  // expect: W15 S0
  __shared__ typename WarpReduce::TempStorage storage[8];
  const T sum = WarpReduce(storage[threadIdx.x / 32]).Sum(in[threadIdx.x]);
  if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = sum;
}

__global__ void scans(const int* in, int* out) {
  typedef cub::WarpScan<int> Scan;  // expect: W15 S0
  __shared__ Scan::TempStorage storage;
  int v = in[threadIdx.x];
  Scan(storage).InclusiveSum(v, v);
  out[threadIdx.x] = v;
}

using namespace cub;
typedef WarpReduce<float> FloatReduce;         // expect: W15 S0
typedef cub::WarpReduce<float, 32> Spelled;    // the logical width
typedef cub::WarpScan<float, 16> HalfOfWarp;
