// SPDX-License-Identifier: Apache-2.0
// Bilinear image scaling by a texture object.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

__global__ void scale(cudaTextureObject_t image, float* out, int width, int height, float ratio) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[y * width + x] = tex2D<float>(image, (x + 0.5f) * ratio, (y + 0.5f) * ratio);
}

int main() {
  const int w = 32, h = 16;
  std::vector<float> in(w * h), out(2 * w * 2 * h);
  for (int i = 0; i < w * h; ++i) in[i] = (float)(i % w);
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, w, h);
  cudaMemcpy2DToArray(array, 0, 0, in.data(), w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
  cudaResourceDesc resource;
  memset(&resource, 0, sizeof(resource));
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc texture;
  memset(&texture, 0, sizeof(texture));
  texture.addressMode[0] = texture.addressMode[1] = cudaAddressModeClamp;
  texture.filterMode = cudaFilterModeLinear;
  texture.readMode = cudaReadModeElementType;
  cudaTextureObject_t object = 0;
  cudaCreateTextureObject(&object, &resource, &texture, nullptr);
  float* d_out;
  cudaMalloc(&d_out, out.size() * sizeof(float));
  scale<<<dim3(4, 4), dim3(16, 8)>>>(object, d_out, 2 * w, 2 * h, 0.5f);
  cudaMemcpy(out.data(), d_out, out.size() * sizeof(float), cudaMemcpyDeviceToHost);
  int bad = 0;
  for (int x = 2; x < 2 * w - 2; ++x) bad += std::fabs(out[5 * 2 * w + x] - ((x + 0.5f) * 0.5f - 0.5f)) > 0.01f;
  std::printf("texture: %d wrong\n", bad);
  return bad != 0;
}
