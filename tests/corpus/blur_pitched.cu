// SPDX-License-Identifier: Apache-2.0
// A blur of rows of a pitched image, whose padding nobody writes, and rounds in shared memory from
// which all threads of a block return together.
#include <cstdio>
#include <vector>

__global__ void blur(const float* image, size_t pitch, int width, int height, float* out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width || y >= height) return;
  const float* row = reinterpret_cast<const float*>(reinterpret_cast<const char*>(image) + y * pitch);
  const float left = row[x > 0 ? x - 1 : 0], right = row[x + 1 < width ? x + 1 : x];
  out[y * width + x] = 0.25f * left + 0.5f * row[x] + 0.25f * right;
}

__global__ void rounds(const int* in, int n, int num_rounds, int* out) {
  __shared__ int line[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  int value = i < n ? in[i] : 0;
  for (int round = 0;; ++round) {
    line[t] = value;
    __syncthreads();
    value = line[(t + 1) % 64] + round;
    if (round + 1 >= num_rounds) {
      if (i >= n) return;
      out[i] = value;
      return;
    }
    __syncthreads();
  }
}

int main() {
  const int width = 61, height = 9, n = 150, num_rounds = 3;
  std::vector<float> host(width * height), got(width * height);
  for (int i = 0; i < width * height; ++i) host[i] = static_cast<float>(i * 31 % 64);
  float *image, *out;
  size_t pitch = 0;
  cudaMallocPitch(&image, &pitch, width * sizeof(float), height);
  cudaMalloc(&out, width * height * sizeof(float));
  cudaMemcpy2D(image, pitch, host.data(), width * sizeof(float), width * sizeof(float), height,
               cudaMemcpyHostToDevice);
  blur<<<dim3((width + 31) / 32, height), 32>>>(image, pitch, width, height, out);
  cudaMemcpy(got.data(), out, width * height * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const float left = host[y * width + (x > 0 ? x - 1 : 0)];
      const float right = host[y * width + (x + 1 < width ? x + 1 : x)];
      wrong += got[y * width + x] != 0.25f * left + 0.5f * host[y * width + x] + 0.25f * right;
    }
  }
  std::vector<int> numbers(n), moved(n);
  for (int i = 0; i < n; ++i) numbers[i] = i * 5;
  int *d_numbers, *d_moved;
  cudaMalloc(&d_numbers, n * sizeof(int));
  cudaMalloc(&d_moved, n * sizeof(int));
  cudaMemcpy(d_numbers, numbers.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  rounds<<<(n + 63) / 64, 64>>>(d_numbers, n, num_rounds, d_moved);
  cudaMemcpy(moved.data(), d_moved, n * sizeof(int), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) {
    const int from = i / 64 * 64 + (i % 64 + num_rounds) % 64;
    wrong += moved[i] != (from < n ? numbers[from] : 0) + 3;  // rounds 0, 1 and 2 are added
  }
  std::printf("blur: %d wrong\n", wrong);
  return wrong != 0;
}
