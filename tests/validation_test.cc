// SPDX-License-Identifier: Apache-2.0
// A validation from files and models to its report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "ambidex/validate.h"

namespace ambidex {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::string_view kHeader =
    "device,dtype,M,N,K,layout,bm,bn,bk,warps,stages,split_k,group_m,time_us\n";

Measurements planted() {
  return read_measurements(AMBIDEX_SOURCE_DIR "/tests/data/planted_gemm.csv", {.device = "h200"});
}

TEST(ValidateGemm, asks_the_model_for_every_timing) {
  const Measurements measured = planted();
  const Device device = load_device("h200");
  const ValidationReport report = validate_gemm(device, measured);
  const GemmModel model = make_gemm_model(device, KernelTemplate::triton);
  EXPECT_EQ(report.num_skipped_rows, 1);
  ASSERT_EQ(report.trials.size(), measured.shapes.size());
  for (size_t i = 0; i < report.trials.size(); ++i) {
    const ShapeTrial& trial = report.trials[i];
    ASSERT_EQ(trial.candidates.size(), 6u);
    for (const Candidate& it : trial.candidates) {
      const GemmConfig& config = measured.configs.at(static_cast<size_t>(it.config)).config;
      EXPECT_EQ(it.predicted_seconds, gemm_estimate(model, trial.op, config).seconds);
    }
    EXPECT_EQ(trial.choice->seconds, trial.candidates[*choice_of(trial)].predicted_seconds);
    EXPECT_TRUE(trial.abstained.has_value());
    EXPECT_GT(*trial.selection_seconds, 0);
    // 64x64x64 with and without split-K are of one class; the others have one each.
    EXPECT_EQ(trial.candidates[0].tile_class, trial.candidates[1].tile_class);
    EXPECT_NE(trial.candidates[0].tile_class, trial.candidates[2].tile_class);
  }
  EXPECT_FALSE(report.all.baseline.with_library_geomean.has_value());
}

TEST(ValidateGemm, a_configuration_that_cannot_run_is_never_chosen) {
  const Measurements measured = parse_measurements(
      std::string(kHeader) + "h200,bf16,512,512,512,NN,1024,1024,512,4,8,1,8,1\n" +
          "h200,bf16,512,512,512,NN,64,64,64,4,3,1,8,9\n" +
          "h200,bf16,999,512,512,NN,1024,1024,512,4,8,1,8,1\n",
      "x.csv", {.device = "h200"});
  const ValidationReport report = validate_gemm(load_device("h200"), measured);
  EXPECT_EQ(report.trials.at(0).candidates.at(1).predicted_seconds, kInfinity);
  EXPECT_EQ(choice_of(report.trials[0]), 0u);
  EXPECT_FALSE(choice_of(report.trials.at(1)).has_value());
  EXPECT_EQ(report.all.choice.num_without_choice, 1);
  EXPECT_NEAR(*report.all.choice.geomean_efficiency, 1.0 / 9, 1e-12);
  EXPECT_THAT(html_of(page_of(report, measured, "x.csv")), testing::HasSubstr("512 x 512 x 512"));
}

TEST(ValidateGemm, the_library_is_compared_where_its_time_is_known) {
  const Measurements library =
      read_measurements(AMBIDEX_SOURCE_DIR "/tests/data/planted_library.csv", {.device = "h200"});
  const ValidationReport report = validate_gemm(load_device("h200"), planted(), &library);
  ASSERT_TRUE(report.all.baseline.with_library_geomean.has_value());
  EXPECT_GE(*report.all.baseline.with_library_geomean,
            std::min(*report.all.baseline.always_library_geomean,
                     *report.all.baseline.never_library_geomean));
  EXPECT_TRUE(report.notes.empty());
}

TEST(ValidateGemm, times_of_a_library_leave_nothing_to_choose) {
  const Measurements library =
      read_measurements(AMBIDEX_SOURCE_DIR "/tests/data/planted_library.csv", {.device = "h200"});
  const ValidationReport report = validate_gemm(load_device("h200"), library);
  EXPECT_EQ(report.all.num_shapes, 4);
  EXPECT_TRUE(report.all.time.median_abs_log_error.has_value());
  EXPECT_TRUE(report.all.doubt.coverage_80.has_value());
  EXPECT_FALSE(report.all.choice.geomean_efficiency.has_value());
  EXPECT_FALSE(report.all.time.kendall_tau.has_value());
  EXPECT_FALSE(report.all.baseline.random_geomean.has_value());
  EXPECT_FALSE(report.all.microseconds_per_selection.has_value());
}

TEST(ValidateGemm, a_library_without_a_constant_is_predicted_as_the_main_one_with_a_note) {
  const Measurements measured = parse_measurements(
      "device,dtype_in,dtype_out,layout,M,N,K,batch,time_us,lib,quant,order\n"
      "mi308x,bf16,bf16,TN,512,512,512,1,9,hipblaslt,none,row\n"
      "mi308x,bf16,bf16,TN,512,512,512,1,9,nobody,none,row\n",
      "x.csv", {.device = "mi308x"});
  const ValidationReport report = validate_gemm(load_device("mi308x"), measured);
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_THAT(report.notes[0], testing::HasSubstr("no library \"nobody\""));
  EXPECT_EQ(report.libraries.size(), 2u);
  EXPECT_THAT(text_of(libraries_table(report)), testing::HasSubstr("nobody"));
  EXPECT_THAT(text_of(worst_table(report, measured, 40)),
              testing::StartsWith("All times, largest error first\n"));
}

TEST(ValidateGemm, no_row_needs_no_model) {
  const ValidationReport report = validate_gemm(load_device("mtia2i"), Measurements());
  EXPECT_EQ(report.all.num_shapes, 0);
  EXPECT_THAT(html_of(page_of(report, {}, "x.csv")), testing::Not(testing::HasSubstr("nan")));
}

TEST(ValidateGemm, a_page_says_device_file_and_model) {
  const Measurements measured = planted();
  const Device device = load_device("h200");
  const std::string html = html_of(page_of(validate_gemm(device, measured), measured, "a<b.csv"));
  for (const std::string& text :
       {device.name, std::string("a&lt;b.csv"), device_hash(device), std::string("version "),
        std::string("predicted time (us)"), std::string("regret of the choice (%)")}) {
    EXPECT_THAT(html, testing::HasSubstr(text));
  }
}

TEST(Targets, are_those_of_the_device_and_the_file) {
  ValidationReport report{.format = MeasurementFormat::triton, .device = load_device("h200")};
  report.all.choice.geomean_efficiency = 0.96;
  report.all.time.median_abs_log_error = 0.1;
  const std::string text = text_of(summary_table(report));
  EXPECT_THAT(text, testing::ContainsRegex("geomean_efficiency .*>= 0.97 MISSED"));
  EXPECT_THAT(text, testing::ContainsRegex("median_abs_log_error .*<= 10 % met"));
  report.device = load_device("a100");
  EXPECT_TRUE(targets_of(report).empty());
  report = {.format = MeasurementFormat::tensile, .device = load_device("mi350x")};
  report.all.baseline.constant_pick_geomean = 0.9;
  report.all.choice.geomean_efficiency = 0.91;
  EXPECT_THAT(text_of(summary_table(report)), testing::HasSubstr(">= constant met"));
  report.num_excluded_rows = 1;
  EXPECT_THAT(text_of(summary_table(report)), testing::HasSubstr(">= 0.95 MISSED"));
}

}  // namespace
}  // namespace ambidex
