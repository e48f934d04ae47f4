// SPDX-License-Identifier: Apache-2.0
// Objects that kernels make and delete, and their virtual functions, pure ones among them.
#include "check.h"

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
};
struct Strip : Square {
  using Square::Square;
  __device__ int area() const override { return 3 * side; }
};

constexpr int kCount = 40;

__global__ void make(Shape** shapes) {
  const int i = threadIdx.x;
  shapes[i] = i % 2 ? new Strip(i) : new Square(i);
}
__global__ void measure(Shape* const* shapes, int* areas) {
  int* const copy = new int[2];
  copy[0] = shapes[threadIdx.x]->area();
  areas[threadIdx.x] = copy[0];
  delete[] copy;
}
__global__ void drop(Shape** shapes) { delete shapes[threadIdx.x]; }

int main() {
  Array<Shape*> shapes(kCount);
  Array<int> areas(kCount);
  make<<<1, kCount>>>(shapes.device);
  measure<<<1, kCount>>>(shapes.device, areas.device);
  drop<<<1, kCount>>>(shapes.device);
  const std::vector<int> got = areas.values();
  for (int i = 0; i < kCount; ++i) CHECK_EQUAL("area", i, got[i], i % 2 ? 3 * i : i * i);
  return finish();
}
