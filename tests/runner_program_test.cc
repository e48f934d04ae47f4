// SPDX-License-Identifier: Apache-2.0
// Whole programs, host and device, against what they compute in plain loops themselves.
#include "runner_support.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

TEST(RunnerProgram, vector_add_by_a_launch_from_main) {
  TestProgram program(R"(
#include <cstdio>
#include <cstdlib>
#include <vector>
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 0;
  std::vector<float> h(n);
  float *a, *b, *c;
  cudaMalloc(&a, n * 4); cudaMalloc(&b, n * 4); cudaMalloc(&c, n * 4);
  for (int i = 0; i < n; ++i) h[i] = i;
  cudaMemcpy(a, h.data(), n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(b, h.data(), n * 4, cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(a, b, c, n);
  if (cudaGetLastError() != cudaSuccess) return 2;
  cudaMemcpy(h.data(), c, n * 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; ++i) if (h[i] != 2 * i) return 1;
  cudaFree(a); cudaFree(b); cudaFree(c);
  printf("right\n");
  return 0;
}
)");
  expect_right(program, {{"program", {{"arguments", {"1000"}}}}});
}

TEST(RunnerProgram, transpose_reduction_templates_and_structs_as_arguments) {
  TestProgram program(R"(
#include <cstdio>
constexpr int kTile = 16;
struct Matrix { const float* data; int rows, columns; double unused; };
__global__ void transpose(Matrix in, float* out) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  if (x < in.columns && y < in.rows) tile[threadIdx.y][threadIdx.x] = in.data[y * in.columns + x];
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x; y = blockIdx.x * kTile + threadIdx.y;
  if (x < in.rows && y < in.columns) out[y * in.rows + x] = tile[threadIdx.x][threadIdx.y];
}
template <class T, int kWarps>
__global__ void sum(const T* in, T* out, int n, float3 scale) {
  __shared__ T partial[kWarps];
  T mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += in[i];
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(0xffffffffu, mine, d);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    T all = 0;
    for (int w = 0; w < kWarps; ++w) all += partial[w];
    *out = all * T(scale.x * scale.y * scale.z);
  }
}
int main() {
  const int rows = 37, columns = 50;
  float *in, *out, *result;
  cudaMallocManaged(&in, rows * columns * 4);
  cudaMallocManaged(&out, rows * columns * 4);
  cudaMallocManaged(&result, 8);
  for (int i = 0; i < rows * columns; ++i) in[i] = i % 101;
  transpose<<<dim3(4, 3), dim3(kTile, kTile)>>>(Matrix{in, rows, columns, 1.0}, out);
  cudaDeviceSynchronize();
  for (int y = 0; y < rows; ++y)
    for (int x = 0; x < columns; ++x)
      if (out[x * rows + y] != in[y * columns + x]) return 1;
  float expected = 0;
  for (int i = 0; i < rows * columns; ++i) expected += in[i];
  sum<float, 4><<<1, 128>>>(in, result, rows * columns, make_float3(1, 2, 0.5f));
  sum<double, 2><<<1, 64>>>((const double*)nullptr, (double*)result, 0, make_float3(1, 1, 1));
  cudaDeviceSynchronize();
  if (*(double*)result != 0) return 3;
  sum<float, 4><<<1, 128>>>(in, result, rows * columns, make_float3(1, 2, 0.5f));
  if (result[0] != expected) return 2;
  printf("right\n");
}
)");
  expect_right(program);
  expect_right(program, {{"seed", 7}, {"workers", 2}});
}

TEST(RunnerProgram, two_sources_share_device_functions_and_keep_static_kernels_apart) {
  TestProgram program({{"common.h",
                        "__device__ int twice(int x);\nextern __device__ int offset;\n"
                        "int other_half();\n"},
                       {"main.cu", R"(
#include <cstdio>
#include "common.h"
__host__ __device__ inline int both() {
#ifdef __CUDA_ARCH__
  return 1000;
#else
  return 1;
#endif
}
static __device__ int hidden = 5;
static __global__ void kernel(int* out) { out[0] = twice(21) + offset + hidden + both(); }
int main() {
  int* out;
  cudaMallocManaged(&out, 8);
  int value = 3;
  cudaMemcpyToSymbol(offset, &value, 4);
  kernel<<<1, 1>>>(out);
  if (out[0] != 42 + 3 + 5 + 1000 || both() != 1) return out[0];
  if (other_half() != 77 + 6) return 2;
  printf("right\n");
}
)"},
                       {"other.cu", R"(
#include "common.h"
__device__ int twice(int x) { return 2 * x; }
__device__ int offset = 1;
static __device__ int hidden = 6;
static __global__ void kernel(int* out) { out[0] = 77 + hidden; }
int other_half() {
  int* out;
  cudaMallocManaged(&out, 8);
  kernel<<<1, 1>>>(out);
  return out[0];
}
)"}});
  expect_right(program);
}

TEST(RunnerProgram, constants_dynamic_shared_memory_and_printf) {
  TestProgram program(R"(
#include <cstdio>
__constant__ float weights[4];
extern __shared__ float window[];
__global__ void smooth(const float* in, float* out, int n) {
  window[threadIdx.x] = threadIdx.x < n ? in[threadIdx.x] : 0;
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 4; ++k) sum += weights[k] * window[(threadIdx.x + k) % blockDim.x];
  out[threadIdx.x] = sum;
  if (threadIdx.x == 0) printf("right%c", '\n');
}
int main() {
  const float host[4] = {1, 2, 3, 4};
  float *in, *out;
  cudaMalloc(&in, 64 * 4);
  cudaMallocHost(&out, 64 * 4);
  float values[64];
  for (int i = 0; i < 64; ++i) values[i] = i;
  cudaMemcpyToSymbol(weights, host, sizeof host);
  cudaMemcpy(in, values, sizeof values, cudaMemcpyDefault);
  smooth<<<1, 64, 64 * sizeof(float)>>>(in, out, 64);
  for (int i = 0; i < 64; ++i) {
    float sum = 0;
    for (int k = 0; k < 4; ++k) sum += host[k] * values[(i + k) % 64];
    if (out[i] != sum) return 1;
  }
}
)");
  expect_right(program);
}

// Values by hand: with x = 1 + 2^-12 the rounded square is 1 + 2^-11, and 2^-24 is cut off.
TEST(RunnerProgram, arithmetic_is_ieee_whether_checked_or_not) {
  TestProgram program(R"(
#include <cmath>
#include <cstdio>
__global__ void arithmetic(const float* in, float* out) {
  out[0] = in[0] * in[0] - in[1];
  out[1] = fmaf(in[0], in[0], -in[1]);
  out[2] = in[2] != in[2] ? 1 : 0;
  out[3] = in[3] + 0.0f;
  out[4] = in[4] / 2;
  out[5] = (in[5] + in[6]) - in[5];
  out[6] = sqrtf(in[7]);
}
int main() {
  const float tiny = ldexpf(1, -126);
  const float values[8] = {1 + ldexpf(1, -12), 1 + ldexpf(1, -11), NAN, -0.0f, tiny, 1e8f, 1, 2};
  float *in, *out, got[7];
  cudaMalloc(&in, sizeof values);
  cudaMalloc(&out, sizeof got);
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  arithmetic<<<1, 1>>>(in, out);
  cudaMemcpy(got, out, sizeof got, cudaMemcpyDeviceToHost);
  if (got[0] != 0 || got[1] != ldexpf(1, -24)) return 1;
  if (got[2] != 1 || std::signbit(got[3])) return 2;
  if (got[4] != ldexpf(1, -127)) return 3;
  if (got[5] != 0 || got[6] != 1.41421354f) return 4;
  printf("right\n");
}
)");
  expect_right(program);
  program.asked.checked = false;
  program.forget();
  expect_right(program);
}

TEST(RunnerProgram, hip_sources_run_at_width_64) {
  TestProgram program(R"(
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void lanes(unsigned long long* ballots, int* width) {
  unsigned long long ballot = __ballot(threadIdx.x % 2 == 0);
  if (threadIdx.x % warpSize == 0) ballots[threadIdx.x / warpSize] = ballot;
  if (threadIdx.x == 0) *width = warpSize;
}
int main() {
  unsigned long long *ballots, host[2];
  int *width, host_width;
  if (hipMalloc(&ballots, 16) != hipSuccess || hipMalloc(&width, 4) != hipSuccess) return 1;
  lanes<<<1, 128>>>(ballots, width);
  hipMemcpy(host, ballots, 16, hipMemcpyDeviceToHost);
  hipMemcpy(&host_width, width, 4, hipMemcpyDeviceToHost);
  hipDeviceProp_t properties;
  hipGetDeviceProperties(&properties, 0);
  if (host_width != 64 || properties.warpSize != 64) return 2;
  if (host[0] != 0x5555555555555555ull || host[1] != host[0]) return 3;
  printf("right\n");
}
)",
                      "hip");
  expect_right(program, {{"wave_width", 64}});
}

TEST(RunnerProgram, exit_constructors_and_destructors_of_the_program_run) {
  TestProgram program(R"(
#include <cstdio>
#include <cstdlib>
#include <iostream>
struct Speaks {
  Speaks() { std::cout << "first" << std::endl; }
  ~Speaks() { std::cout << "last" << std::endl; }
} speaks;
int main() {
  atexit([] { puts("at exit"); });
  std::cerr << "to stderr";
  exit(7);
}
)");
  const nlohmann::json answer = program.run();
  EXPECT_EQ(answer["exit_code"], 7);
  EXPECT_EQ(answer["stdout"], "first\nat exit\nlast\n");
  EXPECT_EQ(answer["stderr"], "to stderr");
}

TEST(RunnerProgram, a_cooperative_launch_synchronises_the_grid) {
  TestProgram program(R"(
#include <cooperative_groups.h>
#include <cstdio>
__global__ void phases(int* sums, int* out) {
  __shared__ int mine;
  if (threadIdx.x == 0) { mine = blockIdx.x + 1; sums[blockIdx.x] = mine; }
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) {
    int all = 0;
    for (int b = 0; b < gridDim.x; ++b) all += sums[b];
    out[blockIdx.x] = all * 100 + mine;
  }
}
int main() {
  int *sums, *out;
  cudaMallocManaged(&sums, 8 * 4);
  cudaMallocManaged(&out, 8 * 4);
  void* arguments[] = {&sums, &out};
  if (cudaLaunchCooperativeKernel(phases, 8, 64, arguments) != cudaSuccess) return 1;
  for (int b = 0; b < 8; ++b) if (out[b] != 3600 + b + 1) return 2;
  if (cudaLaunchCooperativeKernel(phases, 100000, 64, arguments) !=
      cudaErrorCooperativeLaunchTooLarge) return 3;
  printf("right\n");
}
)");
  expect_right(program);
}

TEST(RunnerProgram, launches_are_recorded_with_their_buffers) {
  TestProgram program(R"(
struct Pair { int n; float* out; };
__global__ void fill(Pair pair, const float* in) {
  if (threadIdx.x < pair.n) pair.out[threadIdx.x] = in[threadIdx.x] + 1;
}
int main() {
  float *buffer, *in;
  cudaMalloc(&buffer, 64);
  cudaMalloc(&in, 16);
  const float values[4] = {1, 2, 3, 4};
  cudaMemcpy(in, values, 16, cudaMemcpyHostToDevice);
  fill<<<1, 32>>>(Pair{4, buffer + 2}, in);
}
)");
  const nlohmann::json answer = program.run({{"program", {{"record", "contents"}}}});
  ASSERT_EQ(answer["launches"].size(), 1) << answer.dump(1);
  const nlohmann::json& launch = answer["launches"][0];
  EXPECT_EQ(launch["kernel"], "fill(Pair, float const*)");
  EXPECT_EQ(launch["grid"], nlohmann::json({1, 1, 1}));
  EXPECT_EQ(launch["block"], nlohmann::json({32, 1, 1}));
  ASSERT_EQ(launch["pointers"].size(), 2);
  EXPECT_EQ(launch["pointers"][0]["parameter"], 0);
  EXPECT_EQ(launch["pointers"][0]["at"], 8);
  EXPECT_EQ(launch["pointers"][0]["offset"], 8);
  EXPECT_EQ(launch["pointers"][1]["const"], true);
  const nlohmann::json& out = launch["buffers"][0];
  EXPECT_EQ(out["bytes"], 64);
  EXPECT_EQ(out["unwritten"], nlohmann::json({{0, 64}}));
  const std::string before = text_of_file(out["before"]), after = text_of_file(out["after"]);
  EXPECT_EQ(before, std::string(64, '\xa5'));
  EXPECT_EQ(hex_of(after.substr(8, 16)),
            "000000400000404000008040"
            "0000a040");
  EXPECT_EQ(after.substr(0, 8), before.substr(0, 8));
  EXPECT_NE(out["hash_before"], out["hash_after"]);
  EXPECT_EQ(launch["counts"]["threads"], 32);
}

}  // namespace
}  // namespace ambidex
