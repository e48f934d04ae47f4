// SPDX-License-Identifier: Apache-2.0
#include "ambidex/measurements.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::string_view kTriton =
    "device,dtype,M,N,K,layout,bm,bn,bk,warps,stages,split_k,group_m,time_us\n";
constexpr std::string_view kTensile =
    "layout,M,N,K,mt_m,mt_n,mt_k,mi,cms,streamk,wgm,wgmxcc,staggeru,staggerustride,direct_to_lds,"
    "transpose_lds,cluster_local_read,ntb,ntd,ldsbuf,miwt,wg,time_us\n";
constexpr std::string_view kBestKnown =
    "device,dtype_in,dtype_out,layout,M,N,K,batch,time_us,kernel,lib,quant,order\n";

Measurements parsed(std::string_view header, std::string_view rows,
                    const MeasurementOptions& options = {}) {
  return parse_measurements(fmt::format("{}{}", header, rows), "x.csv", options);
}

std::string bad_input(std::string_view header, std::string_view rows,
                      const MeasurementOptions& options = {}) {
  try {
    parsed(header, rows, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::bad_input);
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

TEST(Measurements, a_triton_row_becomes_a_warm_row_major_op_and_its_configuration) {
  const Measurements measured =
      parsed(kTriton, "h200,bf16,16,512,2048,TN,16,32,64,4,3,2,8,9.5\r\n");
  EXPECT_EQ(measured.format, MeasurementFormat::triton);
  ASSERT_EQ(measured.shapes.size(), 1u);
  const GemmOp op{.m = 16, .n = 512, .k = 2048, .layout = Layout::tn};
  EXPECT_EQ(measured.shapes[0].op, op);
  EXPECT_EQ(measured.shapes[0].device, "h200");
  ASSERT_EQ(measured.configs.size(), 1u);
  const GemmConfig config{.tile = {16, 32, 64}, .num_warps = 4, .num_stages = 3, .split_k = 2};
  EXPECT_EQ(measured.configs[0].config, config);
  EXPECT_EQ(measured.configs[0].identity, "16,32,64,4,3,2,8");
  ASSERT_EQ(measured.shapes[0].timings.size(), 1u);
  EXPECT_DOUBLE_EQ(measured.shapes[0].timings[0].seconds, 9.5e-6);
}

TEST(Measurements, a_tensile_row_is_turned_from_columns_to_rows) {
  const Measurements measured = parsed(
      kTensile, "TN,10944,4096,2048,256,192,32,16,1,3,8,4,16,64,1,0,0,1,4,1,16_3,16_16_1,302.6\n");
  const GemmOp op{.m = 4096, .n = 10944, .k = 2048, .layout = Layout::nt, .cold = true};
  EXPECT_EQ(measured.shapes.at(0).op, op);
  const GemmConfig& config = measured.configs.at(0).config;
  EXPECT_EQ(config.kernel_template, KernelTemplate::tensile);
  EXPECT_EQ(config.tile, (Tile{192, 256, 32}));
  EXPECT_EQ(config.num_warps, 4);
  EXPECT_EQ(config.amd.matrix_instr, 16);
  // One wave makes 16 x 3 products of 16 x 16; the four stand side by side along Tensile's N.
  EXPECT_EQ(config.tensile.wave_tile_n, 256);
  EXPECT_EQ(config.tensile.wave_tile_m, 48);
  EXPECT_EQ(config.tensile.stream_k, 3);
  EXPECT_EQ(config.tensile.xcc_mapping, 4);
  EXPECT_TRUE(config.tensile.custom_schedule);
  EXPECT_TRUE(config.tensile.direct_to_lds);
  EXPECT_FALSE(config.tensile.transpose_lds);
  const TensileHints hints{16, 64, true, true, false, true};
  EXPECT_EQ(config.tensile.hints, hints);
}

TEST(Measurements, repeated_rows_count_once_with_the_median_time) {
  const Measurements measured = parsed(kTriton,
                                       "h200,bf16,16,16,16,NN,16,16,16,4,3,1,8,9\n"
                                       "h200,bf16,16,16,16,NN,16,16,32,4,3,1,8,5\n"
                                       "h200,bf16,16,16,16,NN,16,16,16,4,3,1,8,1\n"
                                       "h200,bf16,16,16,16,NN,16,16,16,4,3,1,8,2\n"
                                       "h200,bf16,16,16,16,NN,16,16,32,4,3,1,8,4\n");
  EXPECT_EQ(measured.num_rows, 5);
  ASSERT_EQ(measured.shapes.at(0).timings.size(), 2u);
  EXPECT_DOUBLE_EQ(measured.shapes[0].timings[0].seconds, 2e-6);
  EXPECT_DOUBLE_EQ(measured.shapes[0].timings[1].seconds, 4.5e-6);
}

TEST(Measurements, rows_of_another_device_are_skipped_and_counted) {
  const std::string_view rows =
      "h200,bf16,16,16,16,NN,16,16,16,4,3,1,8,9\nb200,bf16,16,16,16,NN,16,16,16,4,3,1,8,5\n";
  const Measurements measured = parsed(kTriton, rows, {.device = "h200"});
  EXPECT_EQ(measured.num_skipped_rows, 1);
  EXPECT_EQ(measured.shapes.size(), 1u);
  EXPECT_TRUE(parsed(kTriton, rows, {.device = "a100"}).shapes.empty());
  EXPECT_EQ(parsed(kTriton, rows).shapes.size(), 2u);
}

TEST(Measurements, configurations_stand_in_the_order_of_their_numbers_whatever_the_rows) {
  const Measurements measured = parsed(kTriton,
                                       "h200,bf16,16,16,16,NN,128,16,16,4,3,1,8,9\n"
                                       "h200,bf16,16,16,16,NN,64,16,16,4,3,1,8,8\n");
  EXPECT_EQ(measured.configs.at(0).config.tile.m, 64);
  EXPECT_EQ(measured.configs.at(1).config.tile.m, 128);
  EXPECT_DOUBLE_EQ(measured.shapes.at(0).timings.at(0).seconds, 8e-6);
}

TEST(Measurements, columns_that_no_field_holds_tell_configurations_apart_as_twins) {
  const std::string header = "colour," + std::string(kTriton);
  const Measurements measured = parsed(header,
                                       "red,h200,bf16,16,16,16,NN,16,16,16,4,3,1,8,9\n"
                                       "blue,h200,bf16,16,16,16,NN,16,16,16,4,3,1,8,8\n");
  ASSERT_EQ(measured.configs.size(), 2u);
  EXPECT_EQ(measured.configs[0].identity, "blue,16,16,16,4,3,1,8");
  EXPECT_EQ(measured.configs[1].twin, 0);
}

TEST(Measurements, candidates_that_match_all_cells_of_an_exclusion_are_left_out) {
  const std::string_view rows =
      "h200,bf16,16,16,16,NN,16,16,16,4,3,1,8,9\n"
      "h200,bf16,16,16,16,NN,16,32,16,4,3,1,8,9\n"
      "h200,bf16,32,16,16,NN,16,32,16,4,3,1,8,9\n";
  const Measurements measured =
      parsed(kTriton, rows, {.exclusions = {exclusion_from_text("bm=16,bn=32")}});
  EXPECT_EQ(measured.num_excluded_rows, 2);
  EXPECT_EQ(measured.shapes.size(), 1u);  // the other has no candidate left
  EXPECT_THAT(bad_input(kTriton, rows, {.exclusions = {exclusion_from_text("bmm=16")}}),
              HasSubstr("x.csv:1: no column \"bmm\"; nearest: bm, "));
  for (const char* text : {"", "bm", "=3", "bm=1,,bn=2", "bm=1,"}) {
    EXPECT_THROW(exclusion_from_text(text), Error) << text;
  }
}

TEST(Measurements, the_best_known_table_gives_unquantised_rows_by_library) {
  const Measurements measured =
      parsed(kBestKnown,
             "mi308x,bf16,bf16,TN,16,32,64,1,5,\"a, \"\"b\"\"\",asm,none,row\n"
             "mi308x,fp16,fp16,TN,16,32,64,2,6,,hipblaslt,none,col\n"
             "mi308x,fp8_e4m3,bf16,TN,16,32,64,1,5,,asm,none,row\n"
             "mi308x,bf16,bf16,TN,16,32,64,1,5,,asm,rowwise,row\n"
             "mi308x,bf16,bf16,unknown,16,32,64,1,5,,asm,none,row\n"
             "mi300x_or_mi325x,bf16,bf16,TN,16,32,64,1,5,,asm,none,row\n",
             {.device = "mi308x"});
  EXPECT_EQ(measured.num_skipped_rows, 4);
  ASSERT_EQ(measured.shapes.size(), 2u);
  EXPECT_EQ(measured.configs.at(0).identity, "asm");
  EXPECT_EQ(measured.configs.at(1).identity, "hipblaslt");
  // Letters mean columns in either order, sizes only with "col".
  EXPECT_EQ(measured.shapes[0].op.m, 16);
  EXPECT_EQ(measured.shapes[0].op.layout, Layout::nt);
  const GemmOp op{.m = 32,
                  .n = 16,
                  .k = 64,
                  .batch = 2,
                  .dtype = DType::f16,
                  .out_dtype = DType::f16,
                  .layout = Layout::nt,
                  .cold = true};
  EXPECT_EQ(measured.shapes[1].op, op);
}

TEST(Measurements, what_cannot_be_read_is_named_by_file_line_and_field) {
  const std::string_view good = "h200,bf16,16,16,16,NN,16,16,16,4,3,1,8,9\n";
  const auto second = [&](std::string_view row) {
    return bad_input(kTriton, fmt::format("{}\n{}\n", good, row));
  };
  EXPECT_THAT(second("h200,bf16,16,x,16,NN,16,16,16,4,3,1,8,9"),
              HasSubstr("x.csv:4: N: expected an integer from 1 to 2147483647, got \"x\"; "));
  EXPECT_THAT(second("h200,bf16,0,16,16,NN,16,16,16,4,3,1,8,9"), HasSubstr("x.csv:4: M: "));
  EXPECT_THAT(second("h200,bf16,-1,16,16,NN,16,16,16,4,3,1,8,9"), HasSubstr("x.csv:4: M: "));
  EXPECT_THAT(second("h200,bf16,16,16,99999999999,NN,16,16,16,4,3,1,8,9"), HasSubstr("K: "));
  EXPECT_THAT(second("h200,bf61,16,16,16,NN,16,16,16,4,3,1,8,9"),
              HasSubstr("x.csv:4: dtype: no dtype \"bf61\"; nearest: bf16"));
  EXPECT_THAT(second("h200,bf16,16,16,16,XX,16,16,16,4,3,1,8,9"), HasSubstr("x.csv:4: layout: "));
  EXPECT_THAT(second("h200,bf16,16,16,16,NN,0,16,16,4,3,1,8,9"), HasSubstr("x.csv:4: bm: "));
  for (const char* time : {"0", "-1", "nan", "inf", "", "9us", "1e-308", "1e300"}) {
    EXPECT_THAT(second(fmt::format("h200,bf16,16,16,16,NN,16,16,16,4,3,1,8,{}", time)),
                HasSubstr("x.csv:4: time_us: expected a time from 0.001 to 1e12 us, got "))
        << time;
  }
  EXPECT_THAT(second("h200,bf16,16,16,16"), HasSubstr("expected 14 cells as in the header, got 5"));
  EXPECT_THAT(second("h200,\"bf16,16"), HasSubstr("x.csv:4: expected a closing quote"));
  EXPECT_THAT(
      bad_input(kTriton, "h200,bf16,2147483647,2147483647,2147483647,NN,16,16,16,4,3,1,8,9\n"),
      HasSubstr("x.csv:2: M: gemm: the operations overflow 64 bits"));
}

TEST(Measurements, a_header_that_is_not_ours_is_refused) {
  EXPECT_THAT(bad_input("", ""), HasSubstr("x.csv:1: expected a header"));
  EXPECT_THAT(bad_input("hello\n", ""), HasSubstr("x.csv:1: header: expected one of a known"));
  EXPECT_THAT(bad_input("bm,bm\n", ""), HasSubstr("x.csv:1: expected every column once, got "));
  EXPECT_THAT(bad_input("device,dtype,M,N,K,bm,bn,bk,warps,stages,split_k,group_m,time_us\n", ""),
              HasSubstr("x.csv:1: no column \"layout\"; nearest: "));
  EXPECT_THAT(bad_input(std::string(70000, 'x'), ""), HasSubstr("lines of at most 65536 bytes"));
}

TEST(Measurements, cells_of_tensile_are_checked) {
  const auto with = [](std::string_view wave_tile, std::string_view group) {
    return bad_input(kTensile, fmt::format("TN,64,64,64,256,192,32,16,0,3,8,1,0,64,1,0,0,0,0,0,{},"
                                           "{},302.6\n",
                                           wave_tile, group));
  };
  EXPECT_THAT(with("4", "32_8_1"), HasSubstr("x.csv:2: miwt: expected 2 integers from 1 to 4096"));
  EXPECT_THAT(with("4_4", "32_8"), HasSubstr("x.csv:2: wg: expected 3 integers"));
  EXPECT_THAT(with("4_4", "1_1_1"), HasSubstr("x.csv:2: wg: expected 64 to 1024 lanes"));
}

class MeasurementFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / fmt::format("ambidex_measurements_{}", ::getpid());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(std::string_view name) const { return (folder_ / name).string(); }
  fs::path folder_;
};

TEST_F(MeasurementFiles, gzip_and_plain_files_read_alike) {
  std::string text(kTriton);
  for (int i = 0; i < 20000; ++i) {  // several chunks
    text += fmt::format("h200,bf16,{},16,16,NN,16,16,16,4,3,1,8,{}\n", 1 + i % 7, 1 + i);
  }
  std::ofstream(path("a.csv")) << text;
  const gzFile file = gzopen(path("a.csv.gz").c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  for (const char* name : {"a.csv", "a.csv.gz"}) {
    const Measurements measured = read_measurements(path(name), {});
    EXPECT_EQ(measured.num_rows, 20000);
    EXPECT_EQ(measured.shapes.size(), 7u);
  }
  fs::resize_file(path("a.csv.gz"), fs::file_size(path("a.csv.gz")) / 2);
  EXPECT_THROW(read_measurements(path("a.csv.gz"), {}), Error);
}

TEST_F(MeasurementFiles, a_missing_file_is_not_found_and_a_folder_is_bad_input) {
  try {
    read_measurements(path("none.csv"), {});
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind, ErrorKind::not_found);
    EXPECT_THAT(error.what(), HasSubstr("none.csv: cannot open: No such file"));
  }
  EXPECT_THROW(read_measurements(folder_.string(), {}), Error);
}

}  // namespace
}  // namespace ambidex
