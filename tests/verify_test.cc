// SPDX-License-Identifier: Apache-2.0
// The verifier is judged by ports that are known to be right or wrong: each known wrong fix, made
// to a right port by hand, must be found.
#include "port/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ambidex/base.h"
#include "base/files.h"
#include "caught.h"
#include "verify_sources.h"

namespace ambidex {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

// Survivors of a threshold are packed, a warp at a time, and each block sums its input: ballots,
// ranks, a broadcast, a tree in shared memory and a tail that is not whole.
constexpr const char* kOriginal = R"(
#include <cstdio>
__global__ void pack(const int* in, int n, int* out, int* count, int* sums) {
  __shared__ int tree[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const int value = i < n ? in[i] : 0;
  const bool keep = value > 50;
  const unsigned mask = __ballot_sync(0xffffffff, keep);
  int base = 0;
  if (lane == 0 && mask != 0) base = atomicAdd(count, __popc(mask));
  base = __shfl_sync(0xffffffff, base, 0);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = value;
  tree[threadIdx.x] = value;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (threadIdx.x < s) tree[threadIdx.x] += tree[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
}
int main() {
  const int n = 1000, blocks = (n + 127) / 128;
  int host[n], *in, *out, *count, *sums;
  for (int i = 0; i < n; ++i) host[i] = (i * 37) % 101;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMalloc(&count, sizeof(int));
  cudaMalloc(&sums, blocks * sizeof(int));
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  cudaMemset(count, 0, sizeof(int));
  pack<<<blocks, 128>>>(in, n, out, count, sums);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";

constexpr const char* kPort = R"(
#include <hip/hip_runtime.h>
#include <cstdio>
__global__ void pack(const int* in, int n, int* out, int* count, int* sums) {
  __shared__ int tree[128];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const int value = i < n ? in[i] : 0;
  const bool keep = value > 50;
  const unsigned mask = (unsigned)(__ballot(keep) >> (__lane_id() & 32));
  int base = 0;
  if (lane == 0 && mask != 0) base = atomicAdd(count, __popc(mask));
  base = __shfl(base, 0, 32);
  if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = value;
  tree[threadIdx.x] = value;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (threadIdx.x < s) tree[threadIdx.x] += tree[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = tree[0];
}
int main() {
  const int n = 1000, blocks = (n + 127) / 128;
  int host[n], *in, *out, *count, *sums;
  for (int i = 0; i < n; ++i) host[i] = (i * 37) % 101;
  (void)hipMalloc(&in, sizeof host);
  (void)hipMalloc(&out, sizeof host);
  (void)hipMalloc(&count, sizeof(int));
  (void)hipMalloc(&sums, blocks * sizeof(int));
  (void)hipMemcpy(in, host, sizeof host, hipMemcpyHostToDevice);
  (void)hipMemset(count, 0, sizeof(int));
  pack<<<blocks, 128>>>(in, n, out, count, sums);
  return hipDeviceSynchronize() != hipSuccess;
}
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kPort;
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

// Why the port is not right; "" if it is.
std::string fault_of(const std::string& port) {
  const VerifyReport report = verify_sources(kOriginal, port);
  if (report.right()) return "";
  for (const KernelReport& kernel : report.kernels) {
    if (!kernel.reason.empty()) return kernel.reason;
  }
  return report.program;
}

TEST(Verify, a_right_port_is_right_in_many_cases) {
  const VerifyReport report = verify_sources(kOriginal, kPort);
  EXPECT_TRUE(report.right()) << to_json(report).dump(2);
  ASSERT_EQ(report.kernels.size(), 1u);
  EXPECT_EQ(report.kernels[0].kernel, "pack");
  EXPECT_GT(report.kernels[0].num_cases, 10);
}

TEST(Verify, a_ballot_that_keeps_32_bits_is_found) {
  EXPECT_NE(fault_of(with("(unsigned)(__ballot(keep) >> (__lane_id() & 32))",
                          "(unsigned)__ballot(keep)")),
            "");
}

TEST(Verify, a_broadcast_over_the_whole_wave_is_found) {
  EXPECT_NE(fault_of(with("__shfl(base, 0, 32)", "__shfl(base, 0)")), "");
}

// What is read too early nobody has written yet, or somebody writes meanwhile.
TEST(Verify, a_dropped_barrier_is_found) {
  EXPECT_THAT(fault_of(with("  tree[threadIdx.x] = value;\n  __syncthreads();",
                            "  tree[threadIdx.x] = value;")),
              AnyOf(HasSubstr("race"), HasSubstr("uninitialised_read")));
}

TEST(Verify, a_tail_that_is_skipped_is_found) {
  EXPECT_NE(fault_of(with("i < n ? in[i] : 0", "i < n - 1 ? in[i] : 0")), "");
}

TEST(Verify, a_tail_that_reads_beyond_the_end_is_found) {
  EXPECT_NE(fault_of(with("i < n ? in[i] : 0", "i <= n ? in[i] : 0")), "");
}

TEST(Verify, a_grid_that_is_one_block_short_is_found) {
  EXPECT_THAT(fault_of(with("(n + 127) / 128", "n / 128")), HasSubstr("blocks"));
}

TEST(Verify, a_kernel_that_does_nothing_is_found) {
  EXPECT_NE(
      fault_of(with("const bool keep = value > 50;", "const bool keep = value > 50; return;")), "");
}

TEST(Verify, a_constant_instead_of_a_sum_is_found) {
  EXPECT_NE(fault_of(with("sums[blockIdx.x] = tree[0];", "sums[blockIdx.x] = 6400;")), "");
}

TEST(Verify, an_original_that_is_wrong_itself_is_no_measure) {
  std::string original = kOriginal;
  const std::string guard = "i < n ? in[i] : 0";
  original.replace(original.find(guard), guard.size(), "in[i]");
  const VerifyReport report = verify_sources(original, kPort);
  EXPECT_FALSE(report.right());
  EXPECT_THAT(report.program, HasSubstr("the original itself is not right"));
  EXPECT_THAT(report.program, HasSubstr("out_of_bounds"));
}

TEST(Verify, what_the_host_does_wrong_is_told_of_the_program_and_of_no_kernel) {
  const auto report = verify_sources(
      kOriginal,
      "#include <cstdlib>\n" + with("return hipDevice", "return system(\"true\") + hipDevice"));
  EXPECT_FALSE(report.right());
  EXPECT_THAT(report.program, HasSubstr("the program called system, which it may not"));
  for (const KernelReport& kernel : report.kernels) EXPECT_EQ(kernel.kernel, "pack");
}

TEST(Verify, a_variable_that_only_the_port_has_is_named) {
  const auto report = verify_sources(
      kOriginal,
      with("#include <hip/hip_runtime.h>", "#include <hip/hip_runtime.h>\n__device__ int mine;"));
  EXPECT_THAT(report.kernels.at(0).reason,
              HasSubstr("a device variable \"mine\" that the original has not"));
}

// No width but powers of two up to 32 means anything to CUDA's shuffles.
TEST(Verify, an_undefined_width_of_a_shuffle_in_the_original_is_no_measure) {
  const std::string kMain = R"(
int main() {
  int host[128], *data;
  for (int i = 0; i < 128; ++i) host[i] = i % 5;
  (void)cudaMalloc(&data, sizeof host);
  (void)cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
  scan<<<2, 64>>>(data, 32);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";
  const std::string original = R"(
__global__ void scan(int* data, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int v = data[i];
  for (int d = 1; d < width; d *= 2) {
    const int n = __shfl_up_sync(0xffffffff, v, d, width);
    if (lane >= d) v += n;
  }
  data[i] = v;
}
)";
  std::string port = original;
  port.replace(port.find("__shfl_up_sync(0xffffffff, v"), 28, "__shfl_up(v");
  const VerifyReport report = verify_renamed(original + kMain, port + kMain);
  EXPECT_TRUE(report.right()) << to_json(report).dump(1);
  EXPECT_GT(report.kernels[0].num_cases, 8);

  std::string undefined = kMain;
  undefined.replace(undefined.find("data, 32"), 8, "data, 24");
  EXPECT_THAT(verify_renamed(original + undefined, port + undefined).program,
              HasSubstr("width of a shuffle is none of 1, 2, 4, 8, 16, 32"));
}

// How often a loop looks at a flag is a matter of the schedule.
TEST(Verify, polls_are_no_lost_updates) {
  const std::string program = R"(
__global__ void handover(volatile int* flag, int* out) {
  if (blockIdx.x == 1) {
    if (threadIdx.x == 0) *flag = 1;
    return;
  }
  for (int i = 0; i < POLLS; ++i) {
    if (*flag == 7) out[0] = 1;
  }
  out[1 + threadIdx.x] = threadIdx.x;
}
int main() {
  int *flag, *out;
  (void)cudaMalloc(&flag, 4);
  (void)cudaMalloc(&out, 4 * 65);
  (void)cudaMemset(flag, 0, 4);
  (void)cudaMemset(out, 0, 4 * 65);
  handover<<<2, 64>>>(flag, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";
  const VerifyReport report =
      verify_renamed("#define POLLS 40\n" + program, "#define POLLS 3\n" + program);
  for (const KernelReport& kernel : report.kernels) {
    EXPECT_EQ(kernel.reason.find("may be lost"), std::string::npos) << kernel.reason;
  }
}

// The host launches until nothing changes: how often depends on who comes first, on any GPU.
TEST(Verify, loops_until_nothing_changes_may_take_other_rounds) {
  const std::string program = R"(
__global__ void settle(int n, int* label, int* changed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int a = label[i], b = label[i + 1];
  if (a < b) { atomicMin(&label[i + 1], a); *changed = 1; }
  if (b < a) { atomicMin(&label[i], b); *changed = 1; }
}
__global__ void count(int n, const int* label, int* found) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) atomicAdd(found, label[i] == LABEL);
}
int main() {
  const int n = 150;
  int host[n + 1], again, found, *label, *changed, *total;
  for (int i = 0; i <= n; ++i) host[i] = i;
  (void)cudaMalloc(&label, sizeof host);
  (void)cudaMalloc(&changed, 4);
  (void)cudaMalloc(&total, 4);
  (void)cudaMemcpy(label, host, sizeof host, cudaMemcpyHostToDevice);
  (void)cudaMemset(total, 0, 4);
  do {
    (void)cudaMemset(changed, 0, 4);
    settle<<<3, 64>>>(n, label, changed);
    (void)cudaMemcpy(&again, changed, 4, cudaMemcpyDeviceToHost);
  } while (again != 0);
  if (COUNTS) count<<<3, 64>>>(n, label, total);
  (void)cudaMemcpy(&found, total, 4, cudaMemcpyDeviceToHost);
  return cudaDeviceSynchronize() != cudaSuccess || (COUNTS && LABEL == 0 && found != n + 1);
}
)";
  const std::string original = "#define LABEL 0\n#define COUNTS 1\n" + program;
  const VerifyReport report = verify_renamed(original, original);
  EXPECT_TRUE(report.right()) << to_json(report).dump(1);
  EXPECT_THAT(report.remarks, testing::Contains(HasSubstr("depends on the order of the threads")));

  const VerifyReport idle =
      verify_renamed(original, "#define LABEL 0\n#define COUNTS 0\n" + program);
  EXPECT_THAT(idle.program, HasSubstr("never launches count"));
  const VerifyReport wrong =
      verify_renamed(original, "#define LABEL 1\n#define COUNTS 1\n" + program);
  EXPECT_FALSE(wrong.right());
}

// As often as another, but in another place.
TEST(Verify, launches_in_another_order_are_found) {
  const std::string kernels = R"(
__global__ void twice(int* x) { x[threadIdx.x] *= 2; }
__global__ void more(int* x) { x[threadIdx.x] += 1; }
)";
  const auto program = [&](const std::string& launches) {
    return kernels +
           "int main() {\n  int* x;\n  (void)cudaMalloc(&x, 256);\n  (void)cudaMemset(x, 0, "
           "256);\n" +
           launches + "  return cudaDeviceSynchronize() != cudaSuccess;\n}\n";
  };
  const std::string a = "  twice<<<1, 64>>>(x);\n", b = "  more<<<1, 64>>>(x);\n";
  const VerifyReport report = verify_renamed(program(a + b), program(b + a));
  EXPECT_FALSE(report.right());
  EXPECT_THAT(to_json(report).dump(), HasSubstr("the original's is of twice"));
}

TEST(Verify, a_port_that_does_not_compile_is_an_error_with_its_line) {
  const Caught error = caught([] {
    verify_sources(kOriginal, with("tree[threadIdx.x] = value", "tree[x] = value"), "pack");
  });
  EXPECT_EQ(error.kind, ErrorKind::bad_input);
  EXPECT_THAT(error.message, HasSubstr("pack.hip:14"));
}

}  // namespace
}  // namespace ambidex
