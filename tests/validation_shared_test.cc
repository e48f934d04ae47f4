// SPDX-License-Identifier: Apache-2.0
// What needs the measurements beside the checkout, ../shared/data: they are not all ours to ship.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "ambidex/measurements.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;

TEST(SharedData, the_real_files_hold_what_their_description_says) {
  const fs::path folder = fs::path(AMBIDEX_SOURCE_DIR) / "../shared/data/measurements";
  if (!fs::exists(folder)) GTEST_SKIP() << "needs ../shared/data, which is not there";
  const auto read = [&](std::string_view name, std::string_view device) {
    return read_measurements((folder / name).string(), {.device = std::string(device)});
  };
  const Measurements triton = read("h200_triton_gemm_bf16.csv", "h200");
  EXPECT_EQ(triton.shapes.size(), 102u);
  EXPECT_EQ(triton.configs.size(), 266u);
  EXPECT_EQ(read("h200_cublas_gemm_bf16.csv", "h200").shapes.size(), 102u);
  const Measurements tensile = read("mi350x_tensile_gemm_bf16.csv.gz", "mi350x");
  EXPECT_EQ(tensile.shapes.size(), 120u);
  int64_t num_pairs = 0;
  for (const MeasuredShape& shape : tensile.shapes) num_pairs += std::ssize(shape.timings);
  EXPECT_EQ(num_pairs, 434148);  // counted by an independent script
  EXPECT_EQ(tensile.num_rows, 494481);
  const Measurements known = read("amd_gemm_best_known.csv.gz", "mi308x");
  EXPECT_EQ(known.num_rows, 35142);
  EXPECT_EQ(known.num_rows - known.num_skipped_rows, 582);
}

}  // namespace
}  // namespace ambidex
