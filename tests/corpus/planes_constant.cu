// SPDX-License-Identifier: Apache-2.0
// Points inside of a convex body: planes as structures with vectors in constant memory, and a box in
// a variable of the device.
#include <cstdio>
#include <vector>

struct Plane {
  float3 normal;
  float offset;
};
struct Box {
  int2 low;
  int3 extent;
};
constexpr int kPlanes = 5;
__constant__ Plane planes[kPlanes];
__device__ Box box;

__global__ void inside(const float3* points, int n, int* sides, int* cells) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float3 p = points[i];
  int count = 0;
  for (int k = 0; k < kPlanes; ++k) {
    const Plane& plane = planes[k];
    const float side = plane.normal.x * p.x + plane.normal.y * p.y + plane.normal.z * p.z;
    count += side <= plane.offset ? 1 : 0;
  }
  sides[i] = count;
  const Box b = box;
  cells[i] = (static_cast<int>(p.x) - b.low.x) + b.extent.x * (static_cast<int>(p.y) - b.low.y) +
             b.extent.x * b.extent.y * static_cast<int>(p.z);
}

int main() {
  const int n = 700;
  std::vector<float3> points(n);
  std::vector<int> sides(n), cells(n);
  for (int i = 0; i < n; ++i) {
    points[i] = make_float3(static_cast<float>(i % 9), static_cast<float>(i % 7),
                            static_cast<float>(i % 4));
  }
  Plane host[kPlanes];
  for (int k = 0; k < kPlanes; ++k) {
    host[k].normal = make_float3(static_cast<float>(k - 2), 1.0f, static_cast<float>(k % 2));
    host[k].offset = 3.5f + static_cast<float>(k);
  }
  const Box host_box{{-1, 2}, {9, 7, 4}};
  cudaMemcpyToSymbol(planes, host, sizeof host);
  cudaMemcpyToSymbol(box, &host_box, sizeof host_box);
  float3* d_points;
  int *d_sides, *d_cells;
  cudaMalloc(&d_points, n * sizeof(float3));
  cudaMalloc(&d_sides, n * sizeof(int));
  cudaMalloc(&d_cells, n * sizeof(int));
  cudaMemcpy(d_points, points.data(), n * sizeof(float3), cudaMemcpyHostToDevice);
  inside<<<(n + 127) / 128, 128>>>(d_points, n, d_sides, d_cells);
  cudaMemcpy(sides.data(), d_sides, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(cells.data(), d_cells, n * sizeof(int), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    int count = 0;
    for (int k = 0; k < kPlanes; ++k) {
      count += (k - 2) * (i % 9) + i % 7 + k % 2 * (i % 4) <= 3.5 + k ? 1 : 0;
    }
    wrong += sides[i] != count;
    wrong += cells[i] != (i % 9 + 1) + 9 * (i % 7 - 2) + 63 * (i % 4);
  }
  std::printf("planes: %d wrong\n", wrong);
  return wrong != 0;
}
