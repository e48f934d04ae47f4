// SPDX-License-Identifier: Apache-2.0
// What compiled kernels ask for, by the counts of the executor, against counts made by hand.
#include <map>

#include "port/traffic.h"
#include "runner_support.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

const char* const kProgram = R"(
#include <cuda_fp16.h>
#include <mma.h>
__global__ void copy(float* o, const float* i, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < n) o[t] = i[t];
}
__global__ void strided(float* o, const float* i) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  o[t] = i[t * 8];
}
__global__ void vector(float4* o, const float4* a, const float4* b) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  float4 x = a[t], y = b[t];
  o[t] = make_float4(x.x + y.x, x.y * y.y, x.z - y.z, x.w + y.w);
}
template <int pad>
__global__ void transpose(float* o, const float* i) {
  __shared__ float tile[32][32 + pad];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = i[y * 32 + x];
  __syncthreads();
  o[y * 32 + x] = tile[x][y];
}
__global__ void dot(float* partial, const float* a, const float* b, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += a[i] * b[i];
  partial[threadIdx.x] = sum;
}
__global__ void types(double* d, float* s, __half* h) {
  int t = threadIdx.x;
  d[t] = d[t] * 2.0 + 1.0;
  s[t] = sqrtf(s[t]);
  h[t] = __hadd(h[t], h[t]);
}
__global__ void butterfly(float* o) {
  float value = o[threadIdx.x];
  for (int d = 16; d > 0; d /= 2) value += __shfl_xor_sync(0xffffffffu, value, d);
  o[threadIdx.x] = value;
}
__global__ void add(float* sum, int* count) {
  atomicAdd(sum, 1.0f);
  atomicAdd(count + threadIdx.x, 1);
}
__global__ void columns(float* o, const float* i, int rows) {
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += i[r * 64 + threadIdx.x];
  o[threadIdx.x] = sum;
}
__global__ void eighths(float* o, const float* i, int rows, int stride) {
  float sum = 0;
  for (int r = 0; r < rows; r += 8) sum += i[(size_t)r * stride + threadIdx.x];
  o[threadIdx.x] = sum;
}
__global__ void rows(float* o, const float* i, int rows, int stride) {
  float sum = 0;
  for (int r = 0; r < rows; ++r) sum += i[(size_t)r * stride + threadIdx.x];
  o[threadIdx.x] = sum;
}
__global__ void gather(float* o, const float* i, const int* at) { o[threadIdx.x] = i[at[threadIdx.x]]; }
__global__ void chase(int* o, const int* next, int steps) {
  int at = threadIdx.x;
  for (int s = 0; s < steps; ++s) at = next[at];
  o[threadIdx.x] = at;
}
__global__ void inverse(float* o, const float* i) { o[threadIdx.x] = rsqrtf(i[threadIdx.x]); }
__constant__ float table[4];
__global__ void constant(float* o) { o[threadIdx.x] = table[threadIdx.x % 4]; }
__global__ void product(float* d, const __half* a, const __half* b) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> x;
  fragment<matrix_b, 16, 16, 16, __half, row_major> y;
  fragment<accumulator, 16, 16, 16, float> z;
  fill_fragment(z, 0.0f);
  load_matrix_sync(x, a, 16);
  load_matrix_sync(y, b, 16);
  mma_sync(z, x, y, z);
  store_matrix_sync(d, z, 16, mem_row_major);
}
int main() {
  float *a, *b, *o;
  cudaMalloc(&a, 1 << 16);
  cudaMalloc(&b, 1 << 16);
  cudaMalloc(&o, 1 << 16);
  cudaMemset(a, 0, 1 << 16);
  cudaMemset(b, 0, 1 << 16);
  cudaMemset(o, 0, 1 << 16);
  int width = 0;
  cudaDeviceGetAttribute(&width, cudaDevAttrWarpSize, 0);
  copy<<<4, 64>>>(o, a, 250);
  strided<<<4, 64>>>(o, a);
  vector<<<2, 64>>>((float4*)o, (float4*)a, (float4*)b);
  transpose<0><<<1, dim3(32, 32)>>>(o, a);
  transpose<1><<<1, dim3(32, 32)>>>(o, a);
  dot<<<1, 64>>>(o, a, b, 1024);
  types<<<1, 64>>>((double*)a, b, (__half*)o);
  constant<<<1, 64>>>(o);
  add<<<3, 64>>>(o, (int*)b);
  columns<<<1, 64>>>(o, a, 64);
  eighths<<<1, 64>>>(o, a, 256, 8);
  rows<<<1, 64>>>(o, a, 64, 16);
  gather<<<1, 64>>>(o, a, (int*)b);
  chase<<<1, 64>>>((int*)o, (int*)b, 48);
  inverse<<<1, 64>>>(o, a);
  if (width == 32) butterfly<<<1, 64>>>(o);
  if (width == 32) product<<<1, 32>>>(o, (const __half*)a, (const __half*)b);
  return cudaDeviceSynchronize();
}
)";

struct Row {
  SimtTraffic traffic;
  nlohmann::json counts;
};

/// By width, then by kernel; run once for all tests.
const std::map<std::string, Row>& rows_of(int width) {
  static TestProgram program(kProgram);
  static std::map<int, std::map<std::string, Row>> known;
  auto& rows = known[width];
  if (!rows.empty()) return rows;
  program.asked.counted = true;
  const nlohmann::json answer = program.run(
      {{"wave_width", width}, {"device", width == 32 ? "h200" : "mi300x"}, {"counted", true}});
  EXPECT_EQ(answer["status"], "ended") << answer.dump(1);
  EXPECT_EQ(answer["problems"].size(), 0) << problems_of(answer);
  for (const auto& launch : answer["launches"]) {
    std::string name = launch["kernel"];
    name = name.substr(0, name.find('('));
    if (name.starts_with("void ")) name = name.substr(5);
    rows[name] = {traffic_of(launch["traffic"]), launch["counts"]};
  }
  return rows;
}

class PortCounts : public ::testing::TestWithParam<int> {
 protected:
  const SimtTraffic& of(const std::string& kernel) {
    return rows_of(GetParam()).at(kernel).traffic;
  }
  int64_t waves(int64_t threads) const { return threads / GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Widths, PortCounts, ::testing::Values(32, 64));

TEST_P(PortCounts, a_copy_moves_its_bytes_and_no_more) {
  const SimtTraffic& copy = of("copy");
  for (const SimtGlobalTraffic& side : {copy.loads, copy.stores}) {
    EXPECT_EQ(side.bytes, 1000);  // 250 floats
    EXPECT_EQ(side.lanes, 250);
    EXPECT_EQ(side.accesses, waves(256));
    EXPECT_EQ(side.moved, (SimtPieces{32, 16, 8}));
    EXPECT_EQ(side.distinct_bytes, 1000);
  }
  EXPECT_EQ(copy.arithmetic.flop, (std::array<int64_t, 3>{}));
}

TEST_P(PortCounts, a_stride_of_eight_floats_takes_a_sector_for_each_lane) {
  const SimtTraffic& strided = of("strided");
  EXPECT_EQ(strided.loads.moved, (SimtPieces{256, 128, 64}));
  EXPECT_EQ(strided.stores.moved, (SimtPieces{32, 16, 8}));
}

TEST_P(PortCounts, a_float4_is_one_access) {
  const SimtTraffic& vector = of("vector");
  EXPECT_EQ(vector.loads.accesses, 2 * waves(128));
  EXPECT_EQ(vector.loads.bytes, 4096);
  EXPECT_EQ(vector.loads.moved.sectors, 128);
  EXPECT_EQ(vector.stores.accesses, waves(128));
  EXPECT_EQ(vector.stores.moved.sectors, 64);
  EXPECT_EQ(vector.arithmetic.flop[1], 4 * 128);
}

TEST_P(PortCounts, a_transpose_conflicts_32_ways_unless_it_is_padded) {
  const SimtTraffic& plain = of("transpose<0>");
  EXPECT_EQ(plain.shared.bytes, 8192);
  EXPECT_EQ(plain.shared.passes, 32 + 1024);  // rows in, columns out
  EXPECT_EQ(plain.shared.passes_without_conflicts, 64);
  EXPECT_EQ(plain.shared.worst_passes, 32);
  const SimtTraffic& padded = of("transpose<1>");
  EXPECT_EQ(padded.shared.passes, 64);
  EXPECT_EQ(padded.shared.worst_passes, 1);
}

TEST_P(PortCounts, a_dot_product_has_two_flop_for_each_element) {
  const SimtArithmetic& dot = of("dot").arithmetic;
  EXPECT_EQ(dot.flop[1], 2 * 1024);
  EXPECT_EQ(dot.lanes[static_cast<size_t>(SimtInstruction::f32)], 1024);  // contracted
  EXPECT_EQ(dot.waves[static_cast<size_t>(SimtInstruction::f32)], waves(1024));
}

TEST_P(PortCounts, waves_wait_for_loads_that_cannot_be_under_way_together) {
  const auto num_waves = static_cast<double>(waves(64));
  EXPECT_EQ(of("copy").load_rounds, 4 * num_waves);
  EXPECT_EQ(of("vector").load_rounds, 2 * num_waves);  // both operands at once
  EXPECT_EQ(of("gather").load_rounds, 2 * num_waves);  // the index, then what it names
  EXPECT_EQ(of("constant").load_rounds, 0);
  // A loop by a step of the launch is not unrolled: 16 rounds. One by 1 is: 64 / 16.
  EXPECT_EQ(of("dot").load_rounds, 16 * num_waves);
  EXPECT_EQ(of("columns").load_rounds, 4 * num_waves);
  // Nor, but for 4 rounds, one whose addresses grow by a product: 256 / 8 / 4.
  EXPECT_EQ(of("eighths").load_rounds, 8 * num_waves);
  EXPECT_EQ(of("rows").load_rounds, 4 * num_waves);
  EXPECT_EQ(of("chase").load_rounds, 48 * num_waves);
}

TEST_P(PortCounts, functions_count_as_what_nvcc_makes_of_them) {
  const SimtArithmetic& inverse = of("inverse").arithmetic;
  EXPECT_EQ(inverse.lanes[static_cast<size_t>(SimtInstruction::special)], 64);
  EXPECT_EQ(inverse.lanes[static_cast<size_t>(SimtInstruction::f32)], 3 * 64);
  EXPECT_EQ(inverse.lanes[static_cast<size_t>(SimtInstruction::f64)], 0);
}

TEST_P(PortCounts, instructions_are_told_apart_by_their_unit) {
  const SimtArithmetic& types = of("types").arithmetic;
  EXPECT_EQ(types.flop[2], 2 * 64);
  EXPECT_EQ(types.lanes[static_cast<size_t>(SimtInstruction::f64)], 64);
  EXPECT_EQ(types.lanes[static_cast<size_t>(SimtInstruction::special)], 64);
  EXPECT_EQ(types.flop[0], 64);
}

TEST_P(PortCounts, constants_are_no_traffic_of_global_memory) {
  const SimtTraffic& constant = of("constant");
  EXPECT_EQ(constant.constant_bytes, 256);
  EXPECT_EQ(constant.loads.bytes, 0);
  EXPECT_EQ(constant.stores.bytes, 256);
}

TEST_P(PortCounts, atomics_of_any_type_are_one_update_each) {
  const SimtAtomicTraffic& atomics = of("add").atomics;
  EXPECT_EQ(atomics.updates, 2 * 192);
  EXPECT_EQ(atomics.compare_exchanges, 0);
  EXPECT_EQ(atomics.hottest_word, waves(192));
}

TEST(PortCounts32, a_butterfly_exchanges_five_times) {
  const Row& row = rows_of(32).at("butterfly");
  EXPECT_EQ(row.counts["shuffles"], 2 * 5);
  EXPECT_EQ(row.traffic.arithmetic.flop[1], 5 * 64);
}

TEST(PortCounts32, a_fragment_product_has_its_flop_and_no_software_of_ours) {
  const SimtArithmetic& product = rows_of(32).at("product").traffic.arithmetic;
  EXPECT_EQ(product.matrix_flop, (std::map<DType, int64_t>{{DType::f16, 2 * 16 * 16 * 16}}));
  EXPECT_LT(product.lanes[static_cast<size_t>(SimtInstruction::integer)], 32 * 64);
}

TEST(PortCounts32, a_module_that_does_not_tell_its_instructions_is_refused) {
  TestProgram program("__global__ void k() {}\nint main() { k<<<1, 1>>>(); return 0; }");
  EXPECT_THAT(error_text(ErrorKind::bad_input,
                         [&] {
                           program.run({{"counted", true}});
                         }),
              HasSubstr("build it with counted: true"));
}

}  // namespace
}  // namespace ambidex
