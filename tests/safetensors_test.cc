// SPDX-License-Identifier: Apache-2.0
#include "train/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "base/files.h"
#include "scratch.h"

namespace ambidex {
namespace {

using testing::HasSubstr;

// What Python's safetensors 0.8 made of the same tensors.
constexpr std::string_view kGoldenHeader =
    R"({"__metadata__":{"step":"12"},"ids":{"dtype":"I64","shape":[2],"data_offsets":[0,16]},)"
    R"("weights":{"dtype":"F32","shape":[2,3],"data_offsets":[16,40]},)"
    R"("half":{"dtype":"F16","shape":[],"data_offsets":[40,42]},)"
    R"("flags":{"dtype":"U8","shape":[3],"data_offsets":[42,45]}})";
constexpr std::string_view kGoldenData =
    "0700000000000000ffffffffffffffff"
    "0000803f000000c00000003f00004040000080400000a040"
    "003e010203";

struct GoldenTensors {
  float weights[6] = {1, -2, 0.5, 3, 4, 5};
  int64_t ids[2] = {7, -1};
  uint8_t flags[3] = {1, 2, 3};
  uint16_t half = 0x3e00;
  std::vector<TensorView> views() const {
    return {{"weights", TensorType::f32, {2, 3}, weights},
            {"ids", TensorType::i64, {2}, ids},
            {"flags", TensorType::u8, {3}, flags},
            {"half", TensorType::f16, {}, &half}};
  }
};

std::string file_of(std::string_view header, std::string_view data) {
  std::string out;
  for (int i = 0; i < 8; ++i) out += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return out.append(header).append(data);
}

SafetensorsHeader parse(const std::string& file) {
  return parse_safetensors(file, std::ssize(file), "w.safetensors");
}

std::string damage_of(const std::string& file) {
  return error_text(ErrorKind::bad_input, [&] { parse(file); });
}

/// Of a file of 16 bytes of data whose header is `{ENTRIES}`.
std::string damage_of_entries(const std::string& entries) {
  return damage_of(file_of("{" + entries + "}", std::string(16, 'x')));
}

std::string entry(const std::string& name, const std::string& shape, const std::string& offsets,
                  const std::string& dtype = "F32") {
  return fmt::format(R"("{}":{{"dtype":"{}","shape":{},"data_offsets":{}}})", name, dtype, shape,
                     offsets);
}

TEST(Safetensors, a_file_has_the_bytes_of_the_reference_implementation) {
  const ScratchFolder folder;
  const std::string path = folder.path("golden");
  write_safetensors(path, GoldenTensors().views(), {{"step", "12"}});
  const std::string bytes = text_of_file(path);
  EXPECT_EQ(bytes.substr(8, kGoldenHeader.size()), kGoldenHeader);
  EXPECT_EQ(hex_of(bytes.substr(0, 8)), "0801000000000000");
  EXPECT_EQ(hex_of(bytes.substr(8 + 0x108)), kGoldenData);
}

TEST(Safetensors, tensors_come_back_by_name_type_and_shape) {
  const ScratchFolder folder;
  const std::string path = folder.path("golden");
  const GoldenTensors written;
  write_safetensors(path, written.views(), {{"step", "12"}});
  const SafetensorsFile file(path);
  EXPECT_EQ(file.metadata(), (TensorMetadata{{"step", "12"}}));
  EXPECT_EQ(file.tensors().size(), 4u);
  ASSERT_NE(file.find("weights"), nullptr);
  EXPECT_EQ(*file.find("weights"), (TensorEntry{"weights", TensorType::f32, {2, 3}, 16, 40}));
  EXPECT_EQ(file.find("biases"), nullptr);
  GoldenTensors got{.weights = {}, .ids = {}, .flags = {}, .half = 0};
  file.read("weights", TensorType::f32, std::vector<int64_t>{2, 3}, got.weights);
  file.read("ids", TensorType::i64, std::vector<int64_t>{2}, got.ids);
  file.read("flags", TensorType::u8, std::vector<int64_t>{3}, got.flags);
  file.read("half", TensorType::f16, {}, &got.half);
  EXPECT_THAT(got.weights, testing::ElementsAreArray(written.weights));
  EXPECT_THAT(got.ids, testing::ElementsAreArray(written.ids));
  EXPECT_THAT(got.flags, testing::ElementsAreArray(written.flags));
  EXPECT_EQ(got.half, written.half);
}

TEST(Safetensors, every_type_keeps_its_name_and_size) {
  const ScratchFolder folder;
  std::vector<uint64_t> data(4);
  std::iota(data.begin(), data.end(), uint64_t{0x0102030405060708});
  std::vector<TensorView> views;
  for (int i = 0; i <= static_cast<int>(TensorType::u64); ++i) {
    const auto type = static_cast<TensorType>(i);
    views.push_back({std::string(name_of(type)), type, {2, 1, 2}, data.data()});
  }
  const std::string path = folder.path("all");
  write_safetensors(path, views);
  const SafetensorsFile file(path);
  for (const TensorView& view : views) {
    std::string got(static_cast<size_t>(4 * tensor_type_bytes(view.type)), '\0');
    file.read(view.name, view.type, view.shape, got.data());
    EXPECT_EQ(got, std::string(reinterpret_cast<const char*>(data.data()), got.size()));
    EXPECT_EQ(file.find(view.name)->begin % tensor_type_bytes(view.type), 0);
  }
}

TEST(Safetensors, none_at_all_and_tensors_without_elements_are_fine) {
  const ScratchFolder folder;
  write_safetensors(folder.path("none"), {});
  EXPECT_TRUE(SafetensorsFile(folder.path("none")).tensors().empty());
  const TensorView empty{"empty", TensorType::f32, {5, 0, 3}, nullptr};
  write_safetensors(folder.path("empty"), {&empty, 1});
  SafetensorsFile(folder.path("empty"))
      .read("empty", TensorType::f32, std::vector<int64_t>{5, 0, 3}, nullptr);
}

TEST(Safetensors, a_tensor_of_another_name_type_or_shape_is_refused) {
  const ScratchFolder folder;
  const std::string path = folder.path("golden");
  write_safetensors(path, GoldenTensors().views());
  const SafetensorsFile file(path);
  float out[6];
  const auto read = [&](std::string_view name, TensorType type, std::vector<int64_t> shape) {
    return [&file, &out, name, type, shape] { file.read(name, type, shape, out); };
  };
  EXPECT_THAT(error_text(ErrorKind::not_found, read("weighs", TensorType::f32, {2, 3})),
              HasSubstr("golden: no tensor \"weighs\"; nearest: weights"));
  EXPECT_THAT(error_text(ErrorKind::bad_input, read("weights", TensorType::f32, {3, 2})),
              HasSubstr("golden: tensor \"weights\": expected F32 [3, 2], got F32 [2, 3]; give the "
                        "file of the same model"));
  EXPECT_THAT(error_text(ErrorKind::bad_input, read("weights", TensorType::i32, {2, 3})),
              HasSubstr("expected I32 [2, 3], got F32 [2, 3]"));
}

TEST(Safetensors, a_file_that_is_missing_or_none_of_ours_is_named) {
  const ScratchFolder folder;
  EXPECT_THAT(error_text(ErrorKind::not_found, [&] { SafetensorsFile(folder.path("none")); }),
              HasSubstr("none: cannot open: No such file or directory; give a safetensors file"));
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { SafetensorsFile("/dev/null"); }),
              HasSubstr("/dev/null: no safetensors file, or a damaged one: it is no regular file"));
  write_file(folder.path("text"), "to be or not to be");
  EXPECT_THAT(error_text(ErrorKind::bad_input, [&] { SafetensorsFile(folder.path("text")); }),
              HasSubstr("its header claims 8245845062548746100 bytes; the file has 18"));
}

TEST(Safetensors, a_file_that_was_cut_anywhere_is_refused) {
  const ScratchFolder folder;
  const std::string path = folder.path("golden");
  write_safetensors(path, GoldenTensors().views());
  const std::string whole = text_of_file(path);
  for (size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THAT(damage_of(whole.substr(0, length)),
                HasSubstr("w.safetensors: no safetensors file, or a damaged one: "))
        << length;
  }
  EXPECT_THAT(damage_of(whole + "x"), HasSubstr("the data has 46 bytes, its tensors 45; take an"));
}

TEST(Safetensors, a_header_that_lies_is_refused) {
  EXPECT_THAT(damage_of("\xff\xff\xff\xff\xff\xff\xff\xff{}"),
              HasSubstr("its header claims 18446744073709551615 bytes; the file has 10"));
  EXPECT_THAT(damage_of(file_of("[]", "")), HasSubstr("its header is no JSON object"));
  EXPECT_THAT(damage_of(file_of("{", "")), HasSubstr("its header is no JSON object"));
  EXPECT_THAT(error_text(ErrorKind::bad_input,
                         [] { parse_safetensors(file_of("{}", "").substr(0, 9), 10, "w"); }),
              HasSubstr("its header is cut off"));
  EXPECT_THAT(damage_of_entries("\"a\":1"), HasSubstr("tensor \"a\": its entry is no object"));
  EXPECT_THAT(damage_of_entries("\"a\":{}"), HasSubstr("tensor \"a\": dtype is missing"));
  EXPECT_THAT(damage_of_entries("\"a\":{\"dtype\":\"F32\"}"), HasSubstr("shape is missing"));
  EXPECT_THAT(damage_of_entries("\"a\":{\"dtype\":\"F32\",\"shape\":[4]}"),
              HasSubstr("data_offsets is missing"));
  EXPECT_THAT(damage_of_entries(entry("a", "[-4]", "[0,16]")),
              HasSubstr("shape holds what is no size"));
  EXPECT_THAT(damage_of_entries(entry("a", "[9223372036854775808]", "[0,16]")),
              HasSubstr("shape holds what is no size"));
  EXPECT_THAT(damage_of_entries(entry("a", "[4]", "[0,16,16]")),
              HasSubstr("data_offsets are not two"));
  EXPECT_THAT(damage_of_entries("\"__metadata__\":[]"), HasSubstr("__metadata__ is no object"));
  EXPECT_THAT(damage_of_entries("\"__metadata__\":{\"a\":1}"),
              HasSubstr("__metadata__ holds what is no text"));
}

TEST(Safetensors, offsets_must_tile_the_data) {
  EXPECT_THAT(damage_of_entries(entry("a", "[5]", "[0,20]")), HasSubstr("bytes 0 to 20 of 16"));
  EXPECT_THAT(damage_of_entries(entry("a", "[4]", "[16,0]")), HasSubstr("bytes 16 to 0 of 16"));
  EXPECT_THAT(damage_of_entries(entry("a", "[3]", "[0,16]")),
              HasSubstr("F32 [3] does not take the 16 bytes it has"));
  EXPECT_THAT(damage_of_entries(entry("a", "[4294967296,4294967296,4]", "[0,16]")),
              HasSubstr("does not take the 16 bytes"));
  EXPECT_THAT(damage_of_entries(entry("a", "[1]", "[0,4]") + "," + entry("b", "[2]", "[8,16]")),
              HasSubstr("tensor \"b\" begins at byte 8 of the data, expected 4"));
  EXPECT_THAT(damage_of_entries(entry("a", "[3]", "[0,12]") + "," + entry("b", "[2]", "[8,16]")),
              HasSubstr("tensor \"b\" begins at byte 8 of the data, expected 12"));
  EXPECT_THAT(damage_of_entries(entry("a", "[1]", "[0,4]")),
              HasSubstr("the data has 16 bytes, its tensors 4"));
}

TEST(Safetensors, a_type_that_we_lack_is_unsupported) {
  const std::string file =
      file_of("{" + entry("a", "[4]", "[0,16]", "F33") + "}", std::string(16, 'x'));
  EXPECT_THAT(error_text(ErrorKind::unsupported, [&] { parse(file); }),
              HasSubstr("w.safetensors: tensor \"a\": no element type \"F33\"; nearest: F32, "));
}

TEST(Safetensors, a_full_disk_is_named) {
  EXPECT_THAT(error_text(ErrorKind::bad_input,
                         [] { write_safetensors("/dev/full", GoldenTensors().views()); }),
              HasSubstr("/dev/full: cannot write: No space left on device"));
}

}  // namespace
}  // namespace ambidex
