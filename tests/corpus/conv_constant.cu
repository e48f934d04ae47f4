// SPDX-License-Identifier: Apache-2.0
// Separable filter with its taps in constant memory, along rows and along columns.
#include <cmath>
#include <cstdio>
#include <vector>

#define KERNEL_RADIUS 4
#define KERNEL_LENGTH (2 * KERNEL_RADIUS + 1)

__constant__ float c_kernel[KERNEL_LENGTH];

template <bool kColumns>
__global__ void convolve(const float* src, float* dst, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int k = -KERNEL_RADIUS; k <= KERNEL_RADIUS; ++k) {
    const int sx = kColumns ? x : x + k;
    const int sy = kColumns ? y + k : y;
    if (sx >= 0 && sx < width && sy >= 0 && sy < height) {
      sum += src[sy * width + sx] * c_kernel[KERNEL_RADIUS - k];
    }
  }
  dst[y * width + x] = sum;
}

int main() {
  const int width = 50, height = 33;
  std::vector<float> image(width * height), out(width * height), taps(KERNEL_LENGTH);
  for (int i = 0; i < KERNEL_LENGTH; ++i) taps[i] = 1.0f / (1 + i);
  for (int i = 0; i < width * height; ++i) image[i] = (float)(i % 11);
  float *d_image, *d_rows, *d_out;
  cudaMalloc(&d_image, image.size() * sizeof(float));
  cudaMalloc(&d_rows, image.size() * sizeof(float));
  cudaMalloc(&d_out, image.size() * sizeof(float));
  cudaMemcpy(d_image, image.data(), image.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(c_kernel, taps.data(), KERNEL_LENGTH * sizeof(float));
  dim3 block(32, 4), grid((width + 31) / 32, (height + 3) / 4);
  convolve<false><<<grid, block>>>(d_image, d_rows, width, height);
  convolve<true><<<grid, block>>>(d_rows, d_out, width, height);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  double worst = 0;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double want = 0;
      for (int j = -KERNEL_RADIUS; j <= KERNEL_RADIUS; ++j) {
        for (int i = -KERNEL_RADIUS; i <= KERNEL_RADIUS; ++i) {
          if (x + i < 0 || x + i >= width || y + j < 0 || y + j >= height) continue;
          want += (double)image[(y + j) * width + x + i] * taps[KERNEL_RADIUS - i] * taps[KERNEL_RADIUS - j];
        }
      }
      worst = std::fmax(worst, std::fabs(want - out[y * width + x]));
    }
  }
  std::printf("convolution: worst error %g\n", worst);
  return worst > 1e-3;
}
