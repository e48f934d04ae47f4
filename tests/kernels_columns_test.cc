// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <vector>

#include "kernels/columns.h"

namespace ambidex {
namespace {

// Rows 7 and 5 floats apart, 3 columns of them in use; what is beside them stays.
TEST(Columns, copies_keep_to_their_columns) {
  Workers workers(2);
  constexpr int64_t kRows = 9000;  // several tasks
  std::vector<float> from(kRows * 7), to(kRows * 5, -1), mask(kRows * 7);
  for (size_t i = 0; i < from.size(); ++i) {
    from[i] = static_cast<float>(i % 1000);
    mask[i] = static_cast<float>(i % 3) - 1;
  }
  copy_columns(workers, from.data(), 7, to.data(), 5, kRows, 3);
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t c = 0; c < 5; ++c) {
      const float expected = c < 3 ? from[static_cast<size_t>(r * 7 + c)] : -1;
      ASSERT_EQ(to[static_cast<size_t>(r * 5 + c)], expected) << r << " " << c;
    }
  }
  copy_columns_masked(workers, from.data(), 7, mask.data(), 7, to.data(), 5, kRows, 3);
  for (int64_t r = 0; r < kRows; ++r) {
    for (int64_t c = 0; c < 3; ++c) {
      const auto at = static_cast<size_t>(r * 7 + c);
      ASSERT_EQ(to[static_cast<size_t>(r * 5 + c)], mask[at] > 0 ? from[at] : 0) << r << " " << c;
    }
  }
}

TEST(Columns, row_sums_are_added) {
  Workers workers(2);
  const std::vector<float> from{1, 2, 3, 9, 4, 5, 6, 9};
  std::vector<float> out{10, 20};
  add_row_sums(workers, from.data(), 4, out.data(), 2, 3);
  EXPECT_THAT(out, testing::ElementsAre(16, 35));
}

}  // namespace
}  // namespace ambidex
