// SPDX-License-Identifier: Apache-2.0
// Learning is provable on planted data: the best possible AUC is known, and two kinds of model come
// within 0.005 of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "ambidex/train.h"
#include "scratch.h"

namespace ambidex {
namespace {

class Planted : public testing::TestWithParam<std::string> {};

TEST_P(Planted, the_optimum_is_reached_within_5_thousandths) {
  const ScratchFolder folder;
  const TrainResult result = train(load_model(GetParam()), {.data = {.path = "synthetic:"},
                                                            .saving = {.out = folder.path("run")}});
  ASSERT_TRUE(result.test && result.bayes);
  EXPECT_GE(result.test->num_samples, 200'000);
  EXPECT_GT(result.test->auc, result.bayes->auc - 0.005);
  EXPECT_LT(result.test->auc, result.bayes->auc + 0.003);  // by chance, not by peeping
  EXPECT_LT(result.test->log_loss, result.bayes->log_loss + 0.005);
  EXPECT_NEAR(result.test->calibration, 1, 0.05);
}

INSTANTIATE_TEST_SUITE_P(Models, Planted, testing::Values("dlrm_small", "dcnv2_small"),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace ambidex
