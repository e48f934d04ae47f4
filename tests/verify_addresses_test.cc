// SPDX-License-Identifier: Apache-2.0
// Kernels that are given addresses in memory: they are the same if they lead to the same place of
// the same buffer, and what they lead to is compared, too.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "verify_sources.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

// Rows of different lengths, each memory of its own, by a table that is memory as well.
std::string rows_program(const std::string& statement) {
  return R"(
__global__ void scale(float** rows, const int* lengths, float by) {
  for (int i = threadIdx.x; i < lengths[blockIdx.x]; i += blockDim.x) {
    )" + statement +
         R"(
  }
}
int main() {
  float *rows[3], **table, host[90];
  int lengths[3] = {30, 60, 90}, *device;
  for (int i = 0; i < 90; ++i) host[i] = i + 0.25f;
  for (int r = 0; r < 3; ++r) {
    (void)cudaMalloc(&rows[r], lengths[r] * 4);
    (void)cudaMemcpy(rows[r], host, lengths[r] * 4, cudaMemcpyHostToDevice);
  }
  (void)cudaMalloc(&table, sizeof rows);
  (void)cudaMemcpy(table, rows, sizeof rows, cudaMemcpyHostToDevice);
  (void)cudaMalloc(&device, sizeof lengths);
  (void)cudaMemcpy(device, lengths, sizeof lengths, cudaMemcpyHostToDevice);
  scale<<<3, 64>>>(table, device, 3.0f);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";
}

TEST(VerifyAddresses, rows_behind_a_table_are_given_and_compared) {
  const std::string original = rows_program("rows[blockIdx.x][i] *= by;");
  const VerifyReport report = verify_renamed(original, original);
  EXPECT_TRUE(report.right()) << to_json(report).dump(1);
  EXPECT_GT(report.kernels.at(0).num_cases, 10);  // and so are changed ones
}

TEST(VerifyAddresses, what_is_wrong_in_a_row_is_found) {
  const VerifyReport report =
      verify_renamed(rows_program("rows[blockIdx.x][i] *= by;"),
                     rows_program("rows[blockIdx.x][i] *= i == 70 ? by + 1 : by;"));
  EXPECT_EQ(report.kernels.at(0).verdict, KernelVerdict::wrong) << to_json(report).dump(1);
  EXPECT_THAT(report.kernels.at(0).reason, HasSubstr("[70] is "));
}

TEST(VerifyAddresses, a_row_that_is_exchanged_for_another_is_found) {
  const std::string statement = "if (i == 0 && blockIdx.x == 0) rows[0] = rows[NEXT] + 2;";
  const VerifyReport right = verify_renamed("#define NEXT 1\n" + rows_program(statement),
                                            "#define NEXT 1\n" + rows_program(statement));
  EXPECT_TRUE(right.right()) << to_json(right).dump(1);
  const VerifyReport wrong = verify_renamed("#define NEXT 1\n" + rows_program(statement),
                                            "#define NEXT 2\n" + rows_program(statement));
  EXPECT_EQ(wrong.kernels.at(0).verdict, KernelVerdict::wrong) << to_json(wrong).dump(1);
}

// A list in a pool, whose nodes a kernel links and another walks; the end is a pointer, too.
const std::string kList = R"(
struct Node { int key; Node* next; };
struct Pool { Node *begin, *end; };
__constant__ Pool pool;
__global__ void link() {
  for (Node* node = pool.begin; node != pool.end; ++node) {
    node->next = node + STEP < pool.end ? node + STEP : nullptr;
  }
}
__global__ void walk(int* sum) {
  int mine = 0;
  for (const Node* node = pool.begin + threadIdx.x; node != nullptr; node = node->next) {
    mine += node->key;
  }
  sum[threadIdx.x] = mine;
}
int main() {
  const int n = 40;
  Node host[n];
  for (int i = 0; i < n; ++i) host[i] = {1, nullptr};
  Pool both;
  int* sum;
  (void)cudaMalloc(&both.begin, sizeof host);
  (void)cudaMalloc(&sum, 32 * 4);
  (void)cudaMemcpy(both.begin, host, sizeof host, cudaMemcpyHostToDevice);
  both.end = both.begin + n;
  (void)cudaMemcpyToSymbol(POOL, &both, sizeof both);
  link<<<1, 1>>>();
  walk<<<1, 32>>>(sum);
  return cudaDeviceSynchronize() != cudaSuccess;
}
)";

TEST(VerifyAddresses, nodes_that_are_linked_alike_are_the_same) {
  const std::string words = "#define STEP 3\n";
  const VerifyReport report = verify_renamed(words + "#define POOL pool\n" + kList,
                                             words + "#define POOL HIP_SYMBOL(pool)\n" + kList);
  EXPECT_TRUE(report.right()) << to_json(report).dump(1);
}

TEST(VerifyAddresses, a_link_to_another_node_is_found) {
  const VerifyReport report =
      verify_renamed("#define STEP 3\n#define POOL pool\n" + kList,
                     "#define STEP 4\n#define POOL HIP_SYMBOL(pool)\n" + kList);
  for (const KernelReport& kernel : report.kernels) {
    if (kernel.kernel == "link") {
      EXPECT_EQ(kernel.verdict, KernelVerdict::wrong);
    }
  }
  EXPECT_FALSE(report.right()) << to_json(report).dump(1);
}

}  // namespace
}  // namespace ambidex
