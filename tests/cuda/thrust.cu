// SPDX-License-Identifier: Apache-2.0
// thrust: vectors of both sides, transforms, reductions, scans, sorts and searches.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>

#include <algorithm>

#include "check.h"

struct Twice {
  __device__ int operator()(int x) const { return 2 * x; }
};
struct Square {
  __host__ __device__ int operator()(int x) const { return x * x; }
};
struct AddFirst {
  template <class Tuple>
  __device__ void operator()(Tuple t) const {
    thrust::get<1>(t) = thrust::get<0>(t) + thrust::get<1>(t);
  }
};

int main() {
  constexpr int kNum = 500;
  unsigned state = 41;
  thrust::host_vector<int> in(kNum);
  for (int i = 0; i < kNum; ++i) in[i] = int(next_random(state) % 100) - 50;
  const thrust::device_vector<int> device = in;
  thrust::device_vector<int> out(kNum);

  thrust::transform(device.begin(), device.end(), out.begin(), Twice());
  thrust::host_vector<int> got = out;
  for (int i = 0; i < kNum; ++i) CHECK_EQUAL("transform", i, got[i], 2 * in[i]);

  int sum = 0, squares = 0;
  for (int x : in) sum += x;
  for (int x : in) squares += x * x;
  check(thrust::reduce(device.begin(), device.end()) == sum, "reduce", sum);
  check(thrust::transform_reduce(device.begin(), device.end(), Square(), 0, thrust::plus<int>()) ==
            squares,
        "transform_reduce", squares);
  thrust::exclusive_scan(device.begin(), device.end(), out.begin());
  got = out;
  for (int i = 0, running = 0; i < kNum; running += in[i++]) {
    CHECK_EQUAL("exclusive_scan", i, got[i], running);
  }

  thrust::device_vector<int> keys = device, places(kNum);
  thrust::sequence(places.begin(), places.end());
  thrust::stable_sort_by_key(keys.begin(), keys.end(), places.begin());
  std::vector<int> order(kNum);
  for (int i = 0; i < kNum; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in[a] < in[b]; });
  const thrust::host_vector<int> sorted = places;
  for (int i = 0; i < kNum; ++i) CHECK_EQUAL("sort_by_key", i, sorted[i], order[i]);
  check(keys[0] == in[order[0]], "a reference", 0);

  const auto most = thrust::max_element(device.begin(), device.end());
  check(int(most - device.begin()) == int(std::max_element(in.begin(), in.end()) - in.begin()),
        "max_element", 0);
  thrust::fill(out.begin(), out.end(), 7);
  thrust::for_each(thrust::make_zip_iterator(thrust::make_tuple(device.begin(), out.begin())),
                   thrust::make_zip_iterator(thrust::make_tuple(device.end(), out.end())),
                   AddFirst());
  got = out;
  for (int i = 0; i < kNum; ++i) CHECK_EQUAL("a zipped for_each", i, got[i], in[i] + 7);
  check(thrust::reduce(thrust::counting_iterator<int>(0), thrust::counting_iterator<int>(10)) == 45,
        "a counting iterator", 45);
  return finish();
}
