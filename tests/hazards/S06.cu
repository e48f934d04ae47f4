// SPDX-License-Identifier: Apache-2.0
// S06: cooperative launches and barriers of the grid.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define LAUNCH_ALL(kernel, blocks, arguments) \
  cudaLaunchCooperativeKernel(kernel, blocks, 256, arguments)  // expect: S06 S1

__global__ void whole_grid(float* data) {
  cg::grid_group grid = cg::this_grid();  // expect: S06 S1
  data[grid.thread_rank()] = 0;
  grid.sync();  // expect: S06 S1
  data[0] += 1;
}

template <typename T>
__global__ void by_type(T* data) {
  auto all = cooperative_groups::this_grid();  // expect: S06 S1
  data[0] = 1;
  cg::sync(all);  // expect: S06 S1
}

void launch(float* data) {
  void* arguments[] = {&data};
  cudaLaunchCooperativeKernel((void*)whole_grid, dim3(1024), dim3(256), arguments);  // expect: S06 S1
  LAUNCH_ALL((void*)whole_grid, 64, arguments);
}
