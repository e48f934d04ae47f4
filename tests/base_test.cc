// SPDX-License-Identifier: Apache-2.0
#include "ambidex/base.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "base/embedded.h"
#include "base/json_depth.h"
#include "base/text.h"

namespace ambidex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// The message of the Error of `kind` that `call` throws.
template <class Call>
std::string error_text(ErrorKind kind, Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(name_of(error.kind), name_of(kind));
    return error.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return "";
}

std::string gemm_error(const GemmOp& op) {
  return error_text(ErrorKind::bad_input, [&] { validate(op); });
}

TEST(Text, what_a_terminal_would_obey_is_spelled) {
  EXPECT_EQ(printable("a\x1b[31mb\n\tc\x7f"), "a\\x1b[31mb\\x0a\\x09c\\x7f");
  EXPECT_EQ(printable_lines("a\r\n\tb\x07"), "a\\u000d\n\tb\\u0007");
  const nlohmann::json json = "\x7f\xc2\x9b";
  EXPECT_EQ(nlohmann::json::parse(printable_lines(json.dump())), json);
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J \xc3\xa9"),
            "\\x9b2J \xc3\xa9");  // CSI of C1; a letter
  EXPECT_EQ(printable(std::string(100, 'x')), std::string(100, 'x'));
}

TEST(JsonDepth, nesting_is_counted_outside_of_strings) {
  EXPECT_EQ(json_depth(R"({"a": [1, [2]], "b": "[[[[\"[["})"), 3);
  const std::string deep(100000, '[');
  EXPECT_EQ(json_depth(deep), 100000);
  EXPECT_TRUE(parse_foreign_json(deep).is_discarded());
  EXPECT_EQ(parse_foreign_json("[[1]]"), nlohmann::json::parse("[[1]]"));
}

TEST(Error, kinds_have_the_names_and_exit_codes_of_the_manual) {
  EXPECT_EQ(name_of(ErrorKind::bad_input), "bad_input");
  EXPECT_EQ(name_of(ErrorKind::not_found), "not_found");
  EXPECT_EQ(name_of(ErrorKind::unsupported), "unsupported");
  EXPECT_EQ(name_of(ErrorKind::device_failure), "device_failure");
  EXPECT_EQ(name_of(ErrorKind::internal), "internal");
  EXPECT_EQ(exit_code(ErrorKind::bad_input), 2);
  EXPECT_EQ(exit_code(ErrorKind::not_found), 3);
  EXPECT_EQ(exit_code(ErrorKind::unsupported), 4);
  EXPECT_EQ(exit_code(ErrorKind::device_failure), 5);
  EXPECT_EQ(exit_code(ErrorKind::internal), 70);
}

TEST(Error, a_failed_check_says_file_and_sentence_but_no_folder) {
  EXPECT_NO_THROW(check(true, "never seen"));
  const std::string text = error_text(ErrorKind::internal, [] { check(false, "two is odd"); });
  EXPECT_THAT(text, testing::StartsWith("base_test.cc:"));
  EXPECT_THAT(text, HasSubstr("two is odd"));
}

TEST(Names, the_nearest_come_first_and_ties_keep_their_order) {
  const std::vector<std::string> known{"a100", "h100", "h200", "b200"};
  EXPECT_EQ(nearest_names("h20", known), (std::vector<std::string>{"h200", "h100", "b200"}));
  EXPECT_EQ(nearest_names("H200", known, 1), (std::vector<std::string>{"h200"}));
  EXPECT_EQ(nearest_names("", known, 9), known);
  EXPECT_TRUE(nearest_names("h20", known, 0).empty());
  EXPECT_TRUE(nearest_names("h20", {}).empty());
}

TEST(Names, an_unknown_name_is_quoted_and_gets_neighbours) {
  EXPECT_EQ(unknown_name("device", "h20", std::vector<std::string>{"h200", "h100"}),
            "no device \"h20\"; nearest: h200, h100");
  EXPECT_EQ(unknown_name("device", "h20", {}), "no device \"h20\"");
}

TEST(Text, quoting_keeps_a_message_on_one_line) {
  EXPECT_EQ(quote("a\nb\x1b"), "\"a\\x0ab\\x1b\"");
  EXPECT_EQ(quote(std::string(61, 'x')), "\"" + std::string(60, 'x') + "...\"");
}

TEST(Text, a_number_is_the_whole_text_or_nothing) {
  EXPECT_EQ(int64_from_text("-12"), -12);
  EXPECT_EQ(int64_from_text("9223372036854775807"), INT64_MAX);
  for (const char* bad : {"", "12 ", " 12", "+12", "1e3", "0x10", "9223372036854775808"}) {
    EXPECT_FALSE(int64_from_text(bad)) << bad;
  }
  EXPECT_EQ(double_from_text("3.2e12"), 3.2e12);
  for (const char* bad : {"", "3.2TB", "nan", "inf", "1e999", "1,5"}) {
    EXPECT_FALSE(double_from_text(bad)) << bad;
  }
}

TEST(DTypes, every_name_reads_back) {
  for (int i = 0; i < kNumDTypes; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype);
  }
  EXPECT_EQ(dtype_from_name("xf32"), DType::tf32);
  EXPECT_EQ(dtype_from_name("fp8"), DType::fp8_e4m3);
}

TEST(DTypes, bytes_are_those_in_memory) {
  EXPECT_EQ(dtype_bytes(DType::f32), 4);
  EXPECT_EQ(dtype_bytes(DType::tf32), 4);
  EXPECT_EQ(dtype_bytes(DType::f16), 2);
  EXPECT_EQ(dtype_bytes(DType::bf16), 2);
  EXPECT_EQ(dtype_bytes(DType::fp8_e5m2_fnuz), 1);
  EXPECT_EQ(dtype_bytes(DType::int8), 1);
}

TEST(DTypes, an_unknown_name_offers_the_nearest) {
  EXPECT_THAT(error_text(ErrorKind::bad_input, [] { dtype_from_name("bf61"); }),
              HasSubstr("no dtype \"bf61\"; nearest: "));
  EXPECT_THAT(error_text(ErrorKind::bad_input, [] { dtype_from_name("fp16"); }), HasSubstr("f16"));
}

TEST(Layouts, names_read_back_in_either_case) {
  for (const Layout layout : {Layout::nn, Layout::nt, Layout::tn, Layout::tt}) {
    EXPECT_EQ(layout_from_name(name_of(layout)), layout);
    EXPECT_EQ(layout_from_name(to_lower(name_of(layout))), layout);
  }
  EXPECT_THAT(error_text(ErrorKind::bad_input, [] { layout_from_name("NX"); }),
              HasSubstr("no layout \"NX\"; nearest: NN, NT, TN"));
}

TEST(GemmOp, sizes_below_one_and_above_31_bits_are_refused) {
  EXPECT_NO_THROW(validate({.m = 1, .n = 1, .k = 1}));
  EXPECT_NO_THROW(validate({.m = INT32_MAX, .n = 1, .k = 1}));
  EXPECT_EQ(gemm_error({.m = 0, .n = 1, .k = 1}),
            "gemm: m: expected a size from 1 to 2147483647, got 0");
  EXPECT_THAT(gemm_error({.m = 1, .n = -5, .k = 1}), HasSubstr("n: expected a size from 1"));
  EXPECT_THAT(gemm_error({.m = 1, .n = 1, .k = 1LL << 31}), HasSubstr("k: expected a size from 1"));
  EXPECT_THAT(gemm_error({.m = 1, .n = 1, .k = 1, .batch = 0}), HasSubstr("batch: expected"));
}

TEST(GemmOp, products_that_overflow_are_refused) {
  const int64_t big = INT32_MAX;
  EXPECT_THAT(gemm_error({.m = big, .n = 1, .k = big, .batch = 2}), HasSubstr("bytes of A"));
  EXPECT_THAT(gemm_error({.m = 1, .n = big, .k = big, .batch = 2}), HasSubstr("bytes of B"));
  EXPECT_THAT(gemm_error({.m = big, .n = big, .k = 1, .batch = 2}), HasSubstr("bytes of D"));
  EXPECT_THAT(gemm_error({.m = big, .n = big, .k = 2}), HasSubstr("operations"));
}

TEST(GemmOp, an_output_type_needs_an_epilogue_of_its_input_type) {
  const auto op = [](DType in, DType out) {
    return GemmOp{.m = 8, .n = 8, .k = 8, .dtype = in, .out_dtype = out};
  };
  for (int i = 0; i < kNumDTypes; ++i) {
    EXPECT_NO_THROW(validate(op(static_cast<DType>(i), DType::f32)));
  }
  EXPECT_NO_THROW(validate(op(DType::bf16, DType::bf16)));
  EXPECT_NO_THROW(validate(op(DType::fp8_e5m2, DType::fp8_e4m3)));
  EXPECT_NO_THROW(validate(op(DType::int8, DType::bf16)));
  EXPECT_EQ(gemm_error(op(DType::f32, DType::bf16)),
            "gemm: out_dtype: a product of f32 cannot be stored as bf16; f32 always can");
  gemm_error(op(DType::bf16, DType::f16));
  gemm_error(op(DType::bf16, DType::int8));
  gemm_error(op(DType::fp8_e4m3, DType::fp8_e4m3_fnuz));
  gemm_error(op(DType::fp8_e4m3_fnuz, DType::fp8_e4m3));
  gemm_error(op(DType::f16, DType::fp8_e4m3));
}

TEST(GemmOp, work_is_counted_over_all_batches) {
  GemmOp op{.m = 2, .n = 3, .k = 5, .batch = 7};
  EXPECT_EQ(gemm_flop(op), 2.0 * 2 * 3 * 5 * 7);
  EXPECT_EQ(gemm_compulsory_bytes(op), 7.0 * (2 * 5 + 5 * 3 + 2 * 3) * 2);
  op.epilogue.residual = true;
  EXPECT_EQ(gemm_compulsory_bytes(op), 7.0 * (2 * 5 + 5 * 3 + 2 * 3 * 2) * 2);
  op.out_dtype = DType::f32;
  EXPECT_EQ(gemm_compulsory_bytes(op), 7.0 * ((2 * 5 + 5 * 3) * 2 + 2 * 3 * 2 * 4));
}

// Strides of an operand of `rows` x `columns` along (row, column), from its letter.
struct Strides {
  int64_t row;
  int64_t column;
  bool operator==(const Strides&) const = default;
};

Strides row_major(bool transposed, int64_t rows, int64_t columns) {
  return transposed ? Strides{1, rows} : Strides{columns, 1};
}

Strides column_major(bool transposed, int64_t rows, int64_t columns) {
  return transposed ? Strides{columns, 1} : Strides{1, rows};
}

TEST(GemmOp, a_column_major_reading_touches_the_same_addresses) {
  for (const Layout layout : {Layout::nn, Layout::nt, Layout::tn, Layout::tt}) {
    const GemmOp blas{.m = 2, .n = 3, .k = 5, .layout = layout};
    const GemmOp ours = from_column_major(blas);
    const auto letter = [](const GemmOp& op, int i) { return name_of(op.layout)[i] == 'T'; };
    EXPECT_EQ(ours.m, blas.n);
    EXPECT_EQ(ours.n, blas.m);
    // Our A is the transpose of the B of BLAS, and our B that of its A.
    const Strides blas_a = column_major(letter(blas, 0), blas.m, blas.k);
    const Strides blas_b = column_major(letter(blas, 1), blas.k, blas.n);
    const Strides our_a = row_major(letter(ours, 0), ours.m, ours.k);
    const Strides our_b = row_major(letter(ours, 1), ours.k, ours.n);
    EXPECT_EQ(our_a, (Strides{blas_b.column, blas_b.row})) << name_of(layout);
    EXPECT_EQ(our_b, (Strides{blas_a.column, blas_a.row})) << name_of(layout);
    EXPECT_EQ(from_column_major(ours), blas);
  }
}

TEST(Numbers, power_of_two_divisor_is_the_largest_below_the_cap) {
  EXPECT_EQ(power_of_two_divisor(1000, 16), 8);
  EXPECT_EQ(power_of_two_divisor(1024, 16), 16);
  EXPECT_EQ(power_of_two_divisor(1024, 20), 16);
  EXPECT_EQ(power_of_two_divisor(7, 16), 1);
  EXPECT_EQ(power_of_two_divisor(1LL << 40, INT64_MAX), 1LL << 40);
}

TEST(Embedded, files_are_those_of_the_source_tree_byte_for_byte) {
  EXPECT_FALSE(embedded_files().empty());
  for (const EmbeddedFile& file : embedded_files()) {
    std::ifstream stream(std::string(AMBIDEX_SOURCE_DIR "/").append(file.path), std::ios::binary);
    const std::string contents{std::istreambuf_iterator<char>(stream), {}};
    ASSERT_TRUE(stream.good()) << file.path;
    EXPECT_EQ(file.contents, contents) << file.path;
  }
}

TEST(Embedded, every_data_file_is_there_once_in_the_order_of_paths) {
  const std::map<std::string, std::string> extension_of{
      {"data/api", ".yaml"},   {"data/devices", ".yaml"}, {"data/examples", ".cu"},
      {"data/hazards", ".md"}, {"data/models", ".yaml"},  {"data/systems", ".yaml"}};
  std::vector<std::string> expected;
  for (const auto& [folder, extension] : extension_of) {
    for (const auto& entry : fs::directory_iterator(fs::path(AMBIDEX_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != extension) continue;
      expected.push_back(fs::path(folder) / entry.path().filename());
    }
  }
  std::sort(expected.begin(), expected.end());
  std::vector<std::string> paths;
  for (const EmbeddedFile& file : embedded_files()) paths.emplace_back(file.path);
  EXPECT_EQ(paths, expected);
}

TEST(Text, a_foreign_name_cannot_write_to_the_terminal) {
  const std::vector<std::string> known{"\x1b[31mred\n"};
  EXPECT_EQ(unknown_name("column", "red", known), "no column \"red\"; nearest: \\x1b[31mred\\x0a");
}

}  // namespace
}  // namespace ambidex
